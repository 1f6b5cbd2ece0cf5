package conformance

import (
	"database/sql"
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/mysqlserver/mysqlservertest"
)

// wire lets tests that open their database by openDB reach it over MySQL's protocol.
var wire = flag.String("wire", "", "text or prepared: go-sql-driver asks a server, in that protocol, for what the tests "+
	"ask the embedded driver else")

// embeddedAlone are tests of what the embedded driver alone has, or of what a client
// sees of it.
var embeddedAlone = map[string]string{
	"TestAnomalies":                     "go-sql-driver does not know the level snapshot",
	"TestLevelsThatAreRefused":          "go-sql-driver does not know the level snapshot",
	"TestSequencesWithArguments":        "a placeholder in a comment is none for a server",
	"TestWritesWithArguments":           "go-sql-driver sends bytes as a text",
	"TestRecordedWithArguments":         "go-sql-driver sends bytes as a text, and rounds times by their columns",
	"TestArgumentsAreReadDuringTheCall": "a server prepares one statement at a time",
	"TestOneConnection":                 "a connection whose rows are open can do nothing else",
	"TestPreparedBeforeItsTable":        "a server looks at the tables when it prepares",
	"TestCreateSelectIsAtomic":          "a client does not wait for the end of what it cancels",
	"TestWorkEndsWithItsContext":        "a client does not wait for the end of what it cancels",
	"TestLockWaitTimeout":               "a client does not wait for the end of what it cancels",
	"TestRecursionWithoutEnd":           "a client cannot cancel what it is sending",
	"TestKillConnection":                "a client is told by the end of its connection",
	"TestReleasedConnection":            "a client is told by the end of its connection",
	"TestCloseWithRowsOpen":             "it closes the store",
	"TestSecondProcessIsRefused":        "it closes the store",
	"TestGrowingTable":                  "it closes the store",
	"TestAllocationsOfBulkLoad":         "it counts the embedded driver's work",
	"TestBytesOfLargeValues":            "it counts the embedded driver's work",
	"TestIdleConnectionsKeepLittle":     "it counts the embedded driver's work",
	"TestAllocationsOfStatements":       "it counts the embedded driver's work",
}

// overWire is a database as a client has it, where the tests are to be clients.
func overWire(t testing.TB, db *sql.DB, dsn string) *sql.DB {
	t.Helper()
	if *wire == "" {
		return db
	}
	name, _, _ := strings.Cut(t.Name(), "/")
	if why, ok := embeddedAlone[name]; ok {
		t.Skip(why)
	}
	if strings.HasPrefix(name, "TestLoad") || name == "TestLocalFiles" || name == "TestLongFields" {
		t.Skip("its files are registered with the embedded driver")
	}
	return mysqlservertest.Client(t, db, dsn, mysqlservertest.Protocol(*wire))
}

// wireServer serves a store of its own, and gives the DSN of its database contract
// for go-sql-driver, to which parameters can be added.
func wireServer(t *testing.T) string {
	t.Helper()
	socket := mysqlservertest.Serve(t, openEmbedded(t, "file::memory:?versions=all&db=contract"))
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
