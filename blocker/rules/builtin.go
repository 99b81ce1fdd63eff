package rules

import (
	"embed"
	"fmt"
	"io/fs"
	"sync"
)

// Source is the built-in rules as they are written and reviewed, with their fixtures. The program itself uses the table
// that is generated from them (builtin_gen.go), since reading YAML and checking every pattern costs ten times what
// scanning a log does; a test holds the two together and writes the table anew (SESSION_RULES_UPDATE=1 go test).
//
//go:embed data/*.yaml
var source embed.FS

// order is the order of the built-in files: what ends the search first, then verdicts, then from the special to the
// general. It is written down because it decides between rules.
var order = []string{"ignore", "context", "agents", "git", "ci", "verdicts", "packages", "tests", "compilers", "linkers", "builds", "lint", "general"}

// Source parses the built-in rule files, fixtures included.
func Source() ([]Rule, error) {
	var all []Rule
	for _, name := range order {
		b, err := fs.ReadFile(source, "data/"+name+".yaml")
		if err != nil {
			return nil, fmt.Errorf("read built-in rules: %w", err)
		}
		list, err := Parse(name+".yaml", b)
		if err != nil {
			return nil, fmt.Errorf("built-in rules: %w", err)
		}
		all = append(all, list...)
	}
	return all, nil
}

// Builtin gives the built-in rules in order, without fixtures.
func Builtin() []Rule { return append([]Rule(nil), builtin...) }

// BuiltinTable gives the table of the built-in rules; it is made once in a process.
func BuiltinTable() *Table { return builtinTable() }

var builtinTable = sync.OnceValue(func() *Table { return newTable(builtin) })

// WithBuiltin compiles a project's own rules ahead of the built-in ones. A fault in them, or an id that is taken, is
// returned as a *Field.
func WithBuiltin(own []Rule) (*Table, error) {
	ids := map[string]bool{}
	for _, r := range builtin {
		ids[r.ID] = true
	}
	if err := checkAll(own, ids); err != nil {
		return nil, err
	}
	return newTable(append(append([]Rule(nil), own...), builtin...)), nil
}
