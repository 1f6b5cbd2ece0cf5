package sqlfront_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront"
)

// BenchmarkPrepare finds the plan of texts: of one that comes again, and of texts
// that differ in their literals.
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

// BenchmarkCounting reads a cell and writes one, on a store in memory that does little,
// with the statements counted and not: what counting takes of each.
func BenchmarkCounting(b *testing.B) {
	sessions := map[string]*sqlfront.Session{}
	for _, counting := range []string{"on", "off"} {
		e := newEngine(b)
		if counting == "off" {
			e.CountNothing()
		}
		s := newSession(b, e, "a")
		defer s.Close()
		mustExec(b, s, "CREATE TABLE c (K varbinary(20), Q varbinary(20), T bigint, V varbinary(100), PRIMARY KEY (K, Q, T))")
		mustExec(b, s, "INSERT INTO c VALUES ('k', 'q', 1, 'v')")
		sessions[counting] = s
	}
	for _, c := range []struct{ name, text string }{
		{"read", "SELECT V FROM c WHERE K = 'k' AND Q = 'q' AND T = 1"},
		{"write", "REPLACE INTO c VALUES ('k', 'q', 1, 'v')"},
	} {
		for _, counting := range []string{"on", "off"} {
			b.Run(c.name+"/counting="+counting, func(b *testing.B) {
				s, ctx := sessions[counting], context.Background()
				st, err := s.Prepare(ctx, c.text)
				require.NoError(b, err)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := s.Exec(ctx, st, nil); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
