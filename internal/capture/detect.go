package capture

import (
	"strings"

	"github.com/tidwall/gjson"
)

// Command is one check: a name (build, test) and what is run, without a shell.
type Command struct {
	Name string
	Args []string
}

// detect finds how a project builds and tests itself, by the files at its top. The first build system that is found
// counts. read gives a file's content, ok false where there is none; folder is where CMake builds if nobody says
// otherwise. Names and defaults are the tools' own.
func detect(read func(name string) (content []byte, ok bool), folder string) (build, test []Command) {
	has := func(names ...string) bool {
		for _, n := range names {
			if _, ok := read(n); ok {
				return true
			}
		}
		return false
	}
	b := func(args ...string) { build = append(build, Command{"build", args}) }
	t := func(args ...string) { test = append(test, Command{"test", args}) }
	switch {
	case has("CMakePresets.json", "CMakeUserPresets.json") && has("CMakeLists.txt"):
		cmakePresets(read, folder, b, t)
	case has("CMakeLists.txt"):
		b("cmake", "-S", ".", "-B", folder)
		b("cmake", "--build", folder)
		t("ctest", "--test-dir", folder, "--output-on-failure")
	case has("go.mod"):
		b("go", "build", "./...")
		t("go", "test", "./...")
	case has("Cargo.toml"):
		b("cargo", "build")
		t("cargo", "test")
	case has("package.json"):
		node(read, has, b, t)
	case has("mvnw"):
		b("./mvnw", "-B", "-q", "compile")
		t("./mvnw", "-B", "test")
	case has("pom.xml"):
		b("mvn", "-B", "-q", "compile")
		t("mvn", "-B", "test")
	case has("gradlew"):
		b("./gradlew", "assemble")
		t("./gradlew", "test")
	case has("build.gradle", "build.gradle.kts"):
		b("gradle", "assemble")
		t("gradle", "test")
	case has("pytest.ini", "conftest.py", "tox.ini", "pyproject.toml", "setup.py", "setup.cfg"):
		t("python3", "-m", "pytest")
	case has("Makefile", "makefile", "GNUmakefile"):
		makefile(read, b, t)
	}
	return build, test
}

// cmakePresets takes the first visible presets of each kind (cmake-presets(7)).
func cmakePresets(read func(string) ([]byte, bool), folder string, b, t func(...string)) {
	first := func(kind string) string {
		for _, f := range []string{"CMakeUserPresets.json", "CMakePresets.json"} {
			content, _ := read(f)
			for _, p := range gjson.GetBytes(content, kind).Array() {
				if name := p.Get("name").String(); name != "" && !p.Get("hidden").Bool() {
					return name
				}
			}
		}
		return ""
	}
	configure := first("configurePresets")
	if configure != "" {
		b("cmake", "--preset", configure)
	}
	if p := first("buildPresets"); p != "" {
		b("cmake", "--build", "--preset", p)
	} else if configure == "" {
		b("cmake", "-S", ".", "-B", folder)
		b("cmake", "--build", folder)
	}
	if p := first("testPresets"); p != "" {
		t("ctest", "--preset", p, "--output-on-failure")
	} else if configure == "" {
		t("ctest", "--test-dir", folder, "--output-on-failure")
	}
}

// node runs the scripts that package.json has, with the package manager that the lock file names.
func node(read func(string) ([]byte, bool), has func(...string) bool, b, t func(...string)) {
	manager := "npm"
	switch {
	case has("pnpm-lock.yaml"):
		manager = "pnpm"
	case has("yarn.lock"):
		manager = "yarn"
	case has("bun.lockb", "bun.lock"):
		manager = "bun"
	}
	content, _ := read("package.json")
	if !gjson.ValidBytes(content) { // the package manager says what is wrong with it; that nothing was found would be no answer
		b(manager, "run", "build")
		return
	}
	if gjson.GetBytes(content, "scripts.build").Exists() {
		b(manager, "run", "build")
	}
	if s := gjson.GetBytes(content, "scripts.test").String(); s != "" && !strings.Contains(s, "no test specified") {
		t(manager, "run", "test")
	}
}

// makefile runs the default goal, and the goal test or check where there is one.
func makefile(read func(string) ([]byte, bool), b, t func(...string)) {
	b("make")
	for _, f := range []string{"GNUmakefile", "makefile", "Makefile"} {
		content, ok := read(f)
		if !ok {
			continue
		}
		for _, goal := range []string{"test", "check"} {
			if strings.Contains("\n"+string(content), "\n"+goal+":") {
				t("make", goal)
				return
			}
		}
		return
	}
}
