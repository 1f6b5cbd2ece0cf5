package conformance

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/hbasekv/hbasekv/"

// policy is the import order of the house, one package a line: what it may
// import of this module, in code and in tests of the package itself. A package
// that is not listed may not exist.
const policy = `
partition                :
partition/rowkey         : partition
kv                       : partition
kv/kvtest                : kv partition
kv/pebblekv              : kv partition | kv/kvtest
sqlfront/mysqlerr        :
sqlfront/parse           : sqlfront/mysqlerr
sqlfront/value           : sqlfront/mysqlerr
sqlfront/spill           : sqlfront/value sqlfront/mysqlerr
sqlfront/expr            : partition/rowkey sqlfront/spill sqlfront/value sqlfront/parse sqlfront/mysqlerr
sqlfront/constrain       : sqlfront/expr sqlfront/value sqlfront/mysqlerr kv partition | sqlfront/parse
sqlfront/plan            : sqlfront/constrain sqlfront/expr sqlfront/spill sqlfront/value sqlfront/parse sqlfront/mysqlerr kv partition | kv/kvtest
sqlfront/write           : sqlfront/plan sqlfront/constrain sqlfront/expr sqlfront/value sqlfront/parse sqlfront/mysqlerr kv partition | kv/kvtest
sqlfront/schema          : sqlfront/plan sqlfront/constrain sqlfront/expr sqlfront/value sqlfront/parse sqlfront/mysqlerr kv partition | kv/kvtest
sqlfront                 : sqlfront/schema sqlfront/write sqlfront/plan sqlfront/constrain sqlfront/expr sqlfront/spill sqlfront/value sqlfront/parse sqlfront/mysqlerr kv partition | kv/kvtest
driver                   : sqlfront sqlfront/value sqlfront/mysqlerr kv kv/pebblekv | kv/kvtest partition partition/rowkey
driver/cmd/hbasekv       : driver
conformance              : driver
`

type rule struct{ code, tests map[string]bool }

func parsePolicy() map[string]rule {
	rules := map[string]rule{}
	for line := range strings.Lines(strings.TrimSpace(policy)) {
		name, rest, _ := strings.Cut(line, ":")
		code, tests, _ := strings.Cut(rest, "|")
		rules[strings.TrimSpace(name)] = rule{set(code), set(code + " " + tests)}
	}
	return rules
}

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// TestImportOrder holds the code to the policy, and the library's packages
// clear of what only tests and the command may use.
func TestImportOrder(t *testing.T) {
	out, err := exec.Command("go", "list", "-f",
		`{{.ImportPath}}|{{join .Imports " "}}|{{join .TestImports " "}} {{join .XTestImports " "}}`, module+"...").Output()
	require.NoError(t, err)
	rules := parsePolicy()
	for line := range strings.Lines(strings.TrimSpace(string(out))) {
		part := strings.Split(strings.TrimSpace(line), "|")
		name := strings.TrimPrefix(part[0], module)
		rule, ok := rules[name]
		if !ok {
			t.Errorf("package %s is not in the policy", name)
			continue
		}
		checkImports(t, name, part[1], rule.code)
		checkImports(t, name+" (tests)", part[2], rule.tests)
		checkOutside(t, name, part[1])
	}
}

func checkImports(t *testing.T, name, imports string, allowed map[string]bool) {
	self := strings.TrimSuffix(name, " (tests)")
	for _, path := range strings.Fields(imports) {
		ours, ok := strings.CutPrefix(path, module)
		if ok && ours != self && !allowed[ours] {
			t.Errorf("%s must not import %s", name, ours)
		}
	}
}

// checkOutside keeps Pebble in its room, tests' libraries out of the code, and
// the library silent.
func checkOutside(t *testing.T, name, imports string) {
	for _, path := range strings.Fields(imports) {
		switch {
		case strings.HasPrefix(path, "github.com/cockroachdb/pebble") && name != "kv/pebblekv":
			t.Errorf("%s must not import %s: Pebble lives in kv/pebblekv", name, path)
		case strings.HasPrefix(path, "github.com/stretchr/testify") && name != "kv/kvtest",
			path == "log", path == "log/slog":
			t.Errorf("%s must not import %s", name, path)
		}
	}
}
