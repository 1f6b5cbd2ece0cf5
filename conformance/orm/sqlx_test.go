package orm

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"
)

type sqlxCell struct {
	K, Q string
	T    int64
	V    []byte
}

func sqlxString(cells []sqlxCell) string {
	var all []string
	for _, c := range cells {
		all = append(all, fmt.Sprintf("%s/%s/%d=%s", c.K, c.Q, c.T, c.V))
	}
	return strings.Join(all, " ")
}

const sqlxInsert = "INSERT INTO shop$cells (K, Q, T, V) VALUES (:k, :q, :t, :v)"

// sqlxCells are the cells of filled.
var sqlxCells = []sqlxCell{
	{"a", "p", 1, []byte("v1")}, {"a", "q", 1, []byte("v1")}, {"a", "q", 2, []byte("v2")},
	{"b", "p", 3, []byte("v3")}, {"c", "p", 4, []byte("v4")},
}

// sqlxOpen is the table with the cells of filled. sqlx finds fields by their
// lower-case names, which a mapper changes to the columns' upper case.
func sqlxOpen(t *testing.T, dsn string) *sqlx.DB {
	t.Helper()
	x := sqlx.NewDb(open(t, dsn), "mysql")
	require.NoError(t, x.Ping())
	x.MustExec(createTable)
	_, err := x.NamedExec(sqlxInsert, sqlxCells)
	require.NoError(t, err)
	x.MapperFunc(strings.ToUpper)
	return x
}

func TestSqlxSelect(t *testing.T) {
	x := sqlxOpen(t, memory)
	var got []sqlxCell
	require.NoError(t, x.Select(&got, "SELECT * FROM shop$cells WHERE K >= ? AND K < ? ORDER BY K, Q DESC", "a", "c"))
	require.Equal(t, "a/q/2=v2 a/p/1=v1 b/p/3=v3", sqlxString(got))
	got = nil
	require.NoError(t, x.Select(&got, "SELECT * FROM shop$cells ORDER BY K, Q LIMIT ? OFFSET ?", 2, 1))
	require.Equal(t, "a/q/2=v2 b/p/3=v3", sqlxString(got))

	query, args, err := sqlx.In("SELECT * FROM shop$cells WHERE K IN (?) AND T > ?", [][]byte{[]byte("a"), []byte("b")}, 1)
	require.NoError(t, err)
	got = nil
	require.NoError(t, x.Select(&got, x.Rebind(query), args...))
	require.Equal(t, "a/q/2=v2 b/p/3=v3", sqlxString(got))

	var one sqlxCell
	require.NoError(t, x.Get(&one, "SELECT * FROM shop$cells WHERE K = ? LIMIT 1", "b"))
	require.Equal(t, sqlxCells[3], one)
	require.ErrorIs(t, x.Get(&one, "SELECT * FROM shop$cells WHERE K = ?", "none"), sql.ErrNoRows)

	var n int
	require.NoError(t, x.Get(&n, "SELECT COUNT(*) FROM shop$cells"))
	require.Equal(t, 4, n)
	var groups []struct {
		K string
		N int
	}
	require.NoError(t, x.Select(&groups, "SELECT K, COUNT(*) AS N FROM shop$cells GROUP BY K HAVING COUNT(*) > ?", 1))
	require.Equal(t, "[{a 2}]", fmt.Sprint(groups))
}

func TestSqlxNamed(t *testing.T) {
	x := sqlxOpen(t, memory)
	rows, err := x.NamedQuery("SELECT * FROM shop$cells WHERE K = :k AND Q = :q", map[string]any{"k": "a", "q": "q"})
	require.NoError(t, err)
	require.True(t, rows.Next())
	fields := map[string]any{}
	require.NoError(t, rows.MapScan(fields))
	require.Equal(t, map[string]any{"K": []byte("a"), "Q": []byte("q"), "T": int64(2), "V": []byte("v2")}, fields)
	require.False(t, rows.Next())
	require.NoError(t, rows.Close())

	prepared, err := x.PrepareNamed("SELECT * FROM shop$cells WHERE K = :K")
	require.NoError(t, err)
	defer prepared.Close()
	var one sqlxCell
	require.NoError(t, prepared.Get(&one, sqlxCell{K: "c"}))
	require.Equal(t, sqlxCells[4], one)

	positional, err := x.Preparex("SELECT T FROM shop$cells WHERE K = ?")
	require.NoError(t, err)
	defer positional.Close()
	var version int64
	require.NoError(t, positional.QueryRowx("b").Scan(&version))
	require.EqualValues(t, 3, version)
}

