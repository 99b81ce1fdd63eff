package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The style marks: the best of each anchor at once.
const (
	maxFunc      = 100 // lines
	p95Func      = 45
	medianFunc   = 10
	maxFile      = 600
	p95File      = 400
	maxInterface = 6 // methods
	maxCommands  = 0.15
)

func root(t *testing.T) string {
	t.Helper()
	d, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(filepath.Dir(d))
}

type source struct {
	path string // relative to the module's root
	file *ast.File
	len  int // lines
	test bool
}

// sources parses every Go file of the module; SESSION_MARKS=dir limits the report to one folder.
func sources(t *testing.T, set *token.FileSet) []source {
	t.Helper()
	top, only := root(t), os.Getenv("SESSION_MARKS")
	var all []source
	err := filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".go") {
			return err
		}
		rel, _ := filepath.Rel(top, p)
		if strings.Contains(rel, "testdata") || !strings.HasPrefix(rel, only) {
			return nil
		}
		f, err := parser.ParseFile(set, p, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		if ast.IsGenerated(f) {
			return nil
		}
		all = append(all, source{rel, f, set.File(f.Pos()).LineCount(), strings.HasSuffix(p, "_test.go") || strings.HasSuffix(filepath.Dir(p), "test")})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func percentile(n []int, p float64) int {
	slices.Sort(n)
	if len(n) == 0 {
		return 0
	}
	return n[min(len(n)-1, int(p*float64(len(n))))]
}

func TestMarks(t *testing.T) {
	set := token.NewFileSet()
	var funcs, files []int
	code, tests, command := 0, 0, 0
	for _, s := range sources(t, set) {
		if s.test {
			tests += s.len
			continue
		}
		code += s.len
		files = append(files, s.len)
		if strings.HasPrefix(s.path, "commands/") {
			command += s.len
		}
		if s.len > maxFile {
			t.Errorf("%s: %d lines, at most %d", s.path, s.len, maxFile)
		}
		funcs = append(funcs, functions(t, set, s)...)
		undocumented(t, set, s)
	}
	limit := func(name string, got, most int) {
		t.Logf("%s: %d (at most %d)", name, got, most)
		if got > most {
			t.Errorf("%s is %d, at most %d", name, got, most)
		}
	}
	limit("function median", percentile(funcs, .5), medianFunc)
	limit("function p95", percentile(funcs, .95), p95Func)
	limit("file p95", percentile(files, .95), p95File)
	t.Logf("code %d lines, tests %d lines, ratio %.2f; command layer %.1f %%", code, tests, float64(tests)/float64(max(code, 1)), 100*float64(command)/float64(max(code, 1)))
	if os.Getenv("SESSION_MARKS") == "" && float64(command) > maxCommands*float64(code) {
		t.Errorf("command layer is %d of %d lines, at most %.0f %%", command, code, 100*maxCommands)
	}
}

// functions measures every function and refuses what is too long, init, and interfaces that are too wide.
func functions(t *testing.T, set *token.FileSet, s source) (lens []int) {
	for _, d := range s.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		n := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1
		lens = append(lens, n)
		if n > maxFunc {
			t.Errorf("%s: %s has %d lines, at most %d", s.path, f.Name.Name, n, maxFunc)
		}
		if f.Name.Name == "init" && f.Recv == nil {
			t.Errorf("%s: init runs before anyone asked", s.path)
		}
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		if i, ok := n.(*ast.InterfaceType); ok && i.Methods.NumFields() > maxInterface {
			t.Errorf("%s: an interface of %d methods, at most %d", set.Position(i.Pos()), i.Methods.NumFields(), maxInterface)
		}
		return true
	})
	return lens
}

// undocumented reports exported names without a comment.
func undocumented(t *testing.T, set *token.FileSet, s source) {
	at := func(n ast.Node, name string) { t.Errorf("%s: %s has no comment", set.Position(n.Pos()), name) }
	for _, d := range s.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && d.Doc == nil && receiverExported(d) && !wellKnown(d) {
				at(d, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, sp := range d.Specs {
				switch sp := sp.(type) {
				case *ast.TypeSpec:
					if sp.Name.IsExported() && d.Doc == nil && sp.Doc == nil && sp.Comment == nil {
						at(sp, sp.Name.Name)
					}
				case *ast.ValueSpec:
					if sp.Names[0].IsExported() && d.Doc == nil && sp.Doc == nil && sp.Comment == nil {
						at(sp, sp.Names[0].Name)
					}
				}
			}
		}
	}
}

// wellKnown methods say what the language says they do.
func wellKnown(f *ast.FuncDecl) bool {
	return f.Recv != nil && slices.Contains([]string{"Error", "Unwrap", "String", "MarshalJSON", "UnmarshalJSON"}, f.Name.Name)
}

func receiverExported(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	e := f.Recv.List[0].Type
	if s, ok := e.(*ast.StarExpr); ok {
		e = s.X
	}
	switch x := e.(type) {
	case *ast.IndexExpr:
		e = x.X
	case *ast.IndexListExpr:
		e = x.X
	}
	id, ok := e.(*ast.Ident)
	return !ok || id.IsExported()
}

// TestPackageComments wants every package to explain itself.
func TestPackageComments(t *testing.T) {
	has := map[string]bool{}
	for _, s := range sources(t, token.NewFileSet()) {
		if d := filepath.Dir(s.path); !s.test {
			has[d] = has[d] || s.file.Doc != nil
		}
	}
	for d, ok := range has {
		if !ok {
			t.Errorf("%s: no package comment", d)
		}
	}
}

// TestNoChangingGlobals refuses package variables that some function assigns to, and exits outside main packages.
func TestNoChangingGlobals(t *testing.T) {
	set := token.NewFileSet()
	all := sources(t, set)
	globals := map[string]map[string]bool{} // folder → package variables
	declared := map[any]bool{}              // their declarations
	for _, s := range all {
		dir := filepath.Dir(s.path)
		if globals[dir] == nil {
			globals[dir] = map[string]bool{}
		}
		for _, d := range s.file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR && !s.test {
				for _, sp := range g.Specs {
					declared[sp] = true
					for _, n := range sp.(*ast.ValueSpec).Names {
						globals[dir][n.Name] = n.Name != "_"
					}
				}
			}
		}
	}
	for _, s := range all {
		if s.test {
			continue
		}
		check := func(n ast.Node, e ast.Expr) {
			id := base(e)
			if id == nil || !globals[filepath.Dir(s.path)][id.Name] {
				return
			}
			if id.Obj == nil || declared[id.Obj.Decl] { // unresolved in its file: declared in another one
				t.Errorf("%s: package variable %s is changed", set.Position(n.Pos()), id.Name)
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, l := range n.Lhs {
					if n.Tok != token.DEFINE {
						check(n, l)
					}
				}
			case *ast.IncDecStmt:
				check(n, n.X)
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "os" && n.Sel.Name == "Exit" && s.file.Name.Name != "main" {
					t.Errorf("%s: os.Exit outside a main package", set.Position(n.Pos()))
				}
			}
			return true
		})
	}
}

// base is the variable that an assignment changes: x in x, x.f, x[i].
func base(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		default:
			return nil
		}
	}
}
