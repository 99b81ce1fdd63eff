package blocker

import "testing"

// TestCISystems: markers, steps, prefixes and failures of the machinery of CI systems. Written for this test.
func TestCISystems(t *testing.T) {
	runCases(t, `
=== case actions build | build_error | src/a.c:3 | 'foo' undeclared
2026-01-04T10:00:00.0000000Z ##[group]Run make
2026-01-04T10:00:00.0000001Z ␛[36;1mecho "error: this is only a command"␛[0m
2026-01-04T10:00:00.0000002Z ␛[36;1mmake || exit 1␛[0m
2026-01-04T10:00:00.0000003Z shell: /usr/bin/bash -e {0}
2026-01-04T10:00:00.0000004Z ##[endgroup]
2026-01-04T10:00:01.0000000Z /home/runner/work/app/app/src/a.c:3:5: error: 'foo' undeclared (first use in this function)
2026-01-04T10:00:01.1000000Z make: *** [Makefile:3: a.o] Error 1
2026-01-04T10:00:01.2000000Z ##[error]Process completed with exit code 2.
2026-01-04T10:00:01.3000000Z Post job cleanup.
2026-01-04T10:00:01.4000000Z [command]/usr/bin/git version
2026-01-04T10:00:01.5000000Z Cleaning up orphan processes
=== case actions success | none
2026-01-04T10:00:00.0000000Z ##[group]Run make test
2026-01-04T10:00:00.0000003Z shell: /usr/bin/bash -e {0}
2026-01-04T10:00:00.0000004Z ##[endgroup]
2026-01-04T10:00:01.0000000Z test.c:3: error: simulated, FAILED as expected
2026-01-04T10:00:01.3000000Z Post job cleanup.
2026-01-04T10:00:01.5000000Z Cleaning up orphan processes
=== case actions earlier step is noise | test_failure | a_test.go:3 | want 4
2026-01-04T10:00:00.0000000Z ##[group]Run ./prepare.sh
2026-01-04T10:00:00.0000004Z ##[endgroup]
2026-01-04T10:00:01.0000000Z probe.c:1:1: error: unknown type name 'x'
2026-01-04T10:00:01.0000001Z checking for x... no
2026-01-04T10:00:02.0000000Z ##[group]Run go test ./...
2026-01-04T10:00:02.0000004Z ##[endgroup]
2026-01-04T10:00:03.0000000Z --- FAIL: TestAdd (0.00s)
2026-01-04T10:00:03.0000001Z     a_test.go:3: got 5, want 4
2026-01-04T10:00:03.0000002Z FAIL
2026-01-04T10:00:03.0000003Z FAIL	example.com/app	0.005s
2026-01-04T10:00:03.0000004Z ##[error]Process completed with exit code 1.
2026-01-04T10:00:03.1000000Z Post job cleanup.
=== case gh run view log | test_failure | a_test.go:3 | want 4
test	Run go test	2026-01-04T10:00:03.0000000Z --- FAIL: TestAdd (0.00s)
test	Run go test	2026-01-04T10:00:03.0000001Z     a_test.go:3: got 5, want 4
test	Run go test	2026-01-04T10:00:03.0000003Z FAIL	example.com/app	0.005s
test	Run go test	2026-01-04T10:00:03.0000004Z ##[error]Process completed with exit code 1.
=== case actions annotation | build_error | src/a.ts:3 | TS2304
2026-01-04T10:00:03.0000000Z ##[error]src/a.ts(3,1): error TS2304: Cannot find name 'foo'.
2026-01-04T10:00:03.0000004Z ##[error]Process completed with exit code 2.
=== case actions cancelled | ci_failure | | The operation was canceled
2026-01-04T10:00:00.0000000Z ##[group]Run make test
2026-01-04T10:00:00.0000004Z ##[endgroup]
2026-01-04T10:00:03.0000000Z ##[error]The operation was canceled.
2026-01-04T10:00:03.1000000Z Cleaning up orphan processes
=== case actions runner lost | ci_failure | | shutdown signal
##[error]The runner has received a shutdown signal. This can happen when the runner service is stopped.
=== case actions timeout | ci_failure | | timed out after 60 minutes
2026-01-04T10:00:03.0000000Z ##[error]The action 'Test' has timed out after 60 minutes.
=== case actions killed | ci_failure | | exit code 137
2026-01-04T10:00:00.0000000Z ##[group]Run make
2026-01-04T10:00:00.0000004Z ##[endgroup]
2026-01-04T10:00:03.0000000Z building...
2026-01-04T10:00:03.0000000Z ##[error]Process completed with exit code 137.
=== case actions bad action | ci_failure | | Unable to resolve action
2026-01-04T10:00:03.0000000Z ##[error]Unable to resolve action §actions/checkot@v4§, repository not found
=== case actions credentials | ci_failure | | Could not load credentials
2026-01-04T10:00:03.0000000Z ##[error]Credentials could not be loaded: Could not load credentials from any providers
=== case actions artifact | ci_failure | | Artifact not found
2026-01-04T10:00:00.0000000Z ##[group]Run actions/download-artifact@v4
2026-01-04T10:00:00.0000004Z ##[endgroup]
2026-01-04T10:00:03.0000000Z ##[error]Unable to download artifact(s): Artifact not found for name: dist
=== case actions only an exit code | ci_failure | | exit code 3
2026-01-04T10:00:00.0000000Z ##[group]Run ./x.sh
2026-01-04T10:00:00.0000004Z ##[endgroup]
2026-01-04T10:00:03.0000000Z all is quiet
2026-01-04T10:00:03.0000004Z ##[error]Process completed with exit code 3.
=== case actions checkout | ci_failure | | could not read Username
2026-01-04T10:00:00.0000000Z ##[group]Run actions/checkout@v4
2026-01-04T10:00:00.0000004Z ##[endgroup]
2026-01-04T10:00:02.0000000Z fatal: could not read Username for 'https://github.com': terminal prompts disabled
2026-01-04T10:00:03.0000004Z ##[error]The process '/usr/bin/git' failed with exit code 128
=== case gitlab | test_failure | tests/test_a.py:9 | test_add
2026-01-04T10:00:00.000000Z 00O Running with gitlab-runner 16.6.0
2026-01-04T10:00:01.000000Z 01O ___________________________________ test_add ___________________________________
2026-01-04T10:00:01.000000Z 01O E       assert 4 == 5
2026-01-04T10:00:01.000000Z 01O tests/test_a.py:9: AssertionError
2026-01-04T10:00:01.000000Z 01O ========================= 1 failed, 1 passed in 0.05s ==========================
2026-01-04T10:00:02.000000Z 00O ERROR: Job failed: exit code 1
=== case gitlab success | none
error: handled
Job succeeded
=== case gitlab system | ci_failure | | system failure
ERROR: Job failed (system failure): prepare environment: exit status 1. Check https://docs.example.org
=== case jenkins | build_error | src/a.c:3 | 'foo' undeclared
Started by user admin
[Pipeline] sh
+ make
/var/lib/jenkins/workspace/app/src/a.c:3:5: error: 'foo' undeclared (first use in this function)
make: *** [Makefile:3: a.o] Error 1
[Pipeline] }
ERROR: script returned exit code 2
Finished: FAILURE
=== case jenkins success | none
+ make test
a.c:3:5: error: part of a test of error messages
Finished: SUCCESS
=== case jenkins unstable | test_failure | FooTest.java:42 | testBar
[INFO] BUILD SUCCESS
Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.2 sec <<< FAILURE! - in a.b.FooTest
testBar(a.b.FooTest)  Time elapsed: 0.01 sec  <<< FAILURE!
java.lang.AssertionError: boom
	at a.b.FooTest.testBar(FooTest.java:42)
Finished: UNSTABLE
=== case jenkins timestamps | build_error | a.c:3 | 'foo' undeclared
[2026-01-04T10:00:00.123Z] a.c:3:5: error: 'foo' undeclared
[2026-01-04T10:00:00.223Z] make: *** [a.o] Error 1
=== case circle | test_failure | | adds
not ok 1 - adds
Exited with code exit status 1
CircleCI received exit code 1
=== case circle no output | ci_failure | | Too long with no output
Too long with no output (exceeded 10m0s): context deadline exceeded
=== case azure | build_error | Program.cs:3 | CS0103
2026-01-04T10:00:00.0000000Z ##[section]Starting: Build
2026-01-04T10:00:00.0000000Z ##[section]Finishing: Setup
2026-01-04T10:00:01.0000000Z ##[error]/home/vsts/work/1/s/Program.cs(3,5): Error CS0103: The name 'foo' does not exist in the current context
2026-01-04T10:00:02.0000000Z ##[error]Bash exited with code '1'.
=== case buildkite | ci_failure | | exited with status 1
~~~ Running commands
$ ./x.sh
🚨 Error: The command exited with status 1
=== case taskcluster | test_failure | | dom/a.html
[task 2026-01-04T10:00:00.000Z] 10:00:00     INFO - TEST-START | dom/a.html
[task 2026-01-04T10:00:01.000Z] 10:00:01     INFO - TEST-UNEXPECTED-FAIL | dom/a.html | boom - expected 1
[task 2026-01-04T10:00:02.000Z] 10:00:02    ERROR - Return code: 1
[taskcluster 2026-01-04 10:00:03.000Z] === Task Finished ===
[taskcluster 2026-01-04 10:00:03.000Z] Unsuccessful task run with exit code: 1 completed in 60.1 seconds
=== case taskcluster success | none
[task 2026-01-04T10:00:01.000Z] 10:00:01  WARNING - error: something expected
[taskcluster 2026-01-04 10:00:03.000Z] Successful task run with exit code: 0 completed in 60.1 seconds
=== case buildbot | build_error | /b/src/a.cpp:3 | 'foo' was not declared
/b/src/a.cpp:3:5: error: 'foo' was not declared in this scope
program finished with exit code 2
=== case docker build | dependency | | Unable to locate package
#8 [4/6] RUN apt-get install -y libfoo-dev
#8 0.512 Reading package lists...
#8 0.801 E: Unable to locate package libfoo-dev
#8 ERROR: process "/bin/sh -c apt-get install -y libfoo-dev" did not complete successfully: exit code: 100
ERROR: failed to solve: process "/bin/sh -c apt-get install -y libfoo-dev" did not complete successfully: exit code: 100
=== case docker copy | build_error | | failed to compute cache key
ERROR: failed to solve: failed to compute cache key: failed to calculate checksum of ref x: "/dist": not found
=== case docker daemon | ci_failure | | Cannot connect to the Docker daemon
Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?
=== case compose prefix | build_error | a.py:3 | SyntaxError
web_1  |   File "/workspace/app/a.py", line 3
web_1  |     def f(:
web_1  | SyntaxError: invalid syntax
web_1 exited with code 1
=== case pull limit | ci_failure | | toomanyrequests
Error response from daemon: toomanyrequests: You have reached your pull rate limit.
=== case apt fetch | dependency | | Failed to fetch
E: Failed to fetch http://archive.example.org/pool/x.deb  404  Not Found [IP: 1.2.3.4 80]
E: Unable to fetch some archives, maybe run apt-get update or try with --fix-missing?
=== case curl | ci_failure | | Could not resolve host
curl: (6) Could not resolve host: downloads.example.org
##[error]Process completed with exit code 6.
=== case disk full | ci_failure | | No space left on device
tar: x: Cannot write: No space left on device
##[error]Process completed with exit code 2.
=== case command missing | dependency | | cmake: not found
/bin/sh: 1: cmake: not found
make: *** [Makefile:2: all] Error 127
=== case command missing in a windows shell | dependency | | is not recognized
'cmake' is not recognized as an internal or external command,
operable program or batch file.
##[error]Process completed with exit code 1.
=== case terraform | ci_failure | main.tf:3 | Unsupported argument
╷
│ Error: Unsupported argument
│ 
│   on main.tf line 3, in resource "x" "y":
│    3:   foo = 1
╵
##[error]Terraform exited with code 1.
=== case helm | ci_failure | | UPGRADE FAILED
Error: UPGRADE FAILED: timed out waiting for the condition
=== case ansible | ci_failure | | FAILED!
TASK [install] *****************************************************************
fatal: [web1]: FAILED! => {"changed": false, "msg": "No package matching 'x'"}
PLAY RECAP *********************************************************************
web1 : ok=1    changed=0    unreachable=0    failed=1
=== case push rejected | ci_failure | | [rejected]
To github.com:o/app.git
 ! [rejected]        main -> main (non-fast-forward)
error: failed to push some refs to 'github.com:o/app.git'
=== case git merge | merge_conflict | src/a.c:0 | Merge conflict in src/a.c
Auto-merging src/a.c
CONFLICT (content): Merge conflict in src/a.c
Automatic merge failed; fix conflicts and then commit the result.
=== case git merge korean | merge_conflict | src/a.c:0 | src/a.c
자동 병합: src/a.c
충돌 (내용): src/a.c에 병합 충돌
자동 병합이 실패했습니다. 충돌을 바로잡고 결과물을 커밋하십시오.
=== case git rebase with carriage return | merge_conflict | a.txt:0 | CONFLICT
Rebasing (1/3)`+"\r"+`Rebasing (2/3)`+"\r"+`Auto-merging a.txt
CONFLICT (content): Merge conflict in a.txt
error: could not apply 1a2b3c4... change
=== case git log is no conflict | none
* 1a2b3c4 fix: resolve CONFLICT in parser
* 2b3c4d5 Merge branch 'x'
=== case git pull dirty | ci_failure | | would be overwritten by merge
error: Your local changes to the following files would be overwritten by merge:
	src/a.c
Please commit your changes or stash them before you merge.
Aborting
=== case gh pr merge | merge_conflict | | not mergeable
X Pull request #12 is not mergeable: the merge commit cannot be cleanly created.
=== case gh run list | ci_failure | | Fix parser
completed	failure	Fix parser	CI	main	push	123456	1m2s	2026-01-04T10:00:00Z
completed	success	Other	CI	main	push	123455	1m2s	2026-01-04T09:00:00Z
=== case pre-commit | build_error | | black
black....................................................................Failed
- hook id: black
- files were modified by this hook
=== case command exits without a word | none
all is well
nothing to see
=== case a readme that speaks of errors | none
# Error handling
If the build FAILED, read the log: error: lines come first.
- DECISION_NEEDED means that an agent asks a person
=== case lintrunner style | build_error | a.cpp:12 | clang-diagnostic-error
a.cpp:12:5: error: unknown type name 'foo' [clang-diagnostic-error]
=== case submodule | ci_failure | | not our ref
fatal: remote error: upload-pack: not our ref 1234567890
fatal: Fetched in submodule path 'x', but it did not contain 1234567890.
##[error]The process '/usr/bin/git' failed with exit code 128
=== case http error in download | ci_failure | | HTTP Error 503
Traceback (most recent call last):
  File "/w/fetch.py", line 3, in <module>
    urlopen(url)
urllib.error.HTTPError: HTTP Error 503: Service Unavailable
##[error]Process completed with exit code 1.
`)
}

