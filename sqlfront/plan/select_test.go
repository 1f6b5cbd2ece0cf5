package plan_test

import (
	"context"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// filled is a database whose table t has n rows of one cell.
func filled(t testing.TB, n int) *db {
	d := newDB(t)
	d.create("t", &partition.Scheme{}, 2)
	cells := make([]kv.Cell, n)
	for i := range cells {
		cells[i] = kv.Cell{Row: fmt.Appendf(nil, "%06d", i), Qualifier: []byte("q"), Timestamp: int64(i),
			Value: fmt.Appendf(nil, "%d", i%7)}
	}
	d.put("t", cells...)
	return d
}

func TestFoundRows(t *testing.T) {
	d := filled(t, 50)
	for sql, want := range map[string]int64{
		"SELECT SQL_CALC_FOUND_ROWS K FROM t LIMIT 5":                     50,
		"SELECT SQL_CALC_FOUND_ROWS K FROM t LIMIT 0":                     50,
		"SELECT SQL_CALC_FOUND_ROWS K FROM t ORDER BY V LIMIT 5 OFFSET 3": 50,
		"SELECT SQL_CALC_FOUND_ROWS DISTINCT V FROM t LIMIT 2":            7,
		"SELECT SQL_CALC_FOUND_ROWS K FROM t":                             50,
		"SELECT K FROM t LIMIT 5":                                         5,
		"SELECT K FROM t LIMIT 5 OFFSET 48":                               2,
	} {
		rows, done, err := d.open(t.Context(), sql)
		require.NoError(t, err)
		for err == nil {
			_, err = rows.Next()
		}
		require.Equal(t, io.EOF, err)
		_, found := rows.Counts()
		require.Equal(t, want, found, sql)
		done()
	}
}

// TestCancel cancels statements at their first row, while they read, sort, group and join in memory: each
// returns the context's own error.
func TestCancel(t *testing.T) {
	d := filled(t, 3000)
	for _, sql := range []string{
		"SELECT K FROM t",
		"SELECT K FROM t ORDER BY V, K DESC",
		"SELECT V, COUNT(*) FROM t GROUP BY V",
		"SELECT COUNT(*) FROM t",
		"SELECT COUNT(*) FROM t a JOIN t b ON a.T < b.T",
		"SELECT COUNT(*) FROM (SELECT DISTINCT V, K FROM t) x",
		"SELECT K FROM t UNION SELECT Q FROM t",
		"SELECT K FROM t WHERE T IN (SELECT MAX(T) FROM t i WHERE i.V = t.V)",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		rows, done, err := d.open(ctx, sql)
		require.NoError(t, err)
		cancel()
		_, err = rows.Next()
		require.Equal(t, context.Canceled, err, sql)
		_, err = rows.Next()
		require.Equal(t, io.EOF, err, "after an error there is nothing more")
		done()
	}
	txns, cursors := d.store.(*kvtest.Model).InUse()
	require.Zero(t, txns+cursors, "everything is closed")
}

// TestCloseEarly closes results in the middle.
func TestCloseEarly(t *testing.T) {
	d := filled(t, 20)
	for _, sql := range []string{
		"SELECT a.K FROM t a JOIN t b ON a.K = b.K",
		"SELECT a.K FROM t a JOIN t b ON a.V = b.V",
		"SELECT K FROM t UNION ALL SELECT K FROM t",
		"SELECT K FROM (SELECT K FROM t) x WHERE EXISTS (SELECT 1 FROM t WHERE K = x.K)",
		"SELECT MIN(K), MAX(K) FROM t",
	} {
		rows, done, err := d.open(t.Context(), sql)
		require.NoError(t, err)
		_, err = rows.Next()
		require.NoError(t, err)
		require.NoError(t, rows.Close())
		require.NoError(t, rows.Close(), "Close may be called again")
		_, err = rows.Next()
		require.Equal(t, io.EOF, err)
		done()
	}
	txns, cursors := d.store.(*kvtest.Model).InUse()
	require.Zero(t, txns+cursors)
}

// TestConcurrent runs one plan in many goroutines.
func TestConcurrent(t *testing.T) {
	d := filled(t, 200)
	parsed, err := parse.Parse("SELECT V, COUNT(*), (SELECT MAX(i.K) FROM t i WHERE i.V = o.V) FROM t o WHERE K >= ? " +
		"GROUP BY V ORDER BY V LIMIT 3")
	require.NoError(t, err)
	txn := kvtest.Begin(d.store, kv.TxnOptions{})
	defer txn.Rollback()
	planned, err := d.plan(txn, parsed, parsed.Stmt.(*ast.Select))
	require.NoError(t, err)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			txn := kvtest.Begin(d.store, kv.TxnOptions{})
			defer txn.Rollback()
			rows, err := planned.Open(d.context(t.Context(), txn, []value.Value{value.NewBytes(fmt.Appendf(nil, "%06d", i*10))}))
			if err != nil {
				t.Error(err)
				return
			}
			row, err := rows.Next()
			if err != nil || row[1].Int() > 200/7+1-int64(i) || string(row[2].Raw()) != "000196" {
				t.Error(printRow(row), err)
			}
			_ = rows.Close()
		})
	}
	wg.Wait()
}

