package redact

import (
	"strings"
	"testing"
)

// Whole documents as they lie about in projects. «rule:class:n» stands for a made-up secret of n letters that must be
// masked under that rule, whole and alone.
var dirtyDocuments = map[string]string{
	"dotenv": `# database
DATABASE_URL=postgres://shop:«url-password:alnum:20»@db1.shop.net:5432/shop?sslmode=require
REDIS_URL=redis://:«url-password:alnum:24»@cache1.shop.net:6379/0
SECRET_KEY_BASE=«assigned-secret:hex:128»
STRIPE_SECRET=sk_live_«stripe-key:alnum:24:sk_live_»
export AWS_SECRET_ACCESS_KEY=«assigned-secret:b64:40»
MAIL_PASSWORD='«assigned-secret:alnum:16»'
APP_ENV=production
APP_DEBUG=false
PORT=8080
CACHE_KEY_PREFIX=shop_v2_
`,
	"docker-compose": `services:
  db:
    image: postgres:16.3@sha256:«plain:hex:64»
    environment:
      POSTGRES_USER: shop
      POSTGRES_PASSWORD: "«assigned-secret:alnum:18»"
      POSTGRES_HOST_AUTH_METHOD: scram-sha-256
    healthcheck: {test: ["CMD-SHELL", "pg_isready -U shop"], interval: 10s}
  api:
    build: {context: ., target: runtime-v2}
    environment:
      - JWT_SECRET=«assigned-secret:alnum:43»
      - TOKEN_TTL=3600
      - PASSWORD_FILE=/run/secrets/db_password
`,
	"kubernetes": `apiVersion: v1
kind: Secret
metadata: {name: api, uid: 6f1c8a52-90d3-4b7e-8f2a-5c0d9e7b1a34, resourceVersion: "88213377"}
type: Opaque
data:
  password: «assigned-secret:b64:24»
  api-token: «assigned-secret:b64:44»
`,
	"terraform": `provider "aws" {
  region     = "eu-central-1"
  access_key = "AKIA«aws-key:up:16:AKIA»"
  secret_key = "«assigned-secret:b64:40»"
}
resource "aws_db_instance" "main" {
  identifier = "shop-main-2"
  username   = "shop"
  password   = "«assigned-secret:alnum:20»"
  kms_key_id = "arn:aws:kms:eu-central-1:111122223333:key/6f1c8a52-90d3-4b7e-8f2a-5c0d9e7b1a34"
}
variable "db_password" { type = string }
`,
	"workflow": `jobs:
  deploy:
    env:
      GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}
      NPM_TOKEN: npm_«npm-token:alnum:36:npm_»
    steps:
      - uses: actions/checkout@«plain:hex:40»
      - run: curl -sS -H "Authorization: Bearer «authorization:alnum:40»" https://deploy.shop.net/hook
      - run: curl -u "ci:«authorization:alnum:22»" https://registry.shop.net/v2/
      - uses: actions/cache@v4
        with: {key: "go-${{ hashFiles('go.sum') }}-v3", path: ~/go}
`,
	"npmrc": `registry=https://registry.shop.net/
//registry.shop.net/:_authToken=«assigned-secret:uuid:36»
always-auth=true
`,
	"netrc": `machine git.shop.net login bot password «assigned-secret:alnum:20»
machine mirror.shop.net
  login bot
  password «assigned-secret:alnum:16»
default login anonymous password me@shop.net
`,
	"settings.py": `import os
SECRET_KEY = "«assigned-secret:alnum:50»"
DEBUG = False
DATABASES = {"default": {"ENGINE": "django.db.backends.postgresql", "NAME": "shop", "USER": "shop",
    "PASSWORD": "«assigned-secret:alnum:20»", "HOST": "db1", "PORT": "5432"}}
EMAIL_HOST_PASSWORD = os.environ["EMAIL_HOST_PASSWORD"]
AUTH_PASSWORD_VALIDATORS = [{"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"}]
CACHES = {"default": {"KEY_PREFIX": "shop2", "BACKEND": "django.core.cache.backends.redis.RedisCache"}}
`,
	"application.properties": `spring.datasource.url=jdbc:postgresql://db1:5432/shop
spring.datasource.username=shop
spring.datasource.password=«assigned-secret:mixed:24»
security.oauth2.client.client-secret=«assigned-secret:alnum:40»
server.ssl.key-store=classpath:keystore.p12
server.ssl.key-store-type=PKCS12
jwt.token.validity=86400
`,
	"main.go": "package main\n\nconst slackToken = \"xoxb-«slack-token:alnum:50:xoxb-»\"\n\nvar key = []byte(os.Getenv(\"KEY\"))\n\n" +
		"func main() {\n\tclient := openai.New(option.WithAPIKey(\"sk-proj-«openai-key:alnum:60:sk-proj-»\"))\n\ttoken := r.Header.Get(\"X-Auth-Token\")\n" +
		"\tif token == \"\" || subtle.ConstantTimeCompare([]byte(token), key) != 1 {\n\t\treturn\n\t}\n\tdb, err := sql.Open(\"mysql\", dsn(user, password, host))\n}\n",
	"config.json": `{
  "aws": {"accessKeyId": "ASIA«aws-key:up:16:ASIA»", "secretAccessKey": "«assigned-secret:b64:40»", "sessionToken": ""},
  "telemetry": {"instrumentationKey": "6f1c8a52-90d3-4b7e-8f2a-5c0d9e7b1a34", "enabled": true},
  "sendgrid": {"apiKey": "SG.«sendgrid-key:alnum:66:SG.»"},
  "passwordPolicy": {"minLength": 12, "pattern": "^(?=.*[A-Z])(?=.*\\d).{12,}$"},
  "tokenEndpoint": "https://login.shop.net/oauth2/v2.0/token"
}
`,
	"history": `cd ~/src/shop
git remote set-url origin https://bot:«url-password:alnum:30»@git.shop.net/shop.git
export GITHUB_TOKEN=ghp_«github-token:alnum:36:ghp_»
mysql -u shop --password=«assigned-secret:alnum:20» shop
git commit -m "rotate token"
kubectl get secret api-token-7f9c2 -o yaml
`,
	"log": `2026-01-04T10:30:00Z INFO  request id=6f1c8a52-90d3-4b7e-8f2a-5c0d9e7b1a34 sha=0d1a2f3b4c5d6e7f8091a2b3c4d5e6f708192a3b
2026-01-04T10:30:01Z DEBUG > GET /v1/me HTTP/1.1
2026-01-04T10:30:01Z DEBUG > Authorization: Bearer «authorization:alnum:48»
2026-01-04T10:30:01Z DEBUG > Cookie: theme=dark
2026-01-04T10:30:02Z ERROR connect amqp://shop:«url-password:alnum:20»@mq1.shop.net:5672: refused
2026-01-04T10:30:02Z ERROR token expired at 1767522600, key id 9f8e7d6c5b4a
`,
	"transcript": `{"type":"user","message":{"content":"use this: api_key=\"«assigned-secret:alnum:40»\" and go on"}}
{"type":"assistant","message":{"content":"I put it in .env:\n\nTOKEN=«assigned-secret:alnum:40»\nDEBUG=1\n"}}
{"type":"tool_result","content":"export NPM_TOKEN=npm_«npm-token:alnum:36:npm_»\r\n"}
{"uuid":"6f1c8a52-90d3-4b7e-8f2a-5c0d9e7b1a34","usage":{"input_tokens":1234567,"output_tokens":4321}}
`,
	"diff": `diff --git a/deploy.sh b/deploy.sh
index 0d1a2f3b4c5d..e6f708192a3b 100755
--- a/deploy.sh
+++ b/deploy.sh
@@ -1,3 +1,3 @@
-API_TOKEN="$1"
+API_TOKEN="«assigned-secret:alnum:40»"
 curl -fsS -H "X-Api-Key: $API_TOKEN" https://deploy.shop.net/
`,
}

