package bounds

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestFunctionsOfPointRead holds how many functions one warm prepared read of a
// cell enters, through database/sql: coverage counters around it tell. Functions
// count where the compiler would inline them, too. Who makes it fewer lowers the
// figures here.
func TestFunctionsOfPointRead(t *testing.T) {
	if !*harness.Long {
		t.Skip("it builds the library with coverage counters: give -long")
	}
	sql, store := 0, 0
	names := functionsOfPointRead(t)
	for _, name := range names {
		if strings.HasPrefix(name, "driver/") || strings.HasPrefix(name, "sqlfront/") {
			sql++
		} else {
			store++
		}
	}
	// Two for the end of rows whatever fails, and for SET timestamp; two for the view of what is
	// durable, and for the store that opens itself again: they came with what they do.
	require.LessOrEqual(t, sql, 142, "in driver and sqlfront, of\n%s", strings.Join(names, "\n"))
	require.LessOrEqual(t, store, 153, "in kv and partition, of\n%s", strings.Join(names, "\n"))
}

// functionsOfPointRead are the library's functions that the read enters, each
// with its file and line. They are the fewest of several reads: the store's own
// goroutines enter some beside.
func functionsOfPointRead(t *testing.T) []string {
	dir, counters := t.TempDir(), []string{t.TempDir(), t.TempDir(), t.TempDir()}
	program := filepath.Join(dir, "pointread")
	run(t, "go", "build", "-cover", "-covermode=atomic", "-coverpkg="+harness.Module+"...", "-o", program, "./testdata/pointread")
	run(t, "env", append([]string{"GOCOVERDIR=" + t.TempDir(), program, filepath.Join(dir, "data")}, counters...)...)
	return slices.MinFunc([][]string{entered(t, counters[0]), entered(t, counters[1]), entered(t, counters[2])},
		func(a, b []string) int { return len(a) - len(b) })
}

// entered are the functions that the counters in a directory are about.
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
