package blocker

import "testing"

// TestUnseenJVM holds logs of Maven, Gradle and Ant whose reason stands behind the goal or the task that failed.
func TestUnseenJVM(t *testing.T) {
	runCases(t, `
=== case mvn failsafe it | test_failure | OrderIT.java:58 | 
[INFO] --- maven-failsafe-plugin:3.2.5:integration-test (default) @ shop ---
[INFO] -------------------------------------------------------
[INFO]  T E S T S
[INFO] -------------------------------------------------------
[INFO] Running com.acme.shop.OrderIT
12:03:11.123 [main] ERROR c.a.shop.Server - Port already in use, trying next
[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 4.21 s <<< FAILURE! -- in com.acme.shop.OrderIT
[ERROR] com.acme.shop.OrderIT.placesOrder -- Time elapsed: 0.412 s <<< FAILURE!
org.opentest4j.AssertionFailedError: expected: <201> but was: <500>
	at org.junit.jupiter.api.AssertionFailureBuilder.build(AssertionFailureBuilder.java:151)
	at org.junit.jupiter.api.Assertions.assertEquals(Assertions.java:531)
	at com.acme.shop.OrderIT.placesOrder(OrderIT.java:58)
	at java.base/java.util.ArrayList.forEach(ArrayList.java:1511)

[INFO] Results:
[INFO]
[ERROR] Failures:
[ERROR]   OrderIT.placesOrder:58 expected: <201> but was: <500>
[INFO]
[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0
[INFO]
[INFO] --- maven-failsafe-plugin:3.2.5:verify (default) @ shop ---
[INFO] ------------------------------------------------------------------------
[INFO] BUILD FAILURE
[INFO] ------------------------------------------------------------------------
[INFO] Total time:  41.021 s
[INFO] ------------------------------------------------------------------------
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-failsafe-plugin:3.2.5:verify (default) on project shop: There are test failures.
[ERROR] 
[ERROR] Please refer to /home/travis/build/acme/shop/target/failsafe-reports for the individual test results.
=== case mvn forked vm crash | test_failure | |
[INFO] Running com.acme.NativeTest
#
# A fatal error has been detected by the Java Runtime Environment:
#
#  SIGSEGV (0xb) at pc=0x00007f2c14, pid=4512, tid=4513
#
# JRE version: OpenJDK Runtime Environment (11.0.2) (build 11.0.2+9)
[INFO] ------------------------------------------------------------------------
[INFO] BUILD FAILURE
[INFO] ------------------------------------------------------------------------
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:2.22.1:test (default-test) on project core: There are test failures.
[ERROR] 
[ERROR] Please refer to /w/target/surefire-reports for the individual test results.
[ERROR] The forked VM terminated without saying properly goodbye. VM crash or System.exit called ?
[ERROR] Command was /bin/sh -c cd /w && /usr/lib/jvm/java-11/bin/java -jar /w/target/surefire/surefirebooter1.jar
[ERROR] Process Exit Code: 134
[ERROR] Crashed tests:
[ERROR] com.acme.NativeTest
=== case mvn javadoc | build_error | Cache.java:44 | reference not found
[INFO] --- maven-javadoc-plugin:2.10.4:jar (attach-javadocs) @ core ---
[INFO] ------------------------------------------------------------------------
[INFO] BUILD FAILURE
[INFO] ------------------------------------------------------------------------
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-javadoc-plugin:2.10.4:jar (attach-javadocs) on project core: MavenReportException: Error while creating archive:
[ERROR] Exit code: 1 - /home/travis/build/acme/core/src/main/java/com/acme/Cache.java:44: error: reference not found
[ERROR] * @see com.acme.Gone
[ERROR] ^
=== case mvn gpg sign | ci_failure | |
[INFO] --- maven-gpg-plugin:1.6:sign (sign-artifacts) @ core ---
gpg: no default secret key: No secret key
gpg: signing failed: No secret key
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-gpg-plugin:1.6:sign (sign-artifacts) on project core: Exit code: 2 -> [Help 1]
=== case mvn deploy 401 | ci_failure | |
[INFO] --- maven-deploy-plugin:2.7:deploy (default-deploy) @ core ---
[INFO] Uploading to snapshots: https://repo.acme.example/snapshots/com/acme/core/1.0-SNAPSHOT/maven-metadata.xml
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-deploy-plugin:2.7:deploy (default-deploy) on project core: Failed to deploy artifacts: Could not transfer artifact com.acme:core:jar:1.0-20260101.1 from/to snapshots (https://repo.acme.example/snapshots): Failed to transfer file: https://repo.acme.example/snapshots/com/acme/core/1.0-SNAPSHOT/core-1.0.jar. Return code is: 401, ReasonPhrase: Unauthorized. -> [Help 1]
=== case mvn dup pom | build_error | | 
[INFO] Scanning for projects...
[ERROR] [ERROR] Some problems were encountered while processing the POMs:
[ERROR] 'dependencies.dependency.version' for org.slf4j:slf4j-api:jar is missing. @ line 41, column 17
 @ 
[ERROR] The build could not read 1 project -> [Help 1]
[ERROR]   
[ERROR]   The project com.acme:core:1.0-SNAPSHOT (/w/pom.xml) has 1 error
[ERROR]     'dependencies.dependency.version' for org.slf4j:slf4j-api:jar is missing. @ line 41, column 17
=== case mvn plugin missing | dependency | |
[INFO] Scanning for projects...
[INFO] BUILD FAILURE
[ERROR] Plugin com.acme.build:gen-maven-plugin:1.9 or one of its dependencies could not be resolved: Could not find artifact com.acme.build:gen-maven-plugin:jar:1.9 in central (https://repo.maven.apache.org/maven2) -> [Help 1]
[ERROR] 
[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.
=== case mvn ssl protocol | dependency | |
[INFO] Scanning for projects...
[ERROR] [ERROR] Some problems were encountered while processing the POMs:
[FATAL] Non-resolvable parent POM for com.acme:core:1.0: Could not transfer artifact com.acme:parent:pom:7 from/to central (http://repo.maven.apache.org/maven2): Failed to transfer file: http://repo.maven.apache.org/maven2/com/acme/parent/7/parent-7.pom. Return code is: 501 , ReasonPhrase:HTTPS Required. and 'parent.relativePath' points at wrong local POM @ line 5, column 11
 @ 
[ERROR] The build could not read 1 project -> [Help 1]
The command "mvn install -DskipTests=true -Dmaven.javadoc.skip=true -B -V" failed and exited with 1 during .
=== case mvn checkstyle inline | build_error | Foo.java:17 |
[INFO] --- maven-checkstyle-plugin:3.1.2:check (validate) @ core ---
[INFO] There is 1 error reported by Checkstyle 8.29 with checkstyle.xml ruleset.
[ERROR] src/main/java/com/acme/Foo.java:[17,5] (indentation) Indentation: 'method def' child has incorrect indentation level 2, expected level should be 4.
[INFO] ------------------------------------------------------------------------
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-checkstyle-plugin:3.1.2:check (validate) on project core: You have 1 Checkstyle violation. -> [Help 1]
=== case mvn rat | build_error | | unapproved license
[INFO] --- apache-rat-plugin:0.13:check (default) @ core ---
[INFO] Rat check: Summary over all files. Unapproved: 2, unknown: 2, generated: 0, approved: 410 licenses.
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal org.apache.rat:apache-rat-plugin:0.13:check (default) on project core: Too many files with unapproved license: 2 See RAT report in: /w/target/rat.txt -> [Help 1]
=== case mvn spotbugs | build_error | |
[INFO] --- spotbugs-maven-plugin:4.7.3.0:check (default) @ core ---
[INFO] BugInstance size is 1
[INFO] Error size is 0
[INFO] Total bugs: 1
[ERROR] High: Possible null pointer dereference of item in com.acme.Cart.total(Item) [com.acme.Cart] At Cart.java:[line 51] NP_NULL_ON_SOME_PATH
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal com.github.spotbugs:spotbugs-maven-plugin:4.7.3.0:check (default) on project core: failed with 1 bugs and 0 errors  -> [Help 1]
=== case mvn no tests for pattern | test_failure | | No tests
[INFO] --- maven-surefire-plugin:2.12.4:test (default-test) @ core ---
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:2.12.4:test (default-test) on project core: No tests were executed!  (Set -DfailIfNoTests=false to ignore this error.) -> [Help 1]
=== case mvn wrapper download | ci_failure | |
$ ./mvnw -B test
Exception in thread "main" java.net.UnknownHostException: repo.maven.apache.org
	at java.net.AbstractPlainSocketImpl.connect(AbstractPlainSocketImpl.java:184)
	at org.apache.maven.wrapper.DefaultDownloader.downloadInternal(DefaultDownloader.java:90)
	at org.apache.maven.wrapper.MavenWrapperMain.main(MavenWrapperMain.java:61)

The command "./mvnw -B test" exited with 1.

Done. Your build exited with 1.
=== case mvn travis old surefire | test_failure | | testParse(com.acme.ParserTest)
-------------------------------------------------------
 T E S T S
-------------------------------------------------------
Running com.acme.LexerTest
Tests run: 9, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.09 sec
Running com.acme.ParserTest
SLF4J: Failed to load class "org.slf4j.impl.StaticLoggerBinder".
SLF4J: Defaulting to no-operation (NOP) logger implementation
Tests run: 12, Failures: 0, Errors: 1, Skipped: 0, Time elapsed: 0.31 sec <<< FAILURE!
testParse(com.acme.ParserTest)  Time elapsed: 0.011 sec  <<< ERROR!
java.lang.NullPointerException
	at com.acme.Parser.next(Parser.java:77)
	at com.acme.ParserTest.testParse(ParserTest.java:30)

Results :

Tests in error: 
  testParse(com.acme.ParserTest)

Tests run: 21, Failures: 0, Errors: 1, Skipped: 0

[INFO] ------------------------------------------------------------------------
[INFO] BUILD FAILURE
[INFO] ------------------------------------------------------------------------
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:2.12.4:test (default-test) on project acme: There are test failures.

The command "mvn test -B" exited with 1.

Done. Your build exited with 1.
=== case mvn two modules ignore failures | none
[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.2 s <<< FAILURE! - in com.acme.FlakyTest
[ERROR] flaky  Time elapsed: 0.01 s  <<< FAILURE!
java.lang.AssertionError: expected:<1> but was:<2>
	at com.acme.FlakyTest.flaky(FlakyTest.java:20)
[ERROR] Failures: 
[ERROR]   FlakyTest.flaky:20 expected:<1> but was:<2>
[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0
[ERROR] There are test failures.

Please refer to /w/target/surefire-reports for the individual test results.
[INFO] ------------------------------------------------------------------------
[INFO] BUILD SUCCESS
[INFO] ------------------------------------------------------------------------
=== case gradle kotlin dsl compile | build_error | build.gradle.kts:14 |
> Configure project :

FAILURE: Build failed with an exception.

* Where:
Build file '/home/runner/work/app/app/build.gradle.kts' line: 14

* What went wrong:
Script compilation error:

  Line 14:     implementaton("com.acme:lib:1.0")
               ^ Unresolved reference: implementaton

1 error

* Try:
> Run with --stacktrace option to get the stack trace.

BUILD FAILED in 9s
##[error]Process completed with exit code 1.
=== case gradle unsupported class version | build_error | | Unsupported class file major version 61
FAILURE: Build failed with an exception.

* Where:
Build file '/w/build.gradle'

* What went wrong:
Could not compile build file '/w/build.gradle'.
> startup failed:
  General error during semantic analysis: Unsupported class file major version 61

  java.lang.IllegalArgumentException: Unsupported class file major version 61
  	at groovyjarjarasm.asm.ClassReader.<init>(ClassReader.java:189)

BUILD FAILED in 1s
=== case gradle wrapper download | ci_failure | |
Downloading https://services.gradle.org/distributions/gradle-4.10.2-bin.zip

Exception in thread "main" java.net.SocketTimeoutException: connect timed out
	at java.net.PlainSocketImpl.socketConnect(Native Method)
	at org.gradle.wrapper.Download.downloadInternal(Download.java:58)
	at org.gradle.wrapper.GradleWrapperMain.main(GradleWrapperMain.java:48)

The command "./gradlew assemble" failed and exited with 1 during .
=== case gradle plugin not found | build_error | |
FAILURE: Build failed with an exception.

* Where:
Build file '/w/build.gradle' line: 3

* What went wrong:
Plugin [id: 'com.acme.release', version: '9.9'] was not found in any of the following sources:

- Gradle Core Plugins (plugin is not in 'org.gradle' namespace)
- Plugin Repositories (could not resolve plugin artifact 'com.acme.release:com.acme.release.gradle.plugin:9.9')

BUILD FAILED in 2s
=== case gradle connected tests | test_failure | | 
> Task :app:connectedDebugAndroidTest
Starting 2 tests on test(AVD) - 9

com.acme.app.LoginTest > opensScreen[test(AVD) - 9] FAILED 
	androidx.test.espresso.NoMatchingViewException: No views in hierarchy found matching: with text: is "Sign in"
	at dalvik.system.VMStack.getThreadStackTrace(Native Method)

> Task :app:connectedDebugAndroidTest FAILED

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':app:connectedDebugAndroidTest'.
> There were failing tests. See the report at: file:///w/app/build/reports/androidTests/connected/index.html

BUILD FAILED in 2m 1s
=== case gradle junit5 nested | test_failure | CartTest.java:31 |
> Task :test FAILED

CartTest > When empty > total() is zero FAILED
    org.opentest4j.AssertionFailedError: expected: <0> but was: <1>
        at app//org.junit.jupiter.api.AssertionUtils.fail(AssertionUtils.java:55)
        at app//com.acme.CartTest$WhenEmpty.total(CartTest.java:31)

CartTest > adds() PASSED

14 tests completed, 1 failed

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':test'.
> There were failing tests. See the report at: file:///w/build/reports/tests/test/index.html
=== case gradle spock | test_failure | PriceSpec.groovy:22 |
com.acme.PriceSpec > discount is #pct > discount is 10 FAILED
    Condition not satisfied:

    price.total() == 90
    |     |       |
    |     91      false
    Price(100)
        at com.acme.PriceSpec.discount is #pct(PriceSpec.groovy:22)

5 tests completed, 1 failed
:test FAILED

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':test'.
=== case gradle pmd | build_error | |
> Task :core:pmdMain FAILED
/w/core/src/main/java/com/acme/A.java:12:	UnusedPrivateField:	Avoid unused private fields such as 'x'.

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':core:pmdMain'.
> 1 PMD rule violations were found. See the report at: file:///w/core/build/reports/pmd/main.html
=== case gradle detekt | build_error | |
> Task :detekt FAILED
/w/src/main/kotlin/Main.kt:10:5: The function main is too long (80). The maximum length is 60. [LongMethod]

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':detekt'.
> Analysis failed with 1 weighted issues.
=== case gradle jacoco gate | build_error | |
> Task :jacocoTestCoverageVerification FAILED
[ant:jacocoReport] Rule violated for bundle app: instructions covered ratio is 0.71, but expected minimum is 0.80

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':jacocoTestCoverageVerification'.
> Rule violated for bundle app: instructions covered ratio is 0.71, but expected minimum is 0.80
=== case gradle oom metaspace | ci_failure | |
> Task :app:compileDebugKotlin FAILED
Expiring Daemon because JVM heap space is exhausted

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':app:compileDebugKotlin'.
> Java heap space
=== case gradle passing with failing looking tests | none
> Task :test

RetryTest > retries after failure STANDARD_ERROR
    ERROR c.a.Retry - attempt 1 failed
    java.lang.IllegalStateException: simulated
        at com.acme.RetryTest.lambda$0(RetryTest.java:20)

RetryTest > retries after failure PASSED

> Task :check
> Task :build

Deprecated Gradle features were used in this build, making it incompatible with Gradle 8.0.

BUILD SUCCESSFUL in 31s
12 actionable tasks: 12 executed
=== case ant build.xml | build_error | build.xml:44 | 
Buildfile: build.xml

compile:
    [mkdir] Created dir: /w/build/classes

BUILD FAILED
/home/travis/build/acme/core/build.xml:44: Problem: failed to create task or type ivy:retrieve
Cause: The name is undefined.
Action: Check the spelling.

Total time: 0 seconds
=== case ant ivy | dependency | |
resolve:
[ivy:resolve] :: problems summary ::
[ivy:resolve] :::: WARNINGS
[ivy:resolve] 		module not found: org.acme#thing;2.1
[ivy:resolve] 	::::::::::::::::::::::::::::::::::::::::::::::
[ivy:resolve] 	::          UNRESOLVED DEPENDENCIES         ::
[ivy:resolve] 	::::::::::::::::::::::::::::::::::::::::::::::
[ivy:resolve] 	:: org.acme#thing;2.1: not found
[ivy:resolve] 	::::::::::::::::::::::::::::::::::::::::::::::

BUILD FAILED
/w/build.xml:30: impossible to resolve dependencies:
	resolve failed - see output for details
=== case testng surefire | test_failure | LoginTest.java:40 |
Running TestSuite
Configuring TestNG with: TestNG652Configurator
Tests run: 11, Failures: 1, Errors: 0, Skipped: 2, Time elapsed: 3.2 sec <<< FAILURE! - in TestSuite
login(com.acme.LoginTest)  Time elapsed: 0.02 sec  <<< FAILURE!
java.lang.AssertionError: expected [true] but found [false]
	at org.testng.Assert.fail(Assert.java:94)
	at org.testng.Assert.assertTrue(Assert.java:42)
	at com.acme.LoginTest.login(LoginTest.java:40)

Results :

Failed tests: 
  LoginTest.login:40 expected [true] but found [false]

Tests run: 11, Failures: 1, Errors: 0, Skipped: 2
[INFO] BUILD FAILURE
=== case junit platform console | test_failure | |
╷
├─ JUnit Jupiter ✔
│  └─ StackTest ✔
│     ├─ push() ✔
│     └─ pop() ✘ expected: <1> but was: <2>
└─ JUnit Vintage ✔

Failures (1):
  JUnit Jupiter:StackTest:pop()
    MethodSource [className = 'StackTest', methodName = 'pop', methodParameterTypes = '']
    => org.opentest4j.AssertionFailedError: expected: <1> but was: <2>
       StackTest.pop(StackTest.java:19)

Test run finished after 64 ms
[         2 tests found           ]
[         1 tests successful      ]
[         1 tests failed          ]
=== case kotest | test_failure | |
com.acme.CartSpec > a cart > should be empty FAILED
    io.kotest.assertions.AssertionFailedError: expected:<0> but was:<2>
        at com.acme.CartSpec$1$1.invokeSuspend(CartSpec.kt:12)

3 tests completed, 1 failed

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':test'.
`)
}
