package bench

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// BenchmarkInsertRetention writes rows, ten per statement, to tables with and
// without a retention: a version that might not be kept is looked up, unless the
// session takes no notes.
func BenchmarkInsertRetention(b *testing.B) {
	for _, options := range []string{"TTL=0", "TTL=3600", "MAX_VERSIONS=3", "TTL=3600 MAX_VERSIONS=3", "MAX_VERSIONS=3?sql_notes=0"} {
		options, parameters, _ := strings.Cut(options, "?")
		for _, verb := range []string{"INSERT", "REPLACE"} {
			b.Run(fmt.Sprintf("%s/%s?%s", verb, options, parameters), func(b *testing.B) {
				db := harness.OpenDB(b, ":memory:?"+parameters)
				harness.Must(b, db, "CREATE TABLE t "+harness.PlainTable+" "+options)
				const rows = 10
				text := verb + " INTO t VALUES (?, 'q', ?, 'value')"
				for range rows - 1 {
					text += ", (?, 'q', ?, 'value')"
				}
				insert, err := db.Prepare(text)
				if err != nil {
					b.Fatal(err)
				}
				defer insert.Close()
				now, args := time.Now().UnixMilli(), make([]any, 2*rows)
				b.ReportAllocs()
				for n := 0; b.Loop(); n++ {
					for i := range rows {
						args[2*i], args[2*i+1] = fmt.Sprintf("key%03d", (7*n+i)%1000), now+int64(n)
					}
					if _, err := insert.Exec(args...); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows), "ns/row")
			})
		}
	}
}
