package blocker

import "testing"

// TestBuildToolCases: build tools and compilers beside the great ones: what failed and where, by the tool's own words. Written for this test.
func TestBuildToolCases(t *testing.T) {
	runCases(t, `
=== case scons | build_error | core/io/stream.cpp:88 | 'read_fully' was not declared
scons: Reading SConscript files ...
Checking for C header file execinfo.h... (cached) no
scons: done reading SConscript files.
scons: Building targets ...
g++ -o core/io/stream.o -c -O2 core/io/stream.cpp
core/io/stream.cpp: In member function 'bool Stream::load()':
core/io/stream.cpp:88:12: error: 'read_fully' was not declared in this scope
scons: *** [core/io/stream.o] Error 1
scons: building terminated because of errors.
=== case scons rule | build_error |  | Source §foo.c' not found
scons: Reading SConscript files ...
scons: done reading SConscript files.
scons: Building targets ...
scons: *** [foo.o] Source §foo.c' not found, needed by target §foo.o'.
scons: building terminated because of errors.
=== case qmake | build_error |  | Unknown module(s) in QT: multimedia
Info: creating stash file /work/app/.qmake.stash
Project ERROR: Unknown module(s) in QT: multimedia
=== case xcpretty | build_error | /Users/dev/app/App/Model/User.swift:12 | type 'User' does not conform to protocol 'Codable'
▸ Compiling ErrorBanner.swift
▸ Compiling User.swift

❌  /Users/dev/app/App/Model/User.swift:12:8: type 'User' does not conform to protocol 'Codable'

struct User: Codable {
       ^

** BUILD FAILED **
=== case xcode sign | build_error |  | Signing for "App" requires a development team
/Users/dev/app/App.xcodeproj: error: Signing for "App" requires a development team. Select a development team in the Signing & Capabilities editor. (in target 'App' from project 'App')
** ARCHIVE FAILED **
=== case android aapt | build_error | app/src/main/res/layout/activity_main.xml:14 | resource color/primry
> Task :app:processDebugResources FAILED

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':app:processDebugResources'.
> A failure occurred while executing com.android.build.gradle.internal.res.LinkApplicationAndroidResourcesTask$TaskAction
   > Android resource linking failed
     /home/runner/work/app/app/app/src/main/res/layout/activity_main.xml:14: error: resource color/primry (aka com.acme.app:color/primry) not found.
     error: failed linking file resources.

BUILD FAILED in 8s
=== case gradle plugin | build_error | /work/app/build.gradle.kts:3 | was not found in any of the following sources
FAILURE: Build failed with an exception.

* Where:
Build file '/work/app/build.gradle.kts' line: 3

* What went wrong:
Plugin [id: 'com.acme.convention', version: '1.2.3'] was not found in any of the following sources:

- Gradle Core Plugins (plugin is not in 'org.gradle' namespace)

BUILD FAILED in 611ms
=== case dotnet9 | build_error | /src/Shop/Cart.cs:18 | CS0103
Restore complete (0.6s)
  Errors succeeded (0.2s) → src/Errors/bin/Debug/net9.0/Errors.dll
  Shop failed with 1 error(s) (0.4s)
    /src/Shop/Cart.cs(18,20): error CS0103: The name 'totl' does not exist in the current context

Build failed with 1 error(s) in 1.5s
=== case msvc fr | build_error | C:/proj/src/app.cpp:33 | C2065
Microsoft (R) Build Engine version 17.8.3+195e7f5a3 pour .NET Framework
Copyright (C) Microsoft Corporation. Tous droits réservés.

  app.cpp
C:\proj\src\app.cpp(33,5): error C2065: 'cpt' : identificateur non déclaré [C:\proj\app.vcxproj]

ÉCHEC de la build.

C:\proj\src\app.cpp(33,5): error C2065: 'cpt' : identificateur non déclaré [C:\proj\app.vcxproj]
    0 Avertissement(s)
    1 Erreur(s)

Temps écoulé 00:00:01.52
=== case nuget 401 | dependency | /src/Shop.sln | 401 (Unauthorized)
  Determining projects to restore...
/usr/share/dotnet/sdk/8.0.204/NuGet.targets(169,5): error : Unable to load the service index for source https://pkgs.example.org/nuget/v3/index.json. [/src/Shop.sln]
/usr/share/dotnet/sdk/8.0.204/NuGet.targets(169,5): error :   Response status code does not indicate success: 401 (Unauthorized). [/src/Shop.sln]
=== case ghc | build_error | src/Cart.hs:14 | Variable not in scope: totl
[1 of 3] Compiling Errors           ( src/Errors.hs, dist/Errors.o )
[2 of 3] Compiling Cart             ( src/Cart.hs, dist/Cart.o )

src/Cart.hs:14:9: error: [GHC-88464]
    Variable not in scope: totl :: [Int] -> Int
   |
14 | total = totl items
   |         ^^^^
Error: [Cabal-7125]
Failed to build cart-0.1.0.0.
=== case erlc | build_error | src/cart.erl:14 | variable 'Totl' is unbound
===> Verifying dependencies...
===> Analyzing applications...
===> Compiling cart
===> Compiling src/cart.erl failed
   ┌─ src/cart.erl:
   │
14 │      Totl + 1.
   │      ╰── variable 'Totl' is unbound
=== case bitbake | build_error |  | do_compile
NOTE: recipe zlib-1.3-r0: task do_compile: Succeeded
ERROR: cart-1.0-r0 do_compile: oe_runmake failed
ERROR: cart-1.0-r0 do_compile: ExecutionError('/work/tmp/work/core2-64/cart/1.0/temp/run.do_compile.1234', 1, None, None)
ERROR: Logfile of failure stored in: /work/tmp/work/core2-64/cart/1.0/temp/log.do_compile.1234
NOTE: recipe cart-1.0-r0: task do_compile: Failed
ERROR: Task (/work/meta/recipes/cart/cart_1.0.bb:do_compile) failed with exit code '1'
NOTE: Tasks Summary: Attempted 773 tasks of which 623 didn't need to be rerun and 1 failed.

Summary: 1 task failed:
  /work/meta/recipes/cart/cart_1.0.bb:do_compile
Summary: There were 3 ERROR messages, returning a non-zero exit code.
=== case latexmk | build_error | paper.tex:42 | Undefined control sequence
Latexmk: applying rule 'pdflatex'...
./paper.tex:42: Undefined control sequence.
l.42 \sectoin
             {Intro}
?
./paper.tex:42: Emergency stop.
!  ==> Fatal error occurred, no output PDF file produced!
Latexmk: Errors, so I did not complete making targets
=== case solidity | build_error | contracts/Cart.sol:12 | Undeclared identifier
Compiling 4 files with Solc 0.8.24
Error:
Compiler run failed:
Error (7576): Undeclared identifier. Did you mean "total"?
  --> contracts/Cart.sol:12:16:
   |
12 |         return totl;
   |                ^^^^
=== case hugo | build_error | /work/content/post/a.md:14 | failed to extract shortcode
Start building sites …
ERROR failed to extract shortcode: template for shortcode "figur" not found: "/work/content/post/a.md:14:1"
Error: error building site: process: readAndProcessContent: "/work/content/post/a.md:14:1": failed to extract shortcode: template for shortcode "figur" not found
=== case ld mac | build_error |  | _deflateInit_
Undefined symbols for architecture arm64:
  "_deflateInit_", referenced from:
      compress(std::string const&) in zip.cpp.o
ld: symbol(s) not found for architecture arm64
clang: error: linker command failed with exit code 1 (use -v to see invocation)
ninja: build stopped: subcommand failed.
=== case sphinx | build_error | /work/docs/api.rst:12 | undefined label
Running Sphinx v7.3.7
building [html]: targets for 8 source files that are out of date
/work/docs/api.rst:12: WARNING: undefined label: 'errors' [ref.ref]
build finished with problems, 1 warning (with warnings treated as errors).
=== case zig build | build_error | src/main.zig:14 | use of undeclared identifier 'totl'
install
└─ install cart
   └─ zig build-exe cart Debug native 1 errors
src/main.zig:14:19: error: use of undeclared identifier 'totl'
    const x = totl(items);
              ^~~~
error: the following command failed with 1 compilation errors:
/usr/bin/zig build-exe -ODebug -Mroot=/work/src/main.zig --listen=-
Build Summary: 0/3 steps succeeded; 1 failed (disable with --summary none)
`)
}

