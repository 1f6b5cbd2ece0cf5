package conformance

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// written is what a writing statement did: the rows it counts, the identity or
// error it gives, and the table after it.
type written struct {
	SQL      string   `json:"sql"`
	Reset    bool     `json:"reset,omitempty"` // the table is made anew before
	Affected int64    `json:"affected,omitempty"`
	ID       int64    `json:"id,omitempty"`
	Error    uint16   `json:"error,omitempty"`
	Rows     []string `json:"rows"`
}

const (
	writesFile  = "testdata/mariadb/writes.jsonl.gz"
	writesSeed  = 20261122
	writesCount = 1500
	// episode is how many statements run on one table.
	episode = 5
)

// How the table w is emptied. Each is the other's slow way.
const (
	emptyPeer = "DELETE FROM w"
	emptyOwn  = "TRUNCATE TABLE w"
)

// resetWrites fills the table w as p is.
func resetWrites(t *testing.T, db *sql.DB, empty string) {
	for _, s := range []string{empty, "INSERT INTO w (K, Q, T, V) SELECT K, Q, T, V FROM p"} {
		_, err := db.Exec(s)
		require.NoError(t, err)
	}
}

func write(t *testing.T, db *sql.DB, statement string, reset bool, empty string, args ...any) written {
	if reset {
		resetWrites(t, db, empty)
	}
	if empty == emptyOwn {
		announce(t, db, statement)
	}
	out := written{SQL: statement, Reset: reset}
	result, err := db.Exec(statement, args...)
	if err != nil {
		out.Error = errorNumber(err)
	} else {
		out.Affected, _ = result.RowsAffected()
		out.ID, _ = result.LastInsertId()
	}
	rows, err := db.Query("SELECT K, Q, T, V FROM w ORDER BY K, Q, T")
	require.NoError(t, err)
	lines, err := printRows(rows)
	require.NoError(t, err)
	for _, line := range lines {
		out.Rows = append(out.Rows, strings.Join(line, " "))
	}
	return out
}

// badValues are the errors of values that do not fit.
var badValues = map[uint16]bool{1264: true, 1292: true, 1365: true, 1366: true, outOfRange: true}

// rowErrors are those of rows that cannot be as they are assigned.
var rowErrors = map[uint16]bool{1048: true, 1062: true}

// own are errors that MariaDB alone has: of a DECIMAL too large for a BIGINT, and
// of text that is no base64.
var own = map[uint16]bool{1916: true, 1958: true}

// listedWrite is the class of a difference, empty where the page of differences lists none.
func listedWrite(want, got written) string {
	sameRows := slices.Equal(want.Rows, got.Rows)
	switch {
	case badValues[want.Error] && badValues[got.Error]:
		return "which bad value"
	case strings.HasPrefix(want.SQL, "UPDATE") && strings.Contains(want.SQL, "JOIN") && rowErrors[want.Error] && rowErrors[got.Error]:
		return "which error of a join's rows, which come in no order"
	case own[want.Error]:
		return "1916 and 1958"
	case strings.HasPrefix(want.SQL, "REPLACE") && want.Error == got.Error && sameRows && want.ID == got.ID:
		return "count of REPLACE"
	case want.Error == 0 && badValues[got.Error] && strings.Contains(want.SQL, "SELECT") && strings.Contains(want.SQL, "LIMIT"):
		return "bad value in a row that LIMIT drops"
	}
	return ""
}

func unlistedWrite(want, got written) string {
	kind := writeDifference(want, got)
	if kind != "" && listedWrite(want, got) != "" {
		return ""
	}
	return kind
}

// writeDifference says in what the outcomes differ.
func writeDifference(want, got written) string {
	switch {
	case want.Error == got.Error && want.Error != 0:
		return ""
	case want.Error != got.Error:
		return fmt.Sprintf("errors %d %d", want.Error, got.Error)
	case strings.Join(want.Rows, "\n") != strings.Join(got.Rows, "\n"):
		return "rows"
	case want.ID != got.ID:
		return "last insert id"
	case want.Affected != got.Affected:
		return fmt.Sprintf("affected %d %d", want.Affected, got.Affected)
	}
	return ""
}

