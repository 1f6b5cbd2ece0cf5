package shell

import (
	"bytes"
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver"
)

func TestMoveBar(t *testing.T) {
	db, err := sql.Open(driver.Name, ":memory:")
	require.NoError(t, err)
	defer db.Close()
	var drawn bytes.Buffer
	ctx, done := withMoveBar(t.Context(), &drawn)
	for _, s := range []string{
		"CREATE TABLE t (K varbinary(10), Q varbinary(10), T bigint, V varbinary(10), PRIMARY KEY (K, Q, T))",
		"INSERT INTO t VALUES ('a', 'q', 1, ''), ('b', 'q', 1, '')",
	} {
		_, err = db.ExecContext(ctx, s)
		require.NoError(t, err)
	}
	require.Empty(t, drawn.String())
	_, err = db.ExecContext(ctx, "ALTER TABLE t PARTITION BY KEY(K) PARTITIONS 7")
	require.NoError(t, err)
	require.Contains(t, drawn.String(), "moving cells")
	done()
}
