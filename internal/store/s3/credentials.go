package s3

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

// errNoKeys: neither the URL nor the environment has credentials.
var errNoKeys = errors.New("no credentials: write them into the URL, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")

// credentialsOf looks in the URL, then in the environment, then in the file that AWS's own tools keep.
func credentialsOf(user *url.Userinfo, getenv func(string) string) (keys, error) {
	if user != nil {
		secret, ok := user.Password()
		if user.Username() == "" || !ok || secret == "" {
			return keys{}, badURL("before the '@' there must be a key and a secret: %s", urlForm)
		}
		return keys{id: user.Username(), secret: secret}, nil
	}
	k := keys{getenv("AWS_ACCESS_KEY_ID"), getenv("AWS_SECRET_ACCESS_KEY"), getenv("AWS_SESSION_TOKEN")}
	if k.id != "" && k.secret != "" {
		return k, nil
	}
	file := getenv("AWS_SHARED_CREDENTIALS_FILE")
	if home := getenv("HOME"); file == "" && filepath.IsAbs(home) {
		file = filepath.Join(home, ".aws", "credentials")
	}
	if file == "" {
		return keys{}, fmt.Errorf("%w: %w", ErrURL, errNoKeys)
	}
	return credentialsIn(file, first(getenv("AWS_PROFILE"), "default"))
}

// credentialsIn reads one profile of a credentials file. Programs that such a file may name are not started.
func credentialsIn(file, profile string) (keys, error) {
	const most = 1 << 20
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return keys{}, fmt.Errorf("%w: %w", ErrURL, errNoKeys)
	}
	if err != nil {
		return keys{}, fmt.Errorf("read credentials: %w", err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return keys{}, fmt.Errorf("read credentials: %w", err)
	}
	k := readProfile(raw, profile)
	if k.id == "" || k.secret == "" {
		return keys{}, fmt.Errorf("%w: %s has no key and secret for profile %q: %w", ErrURL, file, profile, errNoKeys)
	}
	return k, nil
}

func readProfile(raw []byte, profile string) (k keys) {
	to := map[string]*string{"aws_access_key_id": &k.id, "aws_secret_access_key": &k.secret, "aws_session_token": &k.token}
	in := false
	for lines := bufio.NewScanner(bytes.NewReader(raw)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") {
			in = strings.TrimSpace(strings.Trim(line, "[]")) == profile
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if p := to[strings.ToLower(strings.TrimSpace(name))]; ok && in && p != nil {
			*p = strings.TrimSpace(value)
		}
	}
	return k
}

// proxies is the environment's way to other hosts.
func proxies(getenv func(string) string) func(*url.URL) (*url.URL, error) {
	either := func(name string) string { return first(getenv(name), getenv(strings.ToLower(name))) }
	c := httpproxy.Config{HTTPSProxy: either("HTTPS_PROXY"), HTTPProxy: either("HTTP_PROXY"), NoProxy: either("NO_PROXY")}
	return c.ProxyFunc()
}
