package blocker

import "testing"

// TestNoBlocker: runs that succeeded, however often they say error, and texts that report nothing. The rate of false
// alarms is what decides whether people go on listening. Written for this test.
func TestNoBlocker(t *testing.T) {
	runCases(t, `
=== case gcc warnings with error words | none
gcc -Wall -c error.c
error.c: In function 'fatal_error':
error.c:4:22: warning: unused variable 'error' [-Wunused-variable]
    4 | int fatal_error(){ int error; return 0; }
      |                        ^~~~~
=== case gcc warnings german | none
error.c:4:22: Warnung: Variable »error« wird nicht verwendet [-Wunused-variable]
=== case gcc warnings japanese | none
error.c:4:22: 警告: unused variable 'error' [-Wunused-variable]
=== case clang analyzer | none
a.c:3:5: warning: Value stored to 'error' is never read [deadcode.DeadStores]
a.c:3:5: note: Value stored to 'error' is never read
1 warning generated.
=== case msvc warnings | none
1>a.cpp(3): warning C4996: 'strcpy': This function or variable may be unsafe. error: see declaration
1>  a.cpp(2): note: see declaration of 'error'
=== case javac lint | none
A.java:2: warning: [rawtypes] found raw type: List
  missing type arguments for generic class List<E>
1 warning
=== case javadoc warnings | none
  [javadoc] /w/A.java:12: warning: no description for @throws Error
  [javadoc]      * @throws Error
  [javadoc]        ^
=== case iar warnings | none
a.c(12) : Warning[Pe550]: variable "error" was set but never used
Errors: none
Warnings: 1
=== case delphi hints | none
Unit1.pas(12) Hint: H2164 Variable 'Error' is declared but never used
Unit1.pas(206) Warning: W1000 Symbol 'Error' is deprecated
=== case erlang warning | none
src/a.erl:125: Warning: function error/0 is unused
=== case golint | none
pool.go:12:3: should replace x += 1 with x++
pool.go:22:6: exported func Error should have comment or be unexported
pool.go:30:1: comment on exported type Fatal should be of the form "Fatal ..."
=== case pylint conventions | none
app/a.py:1:0: C0114: Missing module docstring (missing-module-docstring)
app/a.py:9:4: W0612: Unused variable 'error' (unused-variable)
app/a.py:12:0: R0903: Too few public methods (1/2) (too-few-public-methods)
=== case doxygen | none
/w/a.h:44: warning: Found unknown command \error
=== case cpplint | none
a.cpp:12:  Missing space before {  [whitespace/braces] [5]
=== case clang-tidy | none
/w/a.cpp:12:5: warning: do not use 'else' after 'return' [readability-else-after-return]
=== case msbuild warnings and success | none
C:\src\a.csproj : warning NU1603: error-prone dependency
Build succeeded.

    1 Warning(s)
    0 Error(s)
=== case make ignores | none
rm: cannot remove 'x': No such file or directory
make: [Makefile:4: clean] Error 1 (ignored)
make: [Makefile:5: clean] 오류 1 (무시됨)
=== case make prints commands | none
gcc -Werror -DERROR="fatal error: none" -c error.c -o error.o
ar rcs liberror.a error.o
=== case ninja prints commands | none
[1/4] /usr/bin/c++ -Wall -Werror -o err.dir/error.cpp.o -c /w/error.cpp
[4/4] : && /usr/bin/c++ test_errors.cpp.o -o test_errors liberr.a && :
=== case cmake finds little | none
-- Looking for error.h - not found
-- Performing Test HAVE_WERROR - Failed
-- Could NOT find Qt6 (missing: Qt6_DIR)
CMake Warning at CMakeLists.txt:10 (message):
  Qt6 missing: errors: 0
-- Configuring done
-- Build files have been written to: /w/b
=== case configure probes | none
checking for strerror... yes
checking for fatal error handling... no
configure: WARNING: error reporting is off
config.status: creating Makefile
=== case go tests that log | none
=== RUN   TestError
    a_test.go:4: error: expected; FAILED login ok
    b.go:12: panic: recovered
--- PASS: TestError (0.00s)
=== RUN   TestSkip
--- SKIP: TestSkip (0.00s)
PASS
ok  	example.com/app	0.003s
?   	example.com/app/none	[no test files]
=== case go bench | none
goos: linux
BenchmarkError-8   	 5000000	       350 ns/op
PASS
ok  	example.com/app	1.003s
=== case pytest xfail | none
tests/test_a.py::test_error XFAIL (FAILED on purpose)                    [ 50%]
tests/test_a.py::test_ok PASSED                                          [100%]
=================== 1 passed, 1 xfailed, 2 warnings in 0.04s ===================
=== case pytest warnings summary | none
tests/test_a.py .                                                        [100%]
=============================== warnings summary ===============================
tests/test_a.py::test_a
  /w/tests/test_a.py:3: DeprecationWarning: error: use something else
-- Docs: https://docs.example.org
======================== 1 passed, 1 warning in 0.04s =========================
=== case pytest reruns | none
tests/test_a.py::test_flaky RERUN                                        [ 50%]
tests/test_a.py::test_flaky PASSED                                       [ 50%]
==================== 1 passed, 1 rerun in 0.04s ====================
=== case unittest expected failure | none
test_error (t.T) ... expected failure
test_log (t.T) ... ERROR:root:FAILED login (expected)
ok
Traceback (most recent call last):
  File "/w/t.py", line 3, in f
ValueError: caught and printed
----------------------------------------------------------------------
Ran 2 tests in 0.000s

OK (expected failures=1)
=== case cargo warnings | none
warning: unused variable: §error§
 --> src/main.rs:3:16
  |
3 | fn main(){ let error = 1; }
warning: §app§ (bin "app") generated 1 warning
    Finished §dev§ profile [unoptimized + debuginfo] target(s) in 0.34s
=== case cargo should panic | none
running 1 test
thread 'tests::panics' panicked at src/lib.rs:9:9:
expected failure
test tests::panics - should panic ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out
=== case gtest death | none
[ RUN      ] Death.Error
error: simulated failure, recovering
[       OK ] Death.Error (3 ms)
[==========] 1 test from 1 test suite ran. (3 ms total)
[  PASSED  ] 1 test.
=== case gtest skipped | none
[  SKIPPED ] Math.Slow (0 ms)
[  PASSED  ] 1 test.
[  SKIPPED ] 1 test, listed below:
[  SKIPPED ] Math.Slow
=== case ctest until pass | none
1/1 Test #1: flaky ............................***Failed    0.01 sec
flaky.c:10: error: connection refused, FAILED
    Test #1: flaky ............................   Passed    0.01 sec

100% tests passed, 0 tests failed out of 1
=== case node with error names | none
TAP version 13
# Subtest: throws error: when FAILED
ok 1 - throws error: when FAILED
1..1
# tests 1
# pass 1
# fail 0
=== case npm deprecated | none
npm warn deprecated glob@7.2.3: Glob versions prior to v9 are no longer supported
npm warn EBADENGINE Unsupported engine { error }

up to date in 409ms
=== case yarn | none
warning error-ex@1.0.0: deprecated
✨  Done in 1.20s.
=== case webpack with warnings | none
WARNING in ./src/error.js
Module Warning: error words
webpack 5.88.0 compiled with 1 warning in 300 ms
webpack compiled successfully
=== case jest with console errors | none
  console.error
    Warning: Failed prop type: error
      at Foo (src/a.jsx:3:5)
PASS src/a.test.jsx
Test Suites: 1 passed, 1 total
Tests:       3 passed, 3 total
=== case maven with errors in tests | none
[INFO] Running a.b.ErrorTest
ERROR [main] connection FAILED (expected)
java.lang.IllegalStateException: expected
	at a.b.ErrorTest.x(ErrorTest.java:3)
[INFO] Tests run: 1, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s
[INFO] BUILD SUCCESS
=== case maven warnings only | none
[WARNING] /w/A.java:[25,10] [deprecation] error() in B has been deprecated
[WARNING] COMPILATION WARNING : 
[INFO] 1 warning
=== case gradle deprecations | none
warning: [options] bootstrap class path not set, error-prone
Deprecated Gradle features were used in this build, making it incompatible with Gradle 9.0.
BUILD SUCCESSFUL in 3s
=== case kotlin warnings | none
w: /w/A.kt: (12, 5): Unchecked cast: Any! to List<Error>
BUILD SUCCESSFUL in 3s
=== case travis after success | none
The command "mvn test" exited with 0.
$ ./upload-coverage.sh
error: could not upload coverage, ignoring
curl: (7) Failed to connect to coverage.example.org
Done. Your build exited with 0.
=== case docker build | none
#12 3.456 warning: error words
#12 DONE 4.0s
#13 exporting to image
Successfully built 1a2b3c
=== case git clean merge | none
Merge made by the 'ort' strategy.
 error.c | 2 +-
 1 file changed, 1 insertion(+), 1 deletion(-)
=== case git status | none
On branch main
Changes not staged for commit:
	modified:   error.c
	deleted:    conflict.txt
=== case git log | none
850140f fix: resolve CONFLICT in error handling
5576a65 test: FAILED cases
=== case apt with noise | none
W: Some index files failed to download. They have been ignored, or old ones used instead.
update-alternatives: warning: skip creation of x because error
Setting up liberror-perl (0.17029-2) ...
=== case pip noise | none
  Attempting uninstall: errors
ERROR: pip's dependency resolver does not currently take into account all the packages that are installed.
Successfully installed foo-1.0
=== case ls output | none
error.log
FAILED_login_is_rejected.c
test_errors
=== case terraform plan | none
Plan: 1 to add, 0 to change, 0 to destroy.
│ Warning: Argument is deprecated: error
=== case prose | none
We saw "fatal error" in the old build, and LNK2019 before that; both are fixed.
When CI fails, tell devops. Could NOT find Qt6 was last week's problem.
=== case agent is done | none
## Agent: cpp-builder
STATUS: SUCCESS
The build FAILED at first (error: missing header), then I added the include.
=== case agent status in korean | none
[tester] 상태: 성공
이전에는 테스트 실패가 있었지만 수정 완료
=== case empty | none

`)
}
