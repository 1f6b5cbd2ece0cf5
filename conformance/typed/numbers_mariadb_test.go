package typed

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// TestLiveNumbers draws statements on a table with AUTO_INCREMENT and on one without a primary key, and
// compares the results with MariaDB's, including the last inserted IDs.
func TestLiveNumbers(t *testing.T) {
	theirs := liveMariaDB(t)
	ours := one(t)
	r := rand.New(rand.NewPCG(testseed.Of(t), 2))
	for done, wrong := 0, 0; done < *harness.OracleN && wrong < mostDifferences; {
		start := harness.Pick(r, []string{"", " AUTO_INCREMENT = 5"})
		for _, db := range []*sql.DB{ours, theirs} {
			harness.Must(t, db, "DROP TABLE IF EXISTS n, h", "CREATE TABLE h (v int, w int)",
				"CREATE TABLE n (id int AUTO_INCREMENT PRIMARY KEY, v int)"+start)
		}
		for range 60 {
			done++
			if !compareNumbers(t, ours, theirs, drawNumbered(r)) {
				wrong++
				break
			}
		}
	}
}

func compareNumbers(t *testing.T, ours, theirs *sql.DB, statement string) bool {
	t.Log(statement)
	got, want := outcome(ours, statement), outcome(theirs, statement)
	require.NotContains(t, want, "1064", statement)
	if got != want {
		t.Errorf("%s\n  ours:   %s\n  theirs: %s", statement, got, want)
		return false
	}
	if !strings.Contains(got, "rows") { // the last ID is not defined after an error
		harness.Must(t, ours, "DO LAST_INSERT_ID(77)")
		harness.Must(t, theirs, "DO LAST_INSERT_ID(77)")
	}
	same := compareRows(t, ours, theirs, "SELECT * FROM n ORDER BY id") && compareRows(t, ours, theirs, "SELECT * FROM h ORDER BY v, w") &&
		compareRows(t, ours, theirs, "SELECT LAST_INSERT_ID()")
	for _, db := range []*sql.DB{ours, theirs} { // each server may leave out different numbers
		harness.Must(t, db, "ALTER TABLE n AUTO_INCREMENT = 1")
	}
	return same
}

// outcome returns what a driver reports about a statement.
func outcome(db *sql.DB, statement string) string {
	result, err := db.Exec(statement)
	if err != nil {
		return strconv.Itoa(int(harness.ErrorNumber(err)))
	}
	n, _ := result.RowsAffected()
	id, err := result.LastInsertId()
	return fmt.Sprint(n, " rows, id ", id, err)
}

func drawNumbered(r *rand.Rand) string {
	small := func() string { return strconv.Itoa(r.IntN(12)) }
	row := func() string {
		return "(" + harness.Pick(r, []string{"NULL", "NULL", "0", "DEFAULT", "'0'", small(), small()}) + ", " + small() + ")"
	}
	rows := func() string {
		list := make([]string, 1+r.IntN(4))
		for i := range list {
			list[i] = row()
		}
		return strings.Join(list, ", ")
	}
	loose := func() string { return "(" + small() + ", " + harness.Pick(r, []string{"NULL", small()}) + ")" }
	switch r.IntN(15) {
	case 0:
		return "INSERT IGNORE INTO n VALUES " + rows()
	case 1:
		return "REPLACE INTO n VALUES " + row()
	case 2:
		return "INSERT INTO n VALUES " + row() + " ON DUPLICATE KEY UPDATE v = v + 1"
	case 3:
		return "INSERT INTO n VALUES " + row() + " ON DUPLICATE KEY UPDATE id = LAST_INSERT_ID(id), v = 100"
	case 4:
		return "INSERT INTO n (v) SELECT v FROM n WHERE v < " + small() + " ORDER BY id LIMIT 3"
	case 5:
		return "DELETE FROM n WHERE id > " + small() + " ORDER BY id LIMIT 2"
	case 6:
		return "UPDATE n SET v = LAST_INSERT_ID(v + 1) WHERE id = " + small()
	case 7:
		return harness.Pick(r, []string{"TRUNCATE n", "ALTER TABLE n AUTO_INCREMENT = " + small()})
	case 8:
		return "INSERT INTO h VALUES " + loose() + ", " + loose()
	case 9:
		return "UPDATE h SET w = " + small() + " WHERE v < " + small()
	case 10:
		return "DELETE FROM h WHERE v = " + small()
	case 12:
		return "INSERT INTO n VALUES (-" + small() + ", 1)"
	case 11:
		return "INSERT INTO h SELECT w, v FROM h WHERE v = " + small()
	}
	return "INSERT INTO n VALUES " + rows()
}
