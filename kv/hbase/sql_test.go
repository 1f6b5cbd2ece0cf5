package hbase

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/kv/kvtest"
)

// openSQL returns a sql.DB on the HBase of the tests.
func openSQL(t testing.TB, parameters string) *sql.DB {
	t.Helper()
	db, err := sql.Open("hbasekv", uriOfTests("default", parameters))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// rows returns a result's rows with their columns separated by bars.
func rows(t testing.TB, db interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}, query string, args ...any) []string {
	t.Helper()
	r, err := db.QueryContext(context.Background(), query, args...)
	require.NoError(t, err, query)
	defer r.Close()
	columns, err := r.Columns()
	require.NoError(t, err)
	out := []string{}
	for r.Next() {
		values, at := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			at[i] = &values[i]
		}
		require.NoError(t, r.Scan(at...))
		var words []string
		for _, v := range values {
			words = append(words, v.String)
		}
		out = append(out, strings.Join(words, "|"))
	}
	require.NoError(t, r.Err())
	return out
}

// SELECTs from a table made by another program, with three regions.
func TestSelect(t *testing.T) {
	s := openTest(t)
	name := newName()
	makeTable(t, s, name, [][]byte{[]byte("k3"), []byte("k6")}, familySchema("a", "VERSIONS", "5"), familySchema("b"))
	for k := range 9 {
		row := fmt.Appendf(nil, "k%d", k)
		for v := range 3 {
			putRaw(t, s, name, cell{row: row, family: []byte("a"), qualifier: []byte("n"), timestamp: int64(10 * (v + 1)), value: fmt.Appendf(nil, "%d", k+v)})
		}
		putRaw(t, s, name, cell{row: row, family: []byte("b"), qualifier: []byte("m"), timestamp: 7, value: []byte("x")})
	}
	db := openSQL(t, "")
	a := "`" + name + "$a`"
	require.Equal(t, []string{"k0|n|30|2", "k1|n|30|3"}, rows(t, db, "SELECT * FROM "+a+" WHERE K < 'k2' ORDER BY K"))
	require.Equal(t, []string{"9"}, rows(t, db, "SELECT COUNT(*) FROM "+a))
	require.Equal(t, []string{"27"}, rows(t, db, "SELECT COUNT(*) FROM "+a+" FOR SYSTEM_TIME ALL"))
	require.Equal(t, []string{"k8|10", "k7|9"}, rows(t, db, "SELECT K, V FROM "+a+" ORDER BY K DESC LIMIT 2"))
	require.Equal(t, []string{"k8"}, rows(t, db, "SELECT MAX(K) FROM "+a))
	require.Equal(t, []string{"6"}, rows(t, db, "SELECT V FROM "+a+" WHERE K = 'k4' AND Q = ?", "n"))
	require.Equal(t, []string{"k1|3", "k7|9"}, rows(t, db, "SELECT K, V FROM "+a+" WHERE K IN ('k1', 'k7', 'none') ORDER BY K"))
	require.Equal(t, []string{"54"}, rows(t, db, "SELECT SUM(V) FROM "+a))
	// Older versions are not seen, even if they match.
	require.Empty(t, rows(t, db, "SELECT K FROM "+a+" WHERE V = '0'"))
	require.Empty(t, rows(t, db, "SELECT K FROM "+a+" WHERE T < 20"))
	require.Equal(t, []string{"k0|a|n", "k0|b|m"}, rows(t, db, "SELECT K, F, Q FROM `"+name+"` WHERE K = 'k0'"))
	require.Equal(t, []string{"9"}, rows(t, db, "SELECT COUNT(*) FROM "+a+" x JOIN `"+name+"$b` y ON x.K = y.K"))
	plan := rows(t, db, "EXPLAIN SELECT * FROM "+a+" WHERE K >= 'k6'")
	require.Len(t, plan, 1)
	last := kvtest.Catalog(s).Table("default", name+"$a").Partitioning.Name(2)
	require.Contains(t, plan[0], last)
	require.Equal(t, []string{"3"}, rows(t, db, "SELECT COUNT(*) FROM "+a+" PARTITION (`"+last+"`)"))
	shown := rows(t, db, "SHOW PARTITIONS FROM "+a)
	require.Len(t, shown, 3)
	for i, line := range shown { // 9 cells with a row and a qualifier of 3 bytes, T and a value of one byte, but for the last
		require.Regexp(t, fmt.Sprintf(`\|9\|%d\|k%d\|k%d\|\d+\|\d+\|.*\|on .+:\d+`, []int{108, 108, 109}[i], 3*i, 3*i+2), line)
	}
	require.Len(t, rows(t, db, "SELECT * FROM information_schema.PARTITIONS WHERE TABLE_NAME = ?", name+"$a"), 3)
}

