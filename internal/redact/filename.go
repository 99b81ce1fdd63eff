package redact

import (
	"path"
	"strings"
	"sync"
)

// fileRule recognises files by name. Names are compared without regard to case.
type fileRule struct {
	rule     string
	names    []string // whole names
	ends     []string // endings
	begins   []string // beginnings; with ends: both must fit
	folders  []string // whole names of folders: everything below them
	unless   []string // parts of a name that say that it is something else
	below    string   // only in a folder of this name
	template bool     // a name that says "example" is none
}

var fileRules = sync.OnceValue(func() []fileRule {
	return []fileRule{
		{rule: "env-file", names: []string{".env"}, template: true},
		{rule: "env-file", begins: []string{".env."}, template: true},
		{rule: "env-file", ends: []string{".env"}, template: true},
		{rule: "ssh-key", names: []string{"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "identity"}},
		{rule: "ssh-key", ends: []string{"_rsa", "_ed25519", "_ecdsa", "_dsa", ".ppk"}},
		{rule: "ssh-key", folders: []string{".ssh"}, unless: []string{".pub", "config", "known_hosts", "authorized_keys"}},
		{rule: "key-file", ends: []string{".pem"}, unless: []string{"cert", "chain", "public", "pub", "ca.", "ca-", "cacert", "bundle", "root", "dhparam"}, template: true},
		{rule: "key-file", ends: []string{".key", ".p8", ".agekey"}, unless: []string{"public", "pub.", ".pub"}, template: true},
		{rule: "key-store", ends: []string{".p12", ".pfx", ".pkcs12", ".jks", ".keystore", ".bks", ".kdbx", ".kdb", ".keychain", ".keychain-db"},
			unless: []string{"truststore", "debug.keystore", "cacerts"}},
		{rule: "credentials-file", names: []string{"credentials", ".netrc", "_netrc", ".pgpass", "pgpass.conf", ".my.cnf", ".mylogin.cnf", ".htpasswd",
			".git-credentials", ".dockercfg", ".pypirc", ".boto", ".s3cfg", ".vault-token", ".vault_pass", ".vault-pass", "kubeconfig", ".credentials.json",
			"credentials.json", "application_default_credentials.json", "secrets.json", "secrets.toml", "secrets.env", "auth.json",
			"terraform.tfstate", "terraform.tfstate.backup", ".terraformrc", "credentials.tfrc.json", "secring.gpg", "logins.json", "key4.db"}},
		{rule: "credentials-file", begins: []string{"client_secret", "service-account", "service_account", "serviceaccount", "firebase-adminsdk"},
			ends: []string{".json"}, template: true},
		{rule: "credentials-file", names: []string{"config.json"}, below: ".docker"},
		{rule: "credentials-file", names: []string{"config"}, below: ".kube"},
		{rule: "credentials-file", names: []string{"hosts.yml"}, below: "gh"},
		{rule: "credentials-file", folders: []string{".gnupg", ".password-store", ".aws"}, unless: []string{".gpg-id", "config"}},
		{rule: "history-file", ends: []string{"_history"}, begins: []string{"."}},
	}
})

// templates are parts of a name that mark a file that is there to be copied and filled in, or one that is encrypted.
var templates = []string{"example", "sample", "template", "tmpl", "tpl", "dist", "default", "schema", "test", "encrypted", ".enc.", ".sops."}

// encrypted are endings of files whose content nobody can read, or that are about something else.
var encrypted = []string{".enc", ".vault", ".sops", ".age", ".gpg", ".asc", ".j2", ".md"}

// FileName tells by its path whether a file looks like one that is full of secrets, and which rule says so. Separators
// may be / or \. It looks at nothing but the name: a file with another one is judged by its content.
func FileName(p string) (rule string, bad bool) {
	p = strings.ToLower(strings.ReplaceAll(p, `\`, "/"))
	dir, base := path.Split(p)
	folders := strings.Split(strings.Trim(dir, "/"), "/")
	for _, r := range fileRules() {
		if r.fits(base, folders) && !r.exempt(base) {
			return r.rule, true
		}
	}
	return "", false
}

func (r *fileRule) fits(base string, folders []string) bool {
	if r.below != "" && folders[len(folders)-1] != r.below {
		return false
	}
	for _, n := range r.names {
		if base == n {
			return true
		}
	}
	for _, f := range r.folders {
		for _, have := range folders {
			if have == f {
				return true
			}
		}
	}
	if len(r.begins)+len(r.ends) == 0 {
		return false
	}
	return oneFits(r.begins, func(s string) bool { return strings.HasPrefix(base, s) }) &&
		oneFits(r.ends, func(s string) bool { return strings.HasSuffix(base, s) && base != s })
}

func oneFits(all []string, fits func(string) bool) bool {
	for _, s := range all {
		if fits(s) {
			return true
		}
	}
	return len(all) == 0
}

func (r *fileRule) exempt(base string) bool {
	contains := func(s string) bool { return strings.Contains(base, s) }
	ends := func(s string) bool { return strings.HasSuffix(base, s) }
	return len(r.unless) > 0 && oneFits(r.unless, contains) || r.template && (oneFits(templates, contains) || oneFits(encrypted, ends))
}