// TestServiceCases: packages, machines and services: what could not be had. Written for this test.
func TestServiceCases(t *testing.T) {
	runCases(t, `
=== case npm eacces | ci_failure |  | EACCES
npm error code EACCES
npm error syscall mkdir
npm error path /usr/lib/node_modules/typescript
npm error errno -13
npm error Error: EACCES: permission denied, mkdir '/usr/lib/node_modules/typescript'
=== case npm gyp | dependency |  | npm error gyp ERR! find Python: Error: Could not find any Py
npm error code 1
npm error path /work/node_modules/bcrypt
npm error command failed
npm error command sh -c node-gyp rebuild
npm error gyp info it worked if it ends with ok
npm error gyp ERR! find Python
npm error gyp ERR! configure error
npm error gyp ERR! stack Error: Could not find any Python installation to use
npm error gyp ERR! not ok
npm error A complete log of this run can be found in: /root/.npm/_logs/x.log
=== case npm audit | dependency |  | # npm audit report: 1 high severity vulnerability
# npm audit report

lodash  <4.17.21
Severity: high
Command Injection in lodash - https://github.com/advisories/GHSA-35jh-r3h4-6jhm
fix available via §npm audit fix§
node_modules/lodash

1 high severity vulnerability

To address all issues, run:
  npm audit fix
Error: Process completed with exit code 1.
=== case pipenv | dependency |  | Pipfile.lock
Your Pipfile.lock (1d2a3b) is out of date. Expected: (9f8e7d).
Usage: pipenv install [OPTIONS] [PACKAGES]...

ERROR:: Aborting deploy
=== case bundler frozen | dependency |  | Your bundle only supports platforms ["x86_64-darwin-20"] but
The gemspecs for path gems changed
Bundler is unlocking
Your bundle only supports platforms ["x86_64-darwin-20"] but your local platform is x86_64-linux. Add the current platform to the lockfile with
§bundle lock --add-platform x86_64-linux§ and try again.
=== case stack plan | dependency |  | Stack failed to construct a build plan: aeson must match >=
Error: [S-4804]
       Stack failed to construct a build plan.

       While constructing the build plan, Stack encountered the following errors. The
       'Stack configuration' refers to the set of package versions specified by the snapshot.

       In the dependencies for shop-0.1.0.0:
         * aeson must match >=9.0, but no version is in the Stack configuration.
=== case opam | dependency |  | [ERROR] Package conflict!: No agreement on the version of oc
[ERROR] Package conflict!
  * No agreement on the version of ocaml:
    - (invariant) → ocaml-base-compiler = 5.1.1
    - ghost → ocaml < 4.10
No solution found, exiting
=== case apk | dependency |  | ghost (no such package)
fetch https://dl-cdn.example.org/alpine/v3.19/main/x86_64/APKINDEX.tar.gz
ERROR: unable to select packages:
  ghost (no such package):
    required by: world[ghost]
=== case choco | dependency |  | ghost not installed
Chocolatey v2.2.2
Installing the following packages:
ghost
ghost not installed. The package was not found with the source(s) listed.

Chocolatey installed 0/1 packages. 1 packages failed.
 See the log for details (C:\ProgramData\chocolatey\logs\chocolatey.log).

Failures
 - ghost - ghost not installed. The package was not found with the source(s) listed.
=== case compose unhealthy | ci_failure |  | is unhealthy
 Container shop-db-1  Starting
 Container shop-db-1  Started
 Container shop-db-1  Error
dependency failed to start: container shop-db-1 is unhealthy
=== case helm lint | ci_failure | shop/templates/deploy.yaml:14 | nil pointer evaluating
==> Linting charts/shop
[INFO] Chart.yaml: icon is recommended
[ERROR] templates/: template: shop/templates/deploy.yaml:14:22: executing "shop/templates/deploy.yaml" at <.Values.image.tag>: nil pointer evaluating interface {}.tag

Error: 1 chart(s) linted, 1 chart(s) failed
=== case kubectl | ci_failure |  | error validating data
error: error validating "deploy.yaml": error validating data: ValidationError(Deployment.spec): unknown field "replica" in io.k8s.api.apps.v1.DeploymentSpec; if you choose to ignore these errors, turn validation off with --validate=false
=== case docker copy | build_error | Dockerfile:6 | "/dist": not found
#7 [3/4] COPY dist /app
#7 ERROR: failed to calculate checksum of ref abc::def: "/dist": not found
------
 > [3/4] COPY dist /app:
------
Dockerfile:6
--------------------
   6 | >>> COPY dist /app
--------------------
ERROR: failed to solve: failed to compute cache key: failed to calculate checksum of ref abc::def: "/dist": not found
=== case gradle daemon oom | ci_failure |  | Expiring Daemon because JVM heap space is exhausted
> Task :app:mergeDexRelease
Expiring Daemon because JVM heap space is exhausted
> Task :app:mergeDexRelease FAILED

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':app:mergeDexRelease'.
> java.lang.OutOfMemoryError: Java heap space

BUILD FAILED in 3m 2s
=== case gradle daemon gone | ci_failure |  | daemon disappeared unexpectedly
> Task :core:test

FAILURE: Build failed with an exception.

* What went wrong:
Gradle build daemon disappeared unexpectedly (it may have been killed or may have crashed)

* Try:
> Run with --stacktrace option to get the stack trace.
=== case azure | build_error | Shop/Cart.cs:18 | CS1002
2026-03-02T10:00:00.0000000Z ##[section]Starting: dotnet build
2026-03-02T10:00:01.0000000Z ==============================================================================
2026-03-02T10:00:02.0000000Z ##[error]Shop/Cart.cs(18,20): Error CS1002: ; expected
2026-03-02T10:00:02.0000000Z /home/vsts/work/1/s/Shop/Cart.cs(18,20): error CS1002: ; expected [/home/vsts/work/1/s/Shop/Shop.csproj]
2026-03-02T10:00:02.0000000Z     1 Error(s)
2026-03-02T10:00:03.0000000Z ##[error]Error: The process '/usr/bin/dotnet' failed with exit code 1
2026-03-02T10:00:03.0000000Z ##[section]Finishing: dotnet build
=== case rsync | ci_failure |  | rsync error
sending incremental file list
rsync: [sender] link_stat "/work/dist" failed: No such file or directory (2)
rsync error: some files/attrs were not transferred (see previous errors) (code 23) at main.c(1338) [sender=3.2.7]
`)
}

