package stores

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

var writeFormat = flag.Bool("format.write", false, "rewrite the fixture of the present format")

const (
	// present is the format that this build writes.
	present = "format3"
	// clock keeps cells with a TTL from expiring.
	clock = "?clock=2026-11-28T12:00:00Z"
)

// TestFormats opens testdata/format*, stores written by the versions that had these formats, and compares their answers
// with the recorded file of the same name: after opening read-only, after an open that upgrades the store to the present
// format, and after later opens, the last of which follow writes. A case in the file is one of
//
// read    statements that write nothing, run each time
// write   statements that write
// after   what is read after these
//
// A fixture is never rewritten once a version with its format has been released.
func TestFormats(t *testing.T) {
	if *writeFormat {
		makeFixture(t)
	}
	dirs, err := filepath.Glob("testdata/format*/LOCK")
	require.NoError(t, err)
	require.Len(t, dirs, 3)
	for _, lock := range dirs {
		format := filepath.Dir(lock)
		t.Run(filepath.Base(format), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "store")
			require.NoError(t, os.CopyFS(dir, os.DirFS(format)))
			for _, open := range []struct {
				options string
				runs    []string
			}{
				{"&readOnly=true", []string{"read"}},
				{"", []string{"read"}},
				{"", []string{"read", "write", "after"}},
				{"&readOnly=true", []string{"after"}},
				{"", []string{"after"}},
			} {
				runRecorded(t, dir+clock+open.options, format+".txt", open.runs)
			}
		})
	}
}

// runRecorded opens a store and runs the cases of some kinds.
func runRecorded(t *testing.T, dsn, file string, kinds []string) {
	db := harness.OpenDB(t, "file:"+dsn)
	conn := harness.Conn(t, db)
	datadriven.RunTest(t, file, func(t *testing.T, c *datadriven.TestData) string {
		for _, kind := range kinds {
			if kind == c.Cmd {
				return answers(t, conn, c.Input)
			}
		}
		return c.Expected
	})
	require.NoError(t, conn.Close())
	requireSound(t, db)
	require.NoError(t, db.Close())
}

// answers returns the rows of statements, each of which ends with a semicolon at the end of a line.
func answers(t *testing.T, conn *sql.Conn, statements string) string {
	var out strings.Builder
	for _, statement := range strings.Split(statements, ";\n") {
		lines, err := harness.TryLines(conn, strings.TrimSuffix(statement, ";"))
		if err != nil {
			lines = []string{err.Error()}
		}
		for _, line := range lines {
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}

// makeFixture creates the store of the present format by the statements of its file; a part of it is in a
// table file and the rest in the log. Format 3 is that of 0.1.0: until this is released its fixture is rewritten
// in place when its bytes change, and there is no fourth format.
func makeFixture(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	script, err := os.ReadFile("testdata/" + present + ".sql")
	require.NoError(t, err)
	db := harness.OpenEmbedded(t, "file:"+dir+clock)
	conn := harness.Conn(t, db)
	for _, statement := range strings.Split(strings.TrimSpace(string(script)), ";\n") {
		_, err := conn.ExecContext(context.Background(), strings.TrimSuffix(statement, ";"))
		require.NoError(t, err, statement)
	}
	require.NoError(t, errors.Join(conn.Close(), db.Close()))
	require.NoError(t, os.RemoveAll("testdata/"+present))
	require.NoError(t, os.CopyFS("testdata/"+present, os.DirFS(dir)))
}
