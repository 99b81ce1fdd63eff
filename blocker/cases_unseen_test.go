package blocker

import "testing"

// TestUnseenTools holds what real tools printed when they were made to fail in ways that had no case yet.
func TestUnseenTools(t *testing.T) {
	runCases(t, `
=== case make target test by hand | test_failure | | [Makefile:2: test] Error 1
./run_tests.sh
test 1: ok
test 2: expected 3, got 4
make: *** [Makefile:2: test] Error 1
=== case make test target cannot build | build_error | | cart.o
make[1]: *** [Makefile:9: cart.o] Error 1
make: *** [Makefile:2: test] Error 2
=== case make test target lints | build_error | src/a.py:3 |
src/a.py:3: error: Name "x" is not defined  [name-defined]
make: *** [Makefile:2: test] Error 1
=== case make killed | ci_failure | |
sleep 500
make: *** [Makefile:2: all] Terminated
=== case make deletes what it began | build_error | | build.make:114: app
[100%] Linking CXX executable app
gmake[2]: *** [CMakeFiles/app.dir/build.make:114: app] Error 1
gmake[2]: *** Deleting file 'app'
gmake: *** [Makefile:91: all] Error 2
=== case make directories korean | build_error | lib/a.c:3 |
make[1]: 디렉터리 '/builds/acme/shop/lib' 들어감
a.c:3:5: error: ‘y’ undeclared (first use in this function)
make[1]: *** [Makefile:2: all] 오류 1
make[1]: 디렉터리 '/builds/acme/shop/lib' 나감
make: *** [Makefile:2: all] 오류 2
=== case ld with debug information | build_error | src/main.c:12 | undefined reference
/usr/bin/ld: /tmp/ccA1.o: in function §main':
/w/src/main.c:12: undefined reference to §frob'
collect2: error: ld returned 1 exit status
=== case go without module | build_error | | go.mod file not found
go: go.mod file not found in current directory or any parent directory; see 'go help modules'
=== case go json module missing | dependency | a_test.go:2 | cannot find module providing package
{"ImportPath":"example.com/x/assert","Action":"build-output","Output":"# example.com/shop\n"}
{"ImportPath":"example.com/x/assert","Action":"build-output","Output":"a_test.go:2:20: cannot find module providing package example.com/x/assert: module lookup disabled by GOPROXY=off\n"}
{"ImportPath":"example.com/x/assert","Action":"build-fail"}
{"Action":"start","Package":"example.com/shop"}
{"Action":"output","Package":"example.com/shop","Output":"FAIL\texample.com/shop [setup failed]\n"}
{"Action":"fail","Package":"example.com/shop","Elapsed":0,"FailedBuild":"example.com/x/assert"}
=== case cargo doc test | test_failure | | src/lib.rs - doc (line 3)
   Doc-tests shop

running 1 test
test src/lib.rs - doc (line 3) ... FAILED

failures:

---- src/lib.rs - doc (line 3) stdout ----
Test executable failed (exit status: 101).

stderr:

thread 'main' (210) panicked at /tmp/rustdoctestRI/doctest_bundle_2024.rs:6:1:
assertion §left == right§ failed

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s
error: doctest failed, to rerun pass §--doc§
=== case cargo too old | dependency | | is not supported by the following package
error: rustc 1.70.0 is not supported by the following package:
  shop@0.1.0 requires rustc 1.80
=== case cargo subcommand missing | dependency | | no such command
error: no such command: §nextest§

help: view all installed commands with §cargo --list§
##[error]Process completed with exit code 101.
=== case python chain | ci_failure | /w/step.py:7 | RuntimeError: step failed
Traceback (most recent call last):
  File "/w/step.py", line 5, in f
    g()
  File "/w/step.py", line 2, in g
    return 1/0
           ~^~
ZeroDivisionError: division by zero

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/w/step.py", line 8, in <module>
    f()
  File "/w/step.py", line 7, in f
    raise RuntimeError("step failed") from e
RuntimeError: step failed
=== case python bad json | ci_failure | /w/read.py:2 | JSONDecodeError
Traceback (most recent call last):
  File "/w/read.py", line 2, in <module>
    json.loads("{")
  File "/usr/lib/python3.11/json/decoder.py", line 353, in raw_decode
    obj, end = self.scan_once(s, idx)
json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)
=== case python no script | ci_failure | | can't open file
python3: can't open file '/w/tools/gen.py': [Errno 2] No such file or directory
=== case git apply korean | merge_conflict | f.txt:1 |
error: 패치 실패: f.txt:1
error: f.txt: 패치를 적용하지 않습니다
=== case git am german | merge_conflict | f.txt:1 |
Fehler: Anwendung des Patches fehlgeschlagen: f.txt:1
Fehler: f.txt: Patch konnte nicht angewendet werden
=== case git pull chinese | merge_conflict | | 您有未合并的文件
错误：无法拉取，因为您有未合并的文件。
提示：请在工作区改正文件，然后酌情使用 'git add/rm <文件>' 命令标记
致命错误：因为存在未解决的冲突而退出。
=== case git diff check | merge_conflict | src/cart.c:10 | leftover conflict marker
src/cart.c:10: leftover conflict marker
src/cart.c:12: leftover conflict marker
=== case git dirty korean | ci_failure | |
error: 다음 파일의 로컬 변경 사항을 병합 때문에 덮어 쓰게 됩니다:
	f.txt
병합하기 전에 변경 사항을 커밋하거나 스태시하십시오.
중지함
=== case jest parse | test_failure | src/c.test.js:1 | Unexpected token
FAIL src/c.test.js
  ● Test suite failed to run

    Jest encountered an unexpected token

    Details:

    SyntaxError: /w/src/c.test.js: Unexpected token (1:25)

    > 1 | test('x',()=>{ const y = ; });
        |                          ^

Test Suites: 1 failed, 1 total
Tests:       0 total
=== case jest finds nothing | test_failure | | No tests found
No tests found, exiting with code 1
Run with §--passWithNoTests§ to exit with code 0
=== case vitest suite | test_failure | | Cannot find module
 ❯ vt/b.spec.js (0 test)

⎯⎯⎯⎯⎯⎯ Failed Suites 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  vt/b.spec.js [ vt/b.spec.js ]
Error: Cannot find module './nosuch.js' imported from /w/vt/b.spec.js
 ❯ vt/b.spec.js:1:1

 Test Files  1 failed (1)
      Tests  no tests
=== case mocha cannot parse | build_error | /w/test/c.js:2 | Unexpected end of input

 Exception during run: /w/test/c.js:2



SyntaxError: Unexpected end of input
    at wrapSafe (node:internal/modules/cjs/loader:1464:18)
    at async exports.handler (/w/node_modules/mocha/lib/cli/run.cjs:143:5)
=== case tsc without a project | build_error | | TS18003
error TS18003: No inputs were found in config file '/w/tsconfig.json'. Specified 'include' paths were '["src"]'.
=== case eslint too many warnings | build_error | | too many warnings

/w/src/a.js
  1:5  warning  'a' is assigned a value but never used  no-unused-vars

✖ 1 problem (0 errors, 1 warning)

ESLint found too many warnings (maximum: 0).
=== case eslint config missing | build_error | | ESLint couldn't find

Oops! Something went wrong! :(

ESLint: 9.12.0

ESLint couldn't find an eslint.config.(js|mjs|cjs) file.
=== case node range error | build_error | /w/n.js:1 | RangeError
/w/n.js:1
throw new RangeError('too far')
^

RangeError: too far
    at Object.<anonymous> (/w/n.js:1:7)
    at node:internal/main/run_main_module:28:49

Node.js v20.20.2
=== case node own module | build_error | /w/n.js:1 | ./lib/x
node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module './lib/x'
Require stack:
- /w/n.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)
    at Module._load (node:internal/modules/cjs/loader:1038:27)
    at require (node:internal/modules/helpers:182:18)
    at Object.<anonymous> (/w/n.js:1:1) {
  code: 'MODULE_NOT_FOUND'
}

Node.js v20.20.2
=== case java main class | build_error | | GradleWrapperMain
$ ./gradlew build
Error: Could not find or load main class org.gradle.wrapper.GradleWrapperMain
The command "./gradlew build" exited with 1.

Done. Your build exited with 1.
=== case javac release | build_error | | release version 21 not supported
error: release version 21 not supported
Usage: javac <options> <source files>
use --help for a list of possible options
=== case go json behind time stamps | test_failure | a_test.go:3 | want 3
2026-01-03T10:00:01.1234567Z {"Time":"2026-01-03T10:00:01Z","Action":"start","Package":"example.com/shop"}
2026-01-03T10:00:01.1234567Z {"Time":"2026-01-03T10:00:01Z","Action":"run","Package":"example.com/shop","Test":"TestAdd"}
2026-01-03T10:00:01.1234567Z {"Time":"2026-01-03T10:00:01Z","Action":"output","Package":"example.com/shop","Test":"TestAdd","Output":"=== RUN   TestAdd\n"}
2026-01-03T10:00:01.1234567Z {"Time":"2026-01-03T10:00:01Z","Action":"output","Package":"example.com/shop","Test":"TestAdd","Output":"    a_test.go:3: Add(1,2) = 4, want 3\n"}
2026-01-03T10:00:01.1234567Z {"Time":"2026-01-03T10:00:01Z","Action":"output","Package":"example.com/shop","Test":"TestAdd","Output":"--- FAIL: TestAdd (0.00s)\n"}
2026-01-03T10:00:01.1234567Z {"Time":"2026-01-03T10:00:01Z","Action":"fail","Package":"example.com/shop","Test":"TestAdd","Elapsed":0}
2026-01-03T10:00:01.1234567Z ##[error]Process completed with exit code 1.
`)
}
