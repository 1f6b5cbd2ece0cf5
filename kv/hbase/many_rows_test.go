package hbase

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
)

// Statements write several rows if the data source name allows it; transactions
// still write one.
func TestManyRows(t *testing.T) {
	s := openTest(t)
	name := newName()
	makeTable(t, s, name, [][]byte{[]byte("k1"), []byte("k2")}, familySchema("a", behaviours["Ours"]...), familySchema("b", behaviours["Ours"]...))
	a, b := "`"+name+"$a`", "`"+name+"$b`"
	_, err := openSQL(t, "").Exec("REPLACE INTO " + a + " VALUES ('x', 'q', 1, 'v'), ('y', 'q', 1, 'v')")
	require.Equal(t, uint16(1235), errorNumber(err), "%v", err)
	require.ErrorContains(t, err, "multiRow=apply")

	db := openSQL(t, "?multiRow=apply")
	const n = 2500
	var tuples []string
	for i := range n {
		tuples = append(tuples, fmt.Sprintf("('k%04d', 'q', 1, '%d')", i, i))
	}
	require.EqualValues(t, n, exec1(t, db, "INSERT INTO "+a+" VALUES "+strings.Join(tuples, ", ")))
	require.Equal(t, []string{fmt.Sprint(n)}, rows(t, db, "SELECT COUNT(*) FROM "+a))
	_, err = db.Exec("INSERT INTO " + a + " VALUES ('new', 'q', 1, 'v'), ('k0003', 'q', 1, 'v')")
	require.Equal(t, uint16(1062), errorNumber(err), "%v", err)
	_, err = db.Exec("INSERT INTO " + a + " VALUES ('new', 'q', 1, 'v'), ('newer', 'q', 1, 'v'), ('new', 'q', 1, 'v')")
	require.Equal(t, uint16(1062), errorNumber(err), "%v", err)
	require.Empty(t, rows(t, db, "SELECT * FROM "+a+" WHERE K LIKE 'new%'"))
	require.EqualValues(t, 2, exec1(t, db, "INSERT IGNORE INTO "+a+" VALUES ('new', 'q', 1, 'v'), ('k0003', 'q', 1, 'v'), ('newer', 'q', 1, 'v')"))
	require.EqualValues(t, n, exec1(t, db, "UPDATE "+a+" SET V = V + 1 WHERE K LIKE 'k%'"))
	require.Equal(t, []string{fmt.Sprint(n*(n-1)/2 + n)}, rows(t, db, "SELECT CAST(SUM(V) AS SIGNED) FROM "+a+" WHERE K LIKE 'k%'"))
	require.EqualValues(t, 100, exec1(t, db, "INSERT INTO "+b+" SELECT K, Q, T, V FROM "+a+" WHERE K LIKE 'k00%'"))
	require.EqualValues(t, n-1000, exec1(t, db, "DELETE FROM "+a+" WHERE K >= 'k1' AND K < 'l'"))
	require.Equal(t, []string{"1002", "100"}, rows(t, db, "SELECT COUNT(*) FROM "+a+" UNION ALL SELECT COUNT(*) FROM "+b))
	tx, err := db.Begin()
	require.NoError(t, err)
	exec1(t, tx, "REPLACE INTO "+a+" VALUES ('t', 'q', 1, 'v')")
	_, err = tx.Exec("REPLACE INTO " + a + " VALUES ('u', 'q', 1, 'v')")
	require.Equal(t, uint16(1235), errorNumber(err), "%v", err)
	require.NoError(t, tx.Commit())

	// The error says how many rows were written, from which the others follow.
	s.options.MultiRow = true
	ctx := context.Background()
	txn := kvtest.Begin(s, kv.TxnOptions{Single: true})
	table := txn.Catalog().Table("default", name+"$a")
	for _, k := range []string{"k0001", "k0002", "k0003"} {
		written, err := txn.PutIfAbsent(ctx, table, kv.Cell{Row: []byte(k), Qualifier: []byte("q"), Timestamp: 7, Value: []byte("seven")})
		require.NoError(t, err)
		require.True(t, written)
	}
	exec1(t, db, "INSERT INTO "+a+" VALUES ('k0002', 'q', 7, 'other')")
	err = txn.Commit(ctx)
	var partly *kv.PartlyWritten
	require.ErrorAs(t, err, &partly)
	require.Equal(t, []int{2, 3}, []int{partly.Written, partly.Rows})
	require.NotErrorIs(t, err, kv.ErrConflict)
	require.Equal(t, []string{"seven", "other", "seven"}, rows(t, db, "SELECT V FROM "+a+" FOR SYSTEM_TIME ALL WHERE K LIKE 'k000_' AND T = 7"))
}

