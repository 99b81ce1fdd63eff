package blocker

import "testing"

// TestPrefixCases: what services and script runners set before a tool's own line. Written for this test.
func TestPrefixCases(t *testing.T) {
	runCases(t, `
=== case tekton | build_error | main.go:9 | undefined: totl
[build : compile] # example.com/cart
[build : compile] ./main.go:9:2: undefined: totl
[build : compile] 2026/03/02 10:00:01 Skipping step because a previous step failed
failed to get logs for task build : container step-compile has failed : [{"key":"StartedAt"}]
=== case dagger | build_error | main.go:9 | undefined: totl
✘ Container.withExec(args: ["go", "build"]): Container! 3.2s ERROR
┃ # example.com/cart
┃ ./main.go:9:2: undefined: totl
! process "go build" did not complete successfully: exit code: 1
=== case earthly | build_error | main.c:9 | 'totl' undeclared
     ./cart+build | --> RUN make
     ./cart+build | main.c:9:5: error: 'totl' undeclared (first use in this function)
     ./cart+build | make: *** [Makefile:3: main.o] Error 1
     ./cart+build *failed* | ERROR Earthfile:7:5
     ./cart+build *failed* |       The command RUN make did not complete successfully. Exit code 2
=== case cloudbuild | dependency |  | ETARGET
Step #1: Already have image: node
Step #1: npm error code ETARGET
Step #1: npm error notarget No matching version found for ghost@9.
Finished Step #1
ERROR
ERROR: build step 1 "node:20" failed: step exited with non-zero status: 1
=== case heroku | dependency |  | Could not find a version that satisfies the requirement ghost
remote: -----> Installing dependencies using pip
remote:        ERROR: Could not find a version that satisfies the requirement ghost==9 (from versions: none)
remote:        ERROR: No matching distribution found for ghost==9
remote:  !     Push rejected, failed to compile Python app.
remote: 
To https://git.example.com/shop.git
 ! [remote rejected] main -> main (pre-receive hook declined)
error: failed to push some refs to 'https://git.example.com/shop.git'
=== case netlify | dependency |  | sh: 1: vitee: not found
10:00:00 AM: $ npm run build
10:00:01 AM: sh: 1: vitee: not found
10:00:01 AM: "build.command" failed
10:00:01 AM:   Command failed with exit code 127: npm run build
10:00:01 AM: Failed during stage 'building site': Build script returned non-zero exit code: 2
=== case ndk | build_error | ../../src/main/cpp/native.cpp:9 | use of undeclared identifier 'totl'
> Task :app:buildCMakeDebug[arm64-v8a] FAILED
C/C++: ninja: Entering directory §/work/app/.cxx/Debug/1a2b/arm64-v8a'
C/C++: ../../src/main/cpp/native.cpp:9:3: error: use of undeclared identifier 'totl'
C/C++: 1 error generated.

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':app:buildCMakeDebug[arm64-v8a]'.
BUILD FAILED in 5s
=== case packer | dependency |  | E: Unable to locate package ghost
==> amazon-ebs: Provisioning with shell script: setup.sh
==> amazon-ebs: E: Unable to locate package ghost
==> amazon-ebs: Script exited with non-zero exit status: 100. Allowed exit codes are: [0]
Build 'amazon-ebs' errored after 2 minutes 1 second: Script exited with non-zero exit status: 100. Allowed exit codes are: [0]

==> Wait completed after 2 minutes 1 second

==> Some builds didn't complete successfully and had errors:
--> amazon-ebs: Script exited with non-zero exit status: 100. Allowed exit codes are: [0]
=== case flutter verbose | build_error |  | compileFlutterBuildRelease
[+37799 ms] > Task :app:compileFlutterBuildRelease FAILED
[ +402 ms] FAILURE: Build failed with an exception.
[  +33 ms] * Where:
[  +11 ms] Script '/opt/flutter/packages/flutter_tools/gradle/flutter.gradle' line: 1159
[        ] * What went wrong:
[        ] Execution failed for task ':app:compileFlutterBuildRelease'.
[        ] > Process 'command '/opt/flutter/bin/flutter'' finished with non-zero exit value 1
[        ] BUILD FAILED in 41s
=== case gradle debug | build_error | /work/src/main/java/A.java:9 | cannot find symbol
17:17:48.100 [ERROR] [system.err] /work/src/main/java/A.java:9: error: cannot find symbol
17:17:48.101 [ERROR] [system.err]     foo();
17:17:49.152 [ERROR] [org.gradle.internal.buildevents.BuildExceptionReporter] FAILURE: Build failed with an exception.
17:17:49.152 [ERROR] [org.gradle.internal.buildevents.BuildExceptionReporter] * What went wrong:
17:17:49.152 [ERROR] [org.gradle.internal.buildevents.BuildExceptionReporter] Execution failed for task ':compileJava'.
17:17:49.160 [ERROR] [org.gradle.internal.buildevents.BuildResultLogger] BUILD FAILED in 3s
=== case turbo | build_error | src/index.ts:5 | TS2322
• Packages in scope: @acme/ui, @acme/web
@acme/ui:build: cache hit, replaying logs 9f2b
@acme/web:build: > @acme/web@0.1.0 build
@acme/web:build: > tsc
@acme/web:build: src/index.ts(5,7): error TS2322: Type 'string' is not assignable to type 'number'.
@acme/web:build: npm error Lifecycle script §build§ failed with error:
@acme/web:build: ERROR: command finished with error: command (/work/apps/web) npm run build exited (2)

 Tasks:    1 successful, 2 total
Cached:    1 cached, 2 total
Failed:    @acme/web#build
 ERROR  run failed: command  exited (2)
=== case cloudbuild | none
Step #1: npm warn deprecated error@1.0.0
Finished Step #1
PUSH
DONE
=== case server log | none
[info] listening on :3000
[error] GET /missing 404 Not Found
[info] GET / 200
`)
}

