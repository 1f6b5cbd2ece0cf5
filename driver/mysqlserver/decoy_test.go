package mysqlserver

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// askedBy is the plugin that the server requests from a user.
func askedBy(t *testing.T, socket, user string) string {
	t.Helper()
	w := dial(t, socket)
	defer w.Conn.Close()
	w.greeting()
	w.put(append(w.Begin(), helloOf(wildCaps, user, "none_of_these", []byte("x"), "")...))
	asked := w.get()
	require.EqualValues(t, eofHeader, asked[0])
	plugin, _, _ := bytes.Cut(asked[1:], []byte{0})
	return string(plugin)
}

// TestUsersAreNotTold: the requested plugin does not reveal which users exist: unknown users
// are asked by every plugin, and each of them always by the same.
func TestUsersAreNotTold(t *testing.T) {
	list, err := NewAccounts("CREATE USER app IDENTIFIED WITH mysql_native_password BY 's3cret'; " +
		"CREATE USER ann IDENTIFIED WITH caching_sha2_password BY 's3cret'")
	require.NoError(t, err)
	socket, _ := serveWild(t, Options{Accounts: list})
	again, _ := serveWild(t, Options{Accounts: list})
	require.Equal(t, rights.NativePassword, askedBy(t, socket, "app"))
	require.Equal(t, rights.CachingSHA2, askedBy(t, socket, "ann"))
	seen := map[string]int{}
	for i := range 40 {
		user := fmt.Sprint("user", i)
		plugin := askedBy(t, socket, user)
		seen[plugin]++
		require.Equal(t, plugin, askedBy(t, socket, user), user)
		require.Equal(t, plugin, askedBy(t, again, user), "after a restart")
	}
	require.Greater(t, seen[rights.NativePassword], 4)
	require.Greater(t, seen[rights.CachingSHA2], 4)
}
