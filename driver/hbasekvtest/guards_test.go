package hbasekvtest_test

import (
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/hbasekvtest"
)

func refused(t testing.TB, err error, says string) {
	t.Helper()
	var e *mysql.MySQLError
	require.ErrorAs(t, err, &e)
	require.EqualValues(t, 1104, e.Number)
	require.Contains(t, e.Message, says)
}

func TestNoFullScan(t *testing.T) {
	t.Parallel()
	db := hbasekvtest.Open(t, hbasekvtest.Schema(users))
	tx, err := db.Begin() // a connection that is in use
	require.NoError(t, err)
	defer tx.Rollback()
	t.Run("guarded", func(t *testing.T) {
		hbasekvtest.NoFullScan(t, db)
		_, err = tx.Exec("DELETE FROM users$info WHERE V = 'x'")
		refused(t, err, "-> Delete users$info\n    -> Full scan of users$info")
		_, err = db.Query("SELECT * FROM users$info WHERE V = ?", "x")
		refused(t, err, "-> Full scan of users$info")
		require.EqualValues(t, 0, count(t, db, "SELECT COUNT(*) FROM users$info WHERE K = 'k'"))
	})
	require.EqualValues(t, 0, count(t, db, "SELECT COUNT(*) FROM users$info"))
	require.NoError(t, tx.QueryRow("SELECT COUNT(*) FROM users$info").Err())
}
