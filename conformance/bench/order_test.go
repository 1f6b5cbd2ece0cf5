package bench

import (
	"cmp"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// BenchmarkOrder sorts by keys when the store provides the order of the first: within groups of
// rows with the same first key, beside a sort of all rows, which a first key forces that the
// store does not know. LEFT(K, 1) is the same in all rows.
func BenchmarkOrder(b *testing.B) {
	rows := harness.InShort(2_000, 90_000)
	for _, layout := range []string{"", "PARTITION BY RANGE COLUMNS(K) SPLITS ('u2', 'u4', 'u6', 'u8')", "PARTITION BY KEY(K) PARTITIONS 97"} {
		kind, _, _ := strings.Cut(strings.TrimPrefix(layout, "PARTITION BY "), "(")
		db := harness.OpenDB(b, "file:"+b.TempDir()+"?sync=false")
		fillOrder(b, db, layout, rows)
		for _, order := range []string{"K, T DESC", "K DESC, V", "LEFT(K, 3), T", "LEFT(K, 1), T"} {
			for _, rest := range []string{"LIMIT 20", "LIMIT 20 OFFSET 5000", "LIMIT 50000", ""} {
				name := fmt.Sprintf("%s/%s/%s", cmp.Or(kind, "one"), order, cmp.Or(rest, "all"))
				for _, how := range []string{"within", "whole"} {
					by := order
					if how == "whole" {
						by = strings.Replace(order, "K", "CONCAT(K, '')", 1)
					}
					b.Run(name+"/"+how, func(b *testing.B) {
						benchOrder(b, db, fmt.Sprintf("SELECT * FROM o ORDER BY %s %s", by, rest))
					})
				}
			}
		}
	}
}

func benchOrder(b *testing.B, db *sql.DB, query string) {
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, harness.DrainRows(db, query))
	}
}

func fillOrder(b *testing.B, db *sql.DB, layout string, rows int) {
	harness.Must(b, db, "CREATE TABLE o "+harness.PlainTable+" "+layout)
	for i := 0; i < rows; i += 1000 {
		var values []string
		for j := range 1000 {
			x := (i + j) * 7919 % 1_000_003
			for q := range 5 {
				values = append(values, fmt.Sprintf("('u%02d%06d', 'q%d', %d, '%020d')", x%100, i+j, q, 1_700_000_000_000+x*(q+3)%99991, x*(q+7)%9973))
			}
		}
		harness.Must(b, db, "REPLACE INTO o (K, Q, T, V) VALUES "+strings.Join(values, ", "))
	}
	harness.Must(b, db, "FLUSH TABLES")
}