// TestOtherToolchains: Ruby, PHP, Perl, Elixir, Haskell, OCaml, .NET, Dart and others. Written for this test.
func TestOtherToolchains(t *testing.T) {
	runCases(t, `
=== case csc | build_error | Program.cs:3 | CS1002
/w/Program.cs(3,5): error CS1002: ; expected [/w/app.csproj]

Build FAILED.

    0 Warning(s)
    1 Error(s)
=== case dotnet restore | dependency | app.csproj:0 | NU1101
/w/app.csproj : error NU1101: Unable to find package Foo. No packages exist with this id in source(s): nuget.org
  Failed to restore /w/app.csproj (in 1.2 sec).
=== case dotnet test | test_failure | T.cs:5 | Adds
  Failed Foo.Tests.Adds [3 ms]
  Error Message:
   Assert.Equal() Failure
Expected: 5
Actual:   4
  Stack Trace:
     at Foo.Tests.Adds() in /w/T.cs:line 5

Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3
=== case dotnet success | none
  Passed Foo.Tests.Error_FAILED [3 ms]
Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3
Build succeeded.
=== case rspec | test_failure | spec/foo_spec.rb:5 | Foo adds
Failures:

  1) Foo adds
     Failure/Error: expect(add(2, 2)).to eq(5)

       expected: 5
            got: 4

     # ./spec/foo_spec.rb:5:in §block (2 levels) in <top (required)>'

Finished in 0.01 seconds (files took 0.1 seconds to load)
1 example, 1 failure

Failed examples:

rspec ./spec/foo_spec.rb:4 # Foo adds
=== case rspec passes | none
Finished in 0.01 seconds (files took 0.1 seconds to load)
12 examples, 0 failures
=== case minitest | test_failure | test/foo_test.rb:5 | Expected: 5
Run options: --seed 1

# Running:

F

Failure:
FooTest#test_add [test/foo_test.rb:5]:
Expected: 5
  Actual: 4

1 runs, 1 assertions, 1 failures, 0 errors, 0 skips
=== case ruby syntax | build_error | app/a.rb:3 | syntax error
app/a.rb:3: syntax error, unexpected end-of-input, expecting §end'
=== case ruby name error | build_error | app/a.rb:3 | undefined local variable
app/a.rb:3:in §run': undefined local variable or method §foo' for main:Object (NameError)
	from app/a.rb:9:in §<main>'
=== case bundler | dependency | | Could not find gem
Fetching gem metadata from https://rubygems.org/...
Could not find gem 'railz (~> 9.0)' in rubygems repository https://rubygems.org/ or installed locally.
=== case rubocop | build_error | app/a.rb:3 | Style/StringLiterals
app/a.rb:3:5: C: [Correctable] Style/StringLiterals: Prefer single-quoted strings
3 files inspected, 1 offense detected
=== case phpunit | test_failure | tests/FooTest.php:12 | testBar
PHPUnit 10.5.0 by Sebastian Bergmann and contributors.

F.                                                                  2 / 2 (100%)

There was 1 failure:

1) Tests\FooTest::testBar
Failed asserting that 4 matches expected 5.

/w/tests/FooTest.php:12

FAILURES!
Tests: 2, Assertions: 2, Failures: 1.
=== case phpunit ok | none
OK (5 tests, 5 assertions)
=== case php parse | build_error | src/a.php:3 | syntax error
PHP Parse error:  syntax error, unexpected token "}" in /home/runner/work/x/x/src/a.php on line 3
=== case phpstan | build_error | src/a.php:3 | Undefined variable
 ------ ----------------------------
  Line   src/a.php
 ------ ----------------------------
  3      Undefined variable: $foo
 ------ ----------------------------

 [ERROR] Found 1 error
=== case composer | dependency | | Your requirements could not be resolved
Your requirements could not be resolved to an installable set of packages.

  Problem 1
    - Root composer.json requires foo/bar ^9.0, it could not be found in any version
=== case perl prove | test_failure | t/a.t:5 | adds
t/a.t .. 
#   Failed test 'adds'
#   at t/a.t line 5.
#          got: '4'
#     expected: '5'
# Looks like you failed 1 test of 2.
Result: FAIL
=== case perl missing | dependency | a.pl:1 | Foo/Bar.pm
Can't locate Foo/Bar.pm in @INC (you may need to install the Foo::Bar module) (@INC contains: /etc/perl) at a.pl line 1.
BEGIN failed--compilation aborted at a.pl line 1.
=== case exunit | test_failure | test/foo_test.exs:5 | adds
  1) test adds (FooTest)
     test/foo_test.exs:5
     Assertion with == failed
     code:  assert add(2, 2) == 5

Finished in 0.03 seconds
1 test, 1 failure
=== case elixir compile | build_error | lib/x.ex:3 | undefined
== Compilation error in file lib/x.ex ==
** (CompileError) lib/x.ex:3: undefined function foo/0
=== case elixir new error | build_error | lib/x.ex:3 | undefined variable "foo"
    error: undefined variable "foo"
    │
  3 │     foo
    │     ^^^
    │
    └─ lib/x.ex:3:5: X.run/0

== Compilation error in file lib/x.ex ==
** (CompileError) lib/x.ex: cannot compile module X (errors have been logged)
=== case mix deps | dependency | | Hex dependency resolution failed
** (Mix) Hex dependency resolution failed
=== case erlang | build_error | src/a.erl:3 | syntax error
src/a.erl:3: syntax error before: foo
=== case ghc | build_error | src/Main.hs:5 | Variable not in scope
src/Main.hs:5:3: error:
    Variable not in scope: foo :: IO ()
  |
5 |   foo
  |   ^^^
=== case ghc new | build_error | src/Main.hs:5 | GHC-88464
src/Main.hs:5:3: error: [GHC-88464]
    Variable not in scope: foo :: IO ()
=== case cabal | dependency | | Could not resolve dependencies
Resolving dependencies...
Error: cabal: Could not resolve dependencies:
[__0] trying: app-0.1 (user goal)
[__1] unknown package: nonexistent (dependency of app)
=== case hspec | test_failure | | adds
  adds FAILED [1]

Failures:

  test/Spec.hs:9:7: 
  1) adds
       expected: 5
        but got: 4

1 example, 1 failure
=== case ocaml | build_error | bin/main.ml:3 | Unbound value foo
File "bin/main.ml", line 3, characters 4-7:
3 |     foo
        ^^^
Error: Unbound value foo
=== case dart analyze | build_error | lib/main.dart:3 | Undefined name
  error • Undefined name 'foo' • lib/main.dart:3:5 • undefined_identifier

1 issue found.
=== case flutter test | test_failure | test/a_test.dart:5 | adds
00:01 +1 -1: adds [E]
  Expected: <5>
    Actual: <4>
  test/a_test.dart 5:5  main.<fn>

00:01 +1 -1: Some tests failed.
=== case flutter pub | dependency | | version solving failed
Because app depends on foo ^9.0.0 which doesn't match any versions, version solving failed.
=== case swift test | test_failure | Tests/FooTests.swift:12 | testAdd
/home/runner/work/x/x/Tests/FooTests.swift:12: error: FooTests.testAdd : XCTAssertEqual failed: ("4") is not equal to ("5")
Executed 1 test, with 1 failure (0 unexpected) in 0.01 (0.01) seconds
=== case lua | build_error | a.lua:3 | attempt to call
lua: a.lua:3: attempt to call a nil value (global 'foo')
=== case bats | test_failure | test/a.bats:5 | adds
1..2
not ok 1 adds
# (in test file test/a.bats, line 5)
#   §[ "$r" -eq 5 ]' failed
ok 2 other
=== case robot | test_failure | | Login Works
Login Works                                                           | FAIL |
Element 'x' not found
2 tests, 1 passed, 1 failed
=== case shellcheck | build_error | a.sh:3 | Double quote
In a.sh line 3:
rm $foo
   ^--^ SC2086 (info): Double quote to prevent globbing and word splitting.
=== case hadolint | build_error | Dockerfile:3 | DL3008
Dockerfile:3 DL3008 warning: Pin versions in apt get install
=== case latex | build_error | | Undefined control sequence
! Undefined control sequence.
l.5 \foo
=== case nix | build_error | | builder for
error: builder for '/nix/store/abc-app.drv' failed with exit code 2;
=== case protoc | build_error | a.proto:3 | is not defined
a.proto:3:5: "Foo" is not defined.
=== case golangci | build_error | a.go:3 | errcheck
a.go:3:5: Error return value of §f§ is not checked (errcheck)
	f()
	^
=== case ctest dashboard | test_failure | | parser
   Site: x
Test project /w/b
1/1 Test #1: parser ...........................***Timeout   1.00 sec
0% tests passed, 1 tests failed out of 1
=== case crystal | build_error | src/a.cr:3 | undefined local variable
In src/a.cr:3:1

 3 | foo
     ^--
Error: undefined local variable or method 'foo' for top-level
=== case julia | test_failure | test/runtests.jl:5 | adds
adds: Test Failed at /w/test/runtests.jl:5
  Expression: add(2, 2) == 5
   Evaluated: 4 == 5
ERROR: LoadError: Some tests did not pass: 1 passed, 1 failed, 0 errored, 0 broken.
=== case r check | test_failure | | Failure
── Failure (test-a.R:5:3): adds ──
add(2, 2) not equal to 5.
[ FAIL 1 | WARN 0 | SKIP 0 | PASS 1 ]
=== case qtest | test_failure | /w/t.cpp:12 | adds
FAIL!  : TestMath::adds() Compared values are not the same
   Actual   (add(2, 2)): 4
   Expected (5)        : 5
   Loc: [/w/t.cpp(12)]
Totals: 2 passed, 1 failed, 0 skipped, 0 blacklisted, 1ms
=== case meson test | test_failure | | parser
1/2 lexer        OK              0.01s
2/2 parser       FAIL            0.01s   exit status 1

Ok:                 1   
Expected Fail:      0   
Fail:               1   
`)
}
