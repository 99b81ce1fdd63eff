package arch

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// row is one line of the layer table: what a package may import of ours, and why.
type row struct {
	may []string
	why string
}

// layers is the table of docs/adr/0001-layers.md as data. A package that is not here fails the test.
var layers = map[string]row{
	"session": {[]string{"commands"}, "start, signals, the one os.Exit"},

	"internal/atomicfile": {nil, "mechanism: files that are whole or not there"},
	"internal/proc":       {nil, "mechanism: the only place that starts programs"},
	"internal/canon":      {nil, "mechanism: canonical JSON and its hash"},
	"internal/redact":     {nil, "mechanism: secrets found and masked"},
	"internal/lazy":       {nil, "mechanism: patterns compiled when first asked for"},
	"internal/text":       {nil, "mechanism: the English and Korean catalogue, safe printing"},
	"internal/arch":       {nil, "tests only"},
	"scripts/bench":       {[]string{"internal/canon", "internal/snapshot"}, "measures the built program from outside"},
	"internal/needtest":   {nil, "tests only: what not every machine has"},
	"internal/linktest":   {nil, "tests only: a network that can be cut"},

	"gitstate":              {[]string{"internal/proc", "internal/atomicfile"}, "the work tree, read and written through git"},
	"openspec":              {[]string{"internal/lazy"}, "task files; the caller hands in what git knows"},
	"blocker":               {[]string{"internal/lazy"}, "bytes and values in, blockers out"},
	"blocker/rules":         {[]string{"internal/lazy"}, "recognition rules as embedded data"},
	"internal/assistant":    {[]string{"internal/proc", "internal/lazy", "internal/atomicfile"}, "protocols of assistants"},
	"internal/memory":       {nil, "S3.8: knows no session store, no engine"},
	"internal/plan":         {[]string{"internal/canon", "internal/lazy"}, "pure: policy bytes to plan and hash"},
	"internal/engine":       {[]string{"internal/plan"}, "S0.6: knows no flags, no policy files, no storage"},
	"internal/snapshot":     {[]string{"internal/canon"}, "the commit rule over opaque parts"},
	"internal/session":      {[]string{"blocker"}, "documents; no I/O, no clock"},
	"internal/coordination": {nil, "what processes tell each other while they run; nothing in it is the truth, so it knows nobody's"},
	"internal/lifecycle":    {nil, "S4: the life of a Session as values; no I/O, no clock"},
	"internal/survey":       {[]string{"gitstate", "openspec", "blocker", "internal/assistant", "internal/redact"}, "the one look at the world"},
	"validate":              {[]string{"internal/session", "internal/survey", "gitstate", "openspec", "blocker"}, "State × Scene → findings"},
	"internal/quote":        {[]string{"blocker", "internal/text"}, "the one rule by which foreign words reach a model"},
	"internal/brief":        {[]string{"internal/quote", "internal/session", "internal/survey", "openspec", "blocker", "internal/text"}, "the same bytes for every reader"},

	"internal/capture":  {[]string{"internal/atomicfile", "internal/engine", "internal/session", "internal/memory", "internal/survey", "internal/redact", "gitstate", "openspec", "blocker"}, "the draft and steps of save"},
	"internal/recovery": {[]string{"internal/quote", "internal/text", "internal/engine", "internal/session", "internal/memory", "internal/survey", "internal/brief", "validate", "gitstate", "openspec", "blocker"}, "the draft and steps of load and resume"},
	"internal/execute":  {[]string{"internal/engine", "internal/session", "internal/memory", "internal/assistant", "internal/redact"}, "the draft and steps of run"},
	"internal/cycle":    {[]string{"internal/plan", "internal/engine", "internal/snapshot", "internal/session"}, "the commit protocol; knows no draft type, no adapter"},

	"internal/store/file":     {[]string{"internal/snapshot", "internal/session", "internal/memory", "internal/atomicfile"}, "adapter: local files"},
	"internal/store/postgres": {nil, "driver: PostgreSQL"},
	"internal/store/river":    {[]string{"internal/lifecycle"}, "driver: the queue"},
	"internal/store/s3":       {[]string{"internal/snapshot"}, "adapter: S3-compatible object storage"},
	"internal/store/sql":      {[]string{"internal/session", "internal/memory", "internal/lifecycle"}, "adapter: SQLite and PostgreSQL"},
	"internal/store/redis":    {[]string{"internal/snapshot", "internal/coordination"}, "adapter: Redis: leases and hot state"},
	"internal/github":         {[]string{"blocker"}, "adapter: GitHub"},

	"internal/app":                     {[]string{"*"}, "one function a verb; the only place that wires"},
	"internal/server":                  {[]string{"internal/app", "internal/session", "internal/snapshot", "internal/lifecycle", "internal/coordination", "internal/text", "blocker", "openspec"}, "translates HTTP"},
	"internal/mcp":                     {[]string{"internal/quote", "internal/app", "internal/session", "internal/lifecycle", "internal/text", "blocker", "openspec"}, "translates MCP"},
	"internal/service":                 {[]string{"*"}, "wires what the small program does not have"},
	"internal/service/session-service": {[]string{"commands", "internal/service"}, "start of the large program"},
	"commands":                         {[]string{"internal/quote", "internal/app", "internal/session", "internal/lifecycle", "internal/text", "internal/snapshot", "blocker", "openspec"}, "translates flags and prints"},
}

