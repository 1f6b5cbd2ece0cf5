package sqlfront_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/sqlfront"
)

// extremeWindows are MIN and MAX over moving frames, in both orders of the rows: in one of them each row may
// become the extreme.
var extremeWindows = []string{
	"ORDER BY K ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
	"ORDER BY K DESC ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
	"ORDER BY K ROWS BETWEEN 300 PRECEDING AND CURRENT ROW", "ORDER BY K DESC ROWS BETWEEN 300 PRECEDING AND 5 FOLLOWING",
	"ORDER BY K DESC ROWS BETWEEN 200 FOLLOWING AND 500 FOLLOWING", "ORDER BY T RANGE BETWEEN 250 PRECEDING AND 100 FOLLOWING",
	"PARTITION BY Q ORDER BY K ROWS BETWEEN 2 PRECEDING AND UNBOUNDED FOLLOWING",
	"PARTITION BY Q ORDER BY K DESC ROWS BETWEEN 400 PRECEDING AND CURRENT ROW",
}

// TestExtremesOfFramesWithinMemory: MIN and MAX over moving frames need no more than queryMemory, however
// many rows of a frame may become the extreme, and give the same results as with unlimited memory.
func TestExtremesOfFramesWithinMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	e := newEngine(t)
	open := func(memory int64) *sqlfront.Session {
		s, err := e.NewSession(context.Background(), sqlfront.SessionOptions{Database: "d", QueryMemory: memory,
			MaxAllowedPacket: 16 << 10, TempDir: t.TempDir()})
		require.NoError(t, err)
		return s
	}
	large, small := open(64<<20), open(64<<10)
	mustExec(t, large, "CREATE TABLE w (K varbinary(10), Q varbinary(10), T bigint, V varbinary(1000), PRIMARY KEY (K, Q, T))")
	for i := range 1500 {
		v := fmt.Sprintf("CONCAT(LPAD(%d, 6, '0'), REPEAT('v', %d))", i, 800+r.IntN(100))
		if r.IntN(20) == 0 {
			v = "NULL"
		}
		mustExec(t, large, fmt.Sprintf("INSERT INTO w (K, Q, T, V) VALUES ('%06d', 'q%d', %d, %s)", i, r.IntN(2), i+1, v))
	}
	for _, over := range extremeWindows {
		for _, of := range []string{"V", "CONCAT(RIGHT(K, 1), V)", "CONCAT(MD5(K), V)"} {
			sql := fmt.Sprintf("SELECT K, LEFT(MIN(%[1]s) OVER w, 40), LEFT(MAX(%[1]s) OVER w, 40) FROM w WINDOW w AS (%[2]s)", of, over)
			want := answer(large, sql)
			require.False(t, strings.Contains(want, "ERROR"), want)
			require.Equal(t, want, answer(small, sql), sql)
		}
	}
}
