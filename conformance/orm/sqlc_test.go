package orm

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
)

// The following has the shape of sqlc's output: constants with a leading
// comment, and methods on a DBTX, which a *sql.DB and a *sql.Tx implement.

type sqlcDBTX interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
	PrepareContext(context.Context, string) (*sql.Stmt, error)
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
	QueryRowContext(context.Context, string, ...any) *sql.Row
}

type sqlcQueries struct{ db sqlcDBTX }

func (q *sqlcQueries) WithTx(tx *sql.Tx) *sqlcQueries { return &sqlcQueries{db: tx} }

const sqlcPutCell = `-- name: PutCell :exec
INSERT INTO shop$cells (
  K, Q, T, V
) VALUES (
  ?, ?, ?, ?
)
ON DUPLICATE KEY UPDATE V = VALUES(V)
`

func (q *sqlcQueries) PutCell(ctx context.Context, c sqlxCell) error {
	_, err := q.db.ExecContext(ctx, sqlcPutCell, c.K, c.Q, c.T, c.V)
	return err
}

const sqlcGetCell = `-- name: GetCell :one
SELECT k, q, t, v FROM ` + "`shop$cells`" + `
WHERE k = ? AND q = ? LIMIT 1
`

func (q *sqlcQueries) GetCell(ctx context.Context, k, qualifier string) (sqlxCell, error) {
	var c sqlxCell
	err := q.db.QueryRowContext(ctx, sqlcGetCell, k, qualifier).Scan(&c.K, &c.Q, &c.T, &c.V)
	return c, err
}

const sqlcListCells = `-- name: ListCells :many
SELECT k, q, t, v FROM shop$cells
WHERE k IN (/*SLICE:keys*/?)
ORDER BY k, q, t
LIMIT ? OFFSET ?
`

