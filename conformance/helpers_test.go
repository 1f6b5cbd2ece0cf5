package conformance

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	plainTable = "(K varbinary(1024), Q varbinary(256), T bigint, V varbinary(1048576), PRIMARY KEY (K, Q, T))"
	workers    = 8
)

// long is for tests that would make up much of the time of all: they run in CI.
var long = flag.Bool("long", false, "run what takes long, too")

// openDB is a database that the test closes, over the wire where -wire is given.
func openDB(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	return overWire(t, openEmbedded(t, dsn), dsn)
}

func openEmbedded(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("hbasekv", dsn)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// querier is a database, a connection or a transaction.
type querier interface {
	execer
	QueryRowContext(context.Context, string, ...any) *sql.Row
}

func must(t testing.TB, db execer, statements ...string) {
	t.Helper()
	for _, s := range statements {
		_, err := db.ExecContext(context.Background(), s)
		require.NoError(t, err, s)
	}
}

// affected runs a statement that must work and gives its RowsAffected.
func affected(t testing.TB, db execer, query string, args ...any) int64 {
	t.Helper()
	r, err := db.ExecContext(context.Background(), query, args...)
	require.NoError(t, err, query)
	n, err := r.RowsAffected()
	require.NoError(t, err)
	return n
}

// single is the one value that a query gives, NULL as "NULL".
func single(t testing.TB, db querier, query string, args ...any) string {
	t.Helper()
	var s sql.NullString
	require.NoError(t, db.QueryRowContext(context.Background(), query, args...).Scan(&s), query)
	if !s.Valid {
		return "NULL"
	}
	return s.String
}

// lines are a query's rows, their columns divided by a space, NULL as "NULL".
func lines(t testing.TB, db execer, query string, args ...any) []string {
	t.Helper()
	out, err := tryLines(db, query, args...)
	require.NoError(t, err, query)
	return out
}

func tryLines(db execer, query string, args ...any) ([]string, error) {
	rows, err := db.QueryContext(context.Background(), query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	cells, into := make([]sql.NullString, len(names)), make([]any, len(names))
	for i := range cells {
		into[i] = &cells[i]
	}
	out := []string{}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		words := make([]string, len(cells))
		for i, c := range cells {
			if words[i] = c.String; !c.Valid {
				words[i] = "NULL"
			}
		}
		out = append(out, strings.Join(words, " "))
	}
	return out, rows.Err()
}

// numberOf is MySQL's number of an error, 0 of nil.
func numberOf(err error) uint16 {
	if err == nil {
		return 0
	}
	return errorNumber(err)
}

func requireErrorNumber(t testing.TB, number uint16, err error) {
	t.Helper()
	require.Equal(t, number, numberOf(err), "%v", err)
}

// onLayouts runs a test on a table t without partitions and on one with seven.
func onLayouts(t *testing.T, parameters string, test func(*testing.T, *sql.DB)) {
	for name, partitioning := range map[string]string{"none": "", "key7": " PARTITION BY KEY(K) PARTITIONS 7"} {
		t.Run(name, func(t *testing.T) {
			db := openDB(t, ":memory:"+parameters)
			must(t, db, "CREATE TABLE t "+plainTable+partitioning)
			test(t, db)
		})
	}
}

// atOnce runs fn in each worker and fails the test with their errors.
func atOnce(t *testing.T, fn func(worker int) error) {
	t.Helper()
	var group sync.WaitGroup
	errs := make([]error, workers)
	start := make(chan struct{})
	for i := range workers {
		group.Go(func() {
			<-start
			errs[i] = fn(i)
		})
	}
	close(start)
	group.Wait()
	require.NoError(t, errors.Join(errs...))
}

// begin opens a transaction that the test rolls back at the latest at its end.
func begin(t testing.TB, db *sql.DB) *sql.Tx {
	t.Helper()
	tx, err := db.Begin()
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback() })
	return tx
}
