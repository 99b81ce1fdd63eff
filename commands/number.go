package commands

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// number is a flag of which help says no default where there is none: 0 means that it was not given.
type number struct{ *cli.IntFlag }

func (n number) String() string { return strings.TrimSuffix(n.IntFlag.String(), " (default: 0)") }
