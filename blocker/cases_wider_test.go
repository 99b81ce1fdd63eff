package blocker

import "testing"

// TestWiderCases: what the next tools over write: places behind the level, tests that do not load, packages known to be weak. Written for this test.
func TestWiderCases(t *testing.T) {
	runCases(t, `
=== case xmake | build_error | src/main.cpp:4 | use of undeclared identifier 'totl'
checking for platform ... linux
[ 25%]: cache compiling.release src/main.cpp
error: src/main.cpp:4:5: error: use of undeclared identifier 'totl'
    totl();
    ^
1 error generated.
=== case premake | build_error | premake5.lua:12 | attempt to call a nil value
Building configurations...
Error: premake5.lua:12: attempt to call a nil value (global 'filterr')
=== case pyre | build_error | shop/a.py:9 | Incompatible return type
ƛ Found 1 type error!
shop/a.py:9:4 Incompatible return type [7]: Expected §int§ but got §str§.
=== case interrogate | ci_failure |  | RESULT: FAILED
RESULT: FAILED (minimum: 80.0%, actual: 61.5%)
=== case poetry build | dependency |  | Backend subprocess exited
Installing dependencies from lock file
  - Installing lxml (4.6.0): Failed

  ChefBuildError

  Backend subprocess exited when trying to invoke build_wheel

  Error: Please make sure the libxml2 and libxslt development packages are installed.

Note: This error originates from the build backend, and is likely not a problem with poetry.
=== case rspec load | test_failure | spec/cart_spec.rb:3 | uninitialized constant Ghost
An error occurred while loading ./spec/cart_spec.rb.
Failure/Error: RSpec.describe Ghost do

NameError:
  uninitialized constant Ghost
# ./spec/cart_spec.rb:3:in §<top (required)>'
Run options: include {:focus=>true}

0 examples, 0 failures, 1 error occurred outside of examples
=== case cucumber ruby | test_failure | features/cart.feature:7 | Then the total is 100: got: 90 (RSpec::Expectations::Expecta
  Scenario: Sum           # features/cart.feature:5
    Then the total is 100 # features/steps/cart.rb:9
      expected: 100
           got: 90 (RSpec::Expectations::ExpectationNotMetError)
      ./features/steps/cart.rb:10:in §/total/'
      features/cart.feature:7:in §Then the total is 100'

Failing Scenarios:
cucumber features/cart.feature:5 # Scenario: Sum

1 scenario (1 failed)
1 step (1 failed)
=== case codeception | test_failure | /work/tests/unit/CartTest.php:14 | Failed asserting that 90 matches expected 100
Unit Tests (2) -----------------------------------------------------------------
✔ CartTest: Errors (0.00s)
✖ CartTest: Total (0.00s)

1) CartTest: Total
 Test  tests/unit/CartTest.php:testTotal
Failed asserting that 90 matches expected 100.
#1  /work/tests/unit/CartTest.php:14

FAILURES!
Tests: 2, Assertions: 2, Failures: 1.
=== case wrangler | build_error | src/index.ts:4 | No matching export
✘ [ERROR] Build failed with 1 error:

  ✘ [ERROR] No matching export in "src/lib.ts" for import "totl"

      src/index.ts:4:9:
        4 │ import { totl } from "./lib";
          ╵          ~~~~
=== case go vuln | dependency |  | Your code is affected by 1 vulnerability from 1 module.
=== Symbol Results ===

Vulnerability #1: GO-2026-0001
    Use after free in example.com/ghost
  Module: example.com/ghost
    Found in: example.com/ghost@v1.0.0

Your code is affected by 1 vulnerability from 1 module.
=== case waf | build_error | ../src/a.c:9 | 'totl' undeclared
Waf: Entering directory §/work/build'
[1/3] Compiling src/a.c
../src/a.c:9:5: error: 'totl' undeclared (first use in this function)
Waf: Leaving directory §/work/build'
Build failed
 -> task in 'a' failed with exit status 1 (run with -v to display more information)
=== case pants | test_failure | tests/test_cart.py:9 | assert 90 == 100
10:00:00.00 [ERROR] Completed: Run Pytest - tests/test_cart.py:tests - failed (exit code 1).
============================= test session starts ==============================
=================================== FAILURES ===================================
__________________________________ test_total __________________________________
    def test_total():
>       assert total() == 100
E       assert 90 == 100

tests/test_cart.py:9: AssertionError
=========================== short test summary info ============================
FAILED tests/test_cart.py::test_total - assert 90 == 100
============================== 1 failed in 0.02s ===============================

✕ tests/test_cart.py:tests failed in 1.20s.
=== case interrogate | none
RESULT: PASSED (minimum: 80.0%, actual: 91.5%)
=== case pyre | none
ƛ No type errors found
=== case govuln | none
No vulnerabilities found.
=== case app retries | none
[worker] error: job 12 failed, retrying in 5s
[worker] job 12 done
`)
}
