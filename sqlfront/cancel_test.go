package sqlfront_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// countdown is a context that is cancelled after it has been asked a number of times.
type countdown struct {
	context.Context
	left atomic.Int64 // several goroutines may ask
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancelAnywhere cancels queries at each point where they check their context: the answer is complete or
// the context's error, never a part.
func TestCancelAnywhere(t *testing.T) {
	e := newEngine(t)
	s := newSession(t, e, "a")
	mustExec(t, s, createT)
	for i := range 30 {
		mustExec(t, s, "INSERT INTO t VALUES (?, 'q', 1, 'v')", value.NewInt(int64(i)))
	}
	for _, sql := range []string{
		"SELECT COUNT(*) FROM t",
		"SELECT COUNT(*) FROM t a, t b WHERE a.T + b.T = 2",
		"SELECT COUNT(*) FROM t a JOIN t b ON a.K = b.K",
		"SELECT COUNT(*) FROM t a JOIN t b ON a.V = b.V WHERE a.K < '2'",
		"SELECT COUNT(*) FROM t a LEFT JOIN t b ON a.K = b.V",
		"SELECT V, COUNT(*) FROM t GROUP BY V",
		"SELECT LEFT(K, 1), COUNT(*) FROM t GROUP BY LEFT(K, 1) ORDER BY 2 DESC, 1",
		"SELECT K FROM t ORDER BY V, K DESC LIMIT 7",
		"SELECT DISTINCT V FROM t",
		"SELECT MIN(K), MAX(K) FROM t",
		"SELECT K FROM t WHERE K IN (SELECT K FROM t WHERE K > '2')",
		"SELECT COUNT(*) FROM t a WHERE EXISTS (SELECT 1 FROM t b WHERE b.K = a.K AND b.K > '1')",
		"SELECT K FROM t WHERE K < '2' UNION SELECT K FROM t WHERE K > '1' ORDER BY 1",
		"SELECT COUNT(*) FROM (SELECT DISTINCT K FROM t) d",
		"SELECT (SELECT COUNT(*) FROM t)",
		"SELECT K, ROW_NUMBER() OVER (ORDER BY K), SUM(T) OVER (ORDER BY V, K ROWS 3 PRECEDING) FROM t",
		"SELECT K, CUME_DIST() OVER (PARTITION BY V ORDER BY K), MAX(T) OVER (ORDER BY T RANGE 2 PRECEDING) FROM t",
		"WITH RECURSIVE s AS (SELECT 1 AS n UNION SELECT n * 3 % 101 FROM s) SELECT COUNT(*) FROM s, t",
	} {
		want := answer(s, sql)
		finished := false
		for n := 0; !finished; n++ {
			require.Less(t, n, 100_000, sql)
			ctx := &countdown{Context: context.Background()}
			ctx.left.Store(int64(n))
			st, err := s.Prepare(context.Background(), sql)
			require.NoError(t, err)
			rows, err := s.Query(ctx, st, nil)
			if err != nil {
				require.Equal(t, context.Canceled, err, "%s, cancelled at look %d", sql, n)
				continue
			}
			got := printRows(rows)
			if strings.HasSuffix(got, printError(context.Canceled)) {
				continue
			}
			require.Equal(t, want, got, "%s, cancelled at look %d", sql, n)
			finished = ctx.left.Load() >= 0
		}
	}
}
