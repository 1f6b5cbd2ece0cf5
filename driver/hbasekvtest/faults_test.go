package hbasekvtest_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	hbasekv "github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/hbasekvtest"
)

func number(err error) uint16 {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return e.Number
	}
	return 0
}

// write runs a transaction of two writes, and returns the first error.
func write(db *sql.DB) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, k := range []string{"a", "b"} {
		if _, err := tx.Exec("REPLACE INTO users$info VALUES (?, 'q', 1, 'v')", k); err != nil {
			return err
		}
	}
	return tx.Commit()
}

const all = "SELECT COUNT(*) FROM users$info"

// TestFaults: each error occurs once, like the store's own, and leaves the store
// consistent.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		op     hbasekv.StoreOp
		nth    int
		after  bool
		err    error
		number uint16 // 0 means the error unchanged
		cells  int64  // after it
	}{
		{hbasekvtest.Commit, 1, false, hbasekvtest.Deadlock, 1213, 0},
		{hbasekvtest.Commit, 1, false, hbasekvtest.Conflict, 1213, 0},
		{hbasekvtest.Commit, 1, false, hbasekvtest.DiskFull, 1021, 0},
		{hbasekvtest.Commit, 1, false, hbasekvtest.BadConn, 0, 0},
		{hbasekvtest.Commit, 1, true, hbasekvtest.BadConn, 0, 2},
		{hbasekvtest.Commit, 1, false, hbasekvtest.StoreFailed, 1030, 0},
		{hbasekvtest.Commit, 1, true, hbasekvtest.StoreFailed, 1030, 2},
		{hbasekvtest.Lock, 2, false, hbasekvtest.LockTimeout, 1205, 0},
		{hbasekvtest.Lock, 2, false, hbasekvtest.Deadlock, 1213, 0},
		{hbasekvtest.Lock, 2, true, hbasekvtest.ReadError, 1030, 0},
	} {
		faults := hbasekvtest.NewFaults()
		db := hbasekvtest.Open(t, hbasekvtest.Schema(users), hbasekvtest.WithFaults(faults))
		if c.after {
			faults.FailAfter(c.op, c.nth, c.err)
		} else {
			faults.Fail(c.op, c.nth, c.err)
		}
		require.Equal(t, 1, faults.Pending())
		err := write(db)
		require.Error(t, err)
		require.Equal(t, c.number, number(err), "%v", err)
		if c.number == 0 {
			require.Equal(t, c.err, err)
		}
		require.Zero(t, faults.Pending())
		require.Equal(t, c.cells, count(t, db, all), "%+v", c)
		require.NoError(t, write(db), "the locks are free")
		require.EqualValues(t, 2, count(t, db, all))
	}
}

func TestFaultsOfReads(t *testing.T) {
	t.Parallel()
	faults := hbasekvtest.NewFaults()
	db := hbasekvtest.Open(t, hbasekvtest.Schema(users), hbasekvtest.WithFaults(faults))
	require.NoError(t, write(db))
	for _, after := range []bool{false, true} {
		if after {
			faults.FailAfter(hbasekvtest.Read, 2, hbasekvtest.ReadError)
		} else {
			faults.Fail(hbasekvtest.Read, 2, hbasekvtest.ReadError)
		}
		require.EqualValues(t, 2, count(t, db, all))
		var n int
		require.EqualValues(t, 1030, number(db.QueryRow(all).Scan(&n)))
		require.EqualValues(t, 2, count(t, db, all))
	}
}

// TestFaultsOfStatements: the driver and database/sql handle these errors as
// they handle real ones.
func TestFaultsOfStatements(t *testing.T) {
	t.Parallel()
	faults := hbasekvtest.NewFaults()
	db := hbasekvtest.Open(t, hbasekvtest.Schema(users), hbasekvtest.WithFaults(faults))
	const insert = "INSERT INTO users$info VALUES ('k', 'q', ?, 'v')"
	faults.Fail(hbasekvtest.Commit, 1, hbasekvtest.Conflict)
	faults.Fail(hbasekvtest.Commit, 2, hbasekvtest.Deadlock)
	_, err := db.Exec(insert, 1)
	require.NoError(t, err, "a single statement is run again")
	require.Zero(t, faults.Pending())

	faults.Fail(hbasekvtest.Lock, 1, hbasekvtest.LockTimeout)
	_, err = db.Exec(insert, 2)
	require.EqualValues(t, 1205, number(err))

	tx, err := db.Begin()
	require.NoError(t, err)
	_, err = tx.Exec(insert, 3)
	require.NoError(t, err)
	faults.Fail(hbasekvtest.Lock, 1, hbasekvtest.LockTimeout)
	_, err = tx.Exec(insert, 4)
	require.EqualValues(t, 1205, number(err))
	require.NoError(t, tx.Commit(), "1205 undoes its statement alone")

	tx, err = db.Begin()
	require.NoError(t, err)
	_, err = tx.Exec(insert, 5)
	require.NoError(t, err)
	faults.Fail(hbasekvtest.Lock, 1, hbasekvtest.Deadlock)
	_, err = tx.Exec(insert, 6)
	require.EqualValues(t, 1213, number(err))
	require.EqualValues(t, 1213, number(tx.Commit()), "1213 undoes the transaction")
	hbasekvtest.Expect(t, db, "users", "k info:q @1 v\nk info:q @3 v\n")
	_, err = db.Exec("ALTER TABLE users$info PARTITION BY KEY(K) PARTITIONS 2; ")
	require.NoError(t, err, "what needs more than a transaction works too")
	_, err = db.Exec("OPTIMIZE TABLE users$info")
	require.NoError(t, err)
}

