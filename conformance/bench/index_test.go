package bench

import (
	"database/sql"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

const indexedRows = 100_000

// BenchmarkIndexChoice runs questions that indexes may answer, from few rows to many: as the planner chooses
// (auto), and without indexes (scan). The first should never take longer.
func BenchmarkIndexChoice(b *testing.B) {
	db := harness.OpenDB(b, ":memory:")
	harness.Must(b, db, "CREATE TABLE p (id int PRIMARY KEY, a int, b int, kind int, n int, note varchar(30), KEY a (a), KEY b (b), KEY kn (kind, n))",
		"CREATE TABLE q (v int)")
	fill(b, db, "p", indexedRows, func(i int) string {
		return fmt.Sprintf("(%d, %d, %d, %d, %d, 'note %d')", i, i*7919%indexedRows, i*31%300, i%20, i*13%5000, i)
	})
	for _, n := range []int{10, 1000, 3000, 10_000, 50_000} {
		harness.Must(b, db, "DELETE FROM q")
		fill(b, db, "q", n, func(i int) string { return fmt.Sprintf("(%d)", i*2) })
		choose(b, db, fmt.Sprintf("in/%d", n), "SELECT COUNT(note) FROM p # WHERE a IN (SELECT v FROM q)")
		choose(b, db, fmt.Sprintf("exists/%d", n), "SELECT COUNT(note) FROM p # WHERE EXISTS (SELECT 1 FROM q WHERE q.v = p.a)")
	}
	for _, n := range []int{1000, 3000, 10_000} {
		choose(b, db, fmt.Sprintf("range/%d", n), fmt.Sprintf("SELECT COUNT(note) FROM p # WHERE a < %d", n), way{"index", "FORCE INDEX (a)"})
	}
	for _, n := range []int{1, 10, 100} {
		choose(b, db, fmt.Sprintf("and/%d", n), fmt.Sprintf("SELECT COUNT(note) FROM p # WHERE b < %d AND n < %d", n, n*20))
		choose(b, db, fmt.Sprintf("or/%d", n), fmt.Sprintf("SELECT COUNT(note) FROM p # WHERE b < %d OR a < %d", n, n*20))
		choose(b, db, fmt.Sprintf("skip/%d", n), fmt.Sprintf("SELECT COUNT(note) FROM p # WHERE n < %d", n*10))
	}
}

// fill inserts rows, whose values are given by their number.
func fill(b *testing.B, db *sql.DB, table string, rows int, values func(i int) string) {
	const each = 2000
	for from := 0; from < rows; from += each {
		var list []string
		for i := from; i < min(from+each, rows); i++ {
			list = append(list, values(i))
		}
		harness.Must(b, db, "INSERT INTO "+table+" VALUES "+strings.Join(list, ", "))
	}
}

// reportProcessor returns a function that reports the processor time of each run, which other programs affect
// less than the time.
func reportProcessor(b *testing.B) func() {
	used := func() (n int64) {
		var u syscall.Rusage
		require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return u.Utime.Nano() + u.Stime.Nano()
	}
	before := used()
	return func() { b.ReportMetric(float64(used()-before)/float64(b.N), "cpu-ns/op") }
}

// way is how a query is to be run.
type way struct{ name, hint string }

// choose measures a query both ways, and others; # marks the place for a hint.
func choose(b *testing.B, db *sql.DB, name, query string, others ...way) {
	answer := ""
	for _, way := range append([]way{{"auto", ""}, {"scan", "IGNORE INDEX (a, b, kn)"}}, others...) {
		b.Run(name+"/"+way.name, func(b *testing.B) {
			asked := strings.Replace(query, "#", way.hint, 1)
			defer reportProcessor(b)()
			for b.Loop() {
				got := harness.Single(b, db, asked)
				if answer == "" {
					answer = got
				}
				require.Equal(b, answer, got, asked)
			}
		})
	}
}
