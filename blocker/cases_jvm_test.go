package blocker

import "testing"

// TestJVMToolchains: javac, kotlinc, scalac, Maven, Gradle, Ant, sbt and the test runners below them. The logs are
// written for this test from what the tools print.
func TestJVMToolchains(t *testing.T) {
	runCases(t, `
=== case javac | build_error | src/A.java:12 | cannot find symbol
src/A.java:12: error: cannot find symbol
        foo();
        ^
  symbol:   method foo()
  location: class A
1 error
=== case javac korean | build_error | A.java:3 |
A.java:3: error: 기호를 찾을 수 없습니다.
        foo();
        ^
error 1개
=== case maven compile | build_error | src/main/java/a/A.java:25 | cannot find symbol
[INFO] Scanning for projects...
[INFO] --- maven-compiler-plugin:3.8.1:compile (default-compile) @ app ---
[INFO] Compiling 12 source files to /home/travis/build/o/app/target/classes
[INFO] -------------------------------------------------------------
[ERROR] COMPILATION ERROR : 
[INFO] -------------------------------------------------------------
[ERROR] /home/travis/build/o/app/src/main/java/a/A.java:[25,10] cannot find symbol
  symbol:   class Foo
  location: class a.A
[INFO] 1 error
[INFO] -------------------------------------------------------------
[INFO] BUILD FAILURE
[INFO] ------------------------------------------------------------------------
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.8.1:compile (default-compile) on project app: Compilation failure
=== case maven surefire old | test_failure | FooTest.java:42 | testBar
-------------------------------------------------------
 T E S T S
-------------------------------------------------------
Running a.b.OkTest
Tests run: 4, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.02 sec
Running a.b.FooTest
Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.2 sec <<< FAILURE!
testBar(a.b.FooTest)  Time elapsed: 0.01 sec  <<< FAILURE!
java.lang.AssertionError: expected:<1> but was:<2>
	at org.junit.Assert.fail(Assert.java:88)
	at org.junit.Assert.failNotEquals(Assert.java:834)
	at a.b.FooTest.testBar(FooTest.java:42)
	at sun.reflect.NativeMethodAccessorImpl.invoke0(Native Method)

Results :

Failed tests:   testBar(a.b.FooTest): expected:<1> but was:<2>

Tests run: 7, Failures: 1, Errors: 0, Skipped: 0

[INFO] BUILD FAILURE
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:2.12.4:test (default-test) on project app: There are test failures.
=== case maven surefire error log inside | test_failure | Foo.java:7 | IllegalStateException
2020-01-01 12:00:00 ERROR Client - connection refused
12:00:01.123 [main] ERROR a.b.Server - error: could not start (expected)
java.io.IOException: noise
	at a.b.Server.start(Server.java:10)
[INFO] Running a.b.FooTest
[ERROR] Tests run: 3, Failures: 0, Errors: 1, Skipped: 0, Time elapsed: 0.2 s <<< FAILURE! - in a.b.FooTest
[ERROR] a.b.FooTest.testBar  Time elapsed: 0.01 s  <<< ERROR!
java.lang.IllegalStateException: boom
	at a.b.Foo.run(Foo.java:7)
	at a.b.FooTest.testBar(FooTest.java:42)

[ERROR] Errors: 
[ERROR]   FooTest.testBar:42 » IllegalState boom
[ERROR] Tests run: 3, Failures: 0, Errors: 1, Skipped: 0
[INFO] BUILD FAILURE
=== case maven success with stack traces | none
java.lang.RuntimeException: this is expected
	at a.b.FooTest.testBar(FooTest.java:42)
ERROR: something the test wants
[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0
[INFO] BUILD SUCCESS
[INFO] Total time:  3.2 s
=== case maven dependency | dependency | | Could not
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal on project app: Could not resolve dependencies for project a:app:jar:1.0: Could not find artifact x:y:jar:9.9 in central (https://repo.example.org/maven2) -> [Help 1]
=== case maven parent | dependency | | Non-resolvable parent POM
[ERROR] [ERROR] Some problems were encountered while processing the POMs:
[FATAL] Non-resolvable parent POM for a:app:1.0: Could not find artifact a:parent:pom:9 in central
 @ 
[ERROR] The build could not read 1 project -> [Help 1]
=== case maven checkstyle | build_error | | Checkstyle violation
[INFO] --- maven-checkstyle-plugin:3.1.0:check (validate) @ app ---
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-checkstyle-plugin:3.1.0:check (validate) on project app: You have 1 Checkstyle violation. -> [Help 1]
=== case maven enforcer release | build_error | | release version 17 not supported
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.8.1:compile (default-compile) on project app: Fatal error compiling: error: release version 17 not supported -> [Help 1]
=== case maven bad phase | build_error | | Unknown lifecycle phase
[INFO] BUILD FAILURE
[ERROR] Unknown lifecycle phase "tset". You must specify a valid lifecycle phase or a goal
=== case gradle compile | build_error | src/main/java/a/A.java:12 | cannot find symbol
> Task :compileJava FAILED
/w/src/main/java/a/A.java:12: error: cannot find symbol
        foo();
        ^
1 error

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':compileJava'.
> Compilation failed; see the compiler error output for details.

BUILD FAILED in 3s
=== case gradle test | test_failure | FooTest.java:42 | FooTest > bar
> Task :test FAILED

FooTest > bar FAILED
    java.lang.AssertionError at FooTest.java:42

7 tests completed, 1 failed

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':test'.
> There were failing tests. See the report at: file:///w/build/reports/tests/test/index.html

BUILD FAILED in 12s
=== case gradle parameterized test | test_failure | | FooTest
a.b.FooTest > bar(int) > a.b.FooTest.bar(int)[2] FAILED
    org.opentest4j.AssertionFailedError: expected: <1> but was: <2>
        at app//org.junit.jupiter.api.AssertionUtils.fail(AssertionUtils.java:55)
        at app//a.b.FooTest.bar(FooTest.java:42)
3 tests completed, 1 failed
Execution failed for task ':test'.
=== case gradle resolve | dependency | | com.example:lib:9.9
FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':compileJava'.
> Could not resolve all files for configuration ':compileClasspath'.
   > Could not find com.example:lib:9.9.
     Searched in the following locations:
BUILD FAILED in 1s
=== case gradle script | build_error | /w/build.gradle:12 | Could not find method
FAILURE: Build failed with an exception.

* Where:
Build file '/w/build.gradle' line: 12

* What went wrong:
A problem occurred evaluating root project 'app'.
> Could not find method implementtion() for arguments [x] on object of type X.
=== case gradle checkstyle | build_error | src/main/java/a/A.java:12 |
> Task :checkstyleMain FAILED
[ant:checkstyle] [ERROR] /home/runner/work/app/app/src/main/java/a/A.java:12:5: Missing a Javadoc comment. [MissingJavadocMethod]
Execution failed for task ':checkstyleMain'.
> Checkstyle rule violations were found.
BUILD FAILED in 3s
=== case gradle spotless | build_error | | format violations
Execution failed for task ':spotlessJavaCheck'.
> The following files had format violations:
      src/main/java/a/A.java
  Run './gradlew :spotlessApply' to fix these violations.
BUILD FAILED in 3s
=== case gradle success | none
> Task :test
FooTest > errorIsReported() STANDARD_ERROR
    ERROR: boom
    java.lang.IllegalStateException: FAILED
BUILD SUCCESSFUL in 12s
4 actionable tasks: 4 executed
=== case gradle kotlin | build_error | Main.kt:12 | Unresolved reference
> Task :compileKotlin FAILED
e: file:///w/src/main/kotlin/Main.kt:12:5 Unresolved reference: foo
Execution failed for task ':compileKotlin'.
> Compilation error. See log for more details
=== case gradle daemon died | ci_failure | | Cannot allocate memory
OpenJDK 64-Bit Server VM warning: INFO: os::commit_memory failed; error='Cannot allocate memory' (errno=12)
#
# There is insufficient memory for the Java Runtime Environment to continue.
FAILURE: Build failed with an exception.
=== case android lint | build_error | | Lint found
> Task :app:lintDebug FAILED
Execution failed for task ':app:lintDebug'.
> Lint found errors in the project; aborting build.
BUILD FAILED in 20s
=== case ant javac | build_error | src/A.java:12 | cannot find symbol
compile:
    [javac] Compiling 12 source files to /w/build
    [javac] /home/travis/build/o/app/src/A.java:12: error: cannot find symbol
    [javac]         foo();
    [javac]         ^
    [javac] 1 error

BUILD FAILED
/w/build.xml:12: Compile failed; see the compiler error output for details.

Total time: 1 second
=== case ant junit | test_failure | FooTest.java:42 | expected
test:
    [junit] Testsuite: a.b.FooTest
    [junit] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.05 sec
    [junit] 
    [junit] Testcase: testBar(a.b.FooTest):	FAILED
    [junit] expected:<1> but was:<2>
    [junit] junit.framework.AssertionFailedError: expected:<1> but was:<2>
    [junit] 	at a.b.FooTest.testBar(FooTest.java:42)
    [junit] 
    [junit] Test a.b.FooTest FAILED

BUILD FAILED
/w/build.xml:30: Test a.b.FooTest failed
=== case ant success | none
    [junit] Testsuite: a.b.FooTest
    [junit] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.05 sec
    [junit] ------------- Standard Error -----------------
    [junit] error: FAILED as it should

BUILD SUCCESSFUL
Total time: 1 second
=== case sbt compile | build_error | A.scala:12 | not found: value foo
[info] compiling 12 Scala sources to /w/target/scala-2.13/classes ...
[error] /w/src/main/scala/A.scala:12:5: not found: value foo
[error]     foo
[error]     ^
[error] one error found
[error] (Compile / compileIncremental) Compilation failed
[error] Total time: 3 s, completed Jan 4, 2026
=== case scala3 | build_error | A.scala:12 | Not Found Error
-- [E006] Not Found Error: src/main/scala/A.scala:12:5 -------------------------
12 |    foo
   |    ^^^
   |    Not found: foo
1 error found
=== case sbt scalatest | test_failure | AddSpec.scala:12 | should add
[info] AddSpec:
[info] - should add *** FAILED ***
[info]   4 did not equal 5 (AddSpec.scala:12)
[info] Run completed in 300 milliseconds.
[info] Tests: succeeded 1, failed 1, canceled 0, ignored 0, pending 0
[info] *** 1 TEST FAILED ***
[error] Failed tests:
[error] 	AddSpec
[error] (Test / test) sbt.TestsFailedException: Tests unsuccessful
=== case sbt resolve | dependency | | Error downloading
[error] sbt.librarymanagement.ResolveException: Error downloading com.example:lib_2.13:9.9
[error]   Not found
[error] (update) sbt.librarymanagement.ResolveException: Error downloading com.example:lib_2.13:9.9
=== case sbt success | none
[info] - should report error FAILED
[info] All tests passed.
[success] Total time: 3 s, completed Jan 4, 2026
=== case testng | test_failure | | testLogin
PASSED: testOk
FAILED: testLogin
java.lang.AssertionError: expected [true] but found [false]
	at org.testng.Assert.fail(Assert.java:96)
	at a.b.LoginTest.testLogin(LoginTest.java:21)

===============================================
    Default test
    Tests run: 2, Failures: 1, Skips: 0
===============================================
=== case junit console | test_failure | | 1 tests failed
[         3 tests found           ]
[         2 tests successful      ]
[         1 tests failed          ]
=== case junit3 text runner | test_failure | FooTest.java:42 | testBar
There was 1 failure:
1) testBar(a.b.FooTest)junit.framework.AssertionFailedError: expected:<1> but was:<2>
	at a.b.FooTest.testBar(FooTest.java:42)

FAILURES!!!
Tests run: 3,  Failures: 1,  Errors: 0
=== case kotlin maven | build_error | A.kt:3 | Unresolved reference
[ERROR] /w/src/main/kotlin/A.kt: (3, 5) Unresolved reference: foo
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal org.jetbrains.kotlin:kotlin-maven-plugin:1.9.0:compile (compile) on project app: Compilation failure
=== case leiningen | build_error | | Unable to resolve symbol
Syntax error compiling at (core.clj:3:1).
Unable to resolve symbol: foo in this context
=== case groovy | build_error | Foo.groovy:3 | unexpected token
startup failed:
/w/src/Foo.groovy: 3: unexpected token: } @ line 3, column 1.
1 error
BUILD FAILED
=== case rerun passes | none
[WARNING] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Flakes: 1
[WARNING] Flakes: 
[WARNING] a.b.FooTest.testBar(a.b.FooTest)
[ERROR]   Run 1: FooTest.testBar:42 expected:<1> but was:<2>
[INFO]   Run 2: PASS
[INFO] BUILD SUCCESS
=== case travis java, last word counts | none
[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0
The command "mvn test" exited with 1.
Done. Your build exited with 0.
=== case travis java fails | test_failure | | testBar
travis_time:start:1a2b
$ mvn test -B
testBar(a.b.FooTest)  Time elapsed: 0.01 sec  <<< ERROR!
java.lang.NullPointerException: null
	at a.b.FooTest.testBar(FooTest.java:42)
Tests in error: 
  testBar(a.b.FooTest)
[INFO] BUILD FAILURE
␛[31;1mThe command "mvn test -B" exited with 1.␛[0m

Done. Your build exited with 1.
=== case travis install fails | build_error | src/main/java/A.java:3 | package x does not exist
$ mvn install -DskipTests=true -Dmaven.javadoc.skip=true -B -V
[ERROR] COMPILATION ERROR : 
[ERROR] /home/travis/build/o/app/src/main/java/A.java:[3,9] package x does not exist
[INFO] BUILD FAILURE
␛[31;1mThe command "eval mvn install -DskipTests=true -Dmaven.javadoc.skip=true -B -V " failed. Retrying, 2 of 3.␛[0m
␛[31;1mThe command "mvn install -DskipTests=true -Dmaven.javadoc.skip=true -B -V" failed and exited with 1 during .␛[0m

Your build has been stopped.
=== case ansi maven | build_error | src/main/java/A.java:25 | cannot find symbol
[␛[1;31mERROR␛[m] ␛[1;31mCOMPILATION ERROR : ␛[m
[␛[1;31mERROR␛[m] /home/runner/work/app/app/src/main/java/A.java:[25,10] cannot find symbol
[␛[1;34mINFO␛[m] ␛[1;31mBUILD FAILURE␛[m
=== case buck and pants style javac wrapper | build_error | java/A.java:9 | incompatible types
stderr: /w/java/A.java:9: error: incompatible types: String cannot be converted to int
=== case spock | test_failure | FooSpec.groovy:12 | adds
FooSpec > adds FAILED
    Condition not satisfied:

    a + b == 5
        at FooSpec.adds(FooSpec.groovy:12)
2 tests completed, 1 failed
=== case jvm crash | test_failure | | A fatal error has been detected
# A fatal error has been detected by the Java Runtime Environment:
#
#  SIGSEGV (0xb) at pc=0x00007f, pid=1, tid=2
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:2.22.2:test (default-test) on project app: The forked VM terminated without saying properly goodbye. VM crash or System.exit called ?
=== case cucumber jvm | test_failure | |
Failed scenarios:
src/test/resources/login.feature:12 # Login fails

3 Scenarios (1 failed, 2 passed)
Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 1.2 sec <<< FAILURE!
`)
}
