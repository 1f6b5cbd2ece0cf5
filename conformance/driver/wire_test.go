package driver

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/driver/mysqlserver/mysqlservertest"
)

// wireServer serves its own store, and returns the DSN of its database contract
// for go-sql-driver/mysql, to which parameters can be added.
func wireServer(t *testing.T) string {
	t.Helper()
	socket := mysqlservertest.Serve(t, harness.OpenEmbedded(t, "file::memory:?versions=all&db=contract"))
	return "root@unix(" + socket + ")/contract?"
}

// TestContractOverTheWire runs the programs with go-sql-driver/mysql against the
// server: they must write the same pages as with MariaDB.
func TestContractOverTheWire(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			server := wireServer(t)
			page := runProgram(t, p, func(parameters string) (string, string) { return "mysql", server + parameters })
			compareWire(t, p, recordedPage(t, p), page)
		})
	}
}

// compareWire fails the test if the lines differ in other ways than the embedded
// driver's, or than those that the wire adds.
func compareWire(t *testing.T, p program, recorded, page string) {
	t.Helper()
	want, got := strings.Split(recorded, "\n"), strings.Split(page, "\n")
	require.Len(t, got, len(want), "lines")
	for i := range want {
		if want[i] == got[i] || p.difference(want[i], got[i]) >= 0 || wireDiffers.difference(want[i], got[i]) >= 0 {
			continue
		}
		t.Errorf("line %d\n go-sql-driver on MariaDB: %s\n            on the server: %s", i+1, want[i], got[i])
	}
}

// wireDiffers are the lines that differ from MariaDB's only over the wire.
var wireDiffers = program{differs: []deviation{
	{"EXECUTE .*: LONGTEXT NOT NULL string", "EXECUTE .*: VARCHAR NOT NULL string", "the text of a date in a variable has a length"},
}}
