package reports

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
)

// BenchmarkPivotRowGet reads one person of 10,000 through the pivot view. The
// yardstick is the SELECT that one would write by hand over the table.
func BenchmarkPivotRowGet(b *testing.B) {
	db := harness.OpenDB(b, ":memory:")
	harness.Must(b, db, "CREATE TABLE pc "+oracle.Columns+" PARTITION BY KEY(K) PARTITIONS 7",
		"CREATE VIEW pivot AS "+pivotSelect)
	for i := 0; i < 10000; i += 500 {
		var rows []string
		for j := i; j < i+500; j++ {
			rows = append(rows, fmt.Sprintf("('%06d', 'name', 1, 'n%d'), ('%06d', 'age', 1, '%d')", j, j, j, j%90))
		}
		harness.Must(b, db, "REPLACE INTO pc VALUES "+strings.Join(rows, ", "))
	}
	for name, query := range map[string]string{
		"view": "SELECT name, age FROM pivot WHERE id = ?",
		"hand": "SELECT MAX(CASE WHEN Q = 'name' THEN V END), CAST(MAX(CASE WHEN Q = 'age' THEN V END) AS SIGNED) FROM pc WHERE K = ? GROUP BY K",
	} {
		b.Run(name, func(b *testing.B) {
			read, err := db.Prepare(query)
			require.NoError(b, err)
			defer read.Close()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				var name string
				var age int
				if err := read.QueryRow(fmt.Sprintf("%06d", i%10000)).Scan(&name, &age); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
