package scan

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// RunCount is a scan that returns one row for a run of consecutive cells that share the first bytes
// of K, with their number in Times. It is used if only these bytes are read; reading all of K is
// faster with batches.
type RunCount struct {
	*Scan
	bytes int // of K
	Times int64
}

// CountRuns makes a RunCount of a scan. It is nil if rows are filtered, locked or returned once for
// each K. The reader must then call Need for everything that it reads of a row.
func (s *Scan) CountRuns() *RunCount {
	if s.X.Lock != nil || s.StoreScan.FirstPerRow || s.Con.Remaining != nil || len(s.Keys)+len(s.Values) > 0 {
		return nil
	}
	return &RunCount{Scan: s}
}

// Suffices reports whether only the counted prefix of a row is read.
func (t *RunCount) Suffices() bool { return t.bytes >= 0 }

// Counts reports whether COUNT of the argument is the number of the rows.
func (s *Scan) Counts(a *setfunc.Aggregate, arg expr.Node) bool {
	c, ok := arg.(*expr.Column)
	at := &s.Access.Columns
	return ok && a.Name == "COUNT" && !a.Distinct && (c.Index == at.Q || c.Index == at.T || c.Index == at.K)
}

// Need extends the counted prefix to what an expression reads of K; if the expression reads
// anything else, Suffices is false from then on. Expressions that might warn are evaluated for each
// row.
func (t *RunCount) Need(n expr.Node) {
	bytes := -1
	switch n := n.(type) {
	case *expr.Const:
		bytes = 0
	case *expr.Column:
		bytes = t.bytesOfColumn(n.Index)
	case *expr.Call:
		bytes = t.bytesOfPrefix(n)
	}
	if bytes < 0 || t.bytes < 0 {
		t.bytes = -1
		return
	}
	t.bytes = max(t.bytes, bytes)
}

// bytesOfColumn is the number of bytes of K in the column, -1 if it is another column, or all of K.
func (s *Scan) bytesOfColumn(index int) int {
	for _, p := range s.Access.Columns.Prefixes {
		if p.Index == index {
			return p.Length
		}
	}
	return -1
}

// bytesOfPrefix is the number of bytes of K that a call returns, -1 if it does more.
func (s *Scan) bytesOfPrefix(n *expr.Call) int {
	o := ordering.Of(&s.Access.Columns)
	if !o.IsPrefixCall(n) {
		return -1
	}
	length, err := n.Args[len(n.Args)-1].Eval(&s.X.Env)
	if err != nil || length.Kind() != value.Int || length.Int() < 0 {
		return -1
	}
	return int(length.Int())
}

// Next returns the next run of cells as one row, and sets Times. Errors are those of the store, and
// cancellation.
func (t *RunCount) Next(int) (*kernel.Batch, error) {
	if !t.opened {
		if err := t.openCursor(); err != nil {
			return nil, err
		}
	}
	if t.cursor == nil {
		return nil, nil
	}
	k, times := t.countNext()
	if times == 0 {
		return nil, t.cursor.Err()
	}
	if t.Watch != nil {
		if err := t.Watch(times); err != nil {
			return nil, err
		}
	}
	t.Times = times
	t.given += times
	t.put(k)
	return op.OneRow, nil
}

// put copies what is read of the row into the frame.
func (t *RunCount) put(k []byte) {
	row, at := t.X.Env.Row, &t.Access.Columns
	row[at.K] = value.NewBytes(k)
	row[at.Q], row[at.T] = value.NewBytes(k[:0]), value.NewInt(0) // not read, but not NULL
	for _, p := range at.Prefixes {
		row[p.Index] = value.NewBytes(k[:min(len(k), p.Length)])
	}
}

// countNext counts a run of cells; if the store cannot, it returns them one by one.
func (t *RunCount) countNext() ([]byte, int64) {
	if c, ok := t.cursor.(kv.RunCounter); ok {
		return c.CountRun(t.bytes)
	}
	if !t.cursor.Next() {
		return nil, 0
	}
	return t.cursor.Cell().Row, 1
}

func (t *RunCount) Under() op.Operator { return t.Scan }

func (t *RunCount) OfPart(r *PartRun, x *op.Frame) (op.Operator, *op.Frame) {
	s := r.ScanLike(t.Scan, x)
	return &RunCount{Scan: s, bytes: t.bytes}, s.X
}
