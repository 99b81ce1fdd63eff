package blocker

import "testing"

// TestUnseenMore holds runs that pass in spite of their words, compilers in other languages, and the tools of hardware and embedded work.
func TestUnseenMore(t *testing.T) {
	runCases(t, `
=== case passing tox noise | none
py36 runtests: commands[0] | py.test
tests/test_err.py::test_fail_mode PASSED
tests/test_err.py::test_error_path PASSED
E   this is not an error line of pytest
=================== 2 passed, 3 warnings in 0.30 seconds ====================
___________________________________ summary ____________________________________
  py36: commands succeeded
  congratulations :)
=== case passing tox with skipped interpreter | none
py27: skipped
SKIPPED: InterpreterNotFound: python2.7
py36 runtests: commands[0] | py.test
================= 12 passed in 0.30 seconds =================
___________________________________ summary ____________________________________
SKIPPED:  py27: InterpreterNotFound: python2.7
  py36: commands succeeded
  congratulations :)
=== case passing cmake with failed checks | none
-- Performing Test HAVE_FLAG_WERROR
-- Performing Test HAVE_FLAG_WERROR - Failed
-- Looking for strlcpy - not found
-- Check if compiler accepts -pthread - no
CMake Warning (dev) at CMakeLists.txt:3 (project):
  cmake_minimum_required() should be called prior to this top-level project()
CMake Deprecation Warning at ext/CMakeLists.txt:1 (cmake_minimum_required):
  Compatibility with CMake < 3.5 will be removed from a future version of CMake.
-- Configuring done
-- Generating done
-- Build files have been written to: /w/build
[ 50%] Building C object CMakeFiles/error.dir/error.c.o
[100%] Linking C executable error
[100%] Built target error
=== case passing make deletes intermediate | none
bison -d parser.y
gcc -c parser.c -o parser.o
rm parser.c
make: *** Deleting intermediate file 'parser.c'
gcc parser.o -o app
$ ctest
100% tests passed, 0 tests failed out of 3
=== case passing docker rm | none
$ docker rm -f web || true
Error response from daemon: No such container: web
Successfully built abc
Successfully tagged web:latest
=== case passing git am retried | none
error: patch failed: src/cart.c:10
error: src/cart.c: patch does not apply
Falling back to three-way merge...
Applied patch to 'src/cart.c' cleanly.
The command "./apply.sh" exited with 0.

Done. Your build exited with 0.
=== case passing vitest logs | none
stderr | a.test.ts > logs
Error: boom on purpose
    at a.test.ts:3:9

 ✓ a.test.ts (3 tests) 4ms

 Test Files  1 passed (1)
      Tests  3 passed (3)
=== case passing jest without tests | none
No tests found, exiting with code 0
=== case passing make test with ignored | none
cd sub && make test
make[1]: [Makefile:4: lint] Error 1 (ignored)
OK
make test: all good
=== case passing shell noise | none
$ ./x.sh || true
./x.sh: line 3: FOO: unbound variable
The command "./x.sh || true" exited with 0.

Done. Your build exited with 0.
=== case passing gradle with retry | none
> Task :test

FlakyTest > sometimes() FAILED
    java.lang.AssertionError at FlakyTest.java:10

FlakyTest > sometimes() PASSED

BUILD SUCCESSFUL in 12s
=== case passing maven rerun | none
[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 s <<< FAILURE! - in a.FlakyTest
[ERROR] a.FlakyTest.f  Time elapsed: 0.01 s  <<< FAILURE!
java.lang.AssertionError
	at a.FlakyTest.f(FlakyTest.java:9)
[WARNING] Flakes: 
[WARNING] a.FlakyTest.f
[ERROR]   Run 1: FlakyTest.f:9
[INFO]   Run 2: PASS
[WARNING] Tests run: 1, Failures: 0, Errors: 0, Skipped: 0, Flakes: 1
[INFO] BUILD SUCCESS
=== case passing cargo with panics | none
running 2 tests
thread 'retries' panicked at src/lib.rs:9:5:
connection refused (on purpose)
note: run with §RUST_BACKTRACE=1§ environment variable to display a backtrace
test retries ... ok
test error_kinds ... ok

test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s
=== case passing npm with audit fail | none
npm audit || true
# npm audit report

lodash  <4.17.21
Severity: high
1 high severity vulnerability
> web@1.0.0 test
> jest

Test Suites: 3 passed, 3 total
Tests:       30 passed, 30 total
=== case multi failures first cause dep | dependency | |
$ pip install -r requirements.txt
ERROR: Could not find a version that satisfies the requirement foo==9 (from versions: 1.0)
ERROR: No matching distribution found for foo==9
$ pytest
tests/conftest.py:1: in <module>
    import foo
E   ModuleNotFoundError: No module named 'foo'
##[error]Process completed with exit code 4.
=== case configure then make | build_error | |
checking for zlib.h... no
configure: error: zlib.h is required
make: *** No targets specified and no makefile found.  Stop.
=== case gcc korean locale | build_error | src/a.c:3 |
src/a.c: 함수 ‘main’에서:
src/a.c:3:5: 오류: ‘y’ 선언되지 않음 (이 함수에서의 첫 사용)
make: *** [Makefile:2: a.o] 오류 1
=== case gcc german | build_error | src/a.c:3 |
src/a.c: In Funktion »main«:
src/a.c:3:5: Fehler: »y« nicht deklariert (erstmalige Verwendung in dieser Funktion)
make: *** [Makefile:2: a.o] Fehler 1
=== case gcc chinese | build_error | src/a.c:3 |
src/a.c: 在函数‘main’中:
src/a.c:3:5: 错误：‘y’未声明(在此函数内第一次使用)
make: *** [Makefile:2：a.o] 错误 1
=== case gcc japanese header | build_error | src/a.c:1 |
src/a.c:1:10: 致命的エラー: foo.h: そのようなファイルやディレクトリはありません
    1 | #include "foo.h"
コンパイルを停止しました。
make: *** [Makefile:2: a.o] エラー 1
=== case msvc german link | build_error | | LNK2019
main.obj : error LNK2019: Verweis auf nicht aufgelöstes externes Symbol "int total()" in Funktion "main". [C:\w\app.vcxproj]
C:\w\app.exe : fatal error LNK1120: 1 nicht aufgelöste Externe [C:\w\app.vcxproj]
Fehler beim Buildvorgang.
=== case msvc japanese | build_error | main.cpp:12 | C2065
main.cpp(12): error C2065: 'totl': 定義されていない識別子です。 [C:\w\app.vcxproj]
    1 エラー
=== case msvc korean link | build_error | | LNK1104
LINK : fatal error LNK1104: 'foo.lib' 파일을 열 수 없습니다. [C:\w\app.vcxproj]
    오류 1개
=== case javac german | build_error | A.java:3 |
A.java:3: Fehler: Symbol nicht gefunden
    Foo f;
    ^
  Symbol: Klasse Foo
1 Fehler
=== case gradle german javac | build_error | A.java:3 |
> Task :compileJava FAILED
/w/src/main/java/A.java:3: Fehler: Symbol nicht gefunden
1 Fehler

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':compileJava'.
> Compilation failed; see the compiler error output for details.
=== case dotnet chinese | build_error | Cart.cs:18 | CS0103
/w/Cart.cs(18,9): error CS0103: 当前上下文中不存在名称“totl” [/w/shop.csproj]

生成失败。
    0 个警告
    1 个错误
=== case multiple jobs make j noise | build_error | b.c:4 |
gcc -c a.c -o a.o
gcc -c b.c -o b.o
gcc -c error_table.c -o error_table.o
b.c: In function 'g':
b.c:4:3: error: 'z' undeclared (first use in this function)
a.c:9:5: warning: unused variable 'err' [-Wunused-variable]
make: *** [Makefile:3: b.o] Error 1
make: *** Waiting for unfinished jobs....
make: Target 'all' not remade because of errors.
=== case diab | build_error | src/can.c:115 |
"src/can.c", line 115: error (dcc:1633): parse error near '{'
=== case ghs | build_error | src/can.c:115 |
"src\can.c", line 115: error #20: identifier "rxbuf" is undefined
      rxbuf = 1;
      ^
=== case ajc | build_error | /w/src/A.java:6 |
/w/src/A.java:6 [error] The method total() is undefined for the type A
total();
^^^^^
1 error
=== case ncvlog | build_error | rtl/top.v:11 |
ncvlog: *E,ILLPRI (rtl/top.v,11|5): illegal expression primary [4.2(IEEE)].
=== case verilator | build_error | rtl/top.v:12 |
%Error: rtl/top.v:12:3: syntax error, unexpected endmodule
%Error: Exiting due to 1 error(s)
=== case ghdl | build_error | rtl/top.vhd:12 |
rtl/top.vhd:12:8:error: no declaration for "clk2"
ghdl:error: compilation error
=== case vivado | build_error | /w/rtl/top.v:12 |
Starting Synthesize : Time (s): cpu = 00:00:01
ERROR: [Synth 8-439] module 'fifo' not found [/w/rtl/top.v:12]
INFO: [Common 17-83] Releasing license: Synthesis
=== case quartus | build_error | top.v:12 |
Error (10161): Verilog HDL error at top.v(12): object "clk2" is not declared. File: /w/top.v Line: 12
Error: Quartus Prime Analysis & Synthesis was unsuccessful. 1 error, 0 warnings
=== case msbuild project missing | build_error | | MSB1009
MSBUILD : error MSB1009: Project file does not exist.
Switch: shop.sln
=== case cl option | build_error | | D8016
cl : Command line error D8016 : '/MT' and '/clr:pure' command-line options are incompatible
=== case csc plain | build_error | | CS2001
CSC : error CS2001: Source file 'Gone.cs' could not be found. [C:\w\app.csproj]
=== case rc | build_error | app.rc:3 | RC2135
app.rc(3) : error RC2135 : file not found: app.ico
=== case xmllint | build_error | conf/a.xml:12 |
conf/a.xml:12: parser error : Opening and ending tag mismatch: b line 11 and a
</a>
    ^
=== case intel fortran | build_error | src/a.f90:10 |
src/a.f90(10): error #6404: This name does not have a type, and must have an explicit type.   [X]
compilation aborted for src/a.f90 (code 1)
=== case intel icc | build_error | src/a.cpp:10 |
src/a.cpp(10): error: identifier "totl" is undefined
      totl();
      ^

compilation aborted for src/a.cpp (code 2)
=== case buckminster | build_error | /w/A.java:43 |
Error: file /w/A.java, line 43: Syntax error, insert ";"
=== case bazel cc | build_error | src/a.cc:3 |
ERROR: /w/src/BUILD:4:11: Compiling src/a.cc failed: (Exit 1): gcc failed: error executing command /usr/bin/gcc -U_FORTIFY_SOURCE
src/a.cc:3:5: error: 'y' was not declared in this scope
Target //src:a failed to build
INFO: Elapsed time: 1.2s
FAILED: Build did NOT complete successfully
=== case bazel dep | build_error | /w/src/BUILD:4 |
ERROR: /w/src/BUILD:4:11: no such package '@boost//': The repository '@boost' could not be resolved and referenced by '//src:a'
ERROR: Analysis of target '//src:a' failed; build aborted
FAILED: Build did NOT complete successfully (1 packages loaded)
=== case bazel test pass with flaky | none
//src:a_test                                        FLAKY, failed in 1 out of 2 in 0.3s
Executed 1 out of 1 test: 1 test passes.
INFO: Build completed successfully, 4 total actions
=== case buck | build_error | a.cpp:3 |
Building: finished in 0.2 sec
stderr: a.cpp:3:5: error: use of undeclared identifier 'y'
    y = 1;
    ^
1 error generated.
BUILD FAILED
=== case mozharness test | test_failure | |
[task 2026-01-03T10:00:00.000Z] 10:00:00     INFO - TEST-START | browser/a/test_cart.js
[task 2026-01-03T10:00:01.000Z] 10:00:01     INFO - TEST-UNEXPECTED-FAIL | browser/a/test_cart.js | total - 100 == 90
[task 2026-01-03T10:00:02.000Z] 10:00:02    ERROR - Return code: 1
[taskcluster 2026-01-03T10:00:03.000Z] === Task Finished ===
[taskcluster 2026-01-03T10:00:03.000Z] Unsuccessful task run with exit code: 1 completed in 10.1 seconds
=== case swift package test | test_failure | Tests/CartTests.swift:9 |
Test Case '-[CartTests.CartTests testTotal]' started.
/w/Tests/CartTests.swift:9: error: -[CartTests.CartTests testTotal] : XCTAssertEqual failed: ("100") is not equal to ("90")
Test Case '-[CartTests.CartTests testTotal]' failed (0.1 seconds).
Executed 1 test, with 1 failure (0 unexpected) in 0.1 (0.1) seconds
=== case phpunit 10 | test_failure | tests/CartTest.php:14 |
PHPUnit 10.5.0 by Sebastian Bergmann and contributors.

..F                                                                 3 / 3 (100%)

There was 1 failure:

1) Tests\CartTest::testTotal
Failed asserting that 100 matches expected 90.

/w/tests/CartTest.php:14

FAILURES!
Tests: 3, Assertions: 3, Failures: 1.
=== case rspec failing with retries | test_failure | spec/cart_spec.rb:9 |
Failures:

  1) Cart totals
     Failure/Error: expect(cart.total).to eq(90)

       expected: 90
            got: 100

       (compared using ==)
     # ./spec/cart_spec.rb:9:in §block (2 levels) in <top (required)>'

Finished in 0.1 seconds (files took 0.2 seconds to load)
2 examples, 1 failure

Failed examples:

rspec ./spec/cart_spec.rb:8 # Cart totals
=== case minitest rails | test_failure | test/cart_test.rb:9 |
Failure:
CartTest#test_total [/w/test/cart_test.rb:9]:
Expected: 90
  Actual: 100

bin/rails test test/cart_test.rb:8

1 runs, 1 assertions, 1 failures, 0 errors, 0 skips
=== case rubocop gha | build_error | app/a.rb:3 |
Inspecting 2 files
C.

Offenses:

app/a.rb:3:5: C: [Correctable] Style/StringLiterals: Prefer single-quoted strings
    "a"
    ^^^

2 files inspected, 1 offense detected, 1 offense autocorrectable
##[error]Process completed with exit code 1.
=== case cmake test program does not link | build_error | | test_cart
[ 90%] Linking CXX executable test_cart
strange linker: cannot do that
make[2]: *** [CMakeFiles/test_cart.dir/build.make:97: test_cart] Error 1
make[1]: *** [CMakeFiles/Makefile2:83: CMakeFiles/test_cart.dir/all] Error 2
make: *** [Makefile:91: all] Error 2
=== case cmake check target | test_failure | | CMakeFiles/check
Running the checks
3 of 14 checks are not as they should be
make[3]: *** [CMakeFiles/check.dir/build.make:57: CMakeFiles/check] Error 8
make[2]: *** [CMakeFiles/Makefile2:83: CMakeFiles/check.dir/all] Error 2
make: *** [Makefile:91: check] Error 2
=== case sbt plugin server error | ci_failure | |
$ sbt test
curl: (22) The requested URL returned error: 503 Service Unavailable
The command "sbt test" exited with 1.

Done. Your build exited with 1.
=== case ssh key | ci_failure | |
Cloning into 'deps/lib'...
git@github.com: Permission denied (publickey).
fatal: Could not read from remote repository.
##[error]Process completed with exit code 128.
=== case expired certificate | ci_failure | |
fatal: unable to access 'https://git.example/a.git/': SSL certificate problem: certificate has expired
##[error]Process completed with exit code 128.
=== case gha secret missing | ci_failure | |
##[group]Run docker/login-action@v3
##[endgroup]
##[error]Username and password required
=== case gha upload quota | ci_failure | |
##[group]Run actions/upload-artifact@v4
##[endgroup]
##[error]Failed to CreateArtifact: Artifact storage quota has been hit. Unable to upload any new artifacts.
=== case pytest passes then sonar fails | ci_failure | |
======================= 12 passed in 0.31s =======================
ERROR: QUALITY GATE STATUS: FAILED - View details on https://sonar.example/dashboard
##[error]Process completed with exit code 1.
=== case ctest nothing | none
Test project /w/build
No tests were found!!!
=== case xfail strict | test_failure | |
=================================== FAILURES ===================================
__________________________________ test_later __________________________________
[XPASS(strict)] not done yet
=========================== short test summary info ============================
FAILED tests/test_a.py::test_later
============================== 1 failed in 0.01s ===============================
=== case unittest unexpected success | test_failure | |
test_later (test_a.T) ... unexpected success

----------------------------------------------------------------------
Ran 1 test in 0.000s

FAILED (unexpected successes=1)
=== case ginkgo flake passes | none
Running Suite: Cart Suite
Will run 2 of 2 specs
••
Ran 2 of 2 Specs in 0.001 seconds
SUCCESS! -- 2 Passed | 0 Failed | 0 Pending | 0 Skipped
PASS
ok  	example.com/cart	0.01s
`)
}