// alphabets of the marks.
func alphabet(name string) class {
	switch name {
	case "hex":
		return hexLow
	case "b64":
		return of("0-9a-zA-Z+")
	case "up":
		return upNum
	case "mixed":
		return of("0-9a-zA-Z!?+-")
	}
	return alnum
}

// filled puts secrets in the place of the marks, and gives what masking has to make of it.
func filled(t *testing.T, doc string, seed uint64) (dirty, clean string) {
	t.Helper()
	for {
		before, rest, ok := strings.Cut(doc, "«")
		dirty, clean = dirty+before, clean+before
		if !ok {
			return dirty, clean
		}
		mark, after, _ := strings.Cut(rest, "»")
		parts := strings.Split(mark, ":")
		n := 0
		for _, c := range parts[2] {
			n = n*10 + int(c-'0')
		}
		seed++
		secret := made(seed, alphabet(parts[1]), n)
		if parts[1] == "uuid" {
			h := made(seed, hexLow, 32)
			secret = h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
		}
		if parts[0] == "plain" { // no secret
			dirty, clean, doc = dirty+secret, clean+secret, after
			continue
		}
		if len(parts) > 3 { // the prefix stands in the document, and is part of the secret
			clean = strings.TrimSuffix(clean, parts[3])
		}
		dirty, clean, doc = dirty+secret, clean+Mask(parts[0]), after
	}
}