// fences name packages of others that only some of ours may import.
var fences = []struct {
	pkg  string
	only []string
	why  string
}{
	{"os/exec", []string{"internal/proc", "scripts/bench"}, "one place starts programs, kills trees and sets environments"},
	{"net/http", []string{"internal/github", "internal/server", "internal/store/s3", "internal/mcp"}, "who talks to a network is visible"},
	{"database/sql", []string{"internal/store/sql", "internal/store/postgres", "internal/store/river", "internal/service"}, "SQL stays in its adapter"},
	{"github.com/go-git/go-git/v5", []string{"gitstate", "scripts/bench"}, "go-git reads, and only there; the benches measure what it would cost"},
	{"github.com/cli/go-gh/v2", []string{"internal/github"}, "adapter"},
	{"github.com/urfave/cli/v2", []string{"commands"}, "the command layer is replaceable"},
	{"charm.land/huh/v2", []string{"commands"}, "only commands asks questions"},
	{"github.com/coder/websocket", []string{"internal/server"}, "adapter"},
	{"github.com/prometheus", []string{"internal/server"}, "adapter"},
	{"go.opentelemetry.io", []string{"internal/server"}, "adapter; too much for the program that hooks start"},
	{"github.com/modelcontextprotocol/go-sdk", []string{"internal/mcp"}, "adapter"},
}

// pure packages import no clock, no files, no network.
var pure = []string{"internal/session", "internal/lifecycle", "internal/coordination", "validate", "internal/engine", "internal/plan"}

type listed struct {
	ImportPath string
	Imports    []string
	Dir        string
}

func packages(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports,Dir", "session/...")
	cmd.Dir = root(t)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var p listed
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

func short(path string) string { return strings.TrimPrefix(path, "session/") }

func TestLayers(t *testing.T) {
	for _, p := range packages(t) {
		me := short(p.ImportPath)
		r, ok := layerOf(me)
		if !ok {
			t.Errorf("%s: no row in the layer table: decide what it may import, and why", me)
			continue
		}
		for _, i := range p.Imports {
			name, ours := strings.CutPrefix(i, "session/")
			if ours && !allowed(r, me, name) {
				t.Errorf("%s imports %s: not in its row (%s)", me, name, r.why)
			}
		}
	}
}

// layerOf also accepts test-support packages next to the package that they test (snapshot/snapshottest).
func layerOf(me string) (row, bool) {
	r, ok := layers[me]
	if !ok && strings.HasSuffix(me, "test") {
		parent := me[:strings.LastIndex(me, "/")]
		r, ok = layers[parent]
		r.may = append(slices.Clone(r.may), parent, "internal/needtest")
	}
	return r, ok
}

func allowed(r row, me, name string) bool {
	return slices.Contains(r.may, "*") || slices.Contains(r.may, name) || strings.HasPrefix(name, me+"/")
}

func TestFences(t *testing.T) {
	for _, p := range packages(t) {
		me := short(p.ImportPath)
		if me == "session" || strings.HasSuffix(me, "test") {
			continue
		}
		for _, f := range fences {
			for _, i := range p.Imports {
				if (i == f.pkg || strings.HasPrefix(i, f.pkg+"/")) && !slices.Contains(f.only, me) {
					t.Errorf("%s imports %s: only %v may (%s)", me, i, f.only, f.why)
				}
			}
		}
	}
}

func TestPurePackages(t *testing.T) {
	for _, p := range packages(t) {
		if me := short(p.ImportPath); slices.Contains(pure, me) {
			for _, i := range p.Imports {
				if i == "os" || i == "net" || strings.HasPrefix(i, "net/") || i == "io/ioutil" {
					t.Errorf("%s imports %s: it decides, it does not look", me, i)
				}
			}
		}
	}
}

// TestImportDepth keeps the longest chain of our imports short enough to hold in mind.
func TestImportDepth(t *testing.T) {
	imports := map[string][]string{}
	for _, p := range packages(t) {
		imports[p.ImportPath] = p.Imports
	}
	var depth func(string) int
	depth = func(p string) int {
		d := 0
		for _, i := range imports[p] {
			if strings.HasPrefix(i, "session/") {
				d = max(d, depth(i))
			}
		}
		return d + 1
	}
	if d := depth("session/internal/service/session-service"); d > 10 { // main, service, commands, server or mcp, app, and five below it
		t.Errorf("import depth %d", d)
	} else {
		t.Logf("import depth %d", d)
	}
}

// serverLibraries start slowly, and are linked into session-service alone (docs/adr/0022-two-programs.md).
var serverLibraries = []string{"github.com/riverqueue", "github.com/jackc", "github.com/minio", "github.com/redis", "github.com/prometheus",
	"github.com/modelcontextprotocol", "github.com/coder/websocket", "go.opentelemetry.io", "google.golang.org", "session/internal/server", "session/internal/mcp"}

func TestSmallProgram(t *testing.T) {
	for program, has := range map[string]bool{"session": false, "session/internal/service/session-service": true} {
		cmd := exec.Command("go", "list", "-deps", program)
		cmd.Dir = root(t)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		found := slices.ContainsFunc(strings.Fields(string(out)), func(p string) bool {
			bad := slices.ContainsFunc(serverLibraries, func(l string) bool { return strings.HasPrefix(p, l) })
			if bad && !has {
				t.Errorf("%s has %s", program, p)
			}
			return bad
		})
		if found != has {
			t.Errorf("%s has libraries of servers: %v", program, found)
		}
	}
}
