package blocker

import "testing"

// TestTestRunnerCases: test runners: the name of the test, the place, and why it failed. Written for this test.
func TestTestRunnerCases(t *testing.T) {
	runCases(t, `
=== case swift testing | test_failure | CartTests.swift:14 | Expectation failed
◇ Test run started.
◇ Suite CartTests started.
◇ Test totals() started.
✘ Test totals() recorded an issue at CartTests.swift:14:5: Expectation failed: (cart.total → 90) == 100
✘ Test totals() failed after 0.001 seconds with 1 issue.
✘ Suite CartTests failed after 0.001 seconds with 1 issue.
✘ Test run with 2 tests failed after 0.001 seconds with 1 issue.
=== case ginkgo | test_failure | /work/op/controller_test.go:88 | Expected
Running Suite: Controller Suite - /work/op
==========================================
Random Seed: 1700000000

Will run 3 of 3 specs
••
------------------------------
• [FAILED] [0.102 seconds]
Controller when the pod fails [It] restarts it
/work/op/controller_test.go:80

  [FAILED] Expected
      <int>: 1
  to equal
      <int>: 2
  In [It] at: /work/op/controller_test.go:88 @ 03/02/26 10:00:00.123
------------------------------

Summarizing 1 Failure:
  [FAIL] Controller when the pod fails [It] restarts it
  /work/op/controller_test.go:88

Ran 3 of 3 Specs in 0.310 seconds
FAIL! -- 2 Passed | 1 Failed | 0 Pending | 0 Skipped
--- FAIL: TestController (0.31s)
FAIL

Ginkgo ran 1 suite in 3.2s

Test Suite Failed
=== case munit | test_failure | /work/cart/src/test/scala/CartSuite.scala:8 | values are not the same
CartSuite:
  + handles error 0.011s
==> X CartSuite.totals  0.014s munit.ComparisonFailException: /work/cart/src/test/scala/CartSuite.scala:8
7:  test("totals") {
8:    assertEquals(total, 100)
9:  }
values are not the same
=> Obtained
90
=> Diff (- obtained, + expected)
[error] Failed: Total 2, Failed 1, Errors 0, Passed 1
[error] Failed tests:
[error] 	CartSuite
[error] (Test / test) sbt.TestsFailedException: Tests unsuccessful
=== case sbt scalatest | test_failure | CartSpec.scala:19 | 90 did not equal 100
[info] CartSpec:
[info] ErrorHandling
[info] - should report errors
[info] Cart
[info] - should sum items *** FAILED ***
[info]   90 did not equal 100 (CartSpec.scala:19)
[info] Run completed in 312 milliseconds.
[info] Total number of tests run: 2
[info] Tests: succeeded 1, failed 1, canceled 0, ignored 0, pending 0
[info] *** 1 TEST FAILED ***
[error] Failed tests:
[error] 	CartSpec
[error] (Test / test) sbt.TestsFailedException: Tests unsuccessful
[error] Total time: 3 s, completed Mar 2, 2026, 10:00:00 AM
=== case lein test | test_failure | core_test.clj:9 | expected: (= 4 (add 2 3))
lein test app.core-test

FAIL in (adds) (core_test.clj:9)
expected: (= 4 (add 2 3))
  actual: (not (= 4 5))

Ran 2 tests containing 3 assertions.
1 failures, 0 errors.
Tests failed.
=== case nunit | test_failure | /src/Tests/ParserTests.cs:40 | Parser.Tests.ParserTests.Parses
NUnit Console Runner 3.16.3
Errors, Failures and Warnings

1) Failed : Parser.Tests.ParserTests.Parses
  Expected: 3
  But was:  2
   at Parser.Tests.ParserTests.Parses() in /src/Tests/ParserTests.cs:line 40

Run Settings
Test Run Summary
  Overall result: Failed
  Test Count: 12, Passed: 11, Failed: 1, Warnings: 0, Inconclusive: 0, Skipped: 0
=== case jest | test_failure | src/cart.test.js:11 | Expected: 100
PASS src/error.test.js
FAIL src/cart.test.js
  cart
    ✓ handles errors (2 ms)
    ✕ sums the items (5 ms)

  ● cart › sums the items

    expect(received).toBe(expected) // Object.is equality

    Expected: 100
    Received: 90

       9 |   test('sums the items', () => {
      10 |     const c = cart([50, 40]);
    > 11 |     expect(c.total()).toBe(100);
         |                       ^
      12 |   });

      at Object.toBe (src/cart.test.js:11:23)

Test Suites: 1 failed, 1 passed, 2 total
Tests:       1 failed, 2 passed, 3 total
Snapshots:   0 total
Time:        1.2 s
=== case vitest | test_failure | src/cart.test.ts:9 | expected 90 to be 100
 RUN  v1.6.0 /work

 ✓ src/error.test.ts (3)
 ❯ src/cart.test.ts (2)
   × cart > sums

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  src/cart.test.ts > cart > sums
AssertionError: expected 90 to be 100 // Object.is equality

- Expected
+ Received

- 100
+ 90

 ❯ src/cart.test.ts:9:23
      7|   it('sums', () => {
      9|     expect(total()).toBe(100)

 Test Files  1 failed | 1 passed (2)
      Tests  1 failed | 4 passed (5)
=== case mocha | test_failure | test/cart.js:7 | expected 90 to equal 100
  cart
    ✔ reports errors
    1) sums


  1 passing (8ms)
  1 failing

  1) cart
       sums:

      AssertionError: expected 90 to equal 100
      + expected - actual

      -90
      +100
      
      at Context.<anonymous> (test/cart.js:7:24)
      at process.processImmediate (node:internal/timers:483:21)
=== case bun test | test_failure | /work/cart.test.ts:6 | sums
bun test v1.1.8

cart.test.ts:
✓ errors [0.11ms]
4 | 
5 | test("sums", () => {
6 |   expect(total()).toBe(100);
                      ^
error: expect(received).toBe(expected)

Expected: 100
Received: 90

      at /work/cart.test.ts:6:19
✗ sums [0.34ms]

 1 pass
 1 fail
 2 expect() calls
Ran 2 tests across 1 files. [12.00ms]
=== case playwright | test_failure | login.spec.ts:10 | toBeVisible
Running 4 tests using 2 workers

  ✓  1 [chromium] › login.spec.ts:5:5 › shows an error (1.1s)
  ✘  2 [chromium] › login.spec.ts:10:5 › logs in (5.9s)

  1) [chromium] › login.spec.ts:10:5 › logs in ─────────────────────────────────────────

    Error: Timed out 5000ms waiting for expect(locator).toBeVisible()

    Locator: getByText('Welcome')
    Expected: visible
    Received: <element(s) not found>

      10 | test('logs in', async ({ page }) => {
      11 |   await page.goto('/login');
    > 12 |   await expect(page.getByText('Welcome')).toBeVisible();
         |                                           ^

        at /work/tests/login.spec.ts:12:43

  1 failed
    [chromium] › login.spec.ts:10:5 › logs in ──────────────────────────────────────────
  3 passed (8.2s)
=== case pytest xdist | test_failure | tests/test_api.py:22 | ConnectionError
bringing up nodes...
[gw1] [ 50%] PASSED tests/test_err.py::test_error_is_raised 
[gw0] [100%] FAILED tests/test_api.py::test_get 

=================================== FAILURES ===================================
___________________________________ test_get ___________________________________
[gw0] linux -- Python 3.12.3 /usr/bin/python3

    def test_get():
>       client.get("/x")

tests/test_api.py:22: 
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

self = <Client>, path = '/x'
>       raise ConnectionError("refused")
E       ConnectionError: refused

/usr/lib/python3/dist-packages/client/http.py:9: ConnectionError
=========================== short test summary info ============================
FAILED tests/test_api.py::test_get - ConnectionError: refused
========================= 1 failed, 1 passed in 1.05s ==========================
=== case rspec | test_failure | spec/cart_spec.rb:9 | expected: 100
.F

Failures:

  1) Cart sums the items
     Failure/Error: expect(cart.total).to eq(100)

       expected: 100
            got: 90

       (compared using ==)
     # ./spec/cart_spec.rb:9:in §block (2 levels) in <top (required)>'

Finished in 0.01 seconds (files took 0.1 seconds to load)
2 examples, 1 failure

Failed examples:

rspec ./spec/cart_spec.rb:7 # Cart sums the items
=== case phpunit | test_failure | /work/tests/CartTest.php:15 | Failed asserting that 90 matches expected 100
PHPUnit 10.5.20 by Sebastian Bergmann and contributors.

.F                                                                  2 / 2 (100%)

Time: 00:00.004, Memory: 8.00 MB

There was 1 failure:

1) Tests\CartTest::testTotal
Failed asserting that 90 matches expected 100.

/work/tests/CartTest.php:15

FAILURES!
Tests: 2, Assertions: 2, Failures: 1.
=== case pest | test_failure | tests/Unit/CartTest.php:7 | Failed asserting that 90 is identical to 100
   PASS  Tests\Unit\ErrorTest
  ✓ it reports errors                                        0.01s

   FAIL  Tests\Unit\CartTest
  ⨯ it sums the items                                        0.02s
  ────────────────────────────────────────────────────────────────
   FAILED  Tests\Unit\CartTest > it sums the items
  Failed asserting that 90 is identical to 100.

  at tests/Unit/CartTest.php:7
      3▕ it('sums the items', function () {
  ➜   7▕     expect($cart->total())->toBe(100);

  Tests:    1 failed, 1 passed (2 assertions)
  Duration: 0.10s
=== case eunit | test_failure | /work/test/cart_tests.erl:12 | total_test
===> Performing EUnit tests...
.F
Failures:

  1) cart_tests:total_test/0: module 'cart_tests'
     Failure/Error: ?assertEqual(100, cart:total([50,40]))
       expected: 100
            got: 90
     %% /work/test/cart_tests.erl:12:in §cart_tests:-total_test/0-fun-0-/0§

Finished in 0.030 seconds
2 tests, 1 failures
===> Error running tests
=== case hspec | test_failure | test/CartSpec.hs:12 | expected: 100
Cart
  total
    sums [✘]

Failures:

  test/CartSpec.hs:12:20: 
  1) Cart.total sums
       expected: 100
        but got: 90

  To rerun use: --match "/Cart/total/sums/" --seed 42

Finished in 0.0005 seconds
2 examples, 1 failure
=== case zig test | test_failure | /work/src/cart.zig:31 | expected 100, found 90
test
└─ run test 1/2 passed, 1 failed
error: 'cart.test.sums' failed: expected 100, found 90
/usr/lib/zig/std/testing.zig:93:17: 0x1037f3a in expectEqualInner__anon_1021 (test)
                return error.TestExpectedEqual;
                ^
/work/src/cart.zig:31:5: 0x1038a12 in test.sums (test)
    try std.testing.expectEqual(@as(i32, 100), total());
    ^
Build Summary: 1/3 steps succeeded; 1 failed; 1/2 tests passed; 1 failed
=== case r check | test_failure | test-cart.R:5 | total(c(50, 40)) not equal to 100
* checking tests ...
  Running 'testthat.R'
 ERROR
Running the tests in 'tests/testthat.R' failed.
Last 13 lines of output:
  ══ Failed tests ════════════════════════════════════════════════════════════════
  ── Failure ('test-cart.R:5:3'): sums ───────────────────────────────────────────
  total(c(50, 40)) not equal to 100.
  1/1 mismatches
  
  [ FAIL 1 | WARN 0 | SKIP 0 | PASS 2 ]
  Error: Test failures
  Execution halted
* DONE
Status: 1 ERROR
=== case ubsan | test_failure | /work/src/hash.c:12 | signed integer overflow
/work/src/hash.c:12:15: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'
SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior /work/src/hash.c:12:15 in 
make: *** [Makefile:20: check] Error 1
=== case tsan | test_failure | /work/src/bus.cpp:40 | data race
==================
WARNING: ThreadSanitizer: data race (pid=4242)
  Write of size 8 at 0x7b0400000800 by thread T1:
    #0 Bus::publish(int) /work/src/bus.cpp:40:9 (tests+0xd2f3)
    #1 main::$_0::operator()() const /work/test/main.cpp:12 (tests+0xd111)

  Previous read of size 8 at 0x7b0400000800 by main thread:
    #0 Bus::size() /work/src/bus.cpp:51:12 (tests+0xd333)

SUMMARY: ThreadSanitizer: data race /work/src/bus.cpp:40:9 in Bus::publish(int)
==================
ThreadSanitizer: reported 1 warnings
=== case valgrind | test_failure | list.c:17 | Invalid read
==123== Memcheck, a memory error detector
==123== Command: ./tests
==123== 
==123== Invalid read of size 4
==123==    at 0x1091A: list_get (list.c:17)
==123==    by 0x1099B: main (main.c:8)
==123==  Address 0x4a4 is 0 bytes after a block of size 16 alloc'd
==123== 
==123== HEAP SUMMARY:
==123==     in use at exit: 0 bytes in 0 blocks
==123== All heap blocks were freed -- no leaks are possible
==123== 
==123== ERROR SUMMARY: 1 errors from 1 contexts (suppressed: 0 from 0)
make: *** [Makefile:9: memcheck] Error 1
=== case bats | test_failure | test/cli.bats:12 | prints the version
 ✓ fails without arguments
 ✗ prints the version
   (in test file test/cli.bats, line 12)
     §[ "$output" = "1.2.3" ]' failed

2 tests, 1 failure
=== case check c | test_failure | tests/check_cart.c:22 | Assertion 'total(c) == 100' failed
Running suite(s): Cart
50%: Checks: 2, Failures: 1, Errors: 0
tests/check_cart.c:22:F:Core:test_total:0: Assertion 'total(c) == 100' failed: total(c) == 90, 100 == 100
=== case unity | test_failure | test/test_cart.c:22 | Expected 100 Was 90
test/test_cart.c:30:test_errors:PASS
test/test_cart.c:22:test_total:FAIL: Expected 100 Was 90

-----------------------
2 Tests 1 Failures 0 Ignored 
FAIL
=== case cunit | test_failure | tests/cart.c:22 | total(c) == 100
Suite: cart
  Test: errors ...passed
  Test: total ...FAILED
    1. tests/cart.c:22  - total(c) == 100

Run Summary:    Type  Total    Ran Passed Failed Inactive
              suites      1      1    n/a      0        0
               tests      2      2      1      1        0
=== case dune test | test_failure | test/test_cart.expected:1 | File "test/test_cart.expected"
File "test/test_cart.expected", line 1, characters 0-0:
diff --git a/_build/default/test/test_cart.expected b/_build/default/test/test_cart.output
--- a/_build/default/test/test_cart.expected
+++ b/_build/default/test/test_cart.output
@@ -1 +1 @@
-100
+90
=== case dotnet unhandled | test_failure | /src/Program.cs:7 | Object reference not set
Unhandled exception. System.NullReferenceException: Object reference not set to an instance of an object.
   at Program.<Main>$(String[] args) in /src/Program.cs:line 7
Aborted (core dumped)
=== case traceback | ci_failure | /work/scripts/release.py:31 | KeyError: 'version'
Uploading error_report.txt ... done
Traceback (most recent call last):
  File "/work/scripts/release.py", line 40, in <module>
    main()
  File "/work/scripts/release.py", line 31, in main
    v = meta["version"]
        ~~~~^^^^^^^^^^^
KeyError: 'version'
`)
}

