package blocker

import "testing"

// TestEndingCases: logs that say only at their end, and in no form of a tool's own, that something failed. Written for this test.
func TestEndingCases(t *testing.T) {
	runCases(t, `
=== case makepkg | dependency |  | make: command not found
==> Making package: cart 1.0-1 (Mon 02 Mar 2026)
==> Checking runtime dependencies...
==> Starting build()...
/home/dev/cart/PKGBUILD: line 28: make: command not found
==> ERROR: A failure occurred in build().
    Aborting...
=== case makepkg sum | ci_failure |  | One or more files did not pass the validity check
==> Making package: cart 1.0-1 (Mon 02 Mar 2026)
==> Validating source files with sha256sums...
    cart-1.0.tar.gz ... FAILED
==> ERROR: One or more files did not pass the validity check!
=== case sql flyway | ci_failure |  | Migration V4__add_user.sql failed
Flyway Community Edition 10.8.1
Migrating schema "public" to version "4 - add user"
ERROR: Migration V4__add_user.sql failed
-------------------------------------
SQL State  : 42P01
Error Code : 0
Message    : ERROR: relation "usrs" does not exist
Line       : 3
=== case k6 | ci_failure |  | thresholds on metrics
     ✗ http_req_duration..............: avg=812ms min=120ms max=3.2s
     ✓ http_req_failed................: 0.00%  0 out of 1200
running (30.0s), 00/10 VUs, 1200 complete and 0 interrupted iterations
ERRO[0031] thresholds on metrics 'http_req_duration' have been crossed
=== case drone | ci_failure |  | upload failed: quota (exit status 1)
+ ./deploy.sh
copying dist
upload failed: quota
exit status 1
=== case cargo edition | dependency |  | feature §edition2024§ is required
error: failed to parse manifest at §/root/.cargo/registry/src/index.crates.io/ghost-1.0.0/Cargo.toml§

Caused by:
  feature §edition2024§ is required
=== case vstest gh | test_failure |  | Error: Test Run Failed.
Error: Test Run Failed.
Total tests: 4
     Passed: 3
     Failed: 1
 Total time: 1.2 Seconds
##[error]Error: The process '/usr/bin/dotnet' failed with exit code 1
=== case gha ui copy | test_failure | tests/app.spec.ts:75 | use the terminal
Run npx playwright test
Running 9 tests using 1 worker
·········F
Error:   1) [chromium] › tests/app.spec.ts:75:1 › use the terminal to run a command ──────

    TimeoutError: page.waitForSelector: Timeout 30000ms exceeded.

        at tests/app.spec.ts:81:14

  1 failed
    [chromium] › tests/app.spec.ts:75:1 › use the terminal to run a command ──────────
  8 passed (2.9m)
Error: Process completed with exit code 1.
=== case docker login | ci_failure |  | unauthorized
Logging into registry.example.org...
Error response from daemon: Get "https://registry.example.org/v2/": unauthorized: incorrect username or password
##[error]Process completed with exit code 1.
=== case gha invalid | ci_failure | .github/workflows/ci.yml:10 | Invalid workflow file
Invalid workflow file: .github/workflows/ci.yml#L10
The workflow is not valid. .github/workflows/ci.yml (Line: 10, Col: 9): Unexpected value 'stepps'
=== case pytest cov | ci_failure |  | Required test coverage of 90% not reached
tests/test_a.py .....                                                    [100%]
---------- coverage: platform linux, python 3.12.3-final-0 -----------
Name            Stmts   Miss  Cover
-----------------------------------
error.py           20     10    50%
-----------------------------------
TOTAL              20     10    50%
FAIL Required test coverage of 90% not reached. Total coverage: 50.00%
============================== 5 passed in 0.10s ===============================
=== case pytest noquiet | test_failure |  | file or directory not found
ERROR: file or directory not found: tests/ghost

============================= no tests ran in 0.00s ==============================
=== case log app | none
2026-03-02 10:00:00,123 ERROR [main] c.a.Retry - attempt 1 failed: java.net.ConnectException: Connection refused
2026-03-02 10:00:01,123 INFO  [main] c.a.Retry - attempt 2 succeeded
2026-03-02 10:00:02,000 INFO  [main] c.a.App - started in 3.2 seconds
=== case exception that a server wrote down | none
server started
2026-03-02 10:00:00 lookup failed
org.acme.store.QueryException: the index is empty
    at org.acme.store.Query.run(Query.java:12)
    at org.acme.web.Handler.get(Handler.java:40)
=== case wget | none
--2026-03-02 10:00:00--  https://example.org/errors.tar.gz
HTTP request sent, awaiting response... 503 Service Unavailable
Retrying.
HTTP request sent, awaiting response... 200 OK
2026-03-02 10:00:03 (1.2 MB/s) - 'errors.tar.gz' saved [1200/1200]
=== case lit | none
-- Testing: 210 tests, 8 workers --
PASS: Cart :: errors/fail.ll (1 of 210)
XFAIL: Cart :: opt/known.ll (2 of 210)

Testing Time: 12.02s
  Passed           : 209
  Expectedly Failed:   1
=== case karma | none
ERROR LOG: 'boom: expected by the test'
Chrome Headless 120.0.0.0 (Linux x86_64): Executed 3 of 3 SUCCESS (0.02 secs / 0.01 secs)
TOTAL: 3 SUCCESS
`)
}

