package github

import (
	"strings"
	"testing"
)

func TestRemote(t *testing.T) {
	for in, want := range map[string]string{
		"https://github.com/octo/app":                               "github.com octo/app",
		"https://github.com/octo/app.git":                           "github.com octo/app",
		"https://github.com/octo/app.git/":                          "github.com octo/app",
		"https://github.com/octo/app/":                              "github.com octo/app",
		"https://user@github.com/octo/app.git":                      "github.com octo/app",
		"https://user:ghp_x@github.com/octo/app":                    "github.com octo/app",
		"https://github.com:443/octo/app":                           "github.com octo/app",
		"HTTPS://GitHub.com/Octo/App.git":                           "github.com Octo/App",
		"http://github.com/octo/app":                                "github.com octo/app",
		"git://github.com/octo/app.git":                             "github.com octo/app",
		"https://www.github.com/octo/app":                           "github.com octo/app",
		"https://github.com./octo/app":                              "github.com octo/app",
		"git@github.com:octo/app.git":                               "github.com octo/app ssh",
		"git@github.com:/octo/app.git":                              "github.com octo/app ssh",
		"github.com:octo/app":                                       "github.com octo/app ssh",
		"org-1234@github.com:octo/app.git":                          "github.com octo/app ssh",
		"ssh://git@github.com/octo/app.git":                         "github.com octo/app ssh",
		"ssh://git@ssh.github.com:443/octo/app.git":                 "github.com octo/app ssh",
		"git+ssh://git@github.com/octo/app":                         "github.com octo/app ssh",
		"ssh+git://git@github.com/octo/app":                         "github.com octo/app ssh",
		"git+https://github.com/octo/app":                           "github.com octo/app",
		"git@github-work:octo/app.git":                              "github-work octo/app ssh",
		"git@ghe.corp.example:team/app.git":                         "ghe.corp.example team/app ssh",
		"https://ghe.corp.example:8443/team/app.git":                "ghe.corp.example team/app",
		"ssh://git@ghe.corp.example:2222/team/app":                  "ghe.corp.example team/app ssh",
		"https://acme.ghe.com/team/app":                             "acme.ghe.com team/app",
		"https://10.1.2.3/team/app":                                 "10.1.2.3 team/app",
		"https://github.com/octo/.github":                           "github.com octo/.github",
		"https://github.com/octo_corp/my.app-2_x.git":               "github.com octo_corp/my.app-2_x",
		"https://github.com/octo/app.git.git":                       "github.com octo/app.git",
		"https://github.com/octo/%61pp":                             "github.com octo/app",
		"  https://github.com/octo/app\n":                           "github.com octo/app",
		"https://gitlab.com/octo/app":                               "gitlab.com octo/app", // which host is GitHub's, Ask finds out
		"":                                                          "",
		".":                                                         "",
		"/srv/git/octo/app.git":                                     "",
		"../octo/app":                                               "",
		"./a:b/c":                                                   "",
		"file:///srv/git/octo/app":                                  "",
		`C:\src\octo\app`:                                           "",
		"C:/octo/app":                                               "",
		"C:octo/app":                                                "",
		`\\server\share\app`:                                        "",
		"ext::sh -c octo/app":                                       "",
		"https://github.com/octo":                                   "",
		"https://github.com/octo/app/tree/main":                     "",
		"https://github.com/octo/..":                                "",
		"https://github.com/../app":                                 "",
		"https://github.com/octo/.git":                              "",
		"https://github.com/octo/app?x=1":                           "",
		"https://github.com/octo/app#x":                             "",
		"https://github.com/octo/a%2Fb":                             "",
		"https://github.com/octo/a b":                               "",
		"https://github.com/octo/app\x00":                           "",
		"https://github.com/octo/앱":                                 "",
		"https:///octo/app":                                         "",
		"https://[::1]/octo/app":                                    "",
		"https://gist.github.com/octo/0123":                         "",
		"git@gist.github.com:0123.git":                              "",
		"https://github.com/octo/app.wiki.git":                      "",
		"ssh://-oProxyCommand=x/octo/app":                           "",
		"-oProxyCommand=x:octo/app":                                 "",
		"git@-x:octo/app":                                           "",
		"git@a..b:octo/app":                                         "",
		"github.com://octo/app":                                     "",
		"ftp://github.com/octo/app":                                 "",
		"https://github.com/-octo/app":                              "",
		"https://github.com/" + strings.Repeat("a", 101) + "/app":   "",
		"https://github.com/octo/" + strings.Repeat("a", 101):       "",
		"https://github.com/octo/app" + strings.Repeat(" ", 3000):   "github.com octo/app",
		"https://github.com/octo/app" + strings.Repeat("/", 3000):   "",
		"https://" + strings.Repeat("a", 254) + ".example/octo/app": "",
	} {
		r, ok := Remote(in)
		got := ""
		if ok {
			got = r.Host + " " + r.String()
			if r.SSH {
				got += " ssh"
			}
		}
		if got != want {
			t.Errorf("%.80q: %q, want %q", in, got, want)
		}
	}
}

func TestSameRepository(t *testing.T) {
	a := Repo{Host: "github.com", Owner: "Octo", Name: "App"}
	if !a.Same(ours()) || a.Same(Repo{Host: "ghe.example", Owner: "Octo", Name: "App"}) || a.Same(Repo{Host: "github.com", Owner: "Octo", Name: "Ap"}) {
		t.Error("GitHub does not tell upper from lower case, and nothing else is the same")
	}
}

func FuzzRemote(f *testing.F) {
	for _, s := range []string{"https://u:p@github.com:443/o/r.git", "git@github.com:o/r", "ssh://h/o/r", "a:b:c/d", "C:/x/y", "git+ssh://[::1]/o/r", "https://%zz/o/r"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, ok := Remote(s)
		if !ok {
			return
		}
		if !r.valid() || strings.ContainsAny(r.Host+r.Owner+r.Name, "/?#@:% \\\x00") || strings.HasPrefix(r.Host, "-") {
			t.Errorf("%q: %+v", s, r)
		}
		again, ok := Remote("https://" + r.Host + "/" + r.String())
		if again.SSH = r.SSH; !strings.HasSuffix(r.Name, ".git") && (!ok || again != r) {
			t.Errorf("%q: %+v is read again as %+v", s, r, again)
		}
	})
}
