package sql

import (
	"database/sql"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
	"github.com/hbasekv/hbasekv/conformance/internal/suite"
)

// The oracle for invalid input: valid statements, each with one mistake at every
// place where it can be made, and MariaDB's answers to them.
const mistakesFile = "../testdata/mariadb/mistakes.txt"

// TestMistakes compares the answers to invalid statements with those recorded
// from MariaDB, or with -mariadb from a live server. Where hbasekv follows
// MySQL instead, the file has its answer after MariaDB's.
func TestMistakes(t *testing.T) {
	db := oracle.OpenTables(t, "none")
	var peer *sql.DB
	if *harness.MariaDB != "" {
		peer = oracle.OpenMariaDB(t)
	}
	recorded := readMistakes(t)
	if peer != nil && *harness.Record {
		recorded = map[string]string{}
	}
	lines := []string{}
	for _, bad := range suite.BadStatements() {
		want, known := recorded[bad]
		got := suite.Complaint(t, db, bad)
		if peer != nil {
			theirs := suite.Complaint(t, peer, bad)
			live, _, _ := strings.Cut(want, " | ")
			if known && live != theirs {
				t.Errorf("%s\n recorded: %s\n MariaDB: %s", bad, live, theirs)
			}
			if !known {
				want = theirs
				if got != theirs {
					want += " | " + got
				}
			}
		} else {
			require.True(t, known, "not recorded: %s", bad)
		}
		if _, ours, differ := strings.Cut(want, " | "); differ && got != ours || !differ && got != want {
			t.Errorf("%s\n MariaDB: %s\n hbasekv: %s", bad, want, got)
		}
		lines = append(lines, bad+"\t"+want+"\n")
	}
	if peer != nil && *harness.Record {
		require.NoError(t, os.WriteFile(mistakesFile, []byte(strings.Join(lines, "")), 0o644))
	}
}

func readMistakes(t *testing.T) map[string]string {
	text, err := os.ReadFile(mistakesFile)
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	out := map[string]string{}
	for line := range strings.Lines(string(text)) {
		statement, said, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		out[statement] = said
	}
	return out
}
