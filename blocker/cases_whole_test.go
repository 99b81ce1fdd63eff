package blocker

import "testing"

// TestWholeJobs: logs of whole CI jobs with their noise: installs that complain, tests that print errors and pass, steps
// that fail where it does not matter, uploads after the failure. Written for this test.
func TestWholeJobs(t *testing.T) {
	runCases(t, `
=== case travis python | test_failure | app/x.py:7 | tests.test_x.test_get
travis_fold:start:git.checkout
travis_time:start:0a1b
$ git clone --depth=50 https://github.com/o/app.git o/app
Cloning into 'o/app'...
error: RPC result=22 retried
travis_time:end:0a1b:start=1,finish=2,duration=1
travis_fold:end:git.checkout
travis_time:start:0a1c
$ pip install -r requirements.txt
  Failed building wheel for lxml
Successfully installed lxml-3.0 nose-1.3.4
travis_time:end:0a1c:start=1,finish=2,duration=1
travis_time:start:0a1d
$ nosetests
..E
======================================================================
ERROR: tests.test_x.test_get
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/home/travis/virtualenv/python2.7.9/lib/python2.7/site-packages/nose/case.py", line 197, in runTest
    self.test(*self.arg)
  File "/home/travis/build/o/app/app/x.py", line 7, in get
    return d['a']
KeyError: 'a'
-------------------- >> begin captured logging << --------------------
root: ERROR: error: something else
--------------------- >> end captured logging << ---------------------

----------------------------------------------------------------------
Ran 3 tests in 0.010s

FAILED (errors=1)
travis_time:end:0a1d:start=1,finish=2,duration=1

␛[31;1mThe command "nosetests" exited with 1.␛[0m
travis_fold:start:after_failure
$ cat /home/travis/.pip/pip.log
cat: /home/travis/.pip/pip.log: No such file or directory
travis_fold:end:after_failure

Done. Your build exited with 1.
=== case travis two scripts, the second fails | build_error | app/a.py:3 | E501
travis_time:start:1
$ py.test
E   this is printed by a test that is expected to fail
FAILED in a name
===== 3 passed, 1 xfailed in 0.10s =====
travis_time:end:1:start=1,finish=2,duration=1
␛[32;1mThe command "py.test" exited with 0.␛[0m
travis_time:start:2
$ flake8 app
app/a.py:3:80: E501 line too long (88 > 79 characters)
travis_time:end:2:start=1,finish=2,duration=1
␛[31;1mThe command "flake8 app" exited with 1.␛[0m

Done. Your build exited with 1.
=== case travis install fails | dependency | | Could not find a version
travis_time:start:1
$ pip install -r requirements.txt
Collecting nonexistent==9.9 (from -r requirements.txt (line 3))
  Could not find a version that satisfies the requirement nonexistent==9.9 (from -r requirements.txt (line 3)) (from versions: )
No matching distribution found for nonexistent==9.9 (from -r requirements.txt (line 3))
travis_time:end:1:start=1,finish=2,duration=1
␛[31;1mThe command "pip install -r requirements.txt" failed and exited with 1 during .␛[0m

Your build has been stopped.
=== case travis hangs | ci_failure | | No output has been received
travis_time:start:1
$ mvn test
[INFO] Running a.b.SlowTest


No output has been received in the last 10m0s, this potentially indicates a stalled build or something wrong with the build itself.
The build has been terminated
=== case travis apt noise then passes | none
travis_time:start:1
$ sudo apt-get update
W: Failed to fetch http://x.example.org/Release  404  Not Found
E: Some index files failed to download. They have been ignored, or old ones used instead.
travis_time:start:2
$ make check
FAIL: in a name only
␛[32;1mThe command "make check" exited with 0.␛[0m

Done. Your build exited with 0.
=== case actions maven | test_failure | FooTest.java:42 | FooTest
2026-01-04T10:00:00.0000000Z ##[group]Run mvn -B verify
2026-01-04T10:00:00.0000001Z ␛[36;1mmvn -B verify || (echo "##[error]nothing"; exit 1)␛[0m
2026-01-04T10:00:00.0000002Z ##[endgroup]
2026-01-04T10:00:01.0000000Z [WARNING] Could not transfer metadata a:b/maven-metadata.xml: error
2026-01-04T10:00:02.0000000Z [INFO] Running a.b.FooTest
2026-01-04T10:00:02.1000000Z 10:00:02.100 [main] ERROR a.b.Foo - error: connection refused
2026-01-04T10:00:02.2000000Z [ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.2 s <<< FAILURE! - in a.b.FooTest
2026-01-04T10:00:02.3000000Z [ERROR] a.b.FooTest.bar  Time elapsed: 0.01 s  <<< FAILURE!
2026-01-04T10:00:02.4000000Z java.lang.AssertionError: expected:<1> but was:<2>
2026-01-04T10:00:02.5000000Z 	at a.b.FooTest.bar(FooTest.java:42)
2026-01-04T10:00:03.0000000Z [INFO] BUILD FAILURE
2026-01-04T10:00:03.1000000Z [ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:2.22.2:test (default-test) on project app: There are test failures.
2026-01-04T10:00:03.2000000Z ##[error]Process completed with exit code 1.
2026-01-04T10:00:03.3000000Z ##[group]Run actions/upload-artifact@v4
2026-01-04T10:00:03.4000000Z ##[endgroup]
2026-01-04T10:00:03.5000000Z No files were found with the provided path: reports. No artifacts will be uploaded.
2026-01-04T10:00:03.6000000Z Post job cleanup.
2026-01-04T10:00:03.7000000Z Cleaning up orphan processes
=== case actions copied from the page | test_failure | a_test.go:3 | want 4
Run go test ./...
--- FAIL: TestAdd (0.00s)
    a_test.go:3: got 5, want 4
FAIL
FAIL	example.com/app	0.005s
Error: Process completed with exit code 1.
=== case actions with docker | build_error | src/a.c:3 | 'foo' undeclared
2026-01-04T10:00:00.0000000Z ##[group]Run docker/build-push-action@v5
2026-01-04T10:00:00.0000002Z ##[endgroup]
2026-01-04T10:00:01.0000000Z #12 [5/6] RUN make
2026-01-04T10:00:01.1000000Z #12 3.456 src/a.c:3:5: error: 'foo' undeclared (first use in this function)
2026-01-04T10:00:01.2000000Z #12 3.500 make: *** [Makefile:3: a.o] Error 1
2026-01-04T10:00:01.3000000Z #12 ERROR: process "/bin/sh -c make" did not complete successfully: exit code: 2
2026-01-04T10:00:02.0000000Z ##[error]buildx failed with: ERROR: failed to solve: process "/bin/sh -c make" did not complete successfully: exit code: 2
=== case actions matrix log with old windows paths | build_error | src/a.cpp:12 | C2065
2026-01-04T10:00:00.0000000Z ##[group]Run msbuild app.sln
2026-01-04T10:00:00.0000002Z ##[endgroup]
2026-01-04T10:00:01.0000000Z      3>D:\a\app\app\src\a.cpp(12,5): error C2065: 'foo': undeclared identifier [D:\a\app\app\app.vcxproj]
2026-01-04T10:00:02.0000000Z Build FAILED.
2026-01-04T10:00:02.1000000Z     1 Error(s)
2026-01-04T10:00:02.2000000Z ##[error]Process completed with exit code 1.
=== case mozharness build | build_error | dom/a.cpp:3 | no member named 'x'
[task 2026-01-04T10:00:00.000Z] 10:00:00     INFO -  gmake[3]: Entering directory '/builds/worker/workspace/obj-build/dom'
[task 2026-01-04T10:00:01.000Z] 10:00:01    ERROR -  /builds/worker/checkouts/gecko/dom/a.cpp:3:5: error: no member named 'x' in 'A'
[task 2026-01-04T10:00:02.000Z] 10:00:02    ERROR -  gmake[3]: *** [a.o] Error 1
[task 2026-01-04T10:00:03.000Z] 10:00:03     INFO - Return code: 2
[task 2026-01-04T10:00:03.000Z] 10:00:03    FATAL - 'mach build' did not run successfully. Please check log for errors.
[taskcluster 2026-01-04 10:00:04.000Z] Unsuccessful task run with exit code: 2 completed in 60.1 seconds
=== case mozharness timeout | ci_failure | | Task timeout after 5400 seconds
[task 2026-01-04T10:00:00.000Z] 10:00:00     INFO - TEST-START | dom/a.html
[taskcluster:error] Task timeout after 5400 seconds. Force killing container.
[taskcluster 2026-01-04 10:00:04.000Z] === Task Finished ===
[taskcluster 2026-01-04 10:00:04.000Z] Unsuccessful task run with exit code: -1 completed in 5402.1 seconds
=== case lintrunner | build_error | lib/x.py:3 | F401
>>> Lint for lib/x.py:

  Error (RUFF) F401
    §os§ imported but unused

         1  |import a
         2  |
    >>>  3  |import os
##[error]Process completed with exit code 1.
=== case sbt junit | test_failure | | FooTest.bar
[info] Test run started
[error] Test a.b.FooTest.bar failed: java.lang.AssertionError: expected:<1> but was:<2>, took 0.01 sec
[error] Failed: Total 3, Failed 1, Errors 0, Passed 2
[error] Failed tests:
[error] 	a.b.FooTest
[error] (test:test) sbt.TestsFailedException: Tests unsuccessful
=== case specs2 | test_failure | FooSpec.scala:12 | add numbers
[info] FooSpec
[error]   x add numbers
[error]    4 != 5 (FooSpec.scala:12)
[info] Total for specification FooSpec
[error] Failed tests:
=== case gradle no jdk | build_error | | Could not determine java version
FAILURE: Build failed with an exception.

* What went wrong:
Could not determine java version from '11.0.1'.
=== case maven jre | build_error | | No compiler is provided
[ERROR] COMPILATION ERROR : 
[ERROR] No compiler is provided in this environment. Perhaps you are running on a JRE rather than a JDK?
[INFO] BUILD FAILURE
=== case rake | test_failure | spec/foo_spec.rb:5 | Foo adds
$ bundle exec rake
Failures:

  1) Foo adds
     Failure/Error: expect(add(2, 2)).to eq(5)
     # ./spec/foo_spec.rb:5:in §block'

12 examples, 1 failure
rake aborted!
Command failed with status (1): [ruby -S rspec]
The command "bundle exec rake" exited with 1.
Done. Your build exited with 1.
=== case rake alone | build_error | | Don't know how to build task
rake aborted!
Don't know how to build task 'spce'
=== case many modules, one fails late | test_failure | BarTest.java:7 | BarTest
[INFO] Reactor Summary:
Tests run: 30, Failures: 0, Errors: 0, Skipped: 0
[INFO] Running a.b.BarTest
Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.2 sec <<< FAILURE! - in a.b.BarTest
baz(a.b.BarTest)  Time elapsed: 0.01 sec  <<< FAILURE!
org.junit.ComparisonFailure: expected:<[a]> but was:<[b]>
	at org.junit.Assert.assertEquals(Assert.java:115)
	at a.b.BarTest.baz(BarTest.java:7)
[INFO] a .................................................. SUCCESS [  1.2 s]
[INFO] b .................................................. FAILURE [  3.4 s]
[INFO] BUILD FAILURE
=== case install step fails on the network | ci_failure | | Could not resolve host
2026-01-04T10:00:00.0000000Z ##[group]Run curl -fsSL https://x.example.org/install.sh | sh
2026-01-04T10:00:00.0000002Z ##[endgroup]
2026-01-04T10:00:01.0000000Z curl: (6) Could not resolve host: x.example.org
2026-01-04T10:00:02.2000000Z ##[error]Process completed with exit code 6.
=== case actions killed while testing | ci_failure | | exit code 143
2026-01-04T10:00:00.0000000Z ##[group]Run make test
2026-01-04T10:00:00.0000002Z ##[endgroup]
2026-01-04T10:00:01.0000000Z running
2026-01-04T10:00:02.2000000Z ##[error]Process completed with exit code 143.
2026-01-04T10:00:02.3000000Z ##[error]The operation was canceled.
`)
}
