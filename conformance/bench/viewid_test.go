package bench

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// BenchmarkViewID reads one of 100,000 rows by a view's id that is a function of K, beside K itself.
func BenchmarkViewID(b *testing.B) {
	db := harness.OpenDB(b, ":memory:")
	harness.Must(b, db, "CREATE TABLE t "+harness.PlainTable)
	for i := 0; i < 100_000; i += 10_000 {
		var cells []string
		for k := i; k < i+10_000; k++ {
			cells = append(cells, fmt.Sprintf("('%d', 'name', 1, 'name %d')", k, k))
		}
		harness.Must(b, db, "INSERT INTO t VALUES "+strings.Join(cells, ", "))
	}
	for name, id := range map[string]string{
		"K": "K", "binary collation": "CAST(K AS CHAR(20)) COLLATE utf8mb4_bin", "text": "CAST(K AS CHAR(20))",
		"number": "CAST(K AS UNSIGNED)", "reversed": "REVERSE(REVERSE(K))", "full scan": "CONCAT(K, Q)",
	} {
		b.Run(name, func(b *testing.B) {
			harness.Must(b, db, "CREATE OR REPLACE VIEW v AS SELECT "+id+" AS id, V FROM t")
			arg := any("4711")
			switch name {
			case "number":
				arg = int64(4711)
			case "full scan":
				arg = "4711name"
			}
			find, err := db.Prepare("SELECT V FROM v WHERE id = ?")
			require.NoError(b, err)
			defer find.Close()
			b.ReportAllocs()
			for b.Loop() {
				var v string
				require.NoError(b, find.QueryRow(arg).Scan(&v))
			}
		})
	}
}
