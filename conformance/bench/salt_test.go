package bench

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// BenchmarkSaltedOrder reads salted rows in the order of what follows the salt:
// a merge of 16 buckets, beside a sort, which is forced by a key that is not a
// column.
func BenchmarkSaltedOrder(b *testing.B) {
	for _, layout := range []string{"PARTITION BY RANGE COLUMNS(K) (PARTITION a VALUES LESS THAN (X'08'), PARTITION z VALUES LESS THAN (MAXVALUE))", "PARTITION BY KEY(K) PARTITIONS 7"} {
		db := harness.OpenDB(b, ":memory:")
		rows := harness.InShort(10_000, 100_000)
		fillSalted(b, db, layout, rows)
		name := strings.Fields(layout)[2]
		for _, limit := range []int{10, 1000, rows} {
			for how, by := range map[string]string{"merge": "UNSALT(K)", "sort": "CONCAT(UNSALT(K), '')"} {
				b.Run(fmt.Sprintf("%s/limit=%d/%s", name, limit, how), func(b *testing.B) {
					stmt, err := db.Prepare(fmt.Sprintf("SELECT K, Q, T, V FROM s WHERE K >= X'00' AND K < X'10' ORDER BY %s LIMIT %d", by, limit))
					if err != nil {
						b.Fatal(err)
					}
					b.ReportAllocs()
					for b.Loop() {
						drain(b, stmt, limit)
					}
					perCell(b, limit)
				})
			}
		}
	}
}

func fillSalted(b *testing.B, db *sql.DB, layout string, rows int) {
	harness.Must(b, db, "CREATE TABLE s "+harness.PlainTable+" "+layout)
	for i := 0; i < rows; i += 1000 {
		values := make([]string, 1000)
		for j := range values {
			values[j] = fmt.Sprintf("(SALT('2026%08d', 16), 'q', 1, '%0100d')", i+j, i)
		}
		harness.Must(b, db, "REPLACE INTO s (K, Q, T, V) VALUES "+strings.Join(values, ", "))
	}
}
