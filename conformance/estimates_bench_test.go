package conformance

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkExplain asks for the plan of what reads some of 600,000 cells: each time
// of another span, and again and again of one.
func BenchmarkExplain(b *testing.B) {
	l := load(b, rand.New(rand.NewPCG(1, 7)), "none", 600000)
	b.Run("new", func(b *testing.B) {
		for i := range b.N {
			explained(b, l.db, fmt.Sprintf("EXPLAIN SELECT V FROM o WHERE K > 'a%07d' AND V > 500", i))
		}
	})
	b.Run("again", func(b *testing.B) {
		for range b.N {
			explained(b, l.db, "EXPLAIN SELECT V FROM o WHERE K > 'a1' AND V > 500")
		}
	})
}

func explained(b *testing.B, db *sql.DB, statement string) {
	rows, err := db.Query(statement)
	require.NoError(b, err)
	for rows.Next() {
	}
	require.NoError(b, rows.Close())
}

// BenchmarkJoinChoice joins a large table with a small one, by what is estimated to
// be the best way and as the statement was written.
func BenchmarkJoinChoice(b *testing.B) {
	db := joinChoiceDB(b, 50000)
	for _, way := range []string{"estimated", "as written"} {
		for _, s := range joinChoices {
			b.Run(way+"/"+s.name, func(b *testing.B) {
				setJoinRows(b, db, map[string]int{"estimated": 0, "as written": oneByOne}[way])
				for range b.N {
					explained(b, db, s.statement)
				}
			})
		}
	}
}
