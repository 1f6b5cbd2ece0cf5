package bounds

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestFunctionsOfPointRead limits the number of functions, and of the files that have them, that a
// warm prepared read of one cell enters, through database/sql, and that a query of groups over a
// pivot enters, by coverage counters. Functions that the compiler would inline count, too. If a
// change needs fewer, lower the figures here.
func TestFunctionsOfPointRead(t *testing.T) {
	if !*harness.Long {
		t.Skip("it builds the library with coverage counters: give -long")
	}
	program := filepath.Join(t.TempDir(), "warmread")
	run(t, "go", "build", "-cover", "-covermode=atomic", "-coverpkg="+harness.Module+"...", "-o", program, "./testdata/warmread")
	for _, tt := range []struct {
		statement string
		// sql is the maximum in driver and sqlfront, store in kv and partition, files that of all files.
		sql, store, files int
	}{
		{"point", 94, 106, 57},
		{"group", 319, 112, 113},
	} {
		sql, store, files := 0, 0, map[string]bool{}
		names := functionsOfRead(t, program, tt.statement)
		for _, name := range names {
			file, _, _ := strings.Cut(name, ":")
			files[file] = true
			if strings.HasPrefix(name, "driver/") || strings.HasPrefix(name, "sqlfront/") {
				sql++
			} else {
				store++
			}
		}
		t.Logf("%s: %d in driver and sqlfront, %d in kv and partition, %d files", tt.statement, sql, store, len(files))
		assert.LessOrEqual(t, sql, tt.sql, "%s: in driver and sqlfront, of\n%s", tt.statement, strings.Join(names, "\n"))
		assert.LessOrEqual(t, store, tt.store, "%s: in kv and partition, of\n%s", tt.statement, strings.Join(names, "\n"))
		assert.LessOrEqual(t, len(files), tt.files, "%s: files of\n%s", tt.statement, strings.Join(names, "\n"))
	}
}

// functionsOfRead are the library's functions that the read enters, each with
// its file and line: the fewest of several reads, because the store's own
// goroutines also enter some.
func functionsOfRead(t *testing.T, program, statement string) []string {
	data, counters := filepath.Join(t.TempDir(), "data"), []string{t.TempDir(), t.TempDir(), t.TempDir()}
	run(t, "env", append([]string{"GOCOVERDIR=" + t.TempDir(), program, data, statement}, counters...)...)
	return slices.MinFunc([][]string{entered(t, counters[0]), entered(t, counters[1]), entered(t, counters[2])},
		func(a, b []string) int { return len(a) - len(b) })
}

// entered are the functions whose counters are in a directory.
func entered(t *testing.T, counters string) []string {
	var entered []string
	for line := range strings.Lines(run(t, "go", "tool", "covdata", "func", "-i="+counters)) {
		part := strings.Fields(line)
		name, ours := strings.CutPrefix(part[0], harness.Module)
		if !ours || strings.HasPrefix(name, "conformance/") || part[len(part)-1] == "0.0%" {
			continue
		}
		entered = append(entered, name+" "+part[1])
	}
	require.NotEmpty(t, entered)
	return entered
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}
