//go:build deps

package arch

// Held for packages that are being written; each goes when its first real importer lands.
import (
	_ "github.com/cli/go-gh/v2/pkg/api"
	_ "github.com/cli/go-gh/v2/pkg/auth"
	_ "github.com/cli/go-gh/v2/pkg/repository"
)
