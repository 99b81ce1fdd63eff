package blocker

import "testing"

// TestUnseenNoise holds failures that stand behind earlier ones that a run got over.
func TestUnseenNoise(t *testing.T) {
	runCases(t, `
=== case wheel fallback then tests fail | test_failure | tests/test_io.py:8 |
  Running setup.py bdist_wheel for numexpr: started
  Running setup.py bdist_wheel for numexpr: finished with status 'error'
  Complete output from command /home/travis/virtualenv/python3.5.3/bin/python -u -c "import setuptools" bdist_wheel:
  error: invalid command 'bdist_wheel'
  ----------------------------------------
  Failed building wheel for numexpr
  Running setup.py clean for numexpr
Failed to build numexpr
Installing collected packages: numexpr
  Running setup.py install for numexpr: finished with status 'done'
Successfully installed numexpr-2.6
The command "pip install -r requirements.txt" exited with 0.
$ py.test
============================= test session starts ==============================
collected 2 items

tests/test_io.py .F

=================================== FAILURES ===================================
__________________________________ test_write __________________________________

    def test_write():
>       assert write() == 3
E       assert 2 == 3
E        +  where 2 = write()

tests/test_io.py:8: AssertionError
===================== 1 failed, 1 passed in 0.12 seconds =======================
The command "py.test" exited with 1.

Done. Your build exited with 1.
=== case wheel fallback passes | none
  Failed building wheel for psutil
error: command 'gcc' failed with exit status 1
  Running setup.py install for psutil ... done
Successfully installed psutil-5.0
The command "pip install psutil" exited with 0.
$ nosetests
Ran 8 tests in 0.101s

OK

The command "nosetests" exited with 0.

Done. Your build exited with 0.
=== case setup.py test | test_failure | tests/test_a.py:7 | 
running test
running egg_info
test_total (tests.test_a.TestA) ... FAIL

======================================================================
FAIL: test_total (tests.test_a.TestA)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/home/travis/build/acme/a/tests/test_a.py", line 7, in test_total
    self.assertEqual(total(), 90)
AssertionError: 100 != 90

----------------------------------------------------------------------
Ran 1 test in 0.001s

FAILED (failures=1)
Test failed: <unittest.runner.TextTestResult run=1 errors=0 failures=1>
error: Test failed: <unittest.runner.TextTestResult run=1 errors=0 failures=1>
The command "python setup.py test" exited with 1.
=== case optional dependency skipped | test_failure | test/a.js:9 |
> fsevents@1.0.0 install /w/node_modules/fsevents
> node-gyp rebuild

gyp ERR! build error 
gyp ERR! stack Error: §make§ failed with exit code: 2
npm WARN optional SKIPPING OPTIONAL DEPENDENCY: fsevents@^1.0.0 (node_modules/chokidar/node_modules/fsevents):
npm WARN notsup SKIPPING OPTIONAL DEPENDENCY: Unsupported platform
added 320 packages in 10.1s
$ npm test

  cart
    ✓ starts empty
    1) totals

  1 passing (9ms)
  1 failing

  1) cart totals:
     AssertionError: expected 100 to equal 90
      at Context.<anonymous> (test/a.js:9:20)

npm ERR! Test failed.  See above for more details.
The command "npm test" exited with 1.

Done. Your build exited with 1.
=== case apt noise then junit | test_failure | CartTest.java:12 |
$ sudo apt-get update
W: Failed to fetch http://ppa.example/ubuntu/dists/precise/main/binary-i386/Packages  404  Not Found
E: Some index files failed to download. They have been ignored, or old ones used instead.
$ mvn test
Running com.acme.CartTest
Tests run: 1, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.05 sec <<< FAILURE!
total(com.acme.CartTest)  Time elapsed: 0.01 sec  <<< FAILURE!
junit.framework.AssertionFailedError: expected:<90> but was:<100>
	at junit.framework.Assert.fail(Assert.java:57)
	at com.acme.CartTest.total(CartTest.java:12)
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:2.18:test (default-test) on project x: There are test failures.
The command "mvn test" exited with 1.

Done. Your build exited with 1.
=== case license header | build_error | | license header
[INFO] --- license-maven-plugin:3.0:check (default) @ core ---
[INFO] Checking licenses...
[WARNING] Missing header in: /w/src/main/java/com/acme/A.java
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal com.mycila:license-maven-plugin:3.0:check (default) on project core: Some files do not have the expected license header -> [Help 1]
=== case animal sniffer | build_error | | 
[INFO] Checking unresolved references to org.codehaus.mojo.signature:java16:1.1
[ERROR] /w/src/main/java/com/acme/A.java:31: Undefined reference: java.nio.file.Path
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal org.codehaus.mojo:animal-sniffer-maven-plugin:1.14:check (default) on project core: Signature errors found. Verify them and ignore them with the proper annotation if needed. -> [Help 1]
=== case frontend npm install | dependency | | 
[INFO] Running 'npm install' in /w/ui
[ERROR] npm ERR! code E404
[ERROR] npm ERR! 404 Not Found - GET https://registry.npmjs.org/acme-nope - Not found
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal com.github.eirslett:frontend-maven-plugin:1.6:npm (npm install) on project ui: Failed to run task: 'npm install' failed. org.apache.commons.exec.ExecuteException: Process exited with an error: 1 (Exit value: 1) -> [Help 1]
=== case frontend npm test | test_failure | | 
[INFO] Running 'npm test' in /w/ui
[INFO] Chrome Headless 96: Executed 3 of 3 (1 FAILED) (0.1 secs / 0.05 secs)
[ERROR] npm ERR! Test failed.  See above for more details.
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal com.github.eirslett:frontend-maven-plugin:1.6:npm (npm test) on project ui: Failed to run task: 'npm test' failed. (error code 1) -> [Help 1]
=== case mvn no toolchain | build_error | | 
[INFO] --- maven-toolchains-plugin:1.1:toolchain (default) @ core ---
[ERROR] No toolchain matched from 1 found for type jdk
[ERROR] Cannot find matching toolchain definitions for the following toolchain types:
jdk [ version='1.7' ]
Please make sure you define the required toolchains in your ~/.m2/toolchains.xml file.
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-toolchains-plugin:1.1:toolchain (default) on project core: Cannot find matching toolchain definitions for the following toolchain types:
=== case mvn tools jar | dependency | | tools.jar
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal on project core: Could not resolve dependencies for project com.acme:core:jar:1.0: Could not find artifact com.sun:tools:jar:1.6 at specified path /usr/lib/jvm/java-11/../lib/tools.jar -> [Help 1]
=== case mvn surefire timeout | test_failure | | timeout
Running com.acme.SlowTest
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:2.18:test (default-test) on project core: There was a timeout or other error in the fork -> [Help 1]
=== case mvn dependency analyze | build_error | | 
[INFO] --- maven-dependency-plugin:3.1:analyze-only (analyze) @ core ---
[WARNING] Unused declared dependencies found:
[WARNING]    com.google.guava:guava:jar:30:compile
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-dependency-plugin:3.1:analyze-only (analyze) on project core: Dependency problems found -> [Help 1]
=== case mvn exec java | build_error | | 
[INFO] --- exec-maven-plugin:1.6.0:java (default-cli) @ core ---
java.lang.ClassNotFoundException: com.acme.Main
    at java.net.URLClassLoader.findClass (URLClassLoader.java:382)
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal org.codehaus.mojo:exec-maven-plugin:1.6.0:java (default-cli) on project core: An exception occured while executing the Java class. com.acme.Main -> [Help 1]
=== case mvn errorprone | build_error | A.java:14 | 
[ERROR] COMPILATION ERROR : 
[ERROR] /w/src/main/java/com/acme/A.java:[14,21] [ArrayEquals] Reference equality used to compare arrays
    (see https://errorprone.info/bugpattern/ArrayEquals)
[INFO] 1 error
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.8.1:compile (default-compile) on project core: Compilation failure
=== case mvn compile warnings first | build_error | B.java:7 | 
[WARNING] /w/src/main/java/com/acme/A.java:[3,8] [deprecation] error() in Log has been deprecated
[ERROR] COMPILATION ERROR : 
[INFO] -------------------------------------------------------------
[ERROR] /w/src/main/java/com/acme/B.java:[7,18] incompatible types: java.lang.String cannot be converted to int
[INFO] 1 error
=== case gradle old test | test_failure | BarTest.java:20 | 
:core:compileJava UP-TO-DATE
:core:test

com.acme.BarTest > baz FAILED
    java.lang.AssertionError at BarTest.java:20

12 tests completed, 1 failed
:core:test FAILED

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':core:test'.
> There were failing tests. See the report at: file:///w/core/build/reports/tests/index.html
=== case gradle javac many modules | build_error | B.java:7 | 
> Task :core:compileJava
Note: Some input files use unchecked or unsafe operations.
> Task :web:compileJava FAILED
/w/web/src/main/java/com/acme/B.java:7: error: cannot find symbol
        Foo f = new Foo();
        ^
  symbol:   class Foo
  location: class B
1 error

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':web:compileJava'.
> Compilation failed; see the compiler error output for details.
=== case gradle android sdk licence | build_error | | 
FAILURE: Build failed with an exception.

* What went wrong:
A problem occurred configuring project ':app'.
> Failed to install the following Android SDK packages as some licences have not been accepted.
     platforms;android-28 Android SDK Platform 28

BUILD FAILED in 21s
=== case gradle bintray gone | dependency | | 
FAILURE: Build failed with an exception.

* What went wrong:
A problem occurred configuring root project 'app'.
> Could not resolve all artifacts for configuration ':classpath'.
   > Could not resolve com.acme:plugin:1.0.
     Required by:
         project :
      > Could not resolve com.acme:plugin:1.0.
         > Could not get resource 'https://dl.bintray.com/acme/maven/plugin-1.0.pom'.
            > Could not GET 'https://dl.bintray.com/acme/maven/plugin-1.0.pom'. Received status code 502 from server: Bad Gateway
=== case travis oracle java gone | ci_failure | |
$ ~/bin/install-jdk.sh --target "/home/travis/oraclejdk11" --workspace "/home/travis/.cache/install-jdk" --feature "11" --license "BCL"
Expected feature release number in range of 9 to 18, but got: 8
The command "~/bin/install-jdk.sh --target "/home/travis/oraclejdk8"" failed and exited with 3 during .

Your build has been stopped.
=== case travis timeout | ci_failure | |
Running com.acme.SlowIT
.............

The job exceeded the maximum time limit for jobs, and has been terminated.
=== case travis after failure | test_failure | CartTest.java:12 |
Tests run: 1, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.05 sec <<< FAILURE!
total(com.acme.CartTest)  Time elapsed: 0.01 sec  <<< FAILURE!
java.lang.AssertionError: expected:<90> but was:<100>
	at org.junit.Assert.fail(Assert.java:57)
	at com.acme.CartTest.total(CartTest.java:12)
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:2.18:test (default-test) on project x: There are test failures.
The command "mvn test" exited with 1.
travis_fold:start:after_failure
$ cat target/surefire-reports/*.txt
cat: target/surefire-reports/*.txt: No such file or directory
travis_fold:end:after_failure

Done. Your build exited with 1.
=== case travis pylint | build_error | app/a.py:3 |
$ pylint app
************* Module app.a
app/a.py:3:0: E0401: Unable to import 'nope' (import-error)
app/a.py:9:4: C0116: Missing function or method docstring (missing-function-docstring)

------------------------------------------------------------------
Your code has been rated at 4.00/10

The command "pylint app" exited with 18.

Done. Your build exited with 1.
=== case travis pylint old | build_error | |
$ pylint app
************* Module app.a
E:  3, 0: Unable to import 'nope' (import-error)
C:  1, 0: Missing module docstring (missing-docstring)
The command "pylint app" exited with 18.

Done. Your build exited with 1.
=== case travis pep8 | build_error | app/a.py:30 |
$ pep8 app --max-line-length=120
app/a.py:30:121: E501 line too long (124 > 120 characters)
The command "pep8 app --max-line-length=120" exited with 1.

Done. Your build exited with 1.
=== case travis isort | build_error | |
$ isort --check-only --diff -rc .
ERROR: /home/travis/build/acme/a/app/a.py Imports are incorrectly sorted.
The command "isort --check-only --diff -rc ." exited with 1.

Done. Your build exited with 1.
=== case travis coveralls after tests pass fails script | ci_failure | |
$ python -m pytest
12 passed in 0.31 seconds
The command "python -m pytest" exited with 0.
$ ./deploy.sh
Traceback (most recent call last):
  File "deploy.py", line 8, in <module>
    token = os.environ["TOKEN"]
  File "/opt/python/3.6/lib/python3.6/os.py", line 669, in __getitem__
    raise KeyError(key) from None
KeyError: 'TOKEN'
The command "./deploy.sh" exited with 1.

Done. Your build exited with 1.
=== case nose module import | test_failure | |
======================================================================
ERROR: Failure: ImportError (No module named yaml)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/home/travis/virtualenv/python2.7/lib/python2.7/site-packages/nose/loader.py", line 418, in loadTestsFromName
    addr.filename, addr.module)
  File "/home/travis/build/acme/a/tests/test_conf.py", line 3, in <module>
    import yaml
ImportError: No module named yaml

----------------------------------------------------------------------
Ran 1 test in 0.010s

FAILED (errors=1)
=== case pytest doctest modules | test_failure | |
=================================== FAILURES ===================================
__________________________ [doctest] app.util.double ___________________________
004     >>> double(2)
Expected:
    4
Got:
    5

/w/app/util.py:4: DocTestFailure
=========================== short test summary info ============================
FAILED app/util.py::app.util.double
========================= 1 failed, 3 passed in 0.10s ==========================
=== case pytest error at setup | test_failure | tests/conftest.py:12 |
==================================== ERRORS ====================================
________________________ ERROR at setup of test_reads _________________________

    @pytest.fixture
    def db():
>       return connect("localhost")

tests/conftest.py:12: 
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

    def connect(host):
>       raise OSError("refused")
E       OSError: refused

/usr/lib/python3/dist-packages/db.py:4: OSError
=========================== short test summary info ============================
ERROR tests/test_a.py::test_reads - OSError: refused
=============================== 1 error in 0.05s ===============================
=== case shell script error | build_error | ci/build.sh:14 |
./ci/build.sh: line 14: syntax error near unexpected token §fi'
./ci/build.sh: line 14: §fi'
=== case aborted without core | test_failure | |
/usr/include/c++/12/bits/stl_vector.h:1123: reference std::vector<int>::operator[](size_type): Assertion '__n < this->size()' failed.
bash: line 1: 25162 Aborted                 ./v
=== case curl with meter | ci_failure | | Could not resolve host
  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current
                                 Dload  Upload   Total   Spent    Left  Speed
  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0curl: (6) Could not resolve host: files.example
##[error]Process completed with exit code 6.
`)
}