// TestLinterCases: linters: the first finding, not their count. Written for this test.
func TestLinterCases(t *testing.T) {
	runCases(t, `
=== case svelte check | build_error |  | Cannot find name 'usr'
Loading svelte-check in workspace: /work
Getting Svelte diagnostics...

/work/src/routes/+page.svelte:8:14
Error: Cannot find name 'usr'. (ts)
<h1>Hello {usr.name}</h1>

====================================
svelte-check found 1 error and 0 warnings in 1 file
=== case prettier | build_error | src/cart.ts | [warn] Code style issues found in the above file. Run Pretti
Checking formatting...
[warn] src/cart.ts
[warn] Code style issues found in the above file. Run Prettier with --write to fix.
=== case biome | build_error | src/cart.ts:3 | lint/style/useConst
./src/cart.ts:3:5 lint/style/useConst  FIXABLE  ━━━━━━━━━━━━━━━━━━━━━━━

  × This let declares a variable that is only assigned once.

  > 3 │ let a = 1;
      │ ^^^

Checked 12 files in 20ms. No fixes applied.
Found 1 error.
check ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━

  × Some errors were emitted while running checks.
=== case phpstan | build_error | src/Cart.php:21 | should return int but returns string
 12/12 [▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓] 100%

 ------ --------------------------------------------------------------
  Line   src/Cart.php
 ------ --------------------------------------------------------------
  21     Method Cart::total() should return int but returns string.
 ------ --------------------------------------------------------------

 [ERROR] Found 1 error
=== case commitlint | build_error |  | subject may not be empty
⧗   input: fix stuff
✖   subject may not be empty [subject-empty]
✖   type may not be empty [type-empty]

✖   found 2 problems, 0 warnings
ⓘ   Get help: https://github.com/conventional-changelog/commitlint/#what-is-commitlint
husky - commit-msg script failed (code 1)
=== case actionlint | build_error | .github/workflows/ci.yml:12 | property "shaa" is not defined
.github/workflows/ci.yml:12:24: property "shaa" is not defined in object type {sha: string} [expression]
   |
12 |       - run: echo ${{ github.shaa }}
   |                        ^~~~~~~~~~~
=== case codespell | build_error | docs/a.md:4 | recieve ==> receive
docs/a.md:4: recieve ==> receive
##[error]Process completed with exit code 65.
=== case ktlint | build_error | /work/src/Main.kt:7 | Unexpected indentation
/work/src/Main.kt:7:1: Unexpected indentation (3) (should be 4) (standard:indent)

Summary error count (descending) by rule:
  standard:indent: 1
##[error]Process completed with exit code 1.
=== case mix format | build_error |  | ** (Mix) mix format failed due to --check-formatted.
** (Mix) mix format failed due to --check-formatted.
The following files are not formatted:

  * lib/shop/cart.ex
=== case maven enforcer | build_error |  | RequireJavaVersion
[INFO] --- enforcer:3.4.1:enforce (enforce-java) @ shop ---
[ERROR] Rule 0: org.apache.maven.enforcer.rules.version.RequireJavaVersion failed with message:
Detected JDK /usr/lib/jvm/java-11 is version 11.0.22 which is not in the allowed range [17,).
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-enforcer-plugin:3.4.1:enforce (enforce-java) on project shop: 
[ERROR] Rule 0: org.apache.maven.enforcer.rules.version.RequireJavaVersion failed with message:
`)
}