// TestLockingRead locks the rows that FOR UPDATE returns, and no others.
func TestLockingRead(t *testing.T) {
	d := filled(t, 10)
	parsed, err := parse.Parse("SELECT K FROM t WHERE K < '000003' AND V <> '1' FOR UPDATE")
	require.NoError(t, err)
	for _, lock := range []bool{true, false} {
		txn := &lockTxn{Txn: kvtest.Begin(d.store, kv.TxnOptions{})}
		planned, err := d.plan(txn, parsed, parsed.Stmt.(*ast.Select))
		require.NoError(t, err)
		c := d.context(t.Context(), txn, nil)
		c.LockRows = lock
		rows, err := planned.Open(c)
		require.NoError(t, err)
		for err == nil {
			_, err = rows.Next()
		}
		require.Equal(t, io.EOF, err)
		want := []string{"000000", "000002"}
		if !lock {
			want = nil
		}
		require.Equal(t, want, txn.locked)
		require.NoError(t, rows.Close())
		txn.Rollback()
	}
}

// TestLockingMerge locks what a merge of buckets reads, and not everything that a sort would.
func TestLockingMerge(t *testing.T) {
	d := newDB(t)
	d.create("s", &partition.Scheme{}, 0)
	for _, row := range []string{"0c", "0d", "1a", "1b", "1e"} {
		d.put("s", kv.Cell{Row: []byte(row), Qualifier: []byte("q"), Timestamp: 1, Value: []byte("v")})
	}
	parsed, err := parse.Parse("SELECT K FROM s WHERE K >= '0' AND K < '2' ORDER BY UNSALT(K) LIMIT 2 FOR UPDATE")
	require.NoError(t, err)
	txn := &lockTxn{Txn: kvtest.Begin(d.store, kv.TxnOptions{})}
	defer txn.Rollback()
	planned, err := d.plan(txn, parsed, parsed.Stmt.(*ast.Select))
	require.NoError(t, err)
	c := d.context(t.Context(), txn, nil)
	c.LockRows = true
	rows, err := planned.Open(c)
	require.NoError(t, err)
	var got []string
	for {
		row, err := rows.Next()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		got = append(got, string(row[0].Raw()))
	}
	require.NoError(t, rows.Close())
	require.Equal(t, []string{"1a", "1b"}, got)
	require.Equal(t, []string{"0c", "1a", "1b"}, txn.locked)
}

// lockTxn records which rows are locked.
type lockTxn struct {
	kv.Txn
	locked []string
}