// TestScriptCases: scripts, archives and packages of a wider circle. Written for this test.
func TestScriptCases(t *testing.T) {
	runCases(t, `
=== case powershell | ci_failure | C:/work/build.ps1:14 | Cannot find path
Get-Content: C:\work\build.ps1:14
Line |
  14 |  Get-Content ghost.txt
     |  ~~~~~~~~~~~~~~~~~~~~~
     | Cannot find path 'C:\work\ghost.txt' because it does not exist.
##[error]Process completed with exit code 1.
=== case powershell5 | dependency | C:/work/build.ps1:14 | is not recognized
msbuildd : The term 'msbuildd' is not recognized as the name of a cmdlet, function, script file, or operable program.
At C:\work\build.ps1:14 char:1
+ msbuildd app.sln
+ ~~~~~~~~
    + CategoryInfo          : ObjectNotFound: (msbuildd:String) [], CommandNotFoundException
=== case tar | ci_failure |  | Cannot open: No such file or directory
tar: dist.tgz: Cannot open: No such file or directory
tar: Error is not recoverable: exiting now
=== case wheel none | dependency |  | is not a supported wheel on this platform
ERROR: ghost-1.0-cp39-cp39-win_amd64.whl is not a supported wheel on this platform.
=== case pip externally | dependency |  | externally-managed-environment
error: externally-managed-environment

× This environment is externally managed
╰─> To install Python packages system-wide, try apt install
    python3-xyz, where xyz is the package you are trying to
    install.

note: If you believe this is a mistake, please contact your Python installation or OS distribution provider.
hint: See PEP 668 for the detailed specification.
=== case maven 401 | dependency |  | [ERROR] Failed to execute goal on project shop: Could not co
[INFO] Building shop 1.0
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal on project shop: Could not collect dependencies for project com.acme:shop:jar:1.0: Failed to read artifact descriptor for com.acme:core:jar:1.0: Could not transfer artifact com.acme:core:pom:1.0 from/to internal (https://repo.example.org): status code: 401, reason phrase: Unauthorized (401) -> [Help 1]
=== case gradle sdk | build_error |  | SDK location not found
FAILURE: Build failed with an exception.

* What went wrong:
Could not determine the dependencies of task ':app:compileDebugJavaWithJavac'.
> SDK location not found. Define a valid SDK location with an ANDROID_HOME environment variable or by setting the sdk.dir path in your project's local properties file at '/work/local.properties'.

BUILD FAILED in 2s
=== case mongo | ci_failure |  | ECONNREFUSED
node:internal/process/promises:288
            triggerUncaughtException(err, true /* fromPromise */);
            ^

MongooseServerSelectionError: connect ECONNREFUSED 127.0.0.1:27017
    at _handleConnectionErrors (/work/node_modules/mongoose/lib/connection.js:900:11)
    at async main (/work/src/db.js:12:3)

Node.js v20.12.2
=== case expo | build_error | /work/App.js | Unable to resolve module ./ghost
Starting Metro Bundler
Android Bundling failed 2012ms index.js (812 modules)
Unable to resolve module ./ghost from /work/App.js: 

None of these files exist:
  * ghost(.android.js|.native.js|.js)
=== case gatsby | build_error | /work/src/pages/index.js:12 | Unexpected token
success open and validate gatsby-configs - 0.100s
 ERROR #98123  WEBPACK.BUILD-JAVASCRIPT

Generating JavaScript bundles failed

/work/src/pages/index.js: Unexpected token (12:4)

File: src/pages/index.js:12:4
failed Building production JavaScript and CSS bundles - 3.2s
=== case astro | build_error | /work/src/pages/index.astro:3 | Could not import §./Ghost.astro§
 building client (vite)
[vite] x Build failed in 310ms
[ImportError] Could not import §./Ghost.astro§.
  Location:
    /work/src/pages/index.astro:3:20
=== case rescript | build_error | /work/src/Cart.res:3 | The value totl can't be found
rescript: [1/3] src/Cart.cmj
FAILED: src/Cart.cmj

  We've found a bug for you!
  /work/src/Cart.res:3:5-8

  1 │ let x = 1
  3 │ totl(x)

  The value totl can't be found

FAILED: cannot make progress due to previous errors.
=== case ada | build_error | cart.adb:5 | "Totl" is undefined
gcc -c cart.adb
cart.adb:5:04: "Totl" is undefined
gnatmake: "cart.adb" compilation error
=== case thrift | build_error | /work/api.thrift:9 | syntax error
[ERROR:/work/api.thrift:9] (last token was '}')
syntax error
[FAILURE:generation:1] Error: compilation failed
=== case spock | test_failure | CartSpec.groovy:12 | Condition not satisfied
CartSpec > totals items FAILED
    Condition not satisfied:

    cart.total() == 100
    |    |       |
    |    90      false

        at CartSpec.totals items(CartSpec.groovy:12)

1 test completed, 1 failed
BUILD FAILED in 3s
=== case zio | test_failure | /work/src/test/scala/CartSpec.scala:14 | sums
[info]   + Cart
[info]     - sums
[info]       ✗ 90 was not equal to 100
[info]       total did not satisfy equalTo(100)
[info]       at /work/src/test/scala/CartSpec.scala:14
[info] 1 tests passed. 1 tests failed. 0 tests ignored.
[error] Failed: Total 2, Failed 1, Errors 0, Passed 1
[error] (Test / test) sbt.TestsFailedException: Tests unsuccessful
=== case weaver | test_failure | src/CartSuite.scala:12 | assertion failed
[info] cart.CartSuite
[info] + errors 3ms
[info] - sums 4ms
[info] *************FAILURES**************
[info] cart.CartSuite
[info] - sums 4ms
[info]   assertion failed (src/CartSuite.scala:12)
[error] Failed: Total 2, Failed 1, Errors 0, Passed 1
[error] (Test / test) sbt.TestsFailedException: Tests unsuccessful
=== case busted | test_failure | spec/cart_spec.lua:7 | Expected objects to be equal
●●◼
2 successes / 1 failure / 0 errors / 0 pending : 0.004 seconds

Failure → spec/cart_spec.lua @ 5
cart sums
spec/cart_spec.lua:7: Expected objects to be equal.
Passed in:
(number) 90
Expected:
(number) 100
=== case shunit | test_failure |  | expected:<100> but was:<90>
testErrors
testTotal
ASSERT:expected:<100> but was:<90>

Ran 2 tests.

FAILED (failures=1)
=== case pester | test_failure | C:/work/Cart.Tests.ps1:8 | Expected 100, but got 90
Starting discovery in 1 files.
Running tests.
[-] Cart.sums 12ms (10ms|2ms)
 Expected 100, but got 90.
 at $total | Should -Be 100, C:\work\Cart.Tests.ps1:8
 at <ScriptBlock>, C:\work\Cart.Tests.ps1:8
Tests completed in 312ms
Tests Passed: 3, Failed: 1, Skipped: 0 NotRun: 0
=== case pester | none
[+] Errors.fails when told to 12ms
Tests Passed: 4, Failed: 0, Skipped: 0 NotRun: 0
=== case busted | none
3 successes / 0 failures / 0 errors / 0 pending : 0.004 seconds
=== case packer | none
==> amazon-ebs: error page copied
Build 'amazon-ebs' finished after 2 minutes 1 second.
==> Builds finished. The artifacts of successful builds are:
`)
}