// A statement over several rows that conflicts before it has written any is run again
// as a statement over several rows.
func TestManyRowsAgain(t *testing.T) {
	name := newName()
	makeTable(t, openTest(t), name, nil, familySchema("a", behaviours["Ours"]...))
	db := openSQL(t, "?multiRow=apply")
	a := "`" + name + "$a`"
	exec1(t, db, "REPLACE INTO "+a+" VALUES ('x', 'q', 1, '0'), ('y', 'q', 1, '0')")
	const writers, times = 4, 25
	var all sync.WaitGroup
	var done atomic.Int64
	for range writers {
		all.Go(func() {
			for range times {
				_, err := db.Exec("UPDATE " + a + " SET V = V + 1")
				if err == nil {
					done.Add(1)
				} else if n := errorNumber(err); n == 1235 {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	require.Positive(t, done.Load())
	for _, v := range rows(t, db, "SELECT V FROM "+a) {
		n, err := strconv.ParseInt(v, 10, 64)
		require.NoError(t, err)
		require.GreaterOrEqual(t, n, done.Load())
		require.LessOrEqual(t, n, int64(writers*times))
	}
}

// Loads accept cells in any order, and if a cell comes twice, the last one stays.
func TestBulkLoad(t *testing.T) {
	s := openTest(t)
	name := newName()
	makeTable(t, s, name, [][]byte{[]byte("k1"), []byte("k2")}, familySchema("a", behaviours["Ours"]...), familySchema("b", behaviours["Ours"]...))
	ctx := context.Background()
	cells := func(order []int, end error) iter.Seq2[driver.Cell, error] {
		return func(yield func(driver.Cell, error) bool) {
			for _, i := range order {
				c := driver.Cell{K: fmt.Appendf(nil, "k%05d", i/3), Q: fmt.Appendf(nil, "q%d", i%3), T: 5, V: fmt.Appendf(nil, "%d", i), Table: i % 2}
				if !yield(c, nil) {
					return
				}
			}
			if end != nil {
				yield(driver.Cell{}, end)
			}
		}
	}
	const n = 30_000
	var sorted []int
	for i := range n {
		sorted = append(sorted, i)
	}
	tables := []string{name + "$a", name + "$b"}
	_, err := driver.BulkLoad(ctx, openSQL(t, ""), tables, cells(sorted, nil))
	require.Equal(t, uint16(1235), errorNumber(err), "%v", err)
	db := openSQL(t, "?multiRow=apply")
	stats, err := driver.BulkLoad(ctx, db, tables, cells(sorted, nil))
	require.NoError(t, err)
	require.EqualValues(t, n, stats.Written)
	check := func() {
		t.Helper()
		require.Equal(t, []string{fmt.Sprintf("%d|%d", n, n/2*(n-1))}, rows(t, db, "SELECT COUNT(*), CAST(SUM(V) AS SIGNED) FROM `"+name+"` FOR SYSTEM_TIME ALL"))
	}
	check()
	shuffled := append([]int{}, sorted...)
	rand.New(rand.NewPCG(1, 2)).Shuffle(n, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	_, err = driver.BulkLoad(ctx, db, tables, cells(shuffled, nil))
	require.NoError(t, err)
	check()
	twice := func(yield func(driver.Cell, error) bool) {
		for _, v := range []string{"first", "second", "x", "last"} {
			c := driver.Cell{K: []byte("twice"), Q: []byte("q"), T: 1, V: []byte(v)}
			if v == "x" {
				c.K = []byte("other")
			}
			if !yield(c, nil) {
				return
			}
		}
	}
	_, err = driver.BulkLoad(ctx, db, tables[:1], twice)
	require.NoError(t, err)
	require.Equal(t, []string{"last"}, rows(t, db, "SELECT V FROM `"+name+"$a` WHERE K = 'twice'"))
	broken := errors.New("the source broke")
	_, err = driver.BulkLoad(ctx, db, tables, cells(sorted, broken))
	require.ErrorIs(t, err, broken)
	_, err = driver.BulkLoad(ctx, db, tables[:1], func(yield func(driver.Cell, error) bool) { yield(driver.Cell{K: []byte("k"), T: -1, V: []byte{}}, nil) })
	require.Error(t, err)
}
