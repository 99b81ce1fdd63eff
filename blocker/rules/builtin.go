package rules

import (
	"embed"
	"fmt"
	"io/fs"
	"sync"
)

//go:embed data/*.yaml
var data embed.FS

// order is the order of the built-in files: what ends the search first, then verdicts, then from the special to the
// general. It is written down because it decides between rules.
var order = []string{"ignore", "context", "agents", "git", "ci", "verdicts", "packages", "tests", "compilers", "linkers", "builds", "lint", "general"}

// Builtin gives the built-in rules in order. A fault in them is a fault of the program, which a test excludes; it is
// returned all the same.
func Builtin() ([]Rule, error) {
	var all []Rule
	for _, name := range order {
		b, err := fs.ReadFile(data, "data/"+name+".yaml")
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

// BuiltinTable gives the table of the built-in rules; it is made once in a process.
func BuiltinTable() (*Table, error) { return builtinTable() }

var builtinTable = sync.OnceValues(func() (*Table, error) {
	list, err := Builtin()
	if err != nil {
		return nil, err
	}
	return NewTable(list)
})

// WithBuiltin compiles a project's own rules ahead of the built-in ones.
func WithBuiltin(own []Rule) (*Table, error) {
	list, err := Builtin()
	if err != nil {
		return nil, err
	}
	return NewTable(own, list)
}
