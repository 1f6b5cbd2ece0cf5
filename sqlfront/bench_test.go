package sqlfront_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/pebblekv"
	"github.com/hbasekv/hbasekv/sqlfront"
)

// BenchmarkPrepare finds the plans of texts: of one that is repeated, and of texts that differ in their
// literals.
func BenchmarkPrepare(b *testing.B) {
	e := newEngine(b)
	s := newSession(b, e, "a")
	defer s.Close()
	mustExec(b, s, "CREATE TABLE c (K varbinary(20), Q varbinary(20), T bigint, V varbinary(100), PRIMARY KEY (K, Q, T))")
	for _, c := range []struct{ name, text string }{
		{"select", "SELECT K, Q, T, V FROM c WHERE K = 'row%08d' AND Q = 'c'"},
		{"insert", "INSERT INTO c VALUES ('row%08d','q',1700000000000,'" + strings.Repeat("v", 100) + "')"},
		{"insert-rows", "INSERT INTO c VALUES ('row%08d','q',1700000000000,'v')" + strings.Repeat(",('row','q',1700000000000,'v')", 99)},
		{"update", "UPDATE c SET V = '%08d' WHERE K = 'row' AND Q = 'c'"},
		{"delete", "DELETE FROM c WHERE K = 'row%08d' AND Q = 'c'"},
	} {
		texts := make([]string, 20_000) // more than are remembered
		for i := range texts {
			texts[i] = fmt.Sprintf(c.text, i)
			if i < 4 {
				_ = answer(s, texts[i])
			}
		}
		for name, of := range map[string][]string{"same": texts[:1], "different": texts} {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					if _, err := s.Prepare(context.Background(), of[i%len(of)]); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkCounting reads a cell and writes one, with the statements counted and not, in short turns: on-ns
// and off-ns are the medians, so that other load on the machine matters little. Counting takes 1 or 2 % of
// either, and no allocation.
func BenchmarkCounting(b *testing.B) {
	const turn = 100 // statements
	for _, c := range []struct{ name, text string }{
		{"read", "SELECT V FROM c WHERE K = 'row1000' AND Q = 'q' AND T = 1"},
		{"write", "REPLACE INTO c VALUES ('row1000', 'q', 1, 'v')"},
	} {
		b.Run(c.name, func(b *testing.B) {
			on, off := countedSession(b, true), countedSession(b, false)
			var times [2][]time.Duration
			for b.Loop() {
				for i, s := range [...]*sqlfront.Session{on, off} {
					began := time.Now()
					runTimes(b, s, c.text, turn)
					times[i] = append(times[i], time.Since(began))
				}
			}
			for i, unit := range []string{"on-ns", "off-ns"} {
				slices.Sort(times[i])
				b.ReportMetric(float64(times[i][len(times[i])/2].Nanoseconds())/turn, unit)
			}
		})
	}
}

// countedSession is one over a store with some cells.
func countedSession(b *testing.B, counting bool) *sqlfront.Session {
	store, err := pebblekv.Open(pebblekv.Options{InMemory: true})
	require.NoError(b, err)
	b.Cleanup(func() { store.Close() })
	e := sqlfront.NewEngine(store)
	require.NoError(b, e.EnsureDatabase(context.Background(), "d"))
	if !counting {
		e.CountNothing()
	}
	s := newSession(b, e, "a")
	b.Cleanup(func() { s.Close() })
	mustExec(b, s, "CREATE TABLE c (K varbinary(20), Q varbinary(20), T bigint, V varbinary(100), PRIMARY KEY (K, Q, T))")
	for i := range 2000 {
		mustExec(b, s, fmt.Sprintf("INSERT INTO c VALUES ('row%d', 'q', 1, 'v')", i))
	}
	return s
}

func runTimes(b *testing.B, s *sqlfront.Session, text string, n int) {
	ctx := context.Background()
	st, err := s.Prepare(ctx, text)
	require.NoError(b, err)
	for range n {
		if _, err := s.Exec(ctx, st, nil); err != nil {
			b.Fatal(err)
		}
	}
}