func (l *lockTxn) LockRow(ctx context.Context, t *kv.Table, row []byte, how kv.RowLock) error {
	l.locked = append(l.locked, string(row))
	return l.Txn.LockRow(ctx, t, row, how)
}

// TestAnalyze measures a statement whose limit stops the scan.
func TestAnalyze(t *testing.T) {
	d := filled(t, 100)
	e, err := d.explain("SELECT K FROM t WHERE T >= 0 ORDER BY K LIMIT 3", plan.ExplainOptions{Analyze: true})
	require.NoError(t, err)
	text := string(e.Rows[0][0].Raw())
	require.Regexp(t, `^-> Limit 3 \(rows 3\)\n    -> Full scan of t \(rows 3, cells \d+, seeks \d+, partitions 1\)`, text)
	require.Regexp(t, `took .*s$`, text)
	require.Regexp(t, `partitions 1\) in \S+s\n`, text)

	e, err = d.explain("SELECT V, COUNT(*) FROM t GROUP BY V ORDER BY 2", plan.ExplainOptions{Analyze: true})
	require.NoError(t, err)
	text = string(e.Rows[0][0].Raw())
	require.Regexp(t, `-> Sort \(rows \d+\) in \S+s, at most \d+ KiB\n`, text)
	require.Regexp(t, `-> Group, in memory in \S+s, at most \d+ KiB\n`, text)

	e, err = d.explain("SELECT V, COUNT(*) FROM t GROUP BY V", plan.ExplainOptions{Analyze: true, Format: "JSON"})
	require.NoError(t, err)
	require.Regexp(t, `"time_ms": .*\n *"memory_bytes": [1-9]`, string(e.Rows[0][0].Raw()))

	_, err = d.explain("SELECT T + 9223372036854775807 FROM t", plan.ExplainOptions{Analyze: true})
	require.True(t, mysqlerr.Is(err, mysqlerr.DataOutOfRange), "%v", err)
	_, err = d.explain("SELECT * FROM t", plan.ExplainOptions{Analyze: true, Statement: "DELETE", Table: "t"})
	require.True(t, mysqlerr.Is(err, mysqlerr.NotSupportedYet), "%v", err)
}

// TestExplainReadsNothing explains without running anything.
func TestExplainReadsNothing(t *testing.T) {
	d := filled(t, 3)
	sql := "SELECT K FROM t WHERE K IN (SELECT K FROM t WHERE T + 9223372036854775807 > 0)"
	for _, format := range []string{"", "TREE", "JSON"} {
		_, err := d.explain(sql, plan.ExplainOptions{Format: format})
		require.NoError(t, err, format)
	}
	_, err := d.query(sql)
	require.True(t, mysqlerr.Is(err, mysqlerr.DataOutOfRange), "%v", err)
}

// TestExplainWrite explains a statement that writes what a SELECT finds.
func TestExplainWrite(t *testing.T) {
	d := filled(t, 3)
	e, err := d.explain("SELECT * FROM t WHERE K = 'a'", plan.ExplainOptions{Statement: "DELETE", Table: "t"})
	require.NoError(t, err)
	require.Equal(t, "1 | 'DELETE' | 't' | NULL | 'ref' | 'PRIMARY' | 'PRIMARY' | '1024' | 'const' | NULL | 100 | "+
		"'POINT LOOKUP'", printRow(e.Rows[0]))
	e, err = plan.Explain(nil, nil, plan.ExplainOptions{Format: "TREE", Statement: "INSERT", Table: "t"})
	require.NoError(t, err)
	require.Equal(t, "-> Insert into t", string(e.Rows[0][0].Raw()))
	e, err = plan.Explain(nil, nil, plan.ExplainOptions{Statement: "INSERT", Table: "t"})
	require.NoError(t, err)
	require.Equal(t, "1 | 'INSERT' | 't' | NULL | 'ALL' | NULL | NULL | NULL | NULL | NULL | NULL | NULL",
		printRow(e.Rows[0]))
}