// TestMoreRunnerCases: test runners of a wider circle. Written for this test.
func TestMoreRunnerCases(t *testing.T) {
	runCases(t, `
=== case lit | test_failure | /work/test/opt/fold.ll:63 | expected string not found in input
-- Testing: 210 tests, 8 workers --
Testing:  0.. 10.. 20.. 30.. 40.. 50.. 60.. 70.. 
FAIL: Cart :: opt/fold.ll (36 of 210)
******************** TEST 'Cart :: opt/fold.ll' FAILED ********************
Exit Code: 1

Command Output (stderr):
--
/work/test/opt/fold.ll:63:19: error: CHECK: expected string not found in input
; CHECK: ret i32 4
                  ^
--

********************
********************
Failed Tests (1):
  Cart :: opt/fold.ll


Testing Time: 12.02s
  Passed: 209
  Failed:   1
=== case behave | test_failure | features/cart.feature:12 | 90 != 100
Feature: Cart # features/cart.feature:1

  Scenario: Sum the items     # features/cart.feature:12
    Given two items           # features/steps/cart.py:5 0.000s
    Then the total is 100     # features/steps/cart.py:9 0.000s
      Assertion Failed: 90 != 100

Failing scenarios:
  features/cart.feature:12  Sum the items

0 features passed, 1 failed, 0 skipped
0 scenarios passed, 1 failed, 0 skipped
1 step passed, 1 failed, 0 skipped, 0 undefined
=== case cucumber js | test_failure | features/cart.feature:12 | 90
..F

Failures:

1) Scenario: Sum the items # features/cart.feature:12
   ✔ Given two items # features/steps/cart.js:4
   ✖ Then the total is 100 # features/steps/cart.js:9
       AssertionError [ERR_ASSERTION]: 90 == 100
           at World.<anonymous> (/work/features/steps/cart.js:10:10)

1 scenario (1 failed)
2 steps (1 failed, 1 passed)
0m00.012s
=== case karma | test_failure | src/cart.spec.ts:9 | Cart sums
Chrome Headless 120.0.0.0 (Linux x86_64) Cart sums FAILED
	Error: Expected 90 to be 100.
	    at <Jasmine>
	    at UserContext.<anonymous> (src/cart.spec.ts:9:24)
Chrome Headless 120.0.0.0 (Linux x86_64): Executed 3 of 3 (1 FAILED) (0.02 secs / 0.01 secs)
TOTAL: 1 FAILED, 2 SUCCESS
=== case jasmine | test_failure | /work/spec/cartSpec.js:7 | Expected 90 to be 100
Started
.F

Failures:
1) cart sums
  Message:
    Expected 90 to be 100.
  Stack:
    Error: Expected 90 to be 100.
        at <Jasmine>
        at UserContext.<anonymous> (/work/spec/cartSpec.js:7:20)

2 specs, 1 failure
Finished in 0.01 seconds
=== case ava | test_failure | test.js:5 | sums
  ✘ [fail]: sums
  ─

  sums

  test.js:5

   4: test('sums', t => {
   5:   t.is(total(), 100);
   6: });

  Difference (- actual, + expected):

  - 90
  + 100

  ─

  1 test failed
=== case pytest fixture | test_failure | /work/tests/test_db.py:4 | fixture 'db' not found
==================================== ERRORS ====================================
__________________________ ERROR at setup of test_get __________________________
file /work/tests/test_db.py, line 4
  def test_get(db):
E       fixture 'db' not found
>       available fixtures: cache, capfd

/work/tests/test_db.py:4
=========================== short test summary info ============================
ERROR tests/test_db.py::test_get
=============================== 1 error in 0.01s ===============================
=== case trial | test_failure | /work/cart/test/test_cart.py:9 | 90 != 100
cart.test.test_cart
  CartTest
    test_errors ...                                                        [OK]
    test_total ...                                                       [FAIL]

===============================================================================
[FAIL]
Traceback (most recent call last):
  File "/work/cart/test/test_cart.py", line 9, in test_total
    self.assertEqual(total(), 100)
twisted.trial.unittest.FailTest: 90 != 100

cart.test.test_cart.CartTest.test_total
-------------------------------------------------------------------------------
Ran 2 tests in 0.012s

FAILED (failures=1, successes=1)
=== case miri | test_failure | src/lib.rs:9 | Undefined Behavior
test tests::reads ... error: Undefined Behavior: out-of-bounds pointer use: expected a pointer to 4 bytes of memory
 --> src/lib.rs:9:14
  |
9 |     unsafe { *p.add(4) }
  |              ^^^^^^^^^ Undefined Behavior occurred here

error: aborting due to 1 previous error

error: test failed, to rerun pass §--lib§
=== case kotlin test | test_failure | CartTest.kt:11 | expected:<100> but was:<90>
> Task :jvmTest

CartTest[jvm] > totals[jvm] FAILED
    java.lang.AssertionError: expected:<100> but was:<90>
        at org.junit.Assert.fail(Assert.java:89)
        at CartTest.totals(CartTest.kt:11)

3 tests completed, 1 failed

> Task :jvmTest FAILED
BUILD FAILED in 2s
=== case newman | test_failure |  | expected response to have status code 200 but got 500
newman

Shop API

→ GET cart
  GET http://localhost:3000/cart [500 Internal Server Error, 210B, 12ms]
  1. Status is 200

┌─────────────────────────┬──────────┬──────────┐
│                         │ executed │   failed │
├─────────────────────────┼──────────┼──────────┤
│              assertions │        1 │        1 │
└─────────────────────────┴──────────┴──────────┘

  #  failure         detail

 1.  AssertionError  Status is 200
                     expected response to have status code 200 but got 500
                     at assertion:0 in test-script
`)
}