func TestSqlxWrite(t *testing.T) {
	notOnHBase(t, "NULL and a negative T")
	x := sqlxOpen(t, allVersions)
	require.Equal(t, filled, stored(t, x.DB))
	named := strings.ToUpper(sqlxInsert[strings.Index(sqlxInsert, "("):])
	one := sqlxCell{"a", "p", 1, []byte("other")}
	_, err := x.NamedExec("INSERT INTO shop$cells "+named, one)
	var duplicate *mysql.MySQLError
	require.True(t, errors.As(err, &duplicate))
	require.EqualValues(t, 1062, duplicate.Number)
	_, err = x.NamedExec("INSERT INTO shop$cells "+named+" ON DUPLICATE KEY UPDATE V = VALUES(V)", one)
	require.NoError(t, err)
	_, err = x.NamedExec("UPDATE shop$cells SET V = CONCAT(V, :V) WHERE K = :K", sqlxCell{K: "b", V: []byte("+")})
	require.NoError(t, err)
	_, err = x.NamedExec("REPLACE INTO shop$cells "+named, []sqlxCell{{"c", "p", 4, []byte("c")}, {"d", "p", 5, nil}})
	require.NoError(t, err)
	require.Equal(t, "a/p/1=other a/q/2=v2 a/q/1=v1 b/p/3=v3+ c/p/4=c d/p/5=NULL", stored(t, x.DB))

	deleted, err := x.NamedExec("DELETE FROM shop$cells WHERE K = :K AND T < :T", sqlxCell{K: "a", T: 2})
	require.NoError(t, err)
	n, err := deleted.RowsAffected()
	require.NoError(t, err)
	require.EqualValues(t, 2, n)
	require.Equal(t, "a/q/2=v2 b/p/3=v3+ c/p/4=c d/p/5=NULL", stored(t, x.DB))

	odd := sqlxCell{binary, "", -1 << 63, []byte("\x00\xff")}
	_, err = x.NamedExec("INSERT INTO shop$cells "+named, odd)
	require.NoError(t, err)
	var got sqlxCell
	require.NoError(t, x.Get(&got, "SELECT * FROM shop$cells WHERE K = ?", binary))
	require.Equal(t, odd, got)
}

func TestSqlxTransaction(t *testing.T) {
	x := sqlxOpen(t, memory)
	tx := x.MustBegin()
	tx.MustExec("DELETE FROM shop$cells WHERE K = ?", "a")
	var n int
	require.NoError(t, tx.Get(&n, "SELECT COUNT(*) FROM shop$cells"))
	require.Equal(t, 2, n)
	require.NoError(t, tx.Rollback())
	require.Equal(t, filled, stored(t, x.DB))

	tx = x.MustBegin()
	tx.MustExec("DELETE FROM shop$cells WHERE K = ?", "a")
	require.NoError(t, tx.Commit())
	require.Equal(t, "b/p/3=v3 c/p/4=v4", stored(t, x.DB))
}

func TestSqlxViews(t *testing.T) {
	const latest = "a/p/1=v1 a/q/2=v2 b/p/3=v3 c/p/4=v4"
	find := func(q sqlx.QueryerContext, query string, args ...any) string {
		t.Helper()
		var got []sqlxCell
		require.NoError(t, sqlx.SelectContext(t.Context(), q, &got, query, args...))
		return sqlxString(got)
	}
	x := sqlxOpen(t, memory)
	require.Equal(t, latest, find(x, "SELECT * FROM shop$cells"))
	require.Equal(t, filled, find(x, "SELECT /*+ VERSIONS(ALL) */ * FROM shop$cells"))
	require.Equal(t, "a/p/1=v1 a/q/1=v1", find(x, "SELECT * FROM shop$cells FOR SYSTEM_TIME AS OF ?", 1))

	conn, err := x.Connx(context.Background())
	require.NoError(t, err)
	_, err = conn.ExecContext(t.Context(), "SET hbasekv_versions = 'all'")
	require.NoError(t, err)
	require.Equal(t, filled, find(conn, "SELECT * FROM shop$cells"))
	_, err = conn.ExecContext(t.Context(), "SET hbasekv_versions = DEFAULT") // the connection keeps what is set
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	require.Equal(t, latest, find(x, "SELECT * FROM shop$cells"))

	x = sqlxOpen(t, allVersions)
	require.Equal(t, filled, find(x, "SELECT * FROM shop$cells"))
	require.Equal(t, latest, find(x, "SELECT /*+ VERSIONS(1) */ * FROM shop$cells"))
}
