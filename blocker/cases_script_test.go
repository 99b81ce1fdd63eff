package blocker

import "testing"

// TestPythonToolchain: interpreter, test runners, packagers, linters. Written for this test.
func TestPythonToolchain(t *testing.T) {
	runCases(t, `
=== case pytest | test_failure | tests/test_a.py:9 | test_add
============================= test session starts ==============================
platform linux -- Python 3.11.2, pytest-8.0.0, pluggy-1.4.0
rootdir: /w/app
collected 2 items

tests/test_a.py .F                                                       [100%]

=================================== FAILURES ===================================
___________________________________ test_add ___________________________________

    def test_add():
>       assert add(2, 2) == 5
E       assert 4 == 5
E        +  where 4 = add(2, 2)

tests/test_a.py:9: AssertionError
=========================== short test summary info ============================
FAILED tests/test_a.py::test_add - assert 4 == 5
========================= 1 failed, 1 passed in 0.05s ==========================
=== case pytest deep | test_failure | app/calc.py:3 | ZeroDivisionError: division by zero
=================================== FAILURES ===================================
___________________________________ test_div ___________________________________

    def test_div():
>       div(1, 0)

tests/test_a.py:12: 
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ 

a = 1, b = 0

    def div(a, b):
>       return a / b
E       ZeroDivisionError: division by zero

app/calc.py:3: ZeroDivisionError
=========================== short test summary info ============================
FAILED tests/test_a.py::test_div - ZeroDivisionError: division by zero
============================== 1 failed in 0.03s ===============================
=== case pytest collection | test_failure | tests/test_a.py:3 | No module named 'yaml'
==================================== ERRORS ====================================
_______________________ ERROR collecting tests/test_a.py _______________________
ImportError while importing test module '/w/tests/test_a.py'.
Hint: make sure your test modules/packages have valid Python names.
Traceback:
/usr/lib/python3.11/importlib/__init__.py:126: in import_module
    return _bootstrap._gcd_import(name[level:], package, level)
tests/test_a.py:3: in <module>
    import yaml
E   ModuleNotFoundError: No module named 'yaml'
=========================== short test summary info ============================
ERROR tests/test_a.py
!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!
=============================== 1 error in 0.07s ===============================
=== case pytest quiet | test_failure | | test_add
F                                                                        [100%]
=================================== FAILURES ===================================
___________________________________ test_add ___________________________________
E       assert 4 == 5
=========================== short test summary info ============================
FAILED tests/test_a.py::test_add - assert 4 == 5
1 failed in 0.02s
=== case pytest no blocks | test_failure | tests/test_a.py:0 | test_add
tests/test_a.py::test_add FAILED                                         [ 50%]
tests/test_a.py::test_ok PASSED                                          [100%]
========================= 1 failed, 1 passed in 0.05s ==========================
=== case pytest passes with words | none
tests/test_a.py::test_error_FAILED PASSED                                [ 50%]
------------------------------ live log call -------------------------------
ERROR    root:a.py:3 error: FAILED (expected)
========================= 2 passed, 1 warning in 0.05s =========================
=== case pytest internal | test_failure | | unrecognized arguments
ERROR: usage: pytest [options] [file_or_dir] [file_or_dir] [...]
pytest: error: unrecognized arguments: --cov=app
  inifile: /w/setup.cfg
=== case unittest | test_failure | tests/test_a.py:9 | AssertionError: 4 != 5
.F
======================================================================
FAIL: test_add (tests.test_a.CalcTest)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/w/tests/test_a.py", line 9, in test_add
    self.assertEqual(add(2, 2), 5)
AssertionError: 4 != 5

----------------------------------------------------------------------
Ran 2 tests in 0.001s

FAILED (failures=1)
=== case nose | test_failure | app/x.py:7 | KeyError
..E
======================================================================
ERROR: tests.test_x.test_get
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/home/travis/virtualenv/python2.7.9/lib/python2.7/site-packages/nose/case.py", line 197, in runTest
    self.test(*self.arg)
  File "/home/travis/build/o/app/tests/test_x.py", line 4, in test_get
    get({})
  File "/home/travis/build/o/app/app/x.py", line 7, in get
    return d['a']
KeyError: 'a'

----------------------------------------------------------------------
Ran 3 tests in 0.010s

FAILED (errors=1)
=== case nose import failure | test_failure | | No module named yaml
======================================================================
ERROR: Failure: ImportError (No module named yaml)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/usr/lib/python2.7/site-packages/nose/loader.py", line 418, in loadTestsFromName
    addr.filename, addr.module)
ImportError: No module named yaml
----------------------------------------------------------------------
Ran 1 test in 0.003s

FAILED (errors=1)
=== case unittest ok with words | none
test_error (tests.T) ... ERROR:root:could not connect: FAILED
ok
----------------------------------------------------------------------
Ran 1 test in 0.001s

OK
=== case doctest | test_failure | | add
File "/w/app/calc.py", line 4, in calc.add
Failed example:
    add(2, 2)
Expected:
    5
Got:
    4
**********************************************************************
1 items had failures:
   1 of   1 in calc.add
***Test Failed*** 1 failures.
=== case tox | test_failure | tests/test_a.py:9 | test_add
py311: commands[0]> pytest
___________________________________ test_add ___________________________________
E       assert 4 == 5
tests/test_a.py:9: AssertionError
1 failed, 3 passed in 0.05s
py311: exit 1 (0.50 seconds) /w> pytest pid=123
  py311: FAIL code 1 (0.60=setup[0.10]+cmd[0.50] seconds)
  evaluation failed :( (0.65 seconds)
=== case script traceback | dependency | main.py:1 | No module named 'requests'
Traceback (most recent call last):
  File "main.py", line 1, in <module>
    import requests
ModuleNotFoundError: No module named 'requests'
=== case syntax error | build_error | app/a.py:12 | SyntaxError: invalid syntax
  File "app/a.py", line 12
    def f(:
          ^
SyntaxError: invalid syntax
=== case indentation | build_error | a.py:3 | IndentationError
Sorry: IndentationError: unexpected indent (a.py, line 3)
  File "a.py", line 3
    x = 1
IndentationError: unexpected indent
=== case pip missing | dependency | | Could not find a version
ERROR: Could not find a version that satisfies the requirement nonexistent==9.9 (from versions: none)
ERROR: No matching distribution found for nonexistent==9.9
=== case pip conflict | dependency | | conflicting dependencies
ERROR: Cannot install a==1 and b==2 because these package versions have conflicting dependencies.
ERROR: ResolutionImpossible: for help visit https://pip.pypa.io/
=== case pip wheel | dependency | | Failed building wheel
  error: subprocess-exited-with-error
  × python setup.py bdist_wheel did not run successfully.
  ERROR: Failed building wheel for lxml
ERROR: Could not build wheels for lxml, which is required to install pyproject.toml-based projects
=== case poetry | dependency | | version solving failed
Because app depends on foo (^9.0) which doesn't match any versions, version solving failed.
=== case uv | dependency | | No solution found
  × No solution found when resolving dependencies:
  ╰─▶ Because foo was not found in the package registry and you require foo, we can conclude that your requirements are unsatisfiable.
=== case conda | dependency | | PackagesNotFoundError
Collecting package metadata (current_repodata.json): ...working... done
Solving environment: ...working... failed

PackagesNotFoundError: The following packages are not available from current channels:

  - nonexistent=9.9
=== case conda old | dependency | | No packages found
Fetching package metadata: ....
Error: No packages found in current linux-64 channels matching: foo 9.9*
=== case mamba | dependency | | nothing provides
Could not solve for environment specs
The following packages are incompatible
└─ foo 9.9** does not exist, nothing provides foo
=== case mypy | build_error | app/a.py:12 | Incompatible return value type
app/a.py:12: error: Incompatible return value type (got "str", expected "int")  [return-value]
Found 1 error in 1 file (checked 3 source files)
=== case mypy ok | none
Success: no issues found in 3 source files
=== case flake8 | build_error | app/a.py:3 | E501
./app/a.py:3:80: E501 line too long (88 > 79 characters)
./app/a.py:9:1: F401 'os' imported but unused
2
=== case pylint | build_error | app/a.py:3 | E0602
************* Module app.a
app/a.py:3:4: E0602: Undefined variable 'foo' (undefined-variable)

-----------------------------------
Your code has been rated at 3.33/10
=== case ruff | build_error | app/a.py:1 | F401
app/a.py:1:8: F401 [*] §os§ imported but unused
Found 1 error.
=== case ruff full | build_error | app/a.py:1 | F401
F401 [*] §os§ imported but unused
 --> app/a.py:1:8
  |
1 | import os
  |        ^^
Found 1 error.
=== case black | build_error | app/a.py:0 | would reformat
would reformat app/a.py

Oh no! 💥 💔 💥
1 file would be reformatted, 3 files would be left unchanged.
=== case isort | build_error | app/a.py:0 | Imports are incorrectly sorted
ERROR: /home/runner/work/x/x/app/a.py Imports are incorrectly sorted and/or formatted.
=== case pyright | build_error | /w/app/a.py:3 | is not defined
/w/app/a.py
  /w/app/a.py:3:5 - error: "foo" is not defined (reportUndefinedVariable)
1 error, 0 warnings, 0 informations
=== case django | test_failure | | test_login
Creating test database for alias 'default'...
======================================================================
FAIL: test_login (accounts.tests.LoginTest)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/w/accounts/tests.py", line 21, in test_login
    self.assertEqual(r.status_code, 200)
AssertionError: 404 != 200
Ran 3 tests in 0.100s
FAILED (failures=1)
=== case coverage gate | ci_failure | | Required test coverage
TOTAL                 100     20    80%
FAIL Required test coverage of 90% not reached. Total coverage: 80.00%
=========================== 12 passed in 1.20s ============================
##[error]Process completed with exit code 1.
=== case sphinx | build_error | docs/index.rst:12 | Unknown directive type
/home/runner/work/x/x/docs/index.rst:12: ERROR: Unknown directive type "foo".
build finished with problems, 1 warning.
=== case yaml | build_error | | mapping values are not allowed
yaml.scanner.ScannerError: mapping values are not allowed here
  in "config.yml", line 3, column 8
=== case cuda out of memory | test_failure | | CUDA out of memory
OutOfMemoryError: CUDA out of memory on device 0
=== case asv module not installed | dependency | | No module named pytest
/usr/bin/python3: No module named pytest
`)
}

