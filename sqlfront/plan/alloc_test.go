package plan_test

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/versions"
)

// repeatTxn is a transaction that returns one cell repeatedly: what is measured over it is this package's own
// work.
type repeatTxn struct {
	kv.Txn
	left int
	cell kv.Cell
}

func (r *repeatTxn) Scan(context.Context, []*kv.Table, *kv.Scan) (kv.Cursor, error) { return r, nil }

func (r *repeatTxn) Next() bool {
	r.left--
	return r.left >= 0
}

func (r *repeatTxn) Cell() *kv.Cell         { return &r.cell }
func (r *repeatTxn) Value() ([]byte, error) { return r.cell.Value, nil }
func (r *repeatTxn) Err() error             { return nil }
func (r *repeatTxn) Stats() kv.ScanStats    { return kv.ScanStats{} }
func (r *repeatTxn) Close() error           { return nil }

// runner runs one statement repeatedly.
type runner struct {
	planned *plan.Select
	context exec.Context
	txn     repeatTxn
}

func newRunner(t testing.TB, sql string, args ...value.Value) *runner {
	d := newDB(t)
	d.create("t", &partition.Scheme{}, 0)
	parsed, err := parse.Parse(sql)
	require.NoError(t, err)
	txn := kvtest.Begin(d.store, kv.TxnOptions{})
	t.Cleanup(txn.Rollback)
	r := &runner{txn: repeatTxn{Txn: txn, cell: kv.Cell{Row: []byte("row"), Qualifier: []byte("q"), Timestamp: 1,
		Value: []byte("value")}}}
	r.planned, err = d.plan(txn, parsed, parsed.Stmt.(*ast.Select))
	require.NoError(t, err)
	r.context = exec.Context{Ctx: context.Background(), Txn: &r.txn, View: versions.Latest(), Env: &expr.Env{Params: args}}
	return r
}

// run reads all rows of a result over the given number of cells.
func (r *runner) run(t testing.TB, cells int) int {
	r.txn.left = cells
	rows, err := r.planned.Open(&r.context)
	require.NoError(t, err)
	n := 0
	for {
		if _, err := rows.Next(); err == io.EOF {
			break
		}
		n++
	}
	require.NoError(t, rows.Close())
	return n
}

// TestAllocations limits statements to the allocations that they need: none for each row, a few for each
// statement.
func TestAllocations(t *testing.T) {
	for _, test := range []struct {
		sql string
		max float64 // for the whole statement
	}{
		{"SELECT K, Q, T, V FROM t WHERE K = ?", 10},
		{"SELECT V FROM t WHERE K = ? AND Q = 'q'", 14},
		{"SELECT * FROM t WHERE K >= ? ORDER BY K LIMIT 100", 14},
		{"SELECT K, V FROM t WHERE K >= ? AND V <> 'x' AND T > 0", 30},
		{"SELECT COUNT(*) FROM t WHERE K >= ?", 20},
		{"SELECT K, COUNT(*) FROM t WHERE K >= ? GROUP BY K", 30},
	} {
		r := newRunner(t, test.sql, value.NewBytes([]byte("row")))
		few := testing.AllocsPerRun(20, func() { r.run(t, 1) })
		some := testing.AllocsPerRun(20, func() { r.run(t, 100) }) // enough for batches to be prepared
		many := testing.AllocsPerRun(20, func() { r.run(t, 1000) })
		require.LessOrEqual(t, few, test.max, test.sql)
		require.LessOrEqual(t, many-some, 1.0, "rows of %s", test.sql)
	}
}

// BenchmarkSelect measures this package over a store that does no work.
func BenchmarkSelect(b *testing.B) {
	key := value.NewBytes([]byte("row"))
	for name, sql := range map[string]string{
		"get":    "SELECT K, Q, T, V FROM t WHERE K = ?",
		"filter": "SELECT K, V FROM t WHERE K >= ? AND V <> 'x'",
		"count":  "SELECT COUNT(*) FROM t WHERE K >= ?",
		"group":  "SELECT LEFT(K, 2), COUNT(*) FROM t WHERE K >= ? GROUP BY LEFT(K, 2)",
		"top":    "SELECT K, V FROM t WHERE K >= ? ORDER BY V DESC LIMIT 10",
	} {
		r := newRunner(b, sql, key)
		b.Run(name+"/statement", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.run(b, 1)
			}
		})
		b.Run(name+"/row", func(b *testing.B) {
			b.ReportAllocs()
			r.txn.left = b.N
			r.run(b, b.N)
		})
	}
}
