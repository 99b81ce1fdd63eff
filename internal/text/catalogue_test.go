package text

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// places are the names that a sentence fills in, each once; a word chosen by a number names its number.
func places(sentence string) []string {
	var all []string
	for _, m := range regexp.MustCompile(`\{([^{}|]*)(\|[^{}]*)?\}`).FindAllStringSubmatch(sentence, -1) {
		if !slices.Contains(all, m[1]) {
			all = append(all, m[1])
		}
	}
	slices.Sort(all)
	return all
}

func TestLanguagesSayTheSame(t *testing.T) {
	en, ko := read(english), read(korean)
	for _, key := range slices.Sorted(maps.Keys(en)) {
		k, ok := ko[key]
		if !ok {
			t.Errorf("%s: not in ko.txt", key)
			continue
		}
		if a, b := places(en[key]), places(k); !slices.Equal(a, b) {
			t.Errorf("%s: en fills in %v, ko %v", key, a, b)
		}
		if a, b := examples(en[key]), examples(k); strings.HasSuffix(key, ".help") && !slices.Equal(a, b) {
			t.Errorf("%s: en shows the commands %q, ko %q", key, a, b)
		}
	}
	for key := range ko {
		if _, ok := en[key]; !ok {
			t.Errorf("%s: not in en.txt", key)
		}
	}
}

// examples are the command lines of a help text: those that a sentence does not run into. What a person would write
// in words may differ.
func examples(help string) []string {
	var all []string
	before := "."
	for line := range strings.Lines(help) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "session ") && strings.HasSuffix(before, ".") {
			all = append(all, regexp.MustCompile(`"[^"]*"`).ReplaceAllString(line, `""`))
			continue
		}
		before = line
	}
	return all
}

// A particle in one form only is wrong behind half of the words that a place may hold.
func TestKoreanParticlesBehindPlacesHaveBothForms(t *testing.T) {
	single := regexp.MustCompile(`\}[”"')»]*(은|는|이|가|을|를|과|와|로|으로)([ .,;:)]|$)`)
	for key, s := range read(korean) {
		if at := single.FindString(s); at != "" {
			t.Errorf("%s: %q: write both forms, as in 은(는)", key, at)
		}
	}
}

func TestCataloguesAreWellFormed(t *testing.T) {
	for name, b := range map[string]string{"en.txt": english, "ko.txt": korean} {
		seen := map[string]bool{}
		for i, line := range strings.Split(b, "\n") {
			key, s, is := strings.Cut(line, " = ")
			switch {
			case len(line) == 0 || line[0] == '#':
			case line[0] == ' ':
				if !strings.HasPrefix(line, "  ") {
					t.Errorf("%s:%d: a sentence goes on after two blanks", name, i+1)
				}
			case !is || !regexp.MustCompile(`^[A-Za-z0-9._-]+$`).MatchString(key):
				t.Errorf("%s:%d: neither a sentence nor a comment: %q", name, i+1, line)
			case seen[key]:
				t.Errorf("%s:%d: %s stands here for the second time", name, i+1, key)
			case strings.Count(s, "{") != strings.Count(s, "}"):
				t.Errorf("%s:%d: an open place: %s", name, i+1, s)
			}
			seen[key] = true
			if len(strings.TrimRight(line, " \t\r")) != len(line) {
				t.Errorf("%s:%d: blanks at the end", name, i+1)
			}
		}
	}
}

// use is what the program's source says about keys: its string literals, and calls that name a key and its places.
type use struct {
	pkg      string            // that is being read
	literals map[string]string // value → file:line
	calls    []call
	values   map[string][]string // package.Type → values of its string constants; "Offer" → first arguments of its calls
}

type call struct {
	at    string
	key   string
	names []string // of the pairs behind the key
	open  bool     // the pairs are not all to be seen here
}

func TestSentencesAndSourceFit(t *testing.T) {
	en, u := read(english), source(t)
	for _, key := range slices.Sorted(maps.Keys(en)) {
		if !u.uses(key) {
			t.Errorf("%s: nothing says this sentence", key)
		}
	}
	spaces := map[string]bool{}
	for key := range en {
		spaces[key[:strings.Index(key+".", ".")]] = true
	}
	for lit, at := range u.literals {
		space, _, dotted := strings.Cut(lit, ".")
		if dotted && speaks.MatchString(at) && spaces[space] && en[lit] == "" && regexp.MustCompile(`^[a-z-]+(\.[a-z_-]+)+$`).MatchString(lit) && !notKeys[lit] {
			t.Errorf("%s: %q looks like a key, and no sentence has it", at, lit)
		}
	}
	for _, c := range u.calls {
		s, ok := en[c.key]
		for _, place := range places(s) {
			if ok && !c.open && !slices.Contains(c.names, place) {
				t.Errorf("%s: %s needs {%s}, given are %q", c.at, c.key, place, c.names)
			}
		}
	}
	for prefix, kind := range families {
		if len(u.values[kind]) == 0 {
			t.Errorf("no values of %s in the source", kind)
		}
		for _, v := range u.values[kind] {
			if en[prefix+v] == "" {
				t.Errorf("%s%s: %s has the value %q, and no sentence has this key", prefix, v, kind, v)
			}
		}
	}
}