func TestDocumentsWithSecrets(t *testing.T) {
	for name, doc := range dirtyDocuments {
		for seed := range uint64(20) {
			for _, ends := range []string{"\n", "\r\n"} {
				dirty, clean := filled(t, strings.ReplaceAll(doc, "\n", ends), 5000+100*seed)
				got := Text(dirty)
				if got == clean {
					continue
				}
				a, b := strings.Split(got, "\n"), strings.Split(clean, "\n")
				for i := range min(len(a), len(b)) {
					if a[i] != b[i] {
						t.Errorf("%s, line %d\n got %s\nwant %s\nfrom %s", name, i+1, a[i], b[i], strings.Split(dirty, "\n")[i])
					}
				}
			}
		}
	}
}

// Documents that look as if they had secrets, and have none.
var cleanDocuments = map[string]string{
	"go.sum": `example.org/token/key v1.6.0 h1:«plain:b64:43»=
example.org/token/key v1.6.0/go.mod h1:«plain:b64:43»=
`,
	"package-lock": `"node_modules/token-keys": {
  "version": "9.0.2",
  "resolved": "https://registry.example.org/token-keys/-/token-keys-9.0.2.tgz",
  "integrity": "sha512-«plain:b64:86»==",
  "dependencies": {"key-secret": "^3.2.2", "token.includes": "^4.3.0"}
}
`,
	"cargo.lock": `[[package]]
name = "secret-key"
version = "0.8.0"
source = "registry+https://index.example.org"
checksum = "«plain:hex:64»"
`,
	"i18n": `{"login": {"password": "Passwort", "passwordRepeat": "Passwort wiederholen", "token": "Zugriffsschlüssel", "apiKeyHint": "Den API-Schlüssel finden Sie im Profil"},
 "ko": {"password": "비밀번호", "passwordConfirm": "비밀번호 확인", "token": "토큰"}}
`,
	"form.html": `<label for="password">Password</label><input type="password" id="password" name="password" autocomplete="current-password" placeholder="Your password">
<input type="hidden" name="csrf_token" value="{{ csrf_token }}"><a href="/reset?token={{ token }}">Forgot password?</a>
<img src="data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=" alt="key">
`,
	"style.css": `.token.keyword{color:#0077aa}.key--primary{background:#1a2b3c4d}.password-toggle{content:"\f06e"}@keyframes key-spin-2{to{transform:rotate(360deg)}}
`,
	"code.ts": `import { TokenKind, parseToken2 } from './lexer';
const password = await prompt('Password: ');
const apiKey = process.env.API_KEY ?? '';
const secret = crypto.randomBytes(32).toString('hex');
const key = keys[tokenIndex2];
export type Credentials = { username: string; password: string; token?: string };
function login({ username, password }: Credentials): Promise<AccessToken2> { return api.post('/v2/token', { username, password }); }
const token = localStorage.getItem('access_token_v2') || '';
headers['Authorization'] = 'Bearer ' + token;
headers.Authorization = ` + "`Bearer ${token}`" + `;
it('refuses a wrong password', () => expect(login('joe', 'wrong')).rejects.toThrow(/password/));
`,
	"code.py": `password = getpass.getpass("Password for %s: " % user)
token = jwt.encode(payload, settings.SECRET_KEY, algorithm="HS256")
api_key = config["service"]["api_key"]
secret = base64.b64encode(os.urandom(24)).decode()
def check(self, password: str, salt: bytes = b"") -> bool: ...
parser.add_argument("--token", default=None, help="access token (default: $TOKEN)")
conn = psycopg2.connect(host="localhost", user="postgres", password="postgres")
key = (module_name2, function_name3)
PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]
`,
	"code.c": `#define MAX_TOKEN_LEN 256
static const char *key_names[] = {"KEY_F1", "KEY_F2", "KEY_LEFTSHIFT2"};
token = strtok_r(NULL, " \t\n", &save2);
if (!strcmp(key, "password")) cfg->password = xstrdup(value);
int key = getch(), token2 = lex->token[pos1];
secret_len = crypto_box_SECRETKEYBYTES;
`,
	"sql": `CREATE TABLE users (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), password_hash text NOT NULL, api_token_id bigint REFERENCES tokens(id), token_expires_at timestamptz);
CREATE UNIQUE INDEX users_token_key ON users USING btree (api_token_id);
INSERT INTO keys (id, name) VALUES ('6f1c8a52-90d3-4b7e-8f2a-5c0d9e7b1a34', 'primary-key-2');
`,
	"readme": "Set `API_KEY=<your key>` or pass `--token TOKEN`. The password must have 12 characters.\n\n    export API_TOKEN=your-token-here\n    curl -H \"Authorization: Bearer $API_TOKEN\" https://api.example.com\n" +
		"    psql postgres://user:password@localhost:5432/app\n\nKeys: `ctrl+k`, `shift+f10`. Passwords are hashed with argon2id (m=65536,t=3,p=4).\n",
	"helm": `auth:
  existingSecret: shop-auth-v2
  password: {{ .Values.auth.password | quote }}
  tokenSecretRef: {name: shop-token-7f9c2, key: token}
  secretKeys: {adminPasswordKey: admin-password2, userPasswordKey: user-password2}
`,
	"git": `commit 0d1a2f3b4c5d6e7f8091a2b3c4d5e6f708192a3b
tree 8f2a5c0d9e7b1a346f1c8a5290d34b7e8f2a5c0d
gpgsig -----BEGIN PGP SIGNATURE-----
 «plain:b64:64»
 «plain:b64:64»
    Rename the token to key (#1234)
`,
	"certificate": "-----BEGIN CERTIFICATE-----\n«plain:b64:64»\n«plain:b64:64»\n-----END CERTIFICATE-----\n",
	"ssh":         "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl me@laptop\ngithub.com ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQCj7ndNxQowgcQnjshcLrqPEiiphnt\n",
	"build log": "go: downloading example.org/x/secret v0.57.0\n[ 12%] Building CXX object src/CMakeFiles/tokenizer.dir/key_value_2.cpp.o\nsrc/token.cc:42:7: error: use of undeclared identifier 'secret_key2'\n" +
		"Authorization failed: invalid token\n##[error]Bad credentials\nauthentication required for key \"/config/app2\"\npassword authentication failed for user \"shop\"\n",
	"openapi": `securitySchemes: {bearerAuth: {type: http, scheme: bearer, bearerFormat: JWT}, apiKey: {type: apiKey, name: X-API-Key, in: header}}
example: {access_token: string, token_type: bearer, expires_in: 3600, refresh_token: string}
`,
	"prose":     "After login you need a password that nobody knows. Enter login name and password below. The login page password is Longer-Than-8.\n",
	"empty env": "API_KEY=\nSECRET_TOKEN=\nDB_PASSWORD=\nDATABASE_URL=postgres://localhost/app_test2\nJWT_SECRET=${JWT_SECRET:-}\n",
}

func TestDocumentsWithoutSecrets(t *testing.T) {
	for name, doc := range cleanDocuments {
		for _, ends := range []string{"\n", "\r\n"} {
			text, _ := filled(t, strings.ReplaceAll(doc, "\n", ends), 9000)
			for _, h := range Find([]byte(text)) {
				t.Errorf("%s, line %d: %s %q", name, h.Line, h.Rule, text[h.Start:h.End])
			}
		}
	}
}
