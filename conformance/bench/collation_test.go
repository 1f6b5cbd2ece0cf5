package bench

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// BenchmarkCollations compares and sorts 20,000 texts with general_ci and with the tables of
// Unicode.
func BenchmarkCollations(b *testing.B) {
	db := harness.OpenDB(b, ":memory:")
	harness.Must(b, db, "CREATE TABLE t "+harness.PlainTable)
	var rows []string
	for i := range 20_000 {
		rows = append(rows, fmt.Sprintf("('%05d', 'q', 1, 'Customer number %d of Zürich')", i, i*7919%20_000))
	}
	harness.Must(b, db, "INSERT INTO t VALUES "+strings.Join(rows, ", "))
	for _, c := range []string{"utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb4_0900_ai_ci", "utf8mb4_0900_as_cs"} {
		of := "CAST(V AS CHAR) COLLATE " + c
		for what, query := range map[string]string{
			"equal": "SELECT COUNT(*) FROM t WHERE " + of + " = 'customer NUMBER 77 of zürich'",
			"order": "SELECT COUNT(*) FROM (SELECT ROW_NUMBER() OVER (ORDER BY " + of + ") AS n FROM t) d WHERE n < 0",
			"group": "SELECT COUNT(DISTINCT " + of + ") FROM t",
		} {
			b.Run(what+"/"+c, func(b *testing.B) {
				for b.Loop() {
					harness.Single(b, db, query)
				}
			})
		}
	}
}
