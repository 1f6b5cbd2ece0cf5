package bench

import (
	"database/sql"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// BenchmarkTypedGet reads a row of five columns of a typed table by its key: as a prepared statement,
// and as texts that are each planned.
func BenchmarkTypedGet(b *testing.B) {
	db := harness.OpenDB(b, ":memory:")
	harness.Must(b, db, "CREATE TABLE p (id bigint PRIMARY KEY, a varchar(20), b int, c datetime, d double)",
		"INSERT INTO p VALUES (1, 'text', 2, '2024-01-02', 1.5)")
	stmt, err := db.Prepare("SELECT * FROM p WHERE id = ?")
	require.NoError(b, err)
	defer stmt.Close()
	run := func(name string, query func() (*sql.Rows, error)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				rows, err := query()
				require.NoError(b, err)
				require.True(b, rows.Next())
				require.NoError(b, rows.Close())
			}
		})
	}
	run("prepared", func() (*sql.Rows, error) { return stmt.Query(1) })
	texts := 0
	run("planned", func() (*sql.Rows, error) {
		texts++
		return db.Query(fmt.Sprintf("SELECT p.*, 1 AS x%d FROM p WHERE id = 1", texts))
	})
}
