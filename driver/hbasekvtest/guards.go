package hbasekvtest

import (
	"database/sql"
	"testing"
)

// NoFullScan makes statements that would read a whole table of the store fail with
// error 1104 and their EXPLAIN tree, until the test ends. It applies to all
// connections, except those that run SET hbasekv_full_scan = 'allow'.
func NoFullScan(t testing.TB, db *sql.DB) {
	t.Helper()
	if _, err := db.Exec("SET GLOBAL hbasekv_full_scan = 'refuse'"); err != nil {
		t.Fatalf("hbasekvtest: %v", err)
	}
	t.Cleanup(func() { _, _ = db.Exec("SET GLOBAL hbasekv_full_scan = 'allow'") }) // if it is still open
}