// Isolation levels above READ COMMITTED, and locks, are refused by name; the pool's default
// is not.
func TestRefusedInTransactions(t *testing.T) {
	s := openTest(t)
	name := newName()
	makeTable(t, s, name, nil, familySchema("a"))
	db := openSQL(t, "")
	ctx := context.Background()
	for _, level := range []sql.IsolationLevel{sql.LevelRepeatableRead, sql.LevelSerializable} {
		_, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: level})
		require.ErrorContains(t, err, "1235")
	}
	tx, err := db.Begin()
	require.NoError(t, err)
	_, err = tx.Query("SELECT * FROM `" + name + "$a` FOR UPDATE")
	require.ErrorContains(t, err, "1235")
	require.NoError(t, tx.Rollback())
	_, err = db.Exec("SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE")
	require.ErrorContains(t, err, "1235")
}

// Unreachable clusters cause errors that say so.
func TestUnreachable(t *testing.T) {
	s := openTest(t)
	for uri, says := range map[string]string{
		"hbase://127.0.0.1:1":                                               "ZooKeeper quorum 127.0.0.1:1 cannot be reached",
		"hbase://" + quorumOfTests + "/?znode=/none":                        "has no znode /none/master",
		"hbase://" + quorumOfTests + "/?principal=x":                        "auth=kerberos",
		"hbase://" + quorumOfTests + "/?auth=token":                         "delegation tokens",
		"hbase://" + quorumOfTests + "/?keyFile=x&tls=true":                 "certFile",
		"hbase+rpc://127.0.0.1:1":                                           "no server found through the masters 127.0.0.1:1",
		"hbase+rpc://127.0.0.1:1/?auth=kerberos&zooKeeperService=zookeeper": "does not use ZooKeeper",
		"hbase://127.0.0.1:1/?zooKeeperService=zookeeper":                   "requires auth=kerberos",
		"hbase+rpc://127.0.0.1:1/?zooKeeperTLS=true":                        "does not use ZooKeeper",
		"hbase://" + quorumOfTests + "/?speed=much":                         "speed",
		"hbase://user:secret@" + quorumOfTests:                              "user=",
		"hbase://" + quorumOfTests + "/?caFile=/x":                          "tls=true",
		"hbase://" + quorumOfTests + "/?rpcTimeout=1":                       "rpcTimeout",
		"hbase://" + quorumOfTests + "/?tls=true&rpcTimeout=2s":             "cannot be reached",
	} {
		db, err := sql.Open("hbasekv", uri+map[bool]string{true: "&", false: "?"}[strings.Contains(uri, "?")]+"parseTime=true")
		require.NoError(t, err, uri)
		require.ErrorContains(t, db.Ping(), says, uri)
		require.NoError(t, db.Close())
	}
	name := newName()
	makeTable(t, s, name, nil, familySchema("a"))
	db := openSQL(t, "")
	require.Empty(t, rows(t, db, "SELECT * FROM `"+name+"$a`"))
	disable(t, s, name)
	r, err := db.Query("SELECT * FROM `" + name + "$a`")
	if err == nil {
		require.False(t, r.Next())
		err = r.Err()
	}
	require.ErrorContains(t, err, "disabled")
	require.NotContains(t, err.Error(), "\tat ", "a stack")
}
