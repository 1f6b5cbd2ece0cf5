package mysqlserver

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestResetDropsTemporaryTables: COM_RESET_CONNECTION and COM_CHANGE_USER drop a session's
// temporary tables, and roll back the transaction that wrote them.
func TestResetDropsTemporaryTables(t *testing.T) {
	socket, db := serveWild(t, Options{})
	_, err := db.Exec("CREATE TABLE t (K varbinary(8), Q varbinary(8), T bigint, V varbinary(8), PRIMARY KEY (K, Q, T))")
	require.NoError(t, err)
	w := dial(t, socket)
	w.login(wildCaps)
	for _, end := range []func(){
		func() { reset(w) },
		func() {
			require.EqualValues(t, okHeader, w.say(comChangeUser, "root\x00\x00default\x00\x2d\x00mysql_native_password\x00")[0])
		},
	} {
		for _, statement := range []string{"CREATE TEMPORARY TABLE o LIKE t", "BEGIN", "INSERT INTO o VALUES ('a', 'q', 1, 'x')",
			"INSERT INTO t VALUES ('a', 'q', 1, 'x')"} {
			require.EqualValues(t, okHeader, w.say(comQuery, statement)[0], statement)
		}
		require.Len(t, w.rows(w.say(comQuery, "SELECT o.K FROM o, t")), 1)
		end()
		require.EqualValues(t, 1146, number(t, w.say(comQuery, "SELECT K FROM o")))
		require.Empty(t, w.rows(w.say(comQuery, "SELECT K FROM t")))
	}
}
