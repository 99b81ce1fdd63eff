package blocker

import "testing"

// TestUnseenScripts holds logs of Python, JavaScript, CI systems and git as hosted builds write them.
func TestUnseenScripts(t *testing.T) {
	runCases(t, `
=== case tox old | test_failure | tests/test_api.py:41 | assert 500 == 200
GLOB sdist-make: /home/travis/build/acme/lib/setup.py
py36 create: /home/travis/build/acme/lib/.tox/py36
py36 installdeps: -rrequirements-dev.txt
py36 inst: /home/travis/build/acme/lib/.tox/dist/lib-1.2.zip
py36 runtests: PYTHONHASHSEED='3041'
py36 runtests: commands[0] | py.test tests
============================= test session starts ==============================
platform linux -- Python 3.6.3, pytest-3.3.0, py-1.5.2, pluggy-0.6.0
rootdir: /home/travis/build/acme/lib, inifile: setup.cfg
collected 31 items

tests/test_api.py ..........F                                            [ 35%]
tests/test_core.py ....................                                  [100%]

=================================== FAILURES ===================================
__________________________________ test_index __________________________________

client = <FlaskClient <Flask 'lib'>>

    def test_index(client):
        r = client.get("/")
>       assert r.status_code == 200
E       assert 500 == 200
E        +  where 500 = <Response 291 bytes [500 INTERNAL SERVER ERROR]>.status_code

tests/test_api.py:41: AssertionError
------------------------------ Captured log call -------------------------------
app.py                    1761 ERROR    Exception on / [GET]
Traceback (most recent call last):
  File "/home/travis/build/acme/lib/.tox/py36/lib/python3.6/site-packages/flask/app.py", line 1982, in wsgi_app
    response = self.full_dispatch_request()
KeyError: 'db'
===================== 1 failed, 30 passed in 1.92 seconds ======================
ERROR: InvocationError: '/home/travis/build/acme/lib/.tox/py36/bin/py.test tests'
___________________________________ summary ____________________________________
ERROR:   py36: commands failed

The command "tox -e py36" exited with 1.


Done. Your build exited with 1.
=== case tox 4 env | dependency | | 
py311: install_deps> python -I -m pip install -r requirements.txt
ERROR: Ignored the following versions that require a different python version: 2.0 Requires-Python >=3.12
ERROR: Could not find a version that satisfies the requirement numpy==2.9.9 (from versions: 1.26.4, 2.0.0)
ERROR: No matching distribution found for numpy==2.9.9
py311: exit 1 (3.41 seconds) /w> python -I -m pip install -r requirements.txt pid=1944
  py311: FAIL code 1 (4.11 seconds)
  evaluation failed :( (4.20 seconds)
=== case tox interpreter missing | dependency | | 
GLOB sdist-make: /w/setup.py
py27 create: /w/.tox/py27
ERROR: InterpreterNotFound: python2.7
___________________________________ summary ____________________________________
ERROR:  py27: InterpreterNotFound: python2.7
=== case tox flake8 env | build_error | src/app/core.py:14 | 
flake8: commands[0]> flake8 src
src/app/core.py:14:80: E501 line too long (93 > 79 characters)
src/app/core.py:20:1: W391 blank line at end of file
flake8: exit 1 (0.61 seconds) /w> flake8 src pid=2101
  flake8: FAIL code 1 (1.02=setup[0.41]+cmd[0.61] seconds)
  evaluation failed :( (1.10 seconds)
=== case nose errors | test_failure | tests/test_db.py:19 | OperationalError
.E..S.
======================================================================
ERROR: tests.test_db.TestDb.test_connect
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/home/travis/virtualenv/python2.7.9/lib/python2.7/site-packages/nose/case.py", line 197, in runTest
    self.test(*self.arg)
  File "/home/travis/build/acme/db/tests/test_db.py", line 19, in test_connect
    self.db.connect()
OperationalError: could not connect to server: Connection refused
	Is the server running on host "localhost" (127.0.0.1) and accepting
	TCP/IP connections on port 5432?

----------------------------------------------------------------------
Ran 6 tests in 0.301s

FAILED (SKIP=1, errors=1)
make: *** [test] Error 1
The command "make test" exited with 2.
=== case pytest xdist worker crash | test_failure | | crashed
============================= test session starts ==============================
platform linux -- Python 3.11.4, pytest-7.4.0, pluggy-1.2.0
plugins: xdist-3.3.1
4 workers [120 items]
..........................................................[gw2] node down: Not properly terminated
F
replacing crashed worker gw2
...........................................................
=================================== FAILURES ===================================
______________________________ tests/test_native.py ______________________________
[gw2] linux -- Python 3.11.4 /usr/bin/python
worker 'gw2' crashed while running 'tests/test_native.py::test_decode'
=========================== short test summary info ============================
FAILED tests/test_native.py::test_decode
================== 1 failed, 119 passed in 12.31s ==================
=== case pytest timeout plugin | test_failure | tests/test_net.py:12 | Timeout
=================================== FAILURES ===================================
_________________________________ test_retries _________________________________

    def test_retries():
>       time.sleep(60)
E       Failed: Timeout >5.0s

tests/test_net.py:12: Failed
=========================== short test summary info ============================
FAILED tests/test_net.py::test_retries - Failed: Timeout >5.0s
=========================== 1 failed in 5.11s ============================
=== case pytest conftest import | test_failure | | 
ImportError while loading conftest '/w/tests/conftest.py'.
tests/conftest.py:4: in <module>
    from app.factory import make_app
E   ImportError: cannot import name 'make_app' from 'app.factory' (/w/app/factory.py)
=== case pytest warnings error filter passes | none
============================= test session starts ==============================
collected 12 items

tests/test_errors.py ....                                                [ 33%]
tests/test_failed_jobs.py ........                                       [100%]

=============================== warnings summary ===============================
tests/test_errors.py::test_raises
  /w/app/errors.py:12: DeprecationWarning: error: use exc_info
    raise ValueError("x")

-- Docs: https://docs.pytest.org/en/stable/how-to/capture-warnings.html
======================== 12 passed, 1 warning in 0.31s =========================
Error: Codecov token not found. Please provide Codecov token with -t flag.
[error] There was an error running the uploader: Error uploading to codecov
Post job cleanup.
Cleaning up orphan processes
=== case pip hash | dependency | | 
Collecting requests==2.31.0
ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated the package versions, please update the hashes. Otherwise, examine the package contents carefully; someone may have tampered with them.
    requests==2.31.0 from https://files.pythonhosted.org/packages/x.whl:
        Expected sha256 aaaa
             Got        bbbb
##[error]Process completed with exit code 1.
=== case pip network retries then ok | none
WARNING: Retrying (Retry(total=4, connect=None, read=None, redirect=None, status=None)) after connection broken by 'ReadTimeoutError("HTTPSConnectionPool(host='pypi.org', port=443): Read timed out. (read timeout=15)")': /simple/six/
Collecting six
  Downloading six-1.16.0-py2.py3-none-any.whl (11 kB)
Installing collected packages: six
ERROR: pip's dependency resolver does not currently take into account all the packages that are installed. This behaviour is the source of the following dependency conflicts.
botocore 1.29 requires urllib3<1.27, but you have urllib3 2.0 which is incompatible.
Successfully installed six-1.16.0
$ python -m pytest
3 passed in 0.10s
The command "python -m pytest" exited with 0.

Done. Your build exited with 0.
=== case poetry check | dependency | | 
poetry check
Error: poetry.lock was not generated from the current content of pyproject.toml. Run §poetry lock§ to fix the lock file.
##[error]Process completed with exit code 1.
=== case mypy gha | build_error | app/core.py:31 | 
app/core.py:31: error: Argument 1 to "load" has incompatible type "str"; expected "Path"  [arg-type]
app/core.py:40: note: See https://mypy.readthedocs.io
Found 1 error in 1 file (checked 14 source files)
Error: Process completed with exit code 1.
=== case black gha | build_error | | would reformat
would reformat /home/runner/work/a/a/src/core.py

Oh no! 💥 💔 💥
1 file would be reformatted, 21 files would be left unchanged.
##[error]Process completed with exit code 1.
=== case django migrations check | ci_failure | |
$ python manage.py makemigrations --check --dry-run
Migrations for 'shop':
  shop/migrations/0012_auto.py
    - Alter field price on item
##[error]Process completed with exit code 1.
=== case django config | ci_failure | |
Traceback (most recent call last):
  File "manage.py", line 21, in <module>
    execute_from_command_line(sys.argv)
  File "/usr/lib/python3/dist-packages/django/core/management/__init__.py", line 419, in execute
    utility.execute()
django.core.exceptions.ImproperlyConfigured: The SECRET_KEY setting must not be empty.
##[error]Process completed with exit code 1.
=== case jest snapshot | test_failure | src/Button.test.js:10 | 
FAIL src/Button.test.js
  ✓ has a label (12 ms)
  ✕ matches snapshot (8 ms)

  ● matches snapshot

    expect(received).toMatchSnapshot()

    Snapshot name: §matches snapshot 1§

    - Snapshot  - 1
    + Received  + 1

      <button
    -   className="a"
    +   className="b"
      />

       8 | test('matches snapshot', () => {
       9 |   const tree = render(<Button/>);
    > 10 |   expect(tree).toMatchSnapshot();
         |                ^
      11 | });

      at Object.<anonymous> (src/Button.test.js:10:16)

 › 1 snapshot failed.
Snapshot Summary
 › 1 snapshot failed from 1 test suite. Inspect your code changes or run §npm test -- -u§ to update them.

Test Suites: 1 failed, 4 passed, 5 total
Tests:       1 failed, 19 passed, 20 total
Snapshots:   1 failed, 3 passed, 4 total
Time:        4.2 s
npm ERR! Test failed.  See above for more details.
=== case jest coverage threshold | ci_failure | | coverage threshold
Test Suites: 5 passed, 5 total
Tests:       20 passed, 20 total
Snapshots:   0 total
Time:        3.1 s
Ran all test suites.
Jest: "global" coverage threshold for branches (80%) not met: 71.4%
npm ERR! code ELIFECYCLE
npm ERR! errno 1
npm ERR! web@1.0.0 test: §jest --coverage§
npm ERR! Exit status 1
##[error]Process completed with exit code 1.
=== case mocha hook | test_failure | test/db.spec.js:9 | ECONNREFUSED
  db
    1) "before all" hook for "reads a row"


  0 passing (31ms)
  1 failing

  1) db
       "before all" hook for "reads a row":
     Error: connect ECONNREFUSED 127.0.0.1:5432
      at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1555:16)
      at Context.<anonymous> (test/db.spec.js:9:11)
=== case cypress run | test_failure | | 
  (Run Starting)
  login
    1) shows a form

  0 passing (5s)
  1 failing

  1) login
       shows a form:
     AssertionError: Timed out retrying after 4000ms: Expected to find element: §#form§, but never found it.
      at Context.eval (webpack:///./cypress/e2e/login.cy.js:6:7)

  (Results)
  │ Tests:        1                                          │
  │ Passing:      0                                          │
  │ Failing:      1                                          │
  ✖  1 of 1 failed (100%)                     00:05        1        -        1        -        -
=== case playwright gha | test_failure | tests/cart.spec.ts:9 | 
Running 3 tests using 1 worker
  ✓  1 [chromium] › tests/home.spec.ts:3:5 › home (1.1s)
  ✘  2 [chromium] › tests/cart.spec.ts:9:5 › cart totals (5.3s)
  ✘  3 [chromium] › tests/cart.spec.ts:9:5 › cart totals (retry #1) (5.2s)


  1) [chromium] › tests/cart.spec.ts:9:5 › cart totals ─────────────────────────────

    Error: expect(locator).toHaveText(expected)

    Expected string: "90"
    Received string: "100"

      10 |   await page.goto('/cart');
      11 |   const t = page.locator('.total');
    > 12 |   await expect(t).toHaveText('90');
         |                   ^
        at /home/runner/work/web/web/tests/cart.spec.ts:12:19

  1 failed
    [chromium] › tests/cart.spec.ts:9:5 › cart totals ──────────────────────────────
  1 passed (17.1s)
##[error]Process completed with exit code 1.
=== case npm audit passes with noise | none
npm warn deprecated inflight@1.0.6: This module is not supported, and leaks memory.
npm warn ERESOLVE overriding peer dependency

added 412 packages, and audited 413 packages in 9s

3 vulnerabilities (1 moderate, 2 high)

To address all issues, run:
  npm audit fix
> web@1.0.0 build
> vite build

vite v5.0.0 building for production...
✓ 41 modules transformed.
✓ built in 1.31s
=== case yarn network timeout | ci_failure | | 
yarn install v1.22.19
[1/4] Resolving packages...
[2/4] Fetching packages...
error An unexpected error occurred: "https://registry.yarnpkg.com/react/-/react-18.2.0.tgz: ESOCKETTIMEDOUT".
info If you think this is a bug, please open a bug report with the information provided in "/w/yarn-error.log".
##[error]Process completed with exit code 1.
=== case node engine | dependency | | 
yarn install v1.22.19
[1/5] Validating package.json...
error web@1.0.0: The engine "node" is incompatible with this module. Expected version ">=18". Got "16.20.0"
error Found incompatible module.
=== case node-sass | dependency | | 
npm ERR! code 1
npm ERR! path /w/node_modules/node-sass
npm ERR! command failed
npm ERR! command sh -c node scripts/build.js
npm ERR! Building: /usr/bin/node /w/node_modules/node-gyp/bin/node-gyp.js rebuild
npm ERR! gyp verb check python checking for Python executable "python2" in the PATH
npm ERR! gyp ERR! configure error 
npm ERR! gyp ERR! stack Error: Can't find Python executable "python", you can set the PYTHON env variable.
=== case tsc via npm run | build_error | src/api.ts:18 | 
> web@1.0.0 build
> tsc -p . && node copy.js

src/api.ts:18:7 - error TS2322: Type 'string' is not assignable to type 'number'.

18   let n: number = "a";
         ~

Found 1 error in src/api.ts:18

##[error]Process completed with exit code 2.
=== case eslint gha | build_error | src/cart.js:7 | no-undef
/home/runner/work/web/web/src/cart.js
  3:10  warning  'a' is defined but never used  no-unused-vars
  7:3   error    'totl' is not defined          no-undef

✖ 2 problems (1 error, 1 warning)

##[error]Process completed with exit code 1.
=== case vitest unhandled | test_failure | src/a.ts:9 | 
 ✓ src/a.test.ts (3 tests) 4ms

⎯⎯⎯⎯⎯⎯ Unhandled Errors ⎯⎯⎯⎯⎯⎯

Vitest caught 1 unhandled error during the test run.
This might cause false positive tests. Resolve unhandled errors to make sure your tests are not affected.

⎯⎯⎯⎯ Unhandled Rejection ⎯⎯⎯⎯⎯
Error: socket closed
 ❯ src/a.ts:9:9
      7| 
      8| export async function go() {
      9|   throw new Error("socket closed");
       |         ^

 Test Files  1 passed (1)
      Tests  3 passed (3)
     Errors  1 error
##[error]Process completed with exit code 1.
=== case docker buildx | dependency | | 
#9 [4/7] RUN npm ci
#9 1.201 npm error code EUSAGE
#9 1.201 npm error
#9 1.201 npm error §npm ci§ can only install packages when your package.json and package-lock.json or npm-shrinkwrap.json are in sync. Please update your lock file with §npm install§ before continuing.
#9 ERROR: process "/bin/sh -c npm ci" did not complete successfully: exit code: 1
------
 > [4/7] RUN npm ci:
------
ERROR: failed to solve: process "/bin/sh -c npm ci" did not complete successfully: exit code: 1
Error: buildx failed with: ERROR: failed to solve: process "/bin/sh -c npm ci" did not complete successfully: exit code: 1
=== case docker rate | ci_failure | | 
#2 ERROR: failed to copy: httpReadSeeker: failed open: unexpected status code https://registry-1.docker.io/v2/library/node/manifests/sha256:aa: 429 Too Many Requests - Server message: toomanyrequests: You have reached your pull rate limit.
ERROR: failed to solve: node:18: failed to copy: 429 Too Many Requests
##[error]Process completed with exit code 1.
=== case docker image missing | ci_failure | | 
Unable to find image 'acme/base:nope' locally
docker: Error response from daemon: pull access denied for acme/base, repository does not exist or may require 'docker login': denied: requested access to the resource is denied.
See 'docker run --help'.
##[error]Process completed with exit code 125.
=== case checkout token | ci_failure | | 
##[group]Run actions/checkout@v4
##[endgroup]
[command]/usr/bin/git -c protocol.version=2 fetch --no-tags --prune --depth=1 origin +abc:refs/remotes/origin/main
remote: Repository not found.
fatal: repository 'https://github.com/acme/private/' not found
The process '/usr/bin/git' failed with exit code 128
Waiting 14 seconds before trying again
remote: Repository not found.
##[error]fatal: repository 'https://github.com/acme/private/' not found
##[error]The process '/usr/bin/git' failed with exit code 128
=== case setup-node version | ci_failure | | 
##[group]Run actions/setup-node@v3
##[endgroup]
Attempting to download 99...
##[error]Unable to find Node version '99' for platform linux and architecture x64.
=== case cache warnings but pass | none
##[group]Run actions/cache@v3
##[endgroup]
##[warning]Failed to restore: Cache service responded with 503
Cache not found for input keys: linux-npm-aaa
##[group]Run npm test
##[endgroup]
Tests:       3 passed, 3 total
Post job cleanup.
##[warning]Failed to save: Unable to reserve cache with key linux-npm-aaa
Cleaning up orphan processes
=== case or true step travis | none
travis_time:start:0a
$ flake8 . || true
./a.py:1:1: F401 'os' imported but unused
travis_time:end:0a
The command "flake8 . || true" exited with 0.
travis_time:start:0b
$ python -m unittest
...
----------------------------------------------------------------------
Ran 3 tests in 0.001s

OK
The command "python -m unittest" exited with 0.

Done. Your build exited with 0.
=== case disk full linking | ci_failure | | No space left
[ 98%] Linking CXX executable app
/usr/bin/ld: final link failed: No space left on device
collect2: error: ld returned 1 exit status
make[2]: *** [app] Error 1
make: *** [all] Error 2
=== case merge in ci | merge_conflict | src/cart.c:0 |
$ git fetch origin +refs/pull/12/merge:
$ git merge --no-edit origin/main
Auto-merging src/cart.c
CONFLICT (content): Merge conflict in src/cart.c
Automatic merge failed; fix conflicts and then commit the result.
The command "git merge --no-edit origin/main" failed and exited with 1 during .
=== case travis pr unmergeable | ci_failure | | 
$ git fetch origin +refs/pull/412/merge:
fatal: Couldn't find remote ref refs/pull/412/merge
The command "eval git fetch origin +refs/pull/412/merge: " failed. Retrying, 2 of 3.
fatal: Couldn't find remote ref refs/pull/412/merge
The command "eval git fetch origin +refs/pull/412/merge: " failed 3 times.
The command "git fetch origin +refs/pull/412/merge:" failed and exited with 128 during .

Your build has been stopped.
=== case git apply fails | merge_conflict | | 
Applying: Add a total
error: patch failed: src/cart.c:10
error: src/cart.c: patch does not apply
Patch failed at 0001 Add a total
hint: Use 'git am --show-current-patch=diff' to see the failed patch
When you have resolved this problem, run "git am --continue".
=== case git stash pop | merge_conflict | a.txt:0 | 
Auto-merging a.txt
CONFLICT (content): Merge conflict in a.txt
The stash entry is kept in case you need it again.
=== case git unmerged | merge_conflict | | 
error: Committing is not possible because you have unmerged files.
hint: Fix them up in the work tree, and then use 'git add/rm <file>'
hint: as appropriate to mark resolution and make a commit.
fatal: Exiting because of an unresolved conflict.
=== case conflict markers compile | build_error | src/a.c:10 |
src/a.c:10:1: error: version control conflict marker in file
<<<<<<< HEAD
^
1 error generated.
make: *** [a.o] Error 1
=== case git modify delete | merge_conflict | | old.c
CONFLICT (modify/delete): old.c deleted in HEAD and modified in topic.  Version topic of old.c left in tree.
Automatic merge failed; fix conflicts and then commit the result.
`)
}
