package hbaseserver_test

import (
	"database/sql"
	"errors"
	"fmt"

	"github.com/go-sql-driver/mysql"
)

// sqlSteps are the steps of SQL's clients.
var sqlSteps = []loadStep{
	{"transaction in the bank", func(w *loader) error { return w.inTransaction(w.transfer) }},
	{"UPDATE", (*loader).update},
	{"transaction of a whole row", func(w *loader) error { return w.inTransaction(w.insertWhole) }},
	{"SELECT of whole rows", (*loader).wholeBySQL},
	{"SELECT of the bank", (*loader).sumBySQL},
	{"INSERT", (*loader).logInsert},
	{"REPLACE into what is truncated", (*loader).replaceOther},
}

func (w *loader) replaceOther() error {
	_, err := w.db.ExecContext(w.ctx, "REPLACE INTO other$f (K, Q, V) VALUES (?, ?, 'v')", w.row(), w.name)
	return err
}

func (w *loader) inTransaction(fn func(*sql.Tx) error) error {
	tx, err := w.db.BeginTx(w.ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// transfer moves money between two accounts, which may be the same.
func (w *loader) transfer(tx *sql.Tx) error {
	from, to, amount := w.row(), w.row(), w.rand.Int64N(100)
	var have int64
	err := tx.QueryRowContext(w.ctx, "SELECT BYTES_TO_LONG(V) FROM bank$f WHERE K = ? AND Q = 'a' FOR UPDATE", from).Scan(&have)
	if err != nil {
		return err
	}
	for _, each := range []struct {
		text string
		args []any
	}{
		{"UPDATE bank$f SET V = LONG_TO_BYTES(?) WHERE K = ? AND Q = 'a'", []any{have - amount, from}},
		{"UPDATE bank$f SET V = LONG_TO_BYTES(BYTES_TO_LONG(V) + 1) WHERE Q = 'v' AND K IN (?, ?)", []any{from, to}},
		{"UPDATE bank$g SET V = LONG_TO_BYTES(BYTES_TO_LONG(V) + ?) WHERE K = ? AND Q = 'b'", []any{amount, to}},
	} {
		if _, err := tx.ExecContext(w.ctx, each.text, each.args...); err != nil {
			return err
		}
	}
	return nil
}

func (w *loader) update() error {
	w.tried.Add(1)
	r, err := w.db.ExecContext(w.ctx, "UPDATE counts$f SET V = LONG_TO_BYTES(BYTES_TO_LONG(V) + 1) WHERE K = ? AND Q = 'n'", w.row())
	if err != nil {
		return err
	}
	if n, err := r.RowsAffected(); err != nil || n != 1 {
		return faultf("an UPDATE of a counter has changed %d rows: %v", n, err)
	}
	w.counted.Add(1)
	return nil
}

// insertWhole deletes a row and writes its families with one statement each. Without the deletion, the timestamps
// of some families could be ahead of the clock, and a Put in the same millisecond would be hidden in these.
func (w *loader) insertWhole(tx *sql.Tx) error {
	row, value := w.row(), fmt.Sprint(w.name, w.rand.Uint64())
	for _, family := range []string{"f", "g", "h"} {
		if _, err := tx.ExecContext(w.ctx, "DELETE FROM whole$"+family+" WHERE K = ?", row); err != nil {
			return err
		}
		_, err := tx.ExecContext(w.ctx, "INSERT INTO whole$"+family+" (K, Q, V) VALUES (?, 'q', ?)", row, value)
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *loader) wholeBySQL() error {
	rows, err := w.db.QueryContext(w.ctx, "SELECT K, COUNT(*), MIN(V), MAX(V) FROM whole GROUP BY K")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var k, least, most string
		var n int
		if err := rows.Scan(&k, &n, &least, &most); err != nil {
			return err
		}
		if n != 3 || least != most {
			return faultf("a SELECT has seen a torn row: %s %d %s %s", k, n, least, most)
		}
	}
	return rows.Err()
}

// sumBySQL sums up the money with one statement, or with two in a transaction.
func (w *loader) sumBySQL() error {
	var a, b int64
	return w.inTransaction(func(tx *sql.Tx) error {
		var err error
		if w.rand.IntN(2) == 0 {
			err = tx.QueryRowContext(w.ctx, "SELECT SUM(BYTES_TO_LONG(V)) FROM bank WHERE Q IN ('a', 'b')").Scan(&a)
		} else if err = tx.QueryRowContext(w.ctx, "SELECT SUM(BYTES_TO_LONG(V)) FROM bank$f WHERE Q = 'a'").Scan(&a); err == nil {
			err = tx.QueryRowContext(w.ctx, "SELECT SUM(BYTES_TO_LONG(V)) FROM bank$g").Scan(&b)
		}
		if err == nil && a+b != loadRows*2*loadMoney {
			return faultf("a SELECT of the bank has %d and %d", a, b)
		}
		return err
	})
}

// logInsert writes some new rows by one statement.
func (w *loader) logInsert() error {
	written := map[string]string{}
	text, args := "INSERT INTO log$f (K, Q, V) VALUES (?, 'q', ?)", []any{}
	for i := range 3 {
		row, value := w.newRow()
		written[row], args = value, append(args, row, value)
		if i > 0 {
			text += ", (?, 'q', ?)"
		}
	}
	_, err := w.db.ExecContext(w.ctx, text, args...)
	if err == nil {
		for row, value := range written {
			w.acknowledged(row, value)
		}
	}
	return err
}

// stepsOfChange is how many steps the others take between two changes.
const stepsOfChange = 20

// changeSteps change the tables on which the others work.
var changeSteps = []loadStep{
	{"split", func(w *loader) error { return w.alter("SPLIT TABLE %s$f BY ('%s')", w.table(), w.row()) }},
	{"move to two regions", func(w *loader) error {
		return w.alter("ALTER TABLE %s$f PARTITION BY RANGE COLUMNS(K) (PARTITION p%d VALUES LESS THAN ('r08'), "+
			"PARTITION q VALUES LESS THAN (MAXVALUE))", w.table(), w.rand.IntN(100))
	}},
	{"move to keys", func(w *loader) error { return w.alter("ALTER TABLE %s$f PARTITION BY KEY(K) PARTITIONS 3", w.table()) }},
	{"truncate", func(w *loader) error { return w.alter("TRUNCATE TABLE other$f") }},
	{"new family", func(w *loader) error {
		if err := w.alter("CREATE TABLE IF NOT EXISTS other$x LIKE other$f"); err != nil {
			return err
		}
		return w.alter("DROP TABLE other$x")
	}},
	{"versions", func(w *loader) error {
		return w.alter("ALTER TABLE %s$f MAX_VERSIONS = %d", w.table(), 2+w.rand.IntN(3))
	}},
	{"merge", (*loader).merge},
}

func (w *loader) table() string { return []string{"bank", "whole", "counts", "log"}[w.rand.IntN(4)] }

// merge merges the first two regions of a table.
func (w *loader) merge() error {
	table := w.table()
	var first, second, end string
	err := w.db.QueryRowContext(w.ctx, `SELECT a.PARTITION_NAME, b.PARTITION_NAME, b.PARTITION_DESCRIPTION
		FROM information_schema.PARTITIONS a, information_schema.PARTITIONS b WHERE a.TABLE_NAME = ? AND b.TABLE_NAME = ?
		AND a.PARTITION_METHOD = 'RANGE COLUMNS' AND a.PARTITION_ORDINAL_POSITION = 1
		AND b.PARTITION_ORDINAL_POSITION = 2`, table+"$f", table+"$f").Scan(&first, &second, &end)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return err
	}
	return w.alter("ALTER TABLE %s$f REORGANIZE PARTITION %s, %s INTO (PARTITION %s VALUES LESS THAN (%s))", table, first, second,
		second, end)
}

// alter runs a statement, unless the table's partitioning does not allow it.
func (w *loader) alter(format string, args ...any) error {
	_, err := w.db.ExecContext(w.ctx, fmt.Sprintf(format, args...))
	var refused *mysql.MySQLError
	if errors.As(err, &refused) && refused.Number == 1512 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
	}
	return nil
}
