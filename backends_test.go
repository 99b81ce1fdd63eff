package main

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"strings"

	"session/internal/needtest"

	"github.com/rogpeppe/go-internal/testscript"
)

// hasService is a condition of scripts, [!s3] skip: the server is there. Where SESSION_TEST_REQUIRE names it, it must be.
func hasService(name string) (bool, error) {
	variable, ok := needtest.Servers[name]
	if !ok {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	there := os.Getenv(variable) != ""
	if !there && needtest.Required(name) {
		return false, fmt.Errorf("%s is required, and %s names no server", name, variable)
	}
	return there, nil
}

// serviceURLs gives a script the URLs of the servers: a prefix of its own of the S3 server, as $S3; $REDIS and $POSTGRES are
// as they come.
func serviceURLs(env *testscript.Env) error {
	for name, variable := range needtest.Servers {
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
			wrong := *u
			wrong.User = url.UserPassword("nobody", secret)
			env.Setenv("S3_WRONG_KEY", wrong.String())
			wrong.User = url.UserPassword(u.User.Username(), "wrong-"+secret)
			env.Setenv("S3_WRONG_SECRET", wrong.String())
		}
		env.Setenv(strings.ToUpper(name), u.String())
	}
	return nil
}