// TestSuccessCases: runs that came out well in the end: expected failures, second tries, tasks whose failure is ignored. Written for this test.
func TestSuccessCases(t *testing.T) {
	runCases(t, `
=== case automake | none
PASS: test_error
XFAIL: test_known_failure
SKIP: test_fail
# TOTAL: 3
# PASS:  1
# SKIP:  1
# XFAIL: 1
# FAIL:  0
# XPASS: 0
# ERROR: 0
=== case playwright flaky | none
Running 3 tests using 1 worker

  ✓  1 [chromium] › error.spec.ts:5:5 › shows an error (1.1s)
  ✘  2 [chromium] › login.spec.ts:10:5 › logs in (5.9s)
  ✓  3 [chromium] › login.spec.ts:10:5 › logs in (retry #1) (1.2s)

  1) [chromium] › login.spec.ts:10:5 › logs in ─────────────────────────────────────────

    Error: Timed out 5000ms waiting for expect(locator).toBeVisible()

        at /work/tests/login.spec.ts:12:43

  1 flaky
    [chromium] › login.spec.ts:10:5 › logs in ──────────────────────────────────────────
  2 passed (9.1s)
=== case ansible | none
TASK [check error page] ********************************************************
fatal: [web1]: FAILED! => {"changed": false, "msg": "not there yet"}
...ignoring

PLAY RECAP *********************************************************************
web1                       : ok=4    changed=1    unreachable=0    failed=0    skipped=1    rescued=0    ignored=1   
=== case nextest flaky | none
  TRY 1 FAIL [   0.006s] svc::api returns_200
thread 'returns_200' panicked at tests/api.rs:31:44:
called §Result::unwrap()§ on an §Err§ value: ConnectionRefused
  TRY 2 PASS [   0.005s] svc::api returns_200
     Summary [   0.020s] 2 tests run: 2 passed (1 flaky), 0 skipped
=== case valgrind | none
==123== Memcheck, a memory error detector
==123== HEAP SUMMARY:
==123== All heap blocks were freed -- no leaks are possible
==123== 
==123== ERROR SUMMARY: 0 errors from 0 contexts (suppressed: 0 from 0)
=== case msvc fr | none
  error.cpp
  app.vcxproj -> C:\proj\Release\app.exe

La génération a réussi.
    0 Avertissement(s)
    0 Erreur(s)

Temps écoulé 00:00:01.52
=== case zig | none
Build Summary: 3/3 steps succeeded; 2/2 tests passed
test success
=== case unity c | none
test/test_cart.c:30:test_errors:PASS
test/test_cart.c:41:test_later:IGNORE: not done

-----------------------
2 Tests 0 Failures 1 Ignored 
OK
=== case swift testing | none
✔ Test failureIsReported() passed after 0.001 seconds.
✔ Test run with 2 tests passed after 0.001 seconds.
=== case lein | none
lein test app.error-test

Ran 2 tests containing 3 assertions.
0 failures, 0 errors.
`)
}
