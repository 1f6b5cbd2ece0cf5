package orm

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What follows is the shape of sqlc's output: constants with a leading
// comment, and methods on a DBTX that a *sql.DB and a *sql.Tx satisfy.

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

const sqlcListVersions = `-- name: ListVersions :many
SELECT /*+ VERSIONS(ALL) */ t FROM shop$cells WHERE k = ? AND q = ?
`

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

	tx, err := db.Begin()
	require.NoError(t, err)
	n, err := q.WithTx(tx).DeleteCells(t.Context(), "a")
	require.NoError(t, err)
	require.EqualValues(t, 2, n, "the rows of the latest view")
	require.NoError(t, tx.Rollback())
	require.Equal(t, filled, stored(t, db))
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