// TestWebToolchain: node, its package managers, compilers, bundlers, test runners, linters. Written for this test.
func TestWebToolchain(t *testing.T) {
	runCases(t, `
=== case tsc | build_error | src/a.ts:3 | TS2322
src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.
error Command failed with exit code 2.
=== case tsc pretty | build_error | src/a.ts:3 | TS2322
␛[96msrc/a.ts␛[0m:␛[93m3␛[0m:␛[93m7␛[0m - ␛[91merror␛[0m␛[90m TS2322: ␛[0mType 'string' is not assignable to type 'number'.

3 const x: number = "a";
        ~
Found 1 error in src/a.ts:3
=== case npm e404 | dependency | | E404
npm ERR! code E404
npm ERR! 404 Not Found - GET https://registry.example.org/left-padd - Not found
npm ERR! 404 
npm ERR! 404  'left-padd@^1.0.0' is not in this registry.
npm ERR! A complete log of this run can be found in:
=== case npm eresolve | dependency | | ERESOLVE
npm error code ERESOLVE
npm error ERESOLVE unable to resolve dependency tree
npm error
npm error While resolving: app@1.0.0
=== case npm ci lock | dependency | | EUSAGE
npm ERR! code EUSAGE
npm ERR! 
npm ERR! §npm ci§ can only install packages when your package.json and package-lock.json or npm-shrinkwrap.json are in sync.
=== case npm network | ci_failure | | ETIMEDOUT
npm ERR! code ETIMEDOUT
npm ERR! network request to https://registry.example.org/x failed, reason: connect ETIMEDOUT
=== case npm script | build_error | | Missing script
npm ERR! Missing script: "biuld"
npm ERR! 
npm ERR! To see a list of scripts, run:
npm ERR!   npm run
=== case npm test | test_failure | test/a.js:5 | adds
> app@1.0.0 test
> mocha

  math
    1) adds


  0 passing (10ms)
  1 failing

  1) math
       adds:

      AssertionError [ERR_ASSERTION]: 4 == 5
      + expected - actual

      at Context.<anonymous> (test/a.js:5:12)
      at processImmediate (node:internal/timers:476:21)

npm ERR! Test failed.  See above for more details.
=== case npm install fine | none
npm warn deprecated inflight@1.0.6: This module is not supported, and leaks memory. error
npm warn ERESOLVE overriding peer dependency

added 13 packages, and audited 14 packages in 2s

found 0 vulnerabilities
=== case yarn | dependency | | Couldn't find package
yarn install v1.22.19
[1/4] Resolving packages...
error Couldn't find package "left-padd@^1.0.0" required by "app@1.0.0" on the "npm" registry.
info Visit https://yarnpkg.com/en/docs/cli/install for documentation about this command.
=== case yarn frozen | dependency | | lockfile
error Your lockfile needs to be updated, but yarn was run with §--frozen-lockfile§.
=== case yarn berry | dependency | | YN0035
➤ YN0000: ┌ Resolution step
➤ YN0035: │ left-padd@npm:^1.0.0: Package not found
➤ YN0000: └ Completed
=== case pnpm | dependency | | ERR_PNPM_OUTDATED_LOCKFILE
 ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile" because pnpm-lock.yaml is not up to date with package.json
=== case pnpm recursive | build_error | src/a.ts:3 | TS2304
packages/app build$ tsc
packages/app build: src/a.ts(3,1): error TS2304: Cannot find name 'foo'.
packages/app build: Failed
 ELIFECYCLE  Command failed with exit code 2.
=== case node module | dependency | /w/a.js:1 | Cannot find module 'left-pad'
node:internal/modules/cjs/loader:1080
  throw err;
  ^

Error: Cannot find module 'left-pad'
Require stack:
- /w/a.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1077:15)
    at Object.<anonymous> (/w/a.js:1:9)
=== case node esm | dependency | | Cannot find package
Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'left-pad' imported from /w/a.mjs
=== case node reference | build_error | /w/a.js:3 | foo is not defined
/w/a.js:3
foo();
^

ReferenceError: foo is not defined
    at Object.<anonymous> (/w/a.js:3:1)
    at Module._compile (node:internal/modules/cjs/loader:1256:14)
=== case node syntax | build_error | /w/a.js:3 | SyntaxError
/w/a.js:3
  if (
     ^

SyntaxError: Unexpected end of input
    at internalCompileFunction (node:internal/vm:73:18)
=== case node heap | ci_failure | | heap out of memory
<--- Last few GCs --->
FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory
 1: 0xb090e0 node::Abort() [node]
=== case eslint | build_error | /w/src/a.js:3 | 'foo' is not defined

/w/src/a.js
  1:1  warning  Unexpected console statement  no-console
  3:5  error    'foo' is not defined          no-undef

✖ 2 problems (1 error, 1 warning)
=== case eslint warnings | none

/w/src/a.js
  1:1  warning  Unexpected console error  no-console

✖ 1 problem (0 errors, 1 warning)
=== case webpack | build_error | | Can't resolve
ERROR in ./src/a.js 1:0-20
Module not found: Error: Can't resolve './b' in '/w/src'
webpack 5.88.0 compiled with 1 error in 300 ms
=== case webpack ts | build_error | src/a.ts:3 | TS2304
ERROR in src/a.ts:3:1
TS2304: Cannot find name 'foo'.
webpack 5.88.0 compiled with 1 error in 300 ms
=== case vite | build_error | | resolve import
vite v5.0.0 building for production...
✓ 3 modules transformed.
error during build:
[vite]: Rollup failed to resolve import "./b" from "/w/src/a.ts".
=== case esbuild | build_error | src/a.ts:3 | No matching export
✘ [ERROR] No matching export in "src/b.ts" for import "foo"

    src/a.ts:3:9:
      3 │ import { foo } from './b';
        ╵          ~~~
1 error
=== case next | build_error | src/app/page.tsx:3 | Type error
Failed to compile.

./src/app/page.tsx:3:7
Type error: Type 'string' is not assignable to type 'number'.
=== case angular | build_error | src/app/a.component.ts:3 | NG8001
Error: src/app/a.component.ts:3:5 - error NG8001: 'app-foo' is not a known element:
=== case jest | test_failure | src/a.test.js:5 | math › adds
FAIL src/a.test.js
  math
    ✓ subtracts (2 ms)
    ✕ adds (3 ms)

  ● math › adds

    expect(received).toBe(expected) // Object.is equality

    Expected: 5
    Received: 4

      3 | describe('math', () => {
    > 5 |     expect(add(2, 2)).toBe(5);
        |                       ^

      at Object.toBe (src/a.test.js:5:23)

Test Suites: 1 failed, 1 total
Tests:       1 failed, 1 passed, 2 total
=== case jest suite | test_failure | | Test suite failed to run
FAIL src/a.test.js
  ● Test suite failed to run

    Cannot find module './b' from 'src/a.test.js'

Test Suites: 1 failed, 1 total
Tests:       0 total
=== case jest passes with words | none
  console.error
    Error: FAILED as expected
      at Object.<anonymous> (src/a.test.js:5:23)

PASS src/a.test.js
Test Suites: 1 passed, 1 total
Tests:       2 passed, 2 total
=== case vitest | test_failure | src/a.test.ts:5 | adds
 ❯ src/a.test.ts  (2 tests | 1 failed) 4ms
   × math > adds 3ms

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  src/a.test.ts > math > adds
AssertionError: expected 4 to be 5 // Object.is equality
 ❯ src/a.test.ts:5:20

 Test Files  1 failed (1)
      Tests  1 failed | 1 passed (2)
=== case mocha passes | none
  math
    ✓ adds
    ✓ reports error FAILED

  2 passing (10ms)
=== case karma | test_failure | | math adds
Chrome Headless 99.0.1 (Linux x86_64) math adds FAILED
	Expected 4 to be 5.
	    at UserContext.<anonymous> (src/a.spec.js:5:23)
Chrome Headless 99.0.1 (Linux x86_64): Executed 5 of 5 (1 FAILED) (0.1 secs / 0.05 secs)
=== case cypress | test_failure | | adds
  1 passing (2s)
  1 failing

  1) math
       adds:
     AssertionError: Timed out retrying after 4000ms: expected 4 to equal 5
=== case playwright | test_failure | tests/a.spec.ts:5 | adds
Running 2 tests using 1 worker

  1) [chromium] › tests/a.spec.ts:5:5 › adds ─────────────────────────

    Error: expect(received).toBe(expected)

  1 failed
    [chromium] › tests/a.spec.ts:5:5 › adds
  1 passed (2.1s)
=== case node test | test_failure | /w/t.js:5 | adds
TAP version 13
# Subtest: adds
not ok 1 - adds
  ---
  duration_ms: 1.2
  location: '/w/t.js:5:1'
  failureType: 'testCodeFailure'
  error: 'Expected values to be strictly equal'
  ...
1..1
# tests 1
# pass 0
# fail 1
=== case node test spec | test_failure | |
✖ adds (1.2ms)
ℹ tests 1
ℹ pass 0
ℹ fail 1
=== case node assert | test_failure | /w/t.js:3 | AssertionError [ERR_ASSERTION]: Expected values
> demo@1.0.0 test
> node t.js

node:assert:126
  throw new AssertionError(obj);
  ^

AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

1 !== 2

    at Object.<anonymous> (/w/t.js:3:8)
    at node:internal/main/run_main_module:36:49 {
  code: 'ERR_ASSERTION',
  operator: 'strictEqual'
}

Node.js v20.20.2
=== case node thrown | ci_failure | /w/b.js:2 | Error: boom
/w/b.js:2
throw new Error('boom')
^

Error: boom
    at Object.<anonymous> (/w/b.js:2:7)

Node.js v20.20.2
=== case node rejection | ci_failure | | UnhandledPromiseRejection
node:internal/process/promises:394
      triggerUncaughtException(err, true /* fromPromise */);
      ^

[UnhandledPromiseRejection: This error came from an async function. The promise rejected with the reason "boom".] {
  code: 'ERR_UNHANDLED_REJECTION'
}

Node.js v22.1.0
=== case node banner | none
checking the versions
npm 10.2.0
Node.js v20.20.2
=== case node caught | none
Error: boom
    at Object.<anonymous> (/w/b.js:2:7)
caught it, went on
=== case zsh | dependency | | command not found: pnpm
zsh: command not found: pnpm
=== case node test todo | none
TAP version 13
not ok 1 - later # TODO not done
ok 2 - adds
1..2
# pass 1
# fail 0
=== case ava | test_failure | | adds
  ✘ [fail]: adds
  ─

  adds

  a.test.js:5

  1 test failed
=== case prettier | build_error | | Code style issues found
Checking formatting...
[warn] src/a.js
[warn] Code style issues found in the above file. Run Prettier with --write to fix.
=== case stylelint | build_error | | Unexpected unknown

src/a.css
 3:5  ✖  Unexpected unknown property "colr"  property-no-unknown

1 problem (1 error, 0 warnings)
=== case deno | test_failure | a_test.ts:3 | adds
adds => ./a_test.ts:3:6
error: AssertionError: Values are not equal.

FAILED | 1 passed | 1 failed (10ms)
=== case bun | test_failure | |
✗ adds [0.30ms]

 1 pass
 1 fail
Ran 2 tests across 1 files. [10.00ms]
=== case create react app | build_error | | Attempted import
Creating an optimized production build...
Failed to compile.

Attempted import error: 'foo' is not exported from './b' (imported as 'foo').
`)
}
