package oracle

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// Written is what a writing statement did: the rows that it counts, its
// identity or error, and the table after it.
type Written struct {
	SQL      string   `json:"sql"`
	Reset    bool     `json:"reset,omitempty"` // the table is recreated before
	Affected int64    `json:"affected,omitempty"`
	ID       int64    `json:"id,omitempty"`
	Error    uint16   `json:"error,omitempty"`
	Rows     []string `json:"rows"`
}

// Episode is how many statements run on one table.
const Episode = 5

// How the table w is emptied, quickly for each database.
const (
	EmptyPeer = "DELETE FROM w"
	EmptyOwn  = "TRUNCATE TABLE w"
)

// ResetWrites fills the table w with the rows of p.
func ResetWrites(t *testing.T, db *sql.DB, empty string) {
	for _, s := range []string{empty, "INSERT INTO w (K, Q, T, V) SELECT K, Q, T, V FROM p"} {
		_, err := db.Exec(s)
		require.NoError(t, err)
	}
}

// Write runs a statement on the table w, which is first recreated if reset is set, and reads w
// after it.
func Write(t *testing.T, db *sql.DB, statement string, reset bool, empty string, args ...any) Written {
	if reset {
		ResetWrites(t, db, empty)
	}
	if empty == EmptyOwn {
		Announce(t, db, statement)
	}
	out := Written{SQL: statement, Reset: reset}
	result, err := db.Exec(statement, args...)
	if err != nil {
		out.Error = harness.ErrorNumber(err)
	} else {
		out.Affected, _ = result.RowsAffected()
		out.ID, _ = result.LastInsertId()
	}
	rows, err := db.Query("SELECT K, Q, T, V FROM w ORDER BY K, Q, T")
	require.NoError(t, err)
	lines, err := harness.PrintRows(rows)
	require.NoError(t, err)
	for _, line := range lines {
		out.Rows = append(out.Rows, strings.Join(line, " "))
	}
	return out
}

// BadValues are the errors for values that do not fit.
var BadValues = map[uint16]bool{1264: true, 1292: true, 1365: true, 1366: true, OutOfRange: true}

// rowErrors are the errors for rows that cannot exist as they are assigned.
var rowErrors = map[uint16]bool{1048: true, 1062: true}

// own are errors that only MariaDB has: for a DECIMAL too large for a BIGINT, and
// for text that is not base64.
var own = map[uint16]bool{1916: true, 1958: true}

// ListedWrite is the class of a difference, empty if the page of differences does not list it.
func ListedWrite(want, got Written) string {
	sameRows := slices.Equal(want.Rows, got.Rows)
	switch {
	case BadValues[want.Error] && BadValues[got.Error]:
		return "which bad value"
	case strings.HasPrefix(want.SQL, "UPDATE") && strings.Contains(want.SQL, "JOIN") && rowErrors[want.Error] && rowErrors[got.Error]:
		return "which error of a join's rows, which come in no order"
	case own[want.Error]:
		return "1916 and 1958"
	case strings.HasPrefix(want.SQL, "REPLACE") && want.Error == got.Error && sameRows && want.ID == got.ID:
		return "count of REPLACE"
	case want.Error == 0 && BadValues[got.Error] && strings.Contains(want.SQL, "SELECT") && strings.Contains(want.SQL, "LIMIT"):
		return "bad value in a row that LIMIT drops"
	}
	return ""
}

// UnlistedWrite says how outcomes differ, unless the page of differences lists the difference.
func UnlistedWrite(want, got Written) string {
	kind := WriteDifference(want, got)
	if kind != "" && ListedWrite(want, got) != "" {
		return ""
	}
	return kind
}

// WriteDifference says how the outcomes differ.
func WriteDifference(want, got Written) string {
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

// Print is the outcome for a message.
func (w Written) Print() string {
	return fmt.Sprintf("error %d, affected %d, id %d: %s", w.Error, w.Affected, w.ID, strings.Join(w.Rows, " | "))
}

// OpenWrites opens a store with the oracle's tables and w.
func OpenWrites(t *testing.T, layout string) *sql.DB {
	db := OpenTables(t, layout)
	_, err := db.Exec(CreateTable("w", layout))
	require.NoError(t, err)
	return db
}

// OpenMariaDBWrites is OpenMariaDB with the table w.
func OpenMariaDBWrites(t *testing.T) *sql.DB {
	db := OpenMariaDB(t)
	for _, s := range []string{"DROP TABLE IF EXISTS w", CreateTable("w", "none") + " ENGINE = InnoDB"} {
		_, err := db.Exec(s)
		require.NoError(t, err)
	}
	return db
}