func (w written) print() string {
	return fmt.Sprintf("error %d, affected %d, id %d: %s", w.Error, w.Affected, w.ID, strings.Join(w.Rows, " | "))
}

// TestRecordedWrites compares what recorded statements do on every layout.
func TestRecordedWrites(t *testing.T) {
	if *mariadbFlag != "" && *recordFlag {
		recordWrites(t)
	}
	recorded := readRecorded[written](t, writesFile)
	require.Greater(t, len(recorded), writesCount*9/10)
	for layout := range partitionings {
		t.Run(layout, func(t *testing.T) {
			db := openWrites(t, layout)
			for _, want := range recorded {
				if got := write(t, db, want.SQL, want.Reset, emptyOwn); unlistedWrite(want, got) != "" {
					t.Errorf("%s: %s\n MariaDB: %s\n hbasekv: %s", writeDifference(want, got), want.SQL, want.print(), got.print())
				}
			}
		})
	}
}

// openWrites is a store with the oracle's tables and w.
func openWrites(t *testing.T, layout string) *sql.DB {
	db := openOracleTable(t, layout)
	_, err := db.Exec(oracleTable("w", layout))
	require.NoError(t, err)
	return db
}

func openMariaDBWrites(t *testing.T) *sql.DB {
	db := openMariaDB(t)
	for _, s := range []string{"DROP TABLE IF EXISTS w", oracleTable("w", "none") + " ENGINE = InnoDB"} {
		_, err := db.Exec(s)
		require.NoError(t, err)
	}
	return db
}

// TestLiveWrites compares what fresh statements do with a live server. After a
// difference both tables are made anew.
func TestLiveWrites(t *testing.T) {
	if *mariadbFlag == "" {
		t.Skip("no -mariadb: the recorded answers alone were compared")
	}
	t.Logf("-oracle.seed=%d", *oracleSeed)
	listsWrites(t, openMariaDBWrites(t), openWrites(t, "key"))
}

// listsWrites holds that generated writes do the same on both but for what is listed.
func listsWrites(t *testing.T, peer, db *sql.DB) {
	count := classes{}
	eachWriteOf(t, peer, db, *oracleSeed, *oracleN, func(want, got written) {
		if unlistedWrite(want, got) != "" {
			t.Errorf("unlisted %s: %s\n MariaDB: %s\n hbasekv: %s", writeDifference(want, got), want.SQL, want.print(), got.print())
		} else if writeDifference(want, got) != "" {
			count[listedWrite(want, got)]++
		}
	})
	for name, n := range count {
		t.Logf("listed: %d %s", n, name)
	}
}

func eachWrite(t *testing.T, seed uint64, count int, see func(want, got written)) {
	eachWriteOf(t, openMariaDBWrites(t), openWrites(t, "key"), seed, count, see)
}

func eachWriteOf(t *testing.T, peer, db *sql.DB, seed uint64, count int, see func(want, got written)) {
	g := newWriteGen(rand.New(rand.NewPCG(seed, 3)))
	same := false
	for i := range count {
		statement, reset := g.statement(), !same || i%episode == 0
		want, got := write(t, peer, statement, reset, emptyPeer), write(t, db, statement, reset, emptyOwn)
		same = unlistedWrite(want, got) == "" && slices.Equal(want.Rows, got.Rows)
		see(want, got)
	}
}

func recordWrites(t *testing.T) {
	var lines []written
	eachWrite(t, writesSeed, writesCount, func(want, got written) {
		if unlistedWrite(want, got) == "" {
			lines = append(lines, want)
		}
	})
	writeRecorded(t, writesFile, lines)
}