// TestRetryOfFaults: Retry runs a transaction again after 1213 and 1205, whose
// writes are undone, and never after an error that may have left them.
func TestRetryOfFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fail  func(f *hbasekvtest.Faults)
		calls int
		err   func(err error) bool
		cells int64
	}{
		{func(f *hbasekvtest.Faults) {
			f.Fail(hbasekvtest.Commit, 1, hbasekvtest.Deadlock)
			f.Fail(hbasekvtest.Lock, 2, hbasekvtest.LockTimeout)
			f.Fail(hbasekvtest.Commit, 2, hbasekvtest.Conflict)
		}, 4, func(err error) bool { return err == nil }, 1},
		{func(f *hbasekvtest.Faults) { f.FailAfter(hbasekvtest.Commit, 1, hbasekvtest.BadConn) },
			1, func(err error) bool { return err == driver.ErrBadConn }, 1},
		{func(f *hbasekvtest.Faults) { f.Fail(hbasekvtest.Commit, 1, hbasekvtest.BadConn) },
			1, func(err error) bool { return err == driver.ErrBadConn }, 0},
		{func(f *hbasekvtest.Faults) { f.FailAfter(hbasekvtest.Commit, 1, hbasekvtest.StoreFailed) },
			1, func(err error) bool { return number(err) == 1030 }, 1},
		{func(f *hbasekvtest.Faults) { f.Fail(hbasekvtest.Lock, 1, hbasekvtest.DiskFull) },
			1, func(err error) bool { return number(err) == 1021 }, 0},
		{func(f *hbasekvtest.Faults) {
			for range 3 {
				f.Fail(hbasekvtest.Lock, 1, hbasekvtest.Deadlock)
			}
		}, 1, func(err error) bool { return err == nil }, 1}, // the driver itself runs the first statement again
	} {
		faults := hbasekvtest.NewFaults()
		db := hbasekvtest.Open(t, hbasekvtest.Schema(users), hbasekvtest.WithFaults(faults))
		c.fail(faults)
		calls := 0
		err := hbasekv.Retry(t.Context(), db, hbasekv.RetryOptions{Backoff: time.Microsecond}, func(tx *sql.Tx) error {
			calls++
			_, err := tx.Exec("INSERT INTO users$info (K, Q, V) VALUES ('k', 'q', 'v')")
			return err
		})
		require.True(t, c.err(err), "%v", err)
		require.Equal(t, c.calls, calls, "%v", err)
		require.Equal(t, c.cells, count(t, db, "SELECT /*+ VERSIONS(ALL) */ COUNT(*) FROM users$info"))
	}
}

// TestRetryEndsWithItsContext: no attempt begins after the context's end.
func TestRetryEndsWithItsContext(t *testing.T) {
	t.Parallel()
	faults := hbasekvtest.NewFaults()
	db := hbasekvtest.Open(t, hbasekvtest.Schema(users), hbasekvtest.WithFaults(faults))
	for range 100 {
		faults.Fail(hbasekvtest.Commit, 1, hbasekvtest.Conflict)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	calls := 0
	err := hbasekv.Retry(ctx, db, hbasekv.RetryOptions{Attempts: 100, Backoff: -1}, func(tx *sql.Tx) error {
		if calls++; calls == 3 {
			cancel()
		}
		_, err := tx.Exec("INSERT INTO users$info (K, Q, V) VALUES ('k', 'q', 'v')")
		return err
	})
	require.Error(t, err)
	require.Equal(t, 3, calls)
	require.Zero(t, count(t, db, all))
}
