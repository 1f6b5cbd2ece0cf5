package oracle

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// Columns are the columns of the oracle's tables.
const Columns = `(K varbinary(1024) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, V varbinary(1024), PRIMARY KEY (K, Q, T))`

// Partitionings are the layouts on which every recorded statement must have the
// same answer.
var Partitionings = map[string]string{
	"none":   "",
	"key":    " PARTITION BY KEY(K) PARTITIONS 7",
	"prefix": " PARTITION BY KEY(K_PREFIX) PARTITIONS 5",
	"range":  " PARTITION BY RANGE COLUMNS(K) (PARTITION p0 VALUES LESS THAN ('a'), PARTITION p1 VALUES LESS THAN ('b'), PARTITION p2 VALUES LESS THAN (MAXVALUE))",
}

// Tables are the tables that statements read: o, and the smaller p and r for
// joins.
var Tables = []struct {
	Name  string
	Cells int
}{{"o", 90}, {"p", 14}, {"r", 7}}

// typedColumns are the columns of the view v and of derived tables: those of a
// table, and some with types that cells do not have.
const typedColumns = "K. AS K, Q. AS Q, T. AS T, V. AS V, ELT(1 + LENGTH(K.), 'Abc', '', 'x_Y %', 'a', '10') AS S, CAST(T. DIV 1000 AS DECIMAL(22,4)) / 7 AS D, " +
	"LENGTH(V.) * 0.5e0 - 1e0 AS F, DATE_ADD(DATE '2020-01-31', INTERVAL LENGTH(V.) DAY) AS A, CAST(T. AS UNSIGNED) AS U"

// TypedSelect is a SELECT, up to its FROM, of columns of many types derived from those
// four.
func TypedSelect(k, q, t, v string) string {
	return "SELECT " + strings.NewReplacer("K.", k, "Q.", q, "T.", t, "V.", v).Replace(typedColumns) + " FROM "
}

// CreateTable is the CREATE TABLE of one of the oracle's tables in a layout.
func CreateTable(name, layout string) string {
	columns := Columns
	if layout == "prefix" {
		columns = strings.Replace(columns, "PRIMARY KEY",
			"K_PREFIX varbinary(2) GENERATED ALWAYS AS (substring(K, 1, 2)), PRIMARY KEY", 1)
	}
	if Timed(layout) {
		columns = strings.Replace(columns, "PRIMARY KEY", TimeColumn+"PRIMARY KEY", 1)
	}
	return "CREATE TABLE " + name + " " + columns + LayoutOf(layout)
}

// OpenTables opens an in-memory store with the oracle's tables in a layout.
func OpenTables(t *testing.T, layout string) *sql.DB {
	db := harness.OpenDB(t, harness.MemoryDSN())
	FillTables(t, db, layout)
	return db
}

// FillTables creates the oracle's tables and the view v.
func FillTables(t *testing.T, db *sql.DB, layout string) {
	t.Helper()
	for i, table := range Tables {
		_, err := db.Exec(CreateTable(table.Name, layout))
		require.NoError(t, err)
		cells := Cells(uint64(7+i), table.Cells)
		if Timed(layout) {
			cells = slices.DeleteFunc(cells, func(cell string) bool { return strings.Contains(cell, SmallestTime) })
		}
		_, err = db.Exec("INSERT INTO " + table.Name + " (K, Q, T, V) VALUES " + strings.Join(cells, ", "))
		require.NoError(t, err)
	}
	_, err := db.Exec("CREATE OR REPLACE VIEW v AS " + TypedSelect("K", "Q", "T", "V") + "p")
	require.NoError(t, err)
}

// Cells are the cells of the table that generated SELECT statements read: rows
// and qualifiers that are prefixes of one another, bytes at both ends, numbers
// as text, extreme timestamps, null and empty values. They are SQL literals,
// because both databases get them as one INSERT statement.
func Cells(seed uint64, count int) []string {
	rows := []string{"''", "'a'", "X'6100'", "'ab'", "'b'", "'B'", "X'FF'", "X'FFFF'", "'10'", "'9'", "'1e1'", "' a'", "'a '", "'user1'", "'user2'"}
	columns := []string{"''", "'q'", "'q1'", "X'00'", "'name'", "'AGE'"}
	times := []string{"-9223372036854775808", "-5", "0", "1", "2", "100", "1700000000000", "9223372036854775807"}
	values := []string{"NULL", "''", "'x'", "'12'", "'3.5'", "'-7'", "'abc'", "X'00FF'", "'ABC'", "' 12abc'", "'9223372036854775808'", "'1e3'", "'a%b'"}
	r := rand.New(rand.NewPCG(seed, seed))
	seen := map[string]bool{}
	var out []string
	for len(out) < count {
		key := fmt.Sprintf("%s, %s, %s", harness.Pick(r, rows), harness.Pick(r, columns), harness.Pick(r, times))
		if !seen[key] {
			seen[key] = true
			out = append(out, fmt.Sprintf("(%s, %s)", key, harness.Pick(r, values)))
		}
	}
	return out
}
