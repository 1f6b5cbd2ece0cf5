package shell

import (
	"bytes"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver"
)

// TestReadBar: a bar is drawn while a statement reads, and is removed before the
// first rows are printed.
func TestReadBar(t *testing.T) {
	db, err := sql.Open(driver.Name, ":memory:")
	require.NoError(t, err)
	defer db.Close()
	_, err = db.Exec("CREATE TABLE t (K varbinary(10), Q varbinary(10), T bigint, V varbinary(10), PRIMARY KEY (K, Q, T))")
	require.NoError(t, err)
	var cells []string
	for i := range 5000 {
		cells = append(cells, fmt.Sprintf("('%05d', 'q', 1, 'v')", i))
	}
	_, err = db.Exec("INSERT INTO t VALUES " + strings.Join(cells, ", "))
	require.NoError(t, err)

	var drawn, printed bytes.Buffer
	bar := readBar{out: &drawn}
	var n int
	require.NoError(t, db.QueryRowContext(bar.within(t.Context()), "SELECT COUNT(*) FROM t WHERE K = '00007'").Scan(&n))
	require.Empty(t, drawn.String())
	const long = "SELECT COUNT(*) FROM t WHERE V LIKE '%v%'"
	require.NoError(t, db.QueryRowContext(bar.within(t.Context()), long).Scan(&n))
	require.Equal(t, 5000, n)
	require.Contains(t, drawn.String(), "reading cells")

	_, err = fmt.Fprint(bar.before(&printed), n)
	require.NoError(t, err)
	before := drawn.String()
	require.NoError(t, db.QueryRowContext(bar.within(t.Context()), long).Scan(&n))
	require.Equal(t, before, drawn.String())
	require.Equal(t, "5000", printed.String())
}
