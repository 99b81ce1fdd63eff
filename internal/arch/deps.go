//go:build deps

package arch

// Held for packages that are being written; each goes when its first real importer lands.
import (
	_ "github.com/bmatcuk/doublestar/v4"
	_ "github.com/charmbracelet/huh"
	_ "github.com/cli/go-gh/v2/pkg/api"
	_ "github.com/cli/go-gh/v2/pkg/auth"
	_ "github.com/cli/go-gh/v2/pkg/repository"
	_ "github.com/go-git/go-git/v5"
	_ "github.com/google/uuid"
	_ "github.com/gowebpki/jcs"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/santhosh-tekuri/jsonschema/v6"
	_ "github.com/tidwall/gjson"
	_ "github.com/urfave/cli/v2"
	_ "go.yaml.in/yaml/v3"
	_ "golang.org/x/sync/errgroup"
	_ "golang.org/x/sys/unix"
	_ "golang.org/x/term"
	_ "golang.org/x/text/encoding/korean"
	_ "golang.org/x/text/unicode/norm"
	_ "modernc.org/sqlite"
)
