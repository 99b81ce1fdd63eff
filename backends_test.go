package main

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// services are the servers that scripts may ask for: [!s3] skip. Each script gets a prefix of its own of the S3 server, as
// $S3; $REDIS and $POSTGRES are as they come.
var services = map[string]string{"s3": "SESSION_TEST_S3", "redis": "SESSION_TEST_REDIS", "postgres": "SESSION_TEST_POSTGRES"}

// hasService is a condition of scripts: the server is there. Where SESSION_TEST_REQUIRE names it, it must be.
func hasService(name string) (bool, error) {
	variable, ok := services[name]
	if !ok {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	there := os.Getenv(variable) != ""
	if !there && strings.Contains(os.Getenv("SESSION_TEST_REQUIRE"), name) {
		return false, fmt.Errorf("%s is required, and %s names no server", name, variable)
	}
	return there, nil
}

// serviceURLs gives a script the URLs of the servers.
func serviceURLs(env *testscript.Env) error {
	for name, variable := range services {
		raw := os.Getenv(variable)
		if raw == "" {
			continue
		}
		u, err := url.Parse(raw)
		if err != nil {
			return fmt.Errorf("%s is no URL", variable)
		}
		if name == "s3" {
			var b [8]byte
			_, _ = rand.Read(b[:])
			u.Path += "/" + hex.EncodeToString(b[:])
			secret, _ := u.User.Password()
			env.Setenv("S3_SECRET", secret)
		}
		env.Setenv(strings.ToUpper(name), u.String())
	}
	return nil
}