func (q *sqlcQueries) ListCells(ctx context.Context, keys []string, limit, offset int32) ([]sqlxCell, error) {
	marks := strings.Repeat(",?", len(keys))[1:]
	query := strings.Replace(sqlcListCells, "/*SLICE:keys*/?", marks, 1)
	var args []any
	for _, k := range keys {
		args = append(args, k)
	}
	rows, err := q.db.QueryContext(ctx, query, append(args, limit, offset)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var items []sqlxCell
	for rows.Next() {
		var c sqlxCell
		if err := rows.Scan(&c.K, &c.Q, &c.T, &c.V); err != nil {
			return nil, err
		}
		items = append(items, c)
	}
	return items, rows.Err()
}

const sqlcDeleteCells = `-- name: DeleteCells :execrows
DELETE FROM shop$cells WHERE k = ?
`

func (q *sqlcQueries) DeleteCells(ctx context.Context, k string) (int64, error) {
	result, err := q.db.ExecContext(ctx, sqlcDeleteCells, k)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

const sqlcCreateCell = `-- name: CreateCell :execresult
INSERT INTO shop$cells (K, Q, T, V) VALUES (?, ?, ?, ?)
`

func (q *sqlcQueries) CreateCell(ctx context.Context, c sqlxCell) (sql.Result, error) {
	return q.db.ExecContext(ctx, sqlcCreateCell, c.K, c.Q, c.T, c.V)
}

const sqlcUpdateCell = `-- name: UpdateCell :execrows
UPDATE shop$cells SET v = ? WHERE k = ? AND q = ?
`

func (q *sqlcQueries) UpdateCell(ctx context.Context, v []byte, k, qualifier string) (int64, error) {
	result, err := q.db.ExecContext(ctx, sqlcUpdateCell, v, k, qualifier)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

const sqlcCountByRow = `-- name: CountByRow :many
SELECT k, COUNT(*) AS n, MAX(t) AS newest FROM shop$cells
GROUP BY k
HAVING COUNT(*) >= ?
ORDER BY k
`

type sqlcCountByRowRow struct {
	K      string
	N      int64
	Newest any
}

func (q *sqlcQueries) CountByRow(ctx context.Context, least int64) ([]sqlcCountByRowRow, error) {
	rows, err := q.db.QueryContext(ctx, sqlcCountByRow, least)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var items []sqlcCountByRowRow
	for rows.Next() {
		var i sqlcCountByRowRow
		if err := rows.Scan(&i.K, &i.N, &i.Newest); err != nil {
			return nil, err
		}
		items = append(items, i)
	}
	return items, rows.Err()
}

const sqlcListVersions = `-- name: ListVersions :many
SELECT /*+ VERSIONS(ALL) */ t FROM shop$cells WHERE k = ? AND q = ?
`

func (q *sqlcQueries) ListVersions(ctx context.Context, k, qualifier string) ([]int64, error) {
	rows, err := q.db.QueryContext(ctx, sqlcListVersions, k, qualifier)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var items []int64
	for rows.Next() {
		var t int64
		if err := rows.Scan(&t); err != nil {
			return nil, err
		}
		items = append(items, t)
	}
	return items, rows.Err()
}

func TestSqlc(t *testing.T) {
	db := open(t, memory)
	_, err := db.Exec("-- schema.sql\n" + createTable + ";\n")
	require.NoError(t, err)
	q := &sqlcQueries{db: db}
	for _, c := range sqlxCells {
		require.NoError(t, q.PutCell(t.Context(), c))
		require.NoError(t, q.PutCell(t.Context(), c))
	}
	require.Equal(t, filled, stored(t, db))

	got, err := q.GetCell(t.Context(), "a", "q")
	require.NoError(t, err)
	require.Equal(t, sqlxCells[2], got)
	_, err = q.GetCell(t.Context(), "none", "q")
	require.ErrorIs(t, err, sql.ErrNoRows)
	list, err := q.ListCells(t.Context(), []string{"a", "c"}, 2, 1)
	require.NoError(t, err)
	require.Equal(t, "a/q/2=v2 c/p/4=v4", sqlxString(list))

	groups, err := q.CountByRow(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, []sqlcCountByRowRow{{"a", 2, int64(2)}, {"b", 1, int64(3)}, {"c", 1, int64(4)}}, groups)

	tx, err := db.Begin()
	require.NoError(t, err)
	n, err := q.WithTx(tx).DeleteCells(t.Context(), "a")
	require.NoError(t, err)
	require.EqualValues(t, 2, n, "the rows of the latest view")
	require.NoError(t, tx.Rollback())
	require.Equal(t, filled, stored(t, db))
}

func TestSqlcWrite(t *testing.T) {
	x := sqlxOpen(t, memory)
	q := &sqlcQueries{db: x.DB}
	_, err := q.CreateCell(t.Context(), sqlxCells[0])
	var duplicate *mysql.MySQLError
	require.ErrorAs(t, err, &duplicate)
	require.EqualValues(t, 1062, duplicate.Number)
	result, err := q.CreateCell(t.Context(), sqlxCell{K: "d", Q: "p", T: 5})
	require.NoError(t, err)
	n, err := result.RowsAffected()
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	n, err = q.UpdateCell(t.Context(), []byte("new"), "b", "p")
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	versions, err := q.ListVersions(t.Context(), "b", "p")
	require.NoError(t, err)
	require.Len(t, versions, 2)
	require.EqualValues(t, 3, versions[1])
}

// TestSqlcViews: the queries are unchanged; the DSN or the session's variable
// chooses the versions.
func TestSqlcViews(t *testing.T) {
	one := sqlcCountByRowRow{"a", 2, int64(2)}
	all := sqlcCountByRowRow{"a", 3, int64(2)}
	x := sqlxOpen(t, memory)
	conn, err := x.DB.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	groups, err := (&sqlcQueries{db: conn}).CountByRow(t.Context(), 2)
	require.NoError(t, err)
	require.Equal(t, []sqlcCountByRowRow{one}, groups)
	_, err = conn.ExecContext(t.Context(), "SET hbasekv_versions = 'all'")
	require.NoError(t, err)
	groups, err = (&sqlcQueries{db: conn}).CountByRow(t.Context(), 2)
	require.NoError(t, err)
	require.Equal(t, []sqlcCountByRowRow{all}, groups)

	x = sqlxOpen(t, allVersions)
	groups, err = (&sqlcQueries{db: x.DB}).CountByRow(t.Context(), 2)
	require.NoError(t, err)
	require.Equal(t, []sqlcCountByRowRow{all}, groups)
}

// TestSqlcPrepared is emit_prepared_queries.
func TestSqlcPrepared(t *testing.T) {
	x := sqlxOpen(t, memory)
	prepared, err := x.DB.PrepareContext(t.Context(), sqlcListVersions)
	require.NoError(t, err)
	defer prepared.Close()
	rows, err := prepared.QueryContext(t.Context(), "a", "q")
	require.NoError(t, err)
	defer rows.Close()
	var versions []int64
	for rows.Next() {
		var version int64
		require.NoError(t, rows.Scan(&version))
		versions = append(versions, version)
	}
	require.Equal(t, []int64{2, 1}, versions)
}
