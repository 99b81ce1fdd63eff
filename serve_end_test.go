//go:build unix

package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// TestServeHandsOver ends a service with SIGTERM while it runs one session and others wait: what --drain did not let end
// is handed over, and the next start goes on with it. None fails, none is lost, none comes to its end twice.
func TestServeHandsOver(t *testing.T) {
	t.Parallel()
	dir, env := teamTree(t)
	s := serve(t, dir, env, "--workers", "1", "--drain", "50ms")
	runs := s.begin(s.key, `{"user_input":"wait","agent":"wait"}`)
	s.hear(runs, s.key, 0, "session.started running")
	all := []string{runs}
	for range 3 {
		all = append(all, s.begin(s.key, `{"user_input":"echo","agent":"echo"}`))
	}
	s.ends(t)
	if !strings.Contains(s.log.String(), "ending") {
		t.Errorf("it says nothing of its end:\n%s", s.log)
	}
	if out, errs, code := session(t, dir, env, "list", "--json"); code != 0 || len(gjson.Get(out, "sessions").Array()) != 4 || strings.Contains(out, "failed") {
		t.Errorf("after the end: %s%s", out, errs)
	}
	letGo(t, dir)
	again := serve(t, dir, env, "--workers", "1")
	for _, id := range all {
		heard := again.hear(id, again.key, 0, "session.completed completed")
		if slices.Contains(heard, "session.failed") || heard[0] != "session.created" {
			t.Errorf("%s: %v", id, heard)
		}
		if _, one := again.does("GET", "/api/sessions/"+id, again.key, ""); one.Get("data.session_checkpoints.#").Int() != 1 {
			t.Errorf("%s: %s", id, one)
		}
	}
	again.ends(t)
}

// TestServeDrains lets a run that ends in time end: nothing is left for the next start.
func TestServeDrains(t *testing.T) {
	t.Parallel()
	dir, env := teamTree(t)
	s := serve(t, dir, env, "--workers", "1", "--drain", "1m")
	id := s.begin(s.key, `{"user_input":"wait","agent":"wait"}`)
	s.hear(id, s.key, 0, "session.started running")
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for { // it takes no more requests; then the run may end
		if _, err := http.Get(s.url + "/healthz"); err != nil {
			break
		}
	}
	letGo(t, dir)
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("it ends with %v\n%s", err, s.log)
	}
	out, errs, _ := session(t, dir, env, "list", "--json")
	if got := gjson.Get(out, "sessions.0.status").String(); got != "completed" {
		t.Errorf("%s: %s%s", got, out, errs)
	}
}

// certified writes one for a name that no DNS knows, and its key; pool trusts it.
func certified(t *testing.T, name string) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool = x509.NewCertPool()
	pool.AppendCertsFromPEM(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	return cert, key, pool
}

// TestServeTLS serves with a certificate under a name of its own: pages of that name, over TLS, get in; other names and
// plain HTTP do not; a session's WebSocket is wss.
func TestServeTLS(t *testing.T) {
	t.Parallel()
	const name = "sessions.example"
	cert, key, pool := certified(t, name)
	dir, env := teamTree(t)
	s := serve(t, dir, env, "--tls-cert", cert, "--tls-key", key, "--host", name, "--workers", "0")
	if !strings.HasPrefix(s.url, "https://127.0.0.1:") {
		t.Fatalf("it is at %s", s.url)
	}
	_, port, _ := strings.Cut(strings.TrimPrefix(s.url, "https://"), ":")
	dial := func(max uint16) *http.Client {
		return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: name, MaxVersion: max}}}
	}
	for _, c := range []struct {
		host, origin string
		want         int
	}{{name, "", 200}, {name + ":" + port, "https://" + name + ":" + port, 200}, {"127.0.0.1", "", 200}, {strings.ToUpper(name), "", 200},
		{name + ":" + port, "http://" + name + ":" + port, 403}, {name, "https://evil.example", 403}, {"evil.example", "", 421}, {"sub." + name, "", 421}} {
		r, err := http.NewRequest("GET", s.url+"/api/me", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = c.host
		r.Header.Set("Authorization", "Bearer "+s.key)
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		a, err := dial(0).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		if a.StatusCode != c.want || a.Header.Get("Strict-Transport-Security") == "" {
			t.Errorf("%+v: %d %v", c, a.StatusCode, a.Header)
		}
	}
	if _, err := dial(tls.VersionTLS11).Get(s.url + "/healthz"); err == nil {
		t.Error("TLS 1.1 is spoken")
	}
	if a, err := http.Get("http" + strings.TrimPrefix(s.url, "https") + "/healthz"); err == nil {
		if a.Body.Close(); a.StatusCode == 200 {
			t.Error("plain HTTP is spoken")
		}
	}
	r, _ := http.NewRequest("POST", s.url+"/api/sessions", strings.NewReader(`{"user_input":"hello"}`))
	r.Host = name
	r.Header.Set("Authorization", "Bearer "+s.key)
	r.Header.Set("Content-Type", "application/json")
	a, err := dial(0).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	if got := gjson.GetBytes(b, "data.websocket_url").String(); err != nil || !strings.HasPrefix(got, "wss://"+name+"/ws/") {
		t.Errorf("the WebSocket: %s %v", b, err)
	}
	s.ends(t)
}

// TestServeRefuses asks for services that cannot be: each says why, with the code for a wrong call, and leaves no key file.
func TestServeRefuses(t *testing.T) {
	t.Parallel()
	dir, env := workTree(t)
	run := t.TempDir()
	env = append(env, "XDG_RUNTIME_DIR="+run)
	cert, key, _ := certified(t, "a.example")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for i, c := range []struct {
		code int
		args []string
	}{
		{2, []string{"--tls-cert", cert}},
		{2, []string{"--tls-key", key}},
		{2, []string{"--tls-cert", key, "--tls-key", cert}},
		{2, []string{"--tls-cert", cert + ".none", "--tls-key", key}},
		{2, []string{"--workers", "-1"}},
		{2, []string{"--limit", "0"}},
		{2, []string{"--rate", "0"}},
		{2, []string{"--drain", "-1s"}},
		{2, []string{"--log", "xml"}},
		{2, []string{"more"}},
		{1, []string{"--listen", taken.Addr().String()}},
	} {
		_, errs, code := session(t, dir, env, append([]string{"serve", "--listen", "127.0.0.1:0"}, c.args...)...)
		if code != c.code || errs == "" || strings.Contains(errs, "panic") {
			t.Errorf("%d %v: exit %d, want %d: %s", i, c.args, code, c.code, errs)
		}
	}
	if left, err := filepath.Glob(filepath.Join(run, "session", "*.key")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
