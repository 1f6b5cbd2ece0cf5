package driver

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/driver/mysqlserver/mysqlservertest"
)

// wireServer serves a store of its own, and gives the DSN of its database contract
// for go-sql-driver, to which parameters can be added.
func wireServer(t *testing.T) string {
	t.Helper()
	socket := mysqlservertest.Serve(t, harness.OpenEmbedded(t, "file::memory:?versions=all&db=contract"))
	return "root@unix(" + socket + ")/contract?"
}

// TestContractOverTheWire runs the programs by go-sql-driver against the server: they
// write the pages that they write with MariaDB.
func TestContractOverTheWire(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			server := wireServer(t)
			page := runProgram(t, p, func(parameters string) (string, string) { return "mysql", server + parameters })
			compareWire(t, p, recordedPage(t, p), page)
		})
	}
}

// compareWire fails the test where the lines differ otherwise than the embedded driver's,
// or by what the wire adds.
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

// wireDiffers are the lines that are otherwise than MariaDB's over the wire alone.
var wireDiffers = program{differs: []deviation{
	{"EXECUTE .*: LONGTEXT NOT NULL string", "EXECUTE .*: VARCHAR NOT NULL string", "the text of a date in a variable has a length"},
}}