// TestMoreToolCases: compilers and linters of a wider circle. Written for this test.
func TestMoreToolCases(t *testing.T) {
	runCases(t, `
=== case west dts | build_error | /work/boards/cart.overlay:12 | expected ';'
-- west build: generating a build system
-- Board: cart_v2
devicetree error: /work/boards/cart.overlay:12 (column 3): parse error: expected ';'
CMake Error at /work/zephyr/cmake/modules/dts.cmake:296 (execute_process):
  execute_process failed command indexes:

    1: "Child return code: 1"

-- Configuring incomplete, errors occurred!
FATAL ERROR: command exited with status 1: /usr/bin/cmake -DWEST_PYTHON=/usr/bin/python3 -B/work/build
=== case yarn build | build_error | src/App.tsx:7 | TS2304
yarn run v1.22.22
$ react-scripts build
Creating an optimized production build...
Failed to compile.

src/App.tsx:7:3
TS2304: Cannot find name 'useStat'.
     5 | function App() {
  >  7 |   useStat();
       |   ^^^^^^^

error Command failed with exit code 1.
info Visit https://yarnpkg.com/en/docs/cli/run for documentation about this command.
=== case parcel | build_error | /work/src/index.js:1 | Failed to resolve './ghost'
🚨 Build failed.

@parcel/core: Failed to resolve './ghost' from './src/index.js'

  /work/src/index.js:1:15
  > 1 | import g from './ghost';
  >   |               ^^^^^^^^^
=== case deno | build_error | /work/a.ts:3 | TS2304
Check file:///work/a.ts
error: TS2304 [ERROR]: Cannot find name 'foo'.
foo();
~~~
    at file:///work/a.ts:3:1
=== case cython | build_error | cart/fast.pyx:14 | undeclared name not builtin: totl
Error compiling Cython file:
------------------------------------------------------------
...
def total(items):
    return totl(items)
           ^
------------------------------------------------------------

cart/fast.pyx:14:11: undeclared name not builtin: totl
Traceback (most recent call last):
  File "setup.py", line 12, in <module>
    ext_modules=cythonize("cart/fast.pyx"),
Cython.Compiler.Errors.CompileError: cart/fast.pyx
=== case bandit | build_error | shop/run.py:14 | B602
>> Issue: [B602:subprocess_popen_with_shell_equals_true] subprocess call with shell=True identified, security issue.
   Severity: High   Confidence: High
   CWE: CWE-78
   Location: ./shop/run.py:14:4
13	def run(cmd):
14	    subprocess.call(cmd, shell=True)

--------------------------------------------------
Code scanned:
	Total lines of code: 120

Run metrics:
	Total issues (by severity):
		High: 1
##[error]Process completed with exit code 1.
=== case cargo deny | build_error | /work/Cargo.lock:42 | error[vulnerability]: Use after free in ghost
error[vulnerability]: Use after free in ghost
   ┌─ /work/Cargo.lock:42:1
   │
42 │ ghost 1.0.0 registry+https://github.com/rust-lang/crates.io-index
   │ ^^^^^ security vulnerability detected
   │
   = ID: RUSTSEC-2026-0001

advisories FAILED, bans ok, licenses ok, sources ok
=== case go import cycle | build_error |  | import cycle not allowed
package example.com/a
	imports example.com/b
	imports example.com/a: import cycle not allowed
=== case dotnet format | build_error | /src/Cart.cs:12 | WHITESPACE
/src/Cart.cs(12,5): error WHITESPACE: Fix whitespace formatting. Insert '\s'. [/src/Shop.csproj]
=== case go generate | dependency | api/gen.go:3 | running "mockgen": exec
api/gen.go:3: running "mockgen": exec: "mockgen": executable file not found in $PATH
make: *** [Makefile:9: generate] Error 1
`)
}
