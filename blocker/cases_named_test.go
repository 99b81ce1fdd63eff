package blocker

import "testing"

// TestNamedLineCases: several programs in one log, each line under a name; and counts that close a log. Written for this test.
func TestNamedLineCases(t *testing.T) {
	runCases(t, `
=== case concurrently | build_error | src/a.ts:3 | TS2322
[web] vite ready in 300 ms
[api] src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.
[api] tsc -p . exited with code 2
--> Sending SIGTERM to other processes..
[web] vite exited with code SIGTERM
=== case kubectl logs | test_failure | tests/test_cart.py | test_total
[pod/ci-runner/test] tests/test_cart.py::test_errors PASSED
[pod/ci-runner/test] tests/test_cart.py::test_total FAILED
[pod/ci-runner/test] FAILED tests/test_cart.py::test_total - assert 90 == 100
[pod/ci-runner/test] 1 failed, 1 passed in 0.03s
=== case syslog | build_error | src/a.c:9 | 'totl' undeclared
Mar  2 10:00:01 build1 ci[812]: gcc -c src/a.c
Mar  2 10:00:01 build1 ci[812]: src/a.c:9:5: error: 'totl' undeclared (first use in this function)
Mar  2 10:00:01 build1 ci[812]: make: *** [Makefile:3: a.o] Error 1
=== case hs tasty | test_failure | test/Spec.hs:12 | expected: 100
Cart
  errors: OK
  sums:   FAIL
    test/Spec.hs:12:
    expected: 100
     but got: 90
    Use -p '/sums/' to rerun this test only.

1 out of 2 tests failed (0.00s)
=== case alcotest | test_failure |  | 1 failure! in 0.001s. 2 tests run.
Testing §cart'.
  [OK]          errors          0   reports.
> [FAIL]        sums            0   two items.

┌──────────────────────────────────────────────────────────────────────────────┐
│ [FAIL]        sums            0   two items.                                  │
└──────────────────────────────────────────────────────────────────────────────┘
ASSERT total
FAIL total

   Expected: §100'
   Received: §90'

1 failure! in 0.001s. 2 tests run.
=== case phpcs | build_error | /work/src/Cart.php:12 | Missing doc comment
FILE: /work/src/Cart.php
----------------------------------------------------------------------
FOUND 1 ERROR AFFECTING 1 LINE
----------------------------------------------------------------------
 12 | ERROR | Missing doc comment for function total()
----------------------------------------------------------------------
=== case psalm | build_error | src/Cart.php:12 | UndefinedFunction
Target PHP version: 8.2
Scanning files...
Analyzing files...

ERROR: UndefinedFunction - src/Cart.php:12:9 - Function totl does not exist (see https://psalm.dev/021)
        totl();

------------------------------
1 errors found
------------------------------
=== case credo | build_error | lib/cart.ex:12 | Modules should have a @moduledoc tag
Checking 12 source files ...

  Code Readability
┃
┃ [R] → Modules should have a @moduledoc tag.
┃       lib/cart.ex:12:11 #(Shop.Cart)

Analysis took 0.1 seconds
4 mods/funs, found 1 code readability issue.
##[error]Process completed with exit code 4.
=== case dbt | build_error |  | Completed with 1 error and 0 warnings:
10:00:00  1 of 2 START sql view model dev.errors ........ [RUN]
10:00:01  1 of 2 OK created sql view model dev.errors ... [CREATE VIEW in 0.10s]
10:00:01  2 of 2 ERROR creating sql view model dev.cart . [ERROR in 0.05s]
10:00:01  Completed with 1 error and 0 warnings:
10:00:01    Database Error in model cart (models/cart.sql)
10:00:01    relation "itms" does not exist
10:00:01  Done. PASS=1 WARN=0 ERROR=1 SKIP=0 TOTAL=2
=== case locust | ci_failure |  | exit code
[2026-03-02 10:00:00,000] host/INFO/locust.main: Starting Locust 2.24
[2026-03-02 10:00:30,000] host/INFO/locust.main: Shutting down (exit code 1)
=== case lighthouse | ci_failure |  | Assertion failed
Checking assertions against 1 URL(s), 3 total run(s)

1 result(s) for http://localhost:3000/ :

  ✘  categories.performance failure for minScore assertion
        expected: >=0.9
           found: 0.71

Assertion failed. Exiting with status code 1.
=== case gcovr | ci_failure |  | failed minimum line coverage
lines: 71.0% (71 out of 100)
failed minimum line coverage (got 71.0%, minimum 80.0%)
=== case detox | test_failure | e2e/login.test.js:9 | Test Failed
 FAIL  e2e/login.test.js (21.2 s)
  Login
    ✕ shows welcome (5012 ms)

  ● Login › shows welcome

    Test Failed: Timed out while waiting for expectation: TOBEVISIBLE WITH MATCHER(id == "welcome")

      at Object.<anonymous> (e2e/login.test.js:9:38)

Tests:       1 failed, 1 total
=== case app | none
INFO: starting
ERROR: could not reach cache, using memory
INFO: serving on :8080
=== case concurrently | none
[web] error overlay disabled
[api] Found 0 errors. Watching for file changes.
[api] tsc -p . exited with code 0
=== case dbt | none
10:00:01  1 of 1 OK created sql view model dev.errors ... [CREATE VIEW in 0.10s]
10:00:01  Completed successfully
10:00:01  Done. PASS=1 WARN=0 ERROR=0 SKIP=0 TOTAL=1
=== case docker daemon | none
time="2026-03-02T10:00:00Z" level=info msg="loading plugin \"io.containerd.failure\""
time="2026-03-02T10:00:01Z" level=error msg="failed to load cni during init, please check CRI plugin status"
time="2026-03-02T10:00:02Z" level=info msg="containerd successfully booted in 0.03s"
`)
}
