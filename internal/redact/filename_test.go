package redact

import "testing"

func TestFileName(t *testing.T) {
	for rule, names := range map[string][]string{
		"env-file":  {".env", ".env.local", ".env.production", "config/.env", `web\.env`, "prod.env", ".ENV", ".env.staging.local"},
		"ssh-key":   {"id_rsa", "id_ed25519", ".ssh/id_rsa", "keys/deploy_ed25519", "backup_rsa", "putty.ppk", "home/.ssh/work", "id_ecdsa_sk"},
		"key-file":  {"server.pem", "private.pem", "tls.key", "AuthKey_ABC.p8", "age.agekey", "key.pem", "privkey.pem", "Server.KEY", "config/master.key"},
		"key-store": {"app.p12", "x.pfx", "release.keystore", "trust/upload.jks", "passwords.kdbx", "login.keychain-db"},
		"credentials-file": {".netrc", "_netrc", ".pgpass", ".git-credentials", ".aws/credentials", "credentials", "credentials.json", ".docker/config.json",
			".kube/config", "kubeconfig", ".pypirc", "client_secret_123.json", "service-account-prod.json", "terraform.tfstate",
			"x/.gnupg/private-keys-v1.d/1", ".htpasswd", "auth.json", ".config/gh/hosts.yml", ".claude/.credentials.json", "secrets.json"},
		"history-file": {".bash_history", ".psql_history", "root/.zsh_history"},
	} {
		for _, n := range names {
			if got, bad := FileName(n); !bad || got != rule {
				t.Errorf("%s is %q %v, want %s", n, got, bad, rule)
			}
		}
	}
	for _, n := range []string{"", ".", "/", ".env.example", ".env.sample", ".env.template", ".env.dist", ".env.test", ".env.enc", "example.env", "prod.env.example",
		".envrc", "environment.go", "env", "id_rsa.pub", ".ssh/known_hosts", ".ssh/config", ".ssh/id_ed25519.pub", "cert.pem", "fullchain.pem", "ca.pem", "cacert.pem",
		"public.pem", "server.pub.key", "public.key", "truststore.jks", "debug.keystore", ".npmrc", "credentials.go", "src/credentials/main.go", "config.json", "config",
		"docs/config", "keys.go", "keyboard.ts", "monkey.py", "secrets.go", "secrets.yaml.enc", "hosts.yml", "client_secret.json.example", "service-account.example.json",
		"history", "bash_history.md", "go.sum", "package-lock.json", "token.go", "password_test.go", "README.md", ".gitignore", ".aws/config", "_rsa", ".pem", "x.p12.md",
		"typenum/type.P126.html", "syntest.p1200.sh", "Keynote.keynote"} {
		if rule, bad := FileName(n); bad {
			t.Errorf("%s is taken for %s", n, rule)
		}
	}
}
