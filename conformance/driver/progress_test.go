package driver

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/driver"
)

// TestReadProgress: long statements report how much they have read, to the caller
// and in the process list; short ones do not.
func TestReadProgress(t *testing.T) {
	const cells = 40000
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE t (K varbinary(64), Q varbinary(64), T bigint, V varbinary(64), PRIMARY KEY (K, Q, T))")
	var rows []string
	for i := range cells {
		rows = append(rows, fmt.Sprintf("('k%06d', 'q', 1, 'v%d')", i, i))
	}
	harness.Must(t, db, "REPLACE INTO t VALUES "+strings.Join(rows, ", "))

	told := map[string][]driver.ReadProgress{}
	run := func(statement string) {
		ctx := driver.WithProgress(context.Background(), func(p driver.ReadProgress) { told[statement] = append(told[statement], p) })
		r, err := db.QueryContext(ctx, statement)
		require.NoError(t, err)
		for r.Next() {
		}
		require.NoError(t, r.Close())
	}
	for _, short := range []string{"SELECT * FROM t WHERE K = 'k000007'", "SELECT * FROM t LIMIT 3", "SELECT 1"} {
		run(short)
		require.Empty(t, told[short], short)
	}
	for _, long := range []string{"SELECT K FROM t WHERE V LIKE '%7%'", "SELECT COUNT(*) FROM t", "SELECT LEFT(K, 3), MAX(V) FROM t GROUP BY 1",
		"SELECT COUNT(*), MAX(V) FROM t WHERE K > 'k02'", "SELECT K FROM t ORDER BY V"} {
		run(long)
		require.NotEmpty(t, told[long], long)
		for i, p := range told[long] {
			require.True(t, i == 0 || p.Cells >= told[long][i-1].Cells, long)
			require.True(t, p.Cells > 0 && p.Cells <= p.AllCells && p.AllCells < 2*cells && p.AllCells > cells/4, "%s: %+v", long, p)
		}
	}

	open, err := db.Query("SELECT K, V FROM t WHERE V <> 'x'")
	require.NoError(t, err)
	for range cells / 2 {
		require.True(t, open.Next())
	}
	var percent int
	require.Regexp(t, `^Sending data \d+%$`, stateOf(t, db, "V <> 'x'"))
	_, err = fmt.Sscanf(stateOf(t, db, "V <> 'x'"), "Sending data %d%%", &percent)
	require.NoError(t, err)
	require.True(t, percent > 20 && percent <= 100, "%d", percent)
	require.NoError(t, open.Close())
}

// stateOf is the state in the process list of the statement that ends with end.
func stateOf(t *testing.T, db harness.Execer, end string) (state string) {
	t.Helper()
	r, err := db.QueryContext(context.Background(), "SELECT STATE, INFO FROM information_schema.PROCESSLIST")
	require.NoError(t, err)
	defer r.Close()
	for r.Next() {
		var at, info *string
		require.NoError(t, r.Scan(&at, &info))
		if info != nil && strings.HasSuffix(*info, end) {
			state = *at
		}
	}
	return state
}
