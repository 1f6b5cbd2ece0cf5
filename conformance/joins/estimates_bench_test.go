package joins

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// BenchmarkExplain plans a statement that reads some of 600,000 cells: each time of
// another span, and repeatedly of one.
func BenchmarkExplain(b *testing.B) {
	l := load(b, rand.New(rand.NewPCG(1, 7)), "none", 600000)
	b.Run("new", func(b *testing.B) {
		for i := range b.N {
			harness.Explained(b, l.db, fmt.Sprintf("EXPLAIN SELECT V FROM o WHERE K > 'a%07d' AND V > 500", i))
		}
	})
	b.Run("again", func(b *testing.B) {
		for range b.N {
			harness.Explained(b, l.db, "EXPLAIN SELECT V FROM o WHERE K > 'a1' AND V > 500")
		}
	})
}

// BenchmarkJoinChoice joins a large table with a small one, in the way that is
// estimated to be best and as the statement is written.
func BenchmarkJoinChoice(b *testing.B) {
	db := joinChoiceDB(b, 50000)
	for _, way := range []string{"estimated", "as written"} {
		for _, s := range joinChoices {
			b.Run(way+"/"+s.name, func(b *testing.B) {
				harness.SetJoinRows(b, db, map[string]int{"estimated": 0, "as written": harness.OneByOne}[way])
				for range b.N {
					harness.Explained(b, db, s.statement)
				}
			})
		}
	}
}