// families are keys put together from a prefix and a value: of the constants of a type, or what a method is called with.
var families = map[string]string{"push.": "gitstate.PushCause", "why.": "openspec.Reason", "action.": "Offer",
	"init-kept.": "assistant.Why", "problem.": "assistant.ProblemKind"}

// sayers are the functions whose key is followed by all that its sentence needs.
var sayers = map[string]bool{"Say": true, "say": true, "NewFinding": true, "rejected": true}

// speaks are the folders whose code words what a person reads; elsewhere "gc.auto" is one of git's settings.
var speaks = regexp.MustCompile(`(^|/)(commands|validate|internal/(app|brief|capture|recovery|execute))/`)

// notKeys look like keys and are names of files, settings and JSON paths.
var notKeys = map[string]bool{"tasks.md": true, "memory.db": true, "sessions.db": true, "sessions.swept": true, "blocker.detected_at": true, "blocker.recovery_attempted": true}

// uses reports whether the source says key: as it is, as a prefix put before a value of its own, or as the hint of a
// sentence that it says.
func (u use) uses(key string) bool {
	if _, ok := u.literals[key]; ok {
		return true
	}
	if base, ok := strings.CutSuffix(key, ".hint"); ok {
		return u.uses(base)
	}
	i := strings.Index(key, ".") + 1
	_, prefix := u.literals[key[:i]]
	_, value := u.literals[key[i:]]
	return i > 0 && prefix && value
}

func source(t *testing.T) use {
	t.Helper()
	u := use{literals: map[string]string{}, values: map[string][]string{}}
	set := token.NewFileSet()
	top := filepath.Join("..", "..")
	err := filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") || strings.HasSuffix(p, "_gen.go") {
			return nil
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(set, p, b, 0)
		if err != nil {
			return err
		}
		u.pkg = f.Name.Name
		ast.Inspect(f, func(n ast.Node) bool { u.see(set, n); return true })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func (u *use) see(set *token.FileSet, n ast.Node) {
	switch n := n.(type) {
	case *ast.BasicLit:
		if s, ok := literal(n); ok {
			u.literals[s] = set.Position(n.Pos()).String()
		}
	case *ast.CallExpr:
		u.call(set, n)
	case *ast.CompositeLit:
		u.fault(set, n)
	case *ast.ValueSpec:
		if kind, ok := n.Type.(*ast.Ident); ok {
			for _, v := range n.Values {
				if s, ok := literal(v); ok && s != "" {
					u.values[u.pkg+"."+kind.Name] = append(u.values[u.pkg+"."+kind.Name], s)
				}
			}
		}
	}
}

func (u *use) call(set *token.FileSet, n *ast.CallExpr) {
	callee := ""
	switch f := n.Fun.(type) {
	case *ast.Ident:
		callee = f.Name
	case *ast.SelectorExpr:
		callee = f.Sel.Name
	}
	for i, a := range n.Args {
		s, ok := literal(a)
		if ok && i == 0 && callee == "Offer" {
			u.values[callee] = append(u.values[callee], s)
		}
		if ok && sayers[callee] {
			names, open := pairs(n.Args[i+1:])
			u.calls = append(u.calls, call{set.Position(a.Pos()).String(), s, names, open || n.Ellipsis.IsValid()})
		}
	}
}

// fault reads errors that carry a key and its places, {"key", []any{…}}: what went wrong, and, under key.hint, what
// to do next.
func (u *use) fault(set *token.FileSet, n *ast.CompositeLit) {
	kind, ok := n.Type.(*ast.Ident)
	if !ok || !strings.HasSuffix(kind.Name, "Error") || len(n.Elts) != 2 {
		return
	}
	key, ok := literal(n.Elts[0])
	if !ok {
		return
	}
	var names []string
	open := false
	if list, ok := n.Elts[1].(*ast.CompositeLit); ok {
		names, open = pairs(list.Elts)
	}
	at := set.Position(n.Pos()).String()
	u.calls = append(u.calls, call{at, key, names, open}, call{at, key + ".hint", names, open})
	u.literals[key+".hint"] = at
}

// pairs reads the names of "name", value, "name", value, …; open is true where a name is not a literal.
func pairs(args []ast.Expr) (names []string, open bool) {
	for i := 0; i < len(args); i += 2 {
		s, ok := literal(args[i])
		if !ok {
			return names, true
		}
		names = append(names, s)
	}
	return names, false
}

func literal(e ast.Expr) (string, bool) {
	b, ok := e.(*ast.BasicLit)
	if !ok || b.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(b.Value)
	return s, err == nil
}
