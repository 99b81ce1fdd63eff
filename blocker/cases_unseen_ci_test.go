package blocker

import "testing"

// TestUnseenRuns holds runs of Scala, C++, Go and Rust projects and of CI machinery, with the noise that real ones have.
func TestUnseenRuns(t *testing.T) {
	runCases(t, `
=== case sbt scalafmt | build_error | |
[info] loading project definition from /home/travis/build/acme/lib/project
[error] /home/travis/build/acme/lib/src/main/scala/A.scala isn't formatted properly!
[error] (lib / scalafmtCheck) 1 files must be formatted
[error] Total time: 5 s, completed Jan 3, 2026 10:00:00 AM
=== case sbt update | dependency | |
[warn] 	Note: Unresolved dependencies path:
[error] sbt.librarymanagement.ResolveException: Error downloading com.acme:thing_2.13:9.9.9
[error]   Not found
[error]   not found: https://repo1.maven.org/maven2/com/acme/thing_2.13/9.9.9/thing_2.13-9.9.9.pom
[error] (update) sbt.librarymanagement.ResolveException: Error downloading com.acme:thing_2.13:9.9.9
[error] Total time: 3 s, completed
=== case scalatest fun | test_failure | CartSpec.scala:18 | 
[info] CartSpec:
[info] a cart
[info] - is empty at first
[info] - totals *** FAILED ***
[info]   90 did not equal 100 (CartSpec.scala:18)
[info] Run completed in 310 milliseconds.
[info] Total number of tests run: 2
[info] Suites: completed 1, aborted 0
[info] Tests: succeeded 1, failed 1, canceled 0, ignored 0, pending 0
[info] *** 1 TEST FAILED ***
[error] Failed tests:
[error] 	com.acme.CartSpec
[error] (Test / test) sbt.TestsFailedException: Tests unsuccessful
=== case scalatest maven | test_failure | CartSpec.scala:18 | 
Discovery starting.
Run starting. Expected test count is: 2
CartSpec:
- totals *** FAILED ***
  90 did not equal 100 (CartSpec.scala:18)
Run completed in 1 second, 10 milliseconds.
Tests: succeeded 1, failed 1, canceled 0, ignored 0, pending 0
*** 1 TEST FAILED ***
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal org.scalatest:scalatest-maven-plugin:1.0:test (test) on project lib: There are test failures -> [Help 1]
=== case sbt passes with error lines | none
[info] RetrySpec:
[error] c.a.Retry - attempt failed
java.lang.RuntimeException: simulated
	at com.acme.Retry.run(Retry.scala:10)
[info] - retries
[info] All tests passed.
[success] Total time: 12 s, completed Jan 3, 2026 10:00:00 AM
=== case gtest under ctest jobs | test_failure | tests/cart_test.cpp:21 | 
Test project /w/build
      Start  1: cart_test
      Start  2: http_test
1/2 Test #2: http_test ........................   Passed    0.02 sec
2/2 Test #1: cart_test ........................***Failed    0.05 sec
Running main() from gtest_main.cc
[==========] Running 2 tests from 1 test suite.
[ RUN      ] Cart.Totals
/w/tests/cart_test.cpp:21: Failure
Expected equality of these values:
  cart.total()
    Which is: 100
  90
[  FAILED  ] Cart.Totals (0 ms)
[ RUN      ] Cart.LogsErrors
error: bad item (expected)
[       OK ] Cart.LogsErrors (0 ms)
[==========] 2 tests from 1 test suite ran. (0 ms total)
[  PASSED  ] 1 test.
[  FAILED  ] 1 test, listed below:
[  FAILED  ] Cart.Totals

50% tests passed, 1 tests failed out of 2

Total Test time (real) =   0.06 sec

The following tests FAILED:
	  1 - cart_test (Failed)
Errors while running CTest
=== case gtest param | test_failure | t.cc:9 | 
[ RUN      ] Sizes/BufTest.Grows/2
../t.cc:9: Failure
Value of: buf.size()
  Actual: 3
Expected: 4
Google Test trace:
../t.cc:5: with seed 3
[  FAILED  ] Sizes/BufTest.Grows/2, where GetParam() = 4 (0 ms)
[----------] Global test environment tear-down
[  FAILED  ] 1 test, listed below:
[  FAILED  ] Sizes/BufTest.Grows/2, where GetParam() = 4

 1 FAILED TEST
=== case catch2 v3 | test_failure | tests/a.cpp:12 | 
Randomness seeded to: 3113

~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
tests is a Catch2 v3.4.0 host application.
Run with -? for options

-------------------------------------------------------------------------------
cart totals
-------------------------------------------------------------------------------
/w/tests/a.cpp:8
...............................................................................

/w/tests/a.cpp:12: FAILED:
  REQUIRE( total() == 90 )
with expansion:
  100 == 90

===============================================================================
test cases: 3 | 2 passed | 1 failed
assertions: 9 | 8 passed | 1 failed
=== case doctest c++ | test_failure | a.cpp:9 | 
[doctest] doctest version is "2.4.9"
===============================================================================
a.cpp:5:
TEST CASE:  cart totals

a.cpp:9: ERROR: CHECK( total() == 90 ) is NOT correct!
  values: CHECK( 100 == 90 )

===============================================================================
[doctest] test cases: 1 | 0 passed | 1 failed | 0 skipped
[doctest] Status: FAILURE!
=== case boost exception | test_failure | | 
Running 3 test cases...
unknown location(0): fatal error: in "cart/totals": std::out_of_range: map::at
tests/cart.cpp(14): last checkpoint: "totals" fixture ctor

*** 1 failure is detected in the test module "cart"
=== case msvc cmake build | build_error | cart.cpp:12 | C2065
  Checking Build System
  Building Custom Rule C:/projects/shop/CMakeLists.txt
  cart.cpp
C:\projects\shop\src\cart.cpp(12,5): error C2065: 'totl': undeclared identifier [C:\projects\shop\build\core.vcxproj]
  util.cpp
Command exited with code 1
=== case appveyor tests | test_failure | | 
Test project C:/projects/shop/build
1/2 Test #1: price ............................   Passed    0.01 sec
2/2 Test #2: total ............................***Failed    0.01 sec

50% tests passed, 1 tests failed out of 2
Errors while running CTest
Command exited with code 8
=== case msvc linker | build_error | | LNK2019
cart.obj : error LNK2019: unresolved external symbol "int __cdecl total(void)" (?total@@YAHXZ) referenced in function main [C:\w\app.vcxproj]
C:\w\Release\app.exe : fatal error LNK1120: 1 unresolved externals [C:\w\app.vcxproj]
Build FAILED.
=== case vcpkg manifest | dependency | | 
-- Running vcpkg install
Detecting compiler hash for triplet x64-linux...
Computing installation plan...
error: in triplet x64-linux: Unable to find a valid Visual Studio instance
-- Running vcpkg install - failed
CMake Error at vcpkg/scripts/buildsystems/vcpkg.cmake:893 (message):
  vcpkg install failed.  See logs for more information:
  /w/build/vcpkg-manifest-install.log
Call Stack (most recent call first):
  CMakeLists.txt:2 (project)
=== case vcpkg port fails | dependency | | 
Building openssl[core]:x64-windows...
CMake Error at scripts/cmake/vcpkg_execute_build_process.cmake:134 (message):
    Command failed: nmake -j 3
    Working Directory: D:/vcpkg/buildtrees/openssl/x64-windows-rel
    See logs for more information:
      D:\vcpkg\buildtrees\openssl\build-x64-windows-rel-out.log

error: building openssl:x64-windows failed with: BUILD_FAILED
error: Please ensure you're using the latest port files with §git pull§ and §vcpkg update§.
##[error]Process completed with exit code 1.
=== case conan 2 | dependency | | 
======== Computing dependency graph ========
fmt/99.0: Not found in local cache, looking in remotes...
fmt/99.0: Checking remote: conancenter
ERROR: Package 'fmt/99.0' not resolved: Unable to find 'fmt/99.0' in remotes.
##[error]Process completed with exit code 1.
=== case conan 1 missing | dependency | | 
ERROR: Missing binary: boost/1.79.0:abc
boost/1.79.0: WARN: Can't find a 'boost/1.79.0' package for the specified settings, options and dependencies:
ERROR: Missing prebuilt package for 'boost/1.79.0'
=== case meson dep | build_error | meson.build:5 | 
The Meson build system
Version: 1.0.1
Run-time dependency gtk4 found: NO (tried pkgconfig and cmake)

meson.build:5:0: ERROR: Dependency "gtk4" not found, tried pkgconfig and cmake

A full log can be found at /w/build/meson-logs/meson-log.txt
=== case autotools configure | build_error | | 
checking for gcc... gcc
checking whether the C compiler works... yes
checking for libcurl... no
configure: error: libcurl development files are required
##[error]Process completed with exit code 1.
=== case autoreconf | dependency | | 
./autogen.sh: 12: autoreconf: not found
##[error]Process completed with exit code 127.
=== case clang tidy werror | build_error | src/a.cpp:7 | 
[3/9] Building CXX object CMakeFiles/core.dir/src/a.cpp.o
/home/runner/work/p/p/src/a.cpp:7:3: error: use auto when initializing with new [modernize-use-auto,-warnings-as-errors]
    7 |   Foo *f = new Foo();
120 warnings treated as errors
##[error]Process completed with exit code 1.
=== case cppcheck | build_error | src/a.c:10 | 
Checking src/a.c ...
src/a.c:10:5: error: Memory leak: p [memleak]
    return 0;
    ^
##[error]Process completed with exit code 1.
=== case clang format dry | build_error | src/a.cpp:3 | 
src/a.cpp:3:11: error: code should be clang-formatted [-Wclang-format-violations]
int  main() {
    ^
##[error]Process completed with exit code 1.
=== case git diff exit code gate | ci_failure | |
$ git diff --exit-code
diff --git a/src/gen.go b/src/gen.go
index aaa..bbb 100644
--- a/src/gen.go
+++ b/src/gen.go
@@ -1,3 +1,3 @@
-var a = 1
+var a = 2
Error: generated files are not up to date, run make generate
##[error]Process completed with exit code 1.
=== case nvcc host | build_error | kernel.cu:14 |
[ 40%] Building CUDA object CMakeFiles/k.dir/kernel.cu.o
/w/kernel.cu(14): error: identifier "blockDimm" is undefined

1 error detected in the compilation of "/w/kernel.cu".
make[2]: *** [CMakeFiles/k.dir/build.make:76: CMakeFiles/k.dir/kernel.cu.o] Error 2
=== case pytorch like sccache noise | build_error | src/A.cpp:31 | 
2026-01-03T10:00:00.0000000Z [4211/6120] Building CXX object caffe2/CMakeFiles/torch_cpu.dir/A.cpp.o
2026-01-03T10:00:01.0000000Z FAILED: caffe2/CMakeFiles/torch_cpu.dir/A.cpp.o 
2026-01-03T10:00:01.0000000Z /opt/cache/bin/sccache /usr/bin/c++ -DUSE_ERROR -Wno-error=pedantic -o x.o -c /var/lib/jenkins/workspace/aten/src/A.cpp
2026-01-03T10:00:01.0000000Z /var/lib/jenkins/workspace/aten/src/A.cpp: In function 'void f()':
2026-01-03T10:00:01.0000000Z /var/lib/jenkins/workspace/aten/src/A.cpp:31:3: error: 'foo' was not declared in this scope
2026-01-03T10:00:01.0000000Z    31 |   foo();
2026-01-03T10:00:02.0000000Z [4212/6120] Building CXX object B.cpp.o
2026-01-03T10:00:02.0000000Z ninja: build stopped: subcommand failed.
2026-01-03T10:00:02.0000000Z Traceback (most recent call last):
2026-01-03T10:00:02.0000000Z   File "setup.py", line 944, in <module>
2026-01-03T10:00:02.0000000Z     build_deps()
2026-01-03T10:00:02.0000000Z   File "/opt/conda/lib/python3.8/subprocess.py", line 373, in check_call
2026-01-03T10:00:02.0000000Z     raise CalledProcessError(retcode, cmd)
2026-01-03T10:00:02.0000000Z subprocess.CalledProcessError: Command '['cmake', '--build', '.']' returned non-zero exit status 1.
2026-01-03T10:00:03.0000000Z ##[error]Process completed with exit code 1.
=== case pytorch like test class | test_failure | | test_add_cuda
2026-01-03T10:00:00.0000000Z test_ops.py::TestCommon::test_abs_cuda PASSED [0.0211s]   [ 12%]
2026-01-03T10:00:01.0000000Z test_ops.py::TestCommon::test_add_cuda FAILED [0.5211s]   [ 13%]
2026-01-03T10:00:01.0000000Z test_ops.py::TestCommon::test_add_cuda RERUN [0.5211s]   [ 13%]
2026-01-03T10:00:02.0000000Z =================================== FAILURES ===================================
2026-01-03T10:00:02.0000000Z __________________________ TestCommon.test_add_cuda __________________________
2026-01-03T10:00:02.0000000Z Traceback (most recent call last):
2026-01-03T10:00:02.0000000Z   File "/var/lib/jenkins/workspace/test/test_ops.py", line 301, in test_add
2026-01-03T10:00:02.0000000Z     self.assertEqual(a, b)
2026-01-03T10:00:02.0000000Z AssertionError: Tensor-likes are not close!
2026-01-03T10:00:03.0000000Z FAILED [0.5211s] test_ops.py::TestCommon::test_add_cuda - AssertionError: Tensor-likes are not close!
2026-01-03T10:00:03.0000000Z !!!!!!!!!!!!!!!!!!!!!!!!!! stopping after 1 failures !!!!!!!!!!!!!!!!!!!!!!!!!!!
2026-01-03T10:00:03.0000000Z ============ 1 failed, 1 passed, 2 rerun in 4.11s ============
2026-01-03T10:00:03.0000000Z ##[error]Process completed with exit code 1.
=== case pytorch like docker pull retry fails | ci_failure | | 
2026-01-03T10:00:00.0000000Z + retry docker pull registry.acme.example/ci:abc
2026-01-03T10:00:01.0000000Z Error response from daemon: manifest for registry.acme.example/ci:abc not found: manifest unknown: Requested image not found
2026-01-03T10:00:09.0000000Z ##[error]Process completed with exit code 1.
=== case no space mid tests | ci_failure | | No space left
2026-01-03T10:00:00.0000000Z Writing archive
2026-01-03T10:00:01.0000000Z OSError: [Errno 28] No space left on device
2026-01-03T10:00:01.0000000Z ##[error]Process completed with exit code 1.
=== case go cannot vendor | dependency | |
go: inconsistent vendoring in /w:
	github.com/a/b@v1.2.0: is explicitly required in go.mod, but not marked as explicit in vendor/modules.txt
##[error]Process completed with exit code 1.
=== case go private module | ci_failure | |
go: downloading example.com/private/lib v0.3.0
go: example.com/private/lib@v0.3.0: reading example.com/private/lib/go.mod at revision v0.3.0: git ls-remote -q origin in /go/pkg/mod/cache/vcs/ab: exit status 128:
	fatal: could not read Username for 'https://example.com': terminal prompts disabled
Confirm the import path was entered correctly.
##[error]Process completed with exit code 1.
=== case golangci timeout | build_error | |
level=error msg="Running error: context deadline exceeded"
level=error msg="Timeout exceeded: try increasing it by passing --timeout option"
##[error]Process completed with exit code 4.
=== case go test race pass words | none
=== RUN   TestFailover
2026/01/03 10:00:00 ERROR: primary lost, FAIL over to standby
--- PASS: TestFailover (0.10s)
=== RUN   TestPanicRecover
    recover_test.go:12: panic: on purpose
--- PASS: TestPanicRecover (0.00s)
PASS
ok  	example.com/ha	1.042s
=== case gotestsum dots | test_failure | total_test.go:14 | 
✓  example.com/shop/price (12ms)
✖  example.com/shop/cart (21ms)

=== Failed
=== FAIL: cart TestTotal (0.00s)
    total_test.go:14: total = 100, want 90

DONE 31 tests, 1 failure in 2.114s
=== case cargo workspace | test_failure | core/src/lib.rs:44 | 
     Running unittests src/lib.rs (target/debug/deps/core-aa)

running 2 tests
test a ... ok
test totals ... FAILED

failures:

---- totals stdout ----
thread 'totals' panicked at core/src/lib.rs:44:9:
assertion §left == right§ failed
  left: 100
 right: 90

failures:
    totals

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: test failed, to rerun pass §-p core --lib§
=== case rustup target | build_error | |
error[E0463]: can't find crate for §std§
  |
  = note: the §thumbv7em-none-eabihf§ target may not be installed
  = help: consider downloading the target with §rustup target add thumbv7em-none-eabihf§

error: could not compile §cfg-if§ (lib) due to 1 previous error
=== case openssl sys | build_error | |
error: failed to run custom build command for §openssl-sys v0.9.90§

Caused by:
  process didn't exit successfully: §/w/target/debug/build/openssl-sys-1/build-script-main§ (exit status: 101)
  --- stderr
  thread 'main' panicked at /root/.cargo/registry/src/index.crates.io-6f17/openssl-sys-0.9.90/build/find_normal.rs:190:5:

  Could not find directory of OpenSSL installation, and this §-sys§ crate cannot
  proceed without this knowledge.
=== case flaky retry succeeds | none
##[group]Run nick-fields/retry@v2
##[endgroup]
npm ERR! network timeout at: https://registry.npmjs.org/react
##[warning]Attempt 1 failed. Reason: Child_process exited with error code 1
added 900 packages in 20s
Command completed after 2 attempt(s).
Post job cleanup.
Cleaning up orphan processes
=== case travis retry | none
$ travis_retry pip install -r requirements.txt
ERROR: Could not install packages due to an OSError: HTTPSConnectionPool(host='files.pythonhosted.org', port=443): Read timed out.

The command "pip install -r requirements.txt" failed. Retrying, 2 of 3.

Successfully installed flask-1.0
$ nosetests
........
----------------------------------------------------------------------
Ran 8 tests in 0.101s

OK

The command "nosetests" exited with 0.

Done. Your build exited with 0.
=== case travis language jdk missing | ci_failure | |
$ jdk_switcher use oraclejdk7
Switching to Oracle JDK7 (java-7-oracle), JAVA_HOME will be set to /usr/lib/jvm/java-7-oracle
update-java-alternatives: directory does not exist: /usr/lib/jvm/java-7-oracle
The command "jdk_switcher use oraclejdk7" failed and exited with 1 during .

Your build has been stopped.
=== case travis before_install fails | dependency | |
$ sudo apt-get install -qq libfoo-dev
E: Unable to locate package libfoo-dev
The command "sudo apt-get install -qq libfoo-dev" failed and exited with 100 during .

Your build has been stopped.
=== case circle oom | ci_failure | |
> Task :app:compileReleaseKotlin
The process was killed (OOM)
Received "killed" signal
=== case gitlab script failure | build_error | src/a.ts:4 |
$ npm run build
src/a.ts(4,1): error TS2304: Cannot find name 'foo'.
npm ERR! code ELIFECYCLE
Cleaning up project directory and file based variables
ERROR: Job failed: exit code 2
=== case gitlab timeout | ci_failure | |
$ make test
test 1 ... ok
ERROR: Job failed: execution took longer than 1h0m0s seconds
=== case gitlab artifacts warning pass | none
$ make test
100% tests passed, 0 tests failed out of 14
WARNING: coverage.xml: no matching files. Ensure that the artifact path is relative to the working directory
ERROR: No files to upload
Job succeeded
=== case jenkins pipeline | test_failure | FooTest.java:42 |
[Pipeline] sh
+ mvn -B verify
[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 s <<< FAILURE! - in com.acme.FooTest
[ERROR] foo(com.acme.FooTest)  Time elapsed: 0.01 s  <<< FAILURE!
java.lang.AssertionError: expected:<1> but was:<2>
	at org.junit.Assert.fail(Assert.java:88)
	at com.acme.FooTest.foo(FooTest.java:42)
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:2.22.1:test (default-test) on project x: There are test failures.
[Pipeline] }
[Pipeline] // stage
[Pipeline] End of Pipeline
ERROR: script returned exit code 1
Finished: FAILURE
=== case jenkins agent | ci_failure | |
[Pipeline] sh
+ make
gcc -c a.c
Cannot contact agent-7: hudson.remoting.RequestAbortedException: java.nio.channels.ClosedChannelException
wrapper script does not seem to be touching the log file in /home/jenkins/ws@tmp/durable-1
ERROR: script returned exit code -1
Finished: FAILURE
=== case azure lost | ci_failure | |
##[section]Starting: Build
##[command]"make" all
gcc -c a.c
##[error]We stopped hearing from agent ubuntu-3. Verify the agent machine is running and has a healthy network connection.
##[section]Finishing: Build
=== case gha concurrency | ci_failure | |
##[group]Run make test
##[endgroup]
test 1 ok
##[error]Canceling since a higher priority waiting request for 'ci-refs/heads/main' exists
##[error]The operation was canceled.
=== case gha node20 warning passes | none
##[warning]The following actions uses Node.js version which is deprecated and will be forced to run on node20: actions/checkout@v2
##[group]Run go test ./...
##[endgroup]
ok  	example.com/x	0.01s
Post job cleanup.
[command]/usr/bin/git config --local --unset-all http.https://github.com/.extraheader
Cleaning up orphan processes
`)
}
