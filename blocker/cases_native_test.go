package blocker

import "testing"

// TestNativeToolchains: compilers, linkers and build tools of C, C++, Fortran, Ada, Rust, Go, Swift and embedded
// targets. The logs are written for this test from what the tools print.
func TestNativeToolchains(t *testing.T) {
	runCases(t, `
=== case gcc under make with directories | build_error | src/net/socket.c:88 | expected ';' before 'return'
make -C src all
make[1]: Entering directory '/home/runner/work/app/app/src'
cc -Wall -Werror=return-type -c -o net/socket.o net/socket.c
net/socket.c: In function 'sock_open':
net/socket.c:88:17: error: expected ';' before 'return'
   88 |     int fd = -1
      |                ^
      |                ;
   89 |     return fd;
      |     ~~~~~~
net/socket.c:12:6: warning: unused variable 'error_count' [-Wunused-variable]
make[1]: *** [Makefile:14: net/socket.o] Error 1
make[1]: Leaving directory '/home/runner/work/app/app/src'
make: *** [Makefile:3: all] Error 2
=== case gcc errors go on, first counts | build_error | a.cpp:3 | 'foo' was not declared
a.cpp: In function 'int main()':
a.cpp:3:5: error: 'foo' was not declared in this scope
    3 |     foo();
      |     ^~~
a.cpp:9:5: error: 'bar' was not declared in this scope
a.cpp:12:1: fatal error: too many errors emitted, stopping now
=== case clang included from | build_error | include/x.hpp:7 | no type named 'strng'
In file included from src/main.cpp:1:
In file included from src/a.hpp:3:
include/x.hpp:7:10: error: no type named 'strng' in namespace 'std'; did you mean 'string'?
    7 |     std::strng s;
      |     ~~~~~^~~~~
      |          string
1 error generated.
=== case gcc template notes | build_error | v.cpp:14 | no match for 'operator<'
/usr/include/c++/12/bits/stl_function.h: In instantiation of 'bool std::less<T>::operator()':
/usr/include/c++/12/bits/stl_tree.h:2118:11:   required from 'void f()'
v.cpp:14:7:   required from here
v.cpp:14:7: error: no match for 'operator<' (operand types are 'A' and 'A')
=== case warnings only | none
gcc -c a.c
a.c:3:5: warning: implicit declaration of function 'error' [-Wimplicit-function-declaration]
a.c:9:1: note: declared here, error: nothing
=== case warning as error | build_error | a.c:3 | unused variable
a.c: In function 'f':
a.c:3:7: error: unused variable 'x' [-Werror=unused-variable]
cc1: all warnings being treated as errors
make: *** [<builtin>: a.o] Error 1
=== case msvc | build_error | main.cpp:42 | C2065
1>------ Build started: Project: app, Configuration: Debug x64 ------
1>main.cpp
1>C:\src\app\main.cpp(42,9): error C2065: 'foo': undeclared identifier
1>C:\src\app\main.cpp(51,1): fatal error C1004: unexpected end-of-file found
1>Done building project "app.vcxproj" -- FAILED.
========== Build: 0 succeeded, 1 failed, 0 up-to-date, 0 skipped ==========
=== case msvc korean | build_error | main.cpp:7 | C2143
main.cpp
main.cpp(7): error C2143: 구문 오류: ';'이(가) '}' 앞에 없습니다.
빌드하지 못했습니다.
    경고 0개
    오류 1개
=== case msvc korean success | none
main.cpp
main.cpp(7): warning C4101: 'error': 참조되지 않은 지역 변수입니다.
빌드했습니다.
    경고 1개
    오류 0개
=== case msvc chinese | build_error | main.cpp:7 | C2059
main.cpp(7): error C2059: 语法错误:“}”
生成失败。
    1 个错误
=== case msvc header | build_error | a.cpp:1 | acme/wire.hpp
a.cpp(1,10): fatal error C1083: Cannot open include file: 'acme/wire.hpp': No such file or directory
=== case msvc link | build_error | | LNK2019
main.obj : error LNK2019: unresolved external symbol "void __cdecl foo(void)" (?foo@@YAXXZ) referenced in function main
C:\src\app\Debug\app.exe : fatal error LNK1120: 1 unresolved externals
=== case msvc link library | build_error | | LNK1104
LINK : fatal error LNK1104: cannot open file 'zlib.lib'
=== case msbuild project | build_error | app.vcxproj:0 | MSB8020
C:\Program Files\MSBuild\Microsoft.Cpp.targets(44,5): error MSB8020: The build tools for v140 cannot be found. [C:\src\app\app.vcxproj]
Build FAILED.
    0 Warning(s)
    1 Error(s)
=== case nmake | build_error | x.c:5 | C2143
cl -c x.c
x.c(5): error C2143: syntax error: missing ';' before '}'
NMAKE : fatal error U1077: 'cl.EXE' : return code '0x2'
Stop.
=== case ld undefined | build_error | | undefined reference to
/usr/bin/ld: /tmp/cc1.o: in function §main':
main.c:(.text+0x9): undefined reference to §foo'
collect2: error: ld returned 1 exit status
make: *** [Makefile:2: app] Error 1
=== case ld multiple | build_error | | multiple definition of
/usr/bin/ld: b.o: in function §f':
b.c:(.text+0x0): multiple definition of §f'; a.o:a.c:(.text+0x0): first defined here
collect2: error: ld returned 1 exit status
=== case lld | build_error | | undefined symbol: foo()
ld.lld: error: undefined symbol: foo()
>>> referenced by main.cpp:3
clang: error: linker command failed with exit code 1 (use -v to see invocation)
=== case apple ld | build_error | | Undefined symbols for architecture arm64
Undefined symbols for architecture arm64:
  "_foo", referenced from:
      _main in main.o
ld: symbol(s) not found for architecture arm64
clang: error: linker command failed with exit code 1 (use -v to see invocation)
=== case link out of disk | ci_failure | | No space left on device
[99/100] Linking CXX executable app
/usr/bin/ld: final link failed: No space left on device
collect2: error: ld returned 1 exit status
ninja: build stopped: subcommand failed.
=== case compiler killed | ci_failure | | Killed signal terminated program
[12/900] Building CXX object a.cpp.o
FAILED: a.cpp.o
/usr/bin/c++ -c a.cpp
c++: fatal error: Killed signal terminated program cc1plus
compilation terminated.
ninja: build stopped: subcommand failed.
=== case cmake package | build_error | CMakeLists.txt:12 | Could not find a package configuration file provided by "Qt6"
-- The CXX compiler identification is GNU 12.2.0
-- Could NOT find Doxygen (missing: DOXYGEN_EXECUTABLE)
CMake Error at CMakeLists.txt:12 (find_package):
  By not providing "FindQt6.cmake" in CMAKE_MODULE_PATH this project has
  asked CMake to find a package configuration file provided by "Qt6", but
  CMake did not find one.

  Could not find a package configuration file provided by "Qt6" with any of
  the following names:

    Qt6Config.cmake
    qt6-config.cmake

-- Configuring incomplete, errors occurred!
=== case cmake module | build_error | cmake/deps.cmake:4 | Could NOT find CURL
CMake Error at /usr/share/cmake-3.25/Modules/FindPackageHandleStandardArgs.cmake:230 (message):
  Could NOT find CURL (missing: CURL_LIBRARY CURL_INCLUDE_DIR)
Call Stack (most recent call first):
  /usr/share/cmake-3.25/Modules/FindPackageHandleStandardArgs.cmake:600 (_FPHSA_FAILURE_MESSAGE)
  /usr/share/cmake-3.25/Modules/FindCURL.cmake:182 (find_package_handle_standard_args)
  cmake/deps.cmake:4 (find_package)


-- Configuring incomplete, errors occurred!
=== case cmake seed | build_error | | Could NOT find Qt6
Could NOT find Qt6 (missing: Qt6_DIR)
-- Configuring incomplete, errors occurred!
=== case cmake optional | none
-- Could NOT find Qt6 (missing: Qt6_DIR)
-- Could NOT find GTest (missing: GTEST_LIBRARY)
-- Configuring done
-- Generating done
-- Build files have been written to: /w/b
=== case cmake no source | build_error | | does not appear to contain CMakeLists.txt
CMake Error: The source directory "/w/x" does not appear to contain CMakeLists.txt.
Specify --help for usage, or press the help button on the CMake GUI.
=== case meson | build_error | meson.build:3 | Dependency "glib-2.0" not found
The Meson build system
Version: 1.3.0
Found pkg-config: YES (/usr/bin/pkg-config) 1.8.1
Run-time dependency glib-2.0 found: NO (tried pkgconfig and cmake)

meson.build:3:0: ERROR: Dependency "glib-2.0" not found, tried pkgconfig and cmake

A full log can be found at /w/b/meson-logs/meson-log.txt
=== case autoconf | build_error | | Package requirements
checking for pkg-config... /usr/bin/pkg-config
checking for GLIB... no
configure: error: Package requirements (glib-2.0 >= 2.50) were not met:

No package 'glib-2.0' found
=== case configure noise then fine | none
checking for error.h... yes
checking whether cc accepts -Werror... yes
conftest.c: warnings only
configure: creating ./config.status
=== case make no rule | build_error | | No rule to make target 'x.c'
make: *** No rule to make target 'x.c', needed by 'x.o'.  Stop.
=== case make test target | test_failure | | check_parser
PASS: check_lexer
FAIL: check_parser
============================================================================
# FAIL:  1
make[3]: *** [Makefile:900: test-suite.log] Error 1
make: *** [Makefile:10: check] Error 2
=== case ninja missing | build_error | | missing and no known rule
ninja: error: '/w/x.c', needed by 'app', missing and no known rule to make it
=== case bazel | build_error | a.cc:3 | use of undeclared identifier
INFO: Analyzed target //pkg:app (12 packages loaded, 100 targets configured).
ERROR: /w/pkg/BUILD:3:10: Compiling pkg/a.cc failed: (Exit 1): clang failed: error executing command
pkg/a.cc:3:5: error: use of undeclared identifier 'foo'
    foo();
    ^
1 error generated.
Target //pkg:app failed to build
FAILED: Build did NOT complete successfully
=== case bazel tests | test_failure | | //pkg:x_test
INFO: Found 1 test target...
FAIL: //pkg:x_test (see /w/bazel-out/test.log)
//pkg:x_test                                                             FAILED in 0.3s
Executed 1 out of 1 test: 1 fails locally.
=== case xcode | build_error | AppDelegate.swift:15 | cannot find 'foo' in scope
CompileSwift normal arm64 /w/App/AppDelegate.swift (in target 'App' from project 'App')
/w/App/AppDelegate.swift:15:9: error: cannot find 'foo' in scope
        foo()
        ^~~
** BUILD FAILED **

The following build commands failed:
	CompileSwift normal arm64 /w/App/AppDelegate.swift
(1 failure)
=== case xctest | test_failure | FooTests.swift:12 | testAdd
Test Case '-[FooTests.FooTests testAdd]' started.
/w/Tests/FooTests.swift:12: error: -[FooTests.FooTests testAdd] : XCTAssertEqual failed: ("2") is not equal to ("3")
Test Case '-[FooTests.FooTests testAdd]' failed (0.003 seconds).
	 Executed 3 tests, with 1 failure (0 unexpected) in 0.010 (0.012) seconds
** TEST FAILED **
=== case cargo build | build_error | src/lib.rs:10 | cannot find value §x§ in this scope
   Compiling app v0.1.0 (/w/app)
error[E0425]: cannot find value §x§ in this scope
  --> src/lib.rs:10:5
   |
10 |     x
   |     ^ not found in this scope

error: aborting due to previous error

For more information about this error, try §rustc --explain E0425§.
error: could not compile §app§ (lib) due to previous error
=== case cargo test | test_failure | src/lib.rs:21 | tests::it_works
running 2 tests
test tests::ok ... ok
test tests::it_works ... FAILED

failures:

---- tests::it_works stdout ----
thread 'tests::it_works' panicked at src/lib.rs:21:9:
assertion §left == right§ failed
  left: 4
 right: 5
note: run with §RUST_BACKTRACE=1§ environment variable to display a backtrace


failures:
    tests::it_works

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: test failed, to rerun pass §--lib§
=== case cargo old panic | test_failure | src/lib.rs:21 | boom
thread 'tests::x' panicked at 'boom', src/lib.rs:21:9
test tests::x ... FAILED
test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out
=== case cargo link | build_error | | linking with
error: linking with §cc§ failed: exit status: 1
  = note: /usr/bin/ld: cannot find -lssl: No such file or directory
          collect2: error: ld returned 1 exit status
error: could not compile §app§ (bin "app") due to previous error
=== case cargo select | dependency | | failed to select a version
error: failed to select a version for §serde§.
    ... required by package §app v0.1.0 (/w/app)§
versions that meet the requirements §^9§ are: 
=== case clippy | build_error | src/main.rs:3 | unneeded §return§ statement
    Checking app v0.1.0 (/w/app)
error: unneeded §return§ statement
 --> src/main.rs:3:5
  |
3 |     return 1;
  |     ^^^^^^^^
error: could not compile §app§ (bin "app") due to 1 previous error
=== case nextest | test_failure | | tests::it_works
    Starting 2 tests across 1 binary
        PASS [   0.003s] app tests::ok
        FAIL [   0.004s] app tests::it_works
     Summary [   0.005s] 2 tests run: 1 passed, 1 failed, 0 skipped
error: test run failed
=== case go build | build_error | a.go:12 | undefined: foo
# example.com/app
./a.go:12:2: undefined: foo
./a.go:15:9: x declared and not used
=== case go vet | build_error | a.go:3 | Printf format %d
# example.com/app
# [example.com/app]
./a.go:3:14: fmt.Printf format %d has arg "x" of wrong type string
=== case go test verbose | test_failure | a_test.go:9 | want 4
=== RUN   TestOK
--- PASS: TestOK (0.00s)
=== RUN   TestAdd
    a_test.go:9: got 5, want 4
    a_test.go:10: and more
--- FAIL: TestAdd (0.00s)
FAIL
exit status 1
FAIL	example.com/app	0.005s
FAIL
=== case go test testify | test_failure | a_test.go:15 | Not equal
--- FAIL: TestAdd (0.00s)
    a_test.go:15: 
        	Error Trace:	/w/app/a_test.go:15
        	Error:      	Not equal: 
        	            	expected: 1
        	            	actual  : 2
        	Test:       	TestAdd
FAIL
FAIL	example.com/app	0.005s
=== case go panic in code | test_failure | a.go:7 | nil pointer dereference
--- FAIL: TestRun (0.00s)
panic: runtime error: invalid memory address or nil pointer dereference [recovered]
	panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x4f1c9b]

goroutine 7 [running]:
testing.tRunner.func1.2({0x51a2c0, 0x62e0d0})
	/usr/local/go/src/testing/testing.go:1545 +0x238
example.com/app.Run(...)
	/home/runner/work/app/app/a.go:7
example.com/app.TestRun(0xc0000a6680)
	/home/runner/work/app/app/a_test.go:9 +0x1b
FAIL	example.com/app	0.008s
FAIL
=== case go build failed test | build_error | app/a_test.go:4 | undefined: Sub
# example.com/app [example.com/app.test]
app/a_test.go:4:15: undefined: Sub
FAIL	example.com/app [build failed]
ok  	example.com/app/other	0.004s
FAIL
=== case go tests fine with words | none
=== RUN   TestErrorMessages
    a_test.go:4: error: FAILED as it should
--- PASS: TestErrorMessages (0.00s)
PASS
ok  	example.com/app	0.003s
=== case go mod | dependency | main.go:5 | no required module provides package
main.go:5:2: no required module provides package github.com/x/y; to add it:
	go get github.com/x/y
=== case go sum | dependency | | missing go.sum entry
main.go:5:2: missing go.sum entry for module providing package github.com/x/y (imported by example.com/app); to add:
	go get example.com/app
=== case gotestsum | test_failure | a_test.go:9 | got 5
✖  . (5ms)

=== Failed
=== FAIL: . TestAdd (0.00s)
    a_test.go:9: got 5, want 4

DONE 2 tests, 1 failure in 0.123s
=== case gfortran | build_error | solver.f90:12 | no IMPLICIT type
solver.f90:12:8:

   12 |   x = y + 1
      |        1
Error: Symbol 'y' at (1) has no IMPLICIT type
make: *** [Makefile:3: solver.o] Error 1
=== case gnat | build_error | main.adb:7 | missing ";"
gcc -c main.adb
main.adb:7:20: error: missing ";"
gnatmake: "main.adb" compilation error
=== case iar | build_error | main.c:12 | Pe020
D:\fw\src\main.c(12) : Error[Pe020]: identifier "foo" is undefined
Errors: 1
Warnings: none
=== case armcc | build_error | main.c:12 | identifier "foo" is undefined
"src/main.c", line 12: Error:  #20: identifier "foo" is undefined
src/main.c: 0 warnings, 1 error
=== case ti | build_error | main.c:12 | #20
"../main.c", line 12: error #20: identifier "foo" is undefined
1 error detected in the compilation of "../main.c".
gmake: *** [main.obj] Error 1
=== case keil | build_error | | C141
*** ERROR C141 IN LINE 12 OF MAIN.C: syntax error near '}'
=== case xlc | build_error | lookup.c:45 | Undeclared identifier
"lookup.c", line 45.12: 1506-045 (S) Undeclared identifier foo.
=== case sun studio | build_error | x.cc:12 | foo is not defined
"x.cc", line 12: Error: foo is not defined.
1 Error(s) detected.
=== case intel | build_error | a.cpp:3 | identifier "foo" is undefined
a.cpp(3): error: identifier "foo" is undefined
      foo();
      ^

compilation aborted for a.cpp (code 2)
=== case nvcc | build_error | k.cu:9 | identifier "foo" is undefined
k.cu(9): error: identifier "foo" is undefined
1 error detected in the compilation of "k.cu".
=== case delphi | build_error | Unit1.pas:12 | E2003
Unit1.pas(12) Error: E2003 Undeclared identifier: 'Foo'
=== case dcc32 | build_error | Unit1.pas:12 | E2003
[dcc32 Error] Unit1.pas(12): E2003 Undeclared identifier: 'Foo'
=== case free pascal | build_error | unit1.pas:5 | Identifier not found
unit1.pas(5,3) Error: Identifier not found "foo"
unit1.pas(9) Fatal: There were 1 errors compiling module, stopping
Fatal: Compilation aborted
=== case verilog | build_error | top.sv:12 | near "endmodul"
** Error: top.sv(12): near "endmodul": syntax error, unexpected IDENTIFIER
=== case crosscore | build_error | a.c:12 | identifier
"../src/a.c", line 12: cc0020:  error: identifier "foo" is undefined
=== case nag | build_error | a.f90:12 | X is undefined
Error: /w/a.f90, line 12: X is undefined
=== case tasking | build_error | a.c:12 | unknown identifier
ctc E106: ["C:\w\a.c" 12/5] unknown identifier foo
=== case modelsim transcript | build_error | top.vhd:12 | Unknown identifier
# ** Error: top.vhd(12): (vcom-1136) Unknown identifier "foo".
=== case buildbot time-out | ci_failure | | command timed out
command timed out: 7200 seconds without output, attempting to kill
process killed by signal 9
program finished with exit code -1
=== case zig | build_error | main.zig:3 | use of undeclared identifier 'foo'
main.zig:3:5: error: use of undeclared identifier 'foo'
    foo();
    ^~~
=== case nim | build_error | a.nim:3 | undeclared identifier: 'foo'
/w/a.nim(3, 5) Error: undeclared identifier: 'foo'
=== case d | build_error | app.d:3 | undefined identifier
source/app.d(3): Error: undefined identifier §foo§
=== case gtest | test_failure | t.cpp:9 | Math.Add
[==========] Running 2 tests from 1 test suite.
[ RUN      ] Math.Add
/w/t.cpp:9: Failure
Expected equality of these values:
  add(2,2)
    Which is: 5
  4
[  FAILED  ] Math.Add (0 ms)
[==========] 2 tests from 1 test suite ran. (0 ms total)
[  PASSED  ] 1 test.
[  FAILED  ] 1 test, listed below:
[  FAILED  ] Math.Add

 1 FAILED TEST
=== case gtest passes with words | none
[==========] Running 1 test from 1 test suite.
[ RUN      ] Login.FAILED_IsReported
login error: FAILED (expected)
[       OK ] Login.FAILED_IsReported (0 ms)
[==========] 1 test from 1 test suite ran. (0 ms total)
[  PASSED  ] 1 test.
=== case catch2 | test_failure | t.cpp:9 | REQUIRE
-------------------------------------------------------------------------------
add
-------------------------------------------------------------------------------
t.cpp:7
...............................................................................

t.cpp:9: FAILED:
  REQUIRE( add(2,2) == 5 )
with expansion:
  4 == 5

===============================================================================
test cases: 1 | 1 failed
assertions: 1 | 1 failed
=== case doctest | test_failure | t.cpp:9 | CHECK
[doctest] doctest version is "2.4.11"
===============================================================================
t.cpp:7:
TEST CASE:  add

t.cpp:9: ERROR: CHECK( add(2,2) == 5 ) is NOT correct!
  values: CHECK( 4 == 5 )

===============================================================================
[doctest] test cases:  1 |  0 passed | 1 failed | 0 skipped
[doctest] Status: FAILURE!
=== case boost test | test_failure | t.cpp:9 | add(2, 2) == 5
Running 1 test case...
t.cpp(9): error: in "math/add": check add(2, 2) == 5 has failed [4 != 5]

*** 1 failure is detected in the test module "math"
=== case ctest | test_failure | | parser
Test project /w/b
    Start 1: lexer
1/2 Test #1: lexer ............................   Passed    0.01 sec
    Start 2: parser
2/2 Test #2: parser ...........................***Failed    0.01 sec

50% tests passed, 1 tests failed out of 2

The following tests FAILED:
	  2 - parser (Failed)
Errors while running CTest
=== case ctest aborted | test_failure | | crash
1/1 Test #1: crash ............................Subprocess aborted***Exception:   0.10 sec
0% tests passed, 1 tests failed out of 1
=== case ctest passes | none
1/1 Test #1: error_handling_FAILED ............   Passed    0.01 sec

100% tests passed, 0 tests failed out of 1
=== case asan | test_failure | | AddressSanitizer
==123==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x4f1c9b
READ of size 4 at 0x602000000010 thread T0
    #0 0x4f1c9a in main /w/src/a.cpp:7:10
SUMMARY: AddressSanitizer: heap-use-after-free /w/src/a.cpp:7:10 in main
make: *** [Makefile:9: test] Error 1
=== case segfault | test_failure | | Segmentation fault
./run_tests
Segmentation fault (core dumped)
make: *** [Makefile:9: test] Error 139
=== case vcpkg | dependency | | fmt:x64-linux
Computing installation plan...
Installing 1/3 fmt:x64-linux...
CMake Error at scripts/cmake/vcpkg_execute_build_process.cmake:134 (message):
    Command failed: /usr/bin/cmake --build .
error: building fmt:x64-linux failed with: BUILD_FAILED
=== case conan | dependency | | Missing binary
ERROR: Missing binary: fmt/10.1:5f2a
ERROR: Missing prebuilt package for 'zlib/1.3'. You can try to build locally from sources using --build=zlib/1.3
=== case swift package | dependency | | no such module 'Alamofire'
/w/Sources/App/main.swift:1:8: error: no such module 'Alamofire'
import Alamofire
       ^
=== case clang-format gate | build_error | a.cpp:3 | clang-format
a.cpp:3:9: error: code should be clang-formatted [-Wclang-format-violations]
=== case ecj | build_error | Foo.java:10 | cannot be resolved
----------
1. ERROR in /w/src/Foo.java (at line 10)
	bar.baz();
	^^^
bar cannot be resolved
----------
1 problem (1 error)
=== case old rustc | build_error | src/main.rs:9 | unresolved name
src/main.rs:9:5: 9:8 error: unresolved name §foo§
src/main.rs:9     foo();
                  ^~~
error: aborting due to previous error
`)
}
