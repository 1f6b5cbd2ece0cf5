package suite

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// These tests limit the cost of statements without timing them: what they read
// from the store, and what they allocate. Both are exact; if a change makes a
// statement cheaper, lower its figure here.

// GuardTable is a database whose table t has 100 rows of five columns, with
// that many versions each, in the store's files.
func GuardTable(t *testing.T, partitions, versions int) *sql.DB {
	db := harness.OpenDB(t, "file:"+t.TempDir())
	harness.Must(t, db, fmt.Sprintf("CREATE TABLE t %s PARTITION BY KEY(K) PARTITIONS %d", harness.PlainTable,
		partitions))
	harness.Must(t, db, "REPLACE INTO t VALUES "+GuardCells(versions), "FLUSH TABLES", "OPTIMIZE TABLE t")
	return db
}

// GuardCells are 100 rows of five qualifiers, with that many versions each, as
// tuples.
func GuardCells(versions int) string {
	var rows []string
	for i := range 100 {
		for _, q := range "abcde" {
			for v := range versions {
				rows = append(rows, fmt.Sprintf("('row%04d', '%c', %d, 'value%d')", i, q, 1000+v, i))
			}
		}
	}
	return strings.Join(rows, ", ")
}
