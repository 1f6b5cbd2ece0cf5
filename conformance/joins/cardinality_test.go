package joins

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestCardinality compares the cardinalities in SHOW INDEX, of K, of K and Q, and of the
// whole key, with the numbers that they estimate.
func TestCardinality(t *testing.T) {
	for _, layout := range []string{"none", "key", "range"} {
		for _, cells := range []int{600, 40000} {
			t.Run(fmt.Sprintf("%s %d", layout, cells), func(t *testing.T) {
				l := load(t, rand.New(rand.NewPCG(1, 7)), layout, max(cells, 2000))
				if cells < 2000 {
					harness.Must(t, l.db, "DELETE FROM o WHERE K > 'a1'")
				}
				want := [3]float64{}
				require.NoError(t, l.db.QueryRow("SELECT COUNT(DISTINCT K), COUNT(DISTINCT K, Q), COUNT(*) FROM o").
					Scan(&want[0], &want[1], &want[2]))
				got := cardinalities(t, l.db)
				for i := range want {
					if cells < 2000 {
						require.Equal(t, want, got)
					}
					require.LessOrEqual(t, got[i], 2*want[i], "%d", i)
					require.GreaterOrEqual(t, got[i], want[i]/2, "%d", i)
				}
				harness.Must(t, l.db, "SET hbasekv_exact_statistics = 1")
				require.Equal(t, want, cardinalities(t, l.db))
			})
		}
	}
}

func cardinalities(t *testing.T, db *sql.DB) (out [3]float64) {
	rows, err := db.Query("SELECT SEQ_IN_INDEX, CARDINALITY FROM information_schema.STATISTICS WHERE TABLE_NAME = 'o'")
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var at int
		var n float64
		require.NoError(t, rows.Scan(&at, &n))
		out[at-1] = n
	}
	require.NoError(t, rows.Err())
	return out
}
