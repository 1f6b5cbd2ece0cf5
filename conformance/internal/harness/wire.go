package harness

import (
	"database/sql"
	"flag"
	"strings"
	"testing"

	"github.com/hbasekv/hbasekv/driver/mysqlserver/mysqlservertest"
)

// wire makes tests that open their database with OpenDB use MySQL's protocol.
var wire = flag.String("wire", "", "text or prepared: run the tests against a server with go-sql-driver, in that protocol, "+
	"instead of the embedded driver")

// embeddedAlone are tests of what only the embedded driver has, or of what a client
// sees differently.
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

// overWire returns the database as a client sees it, if -wire is set.
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
