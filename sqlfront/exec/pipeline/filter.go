package pipeline

import (
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/mayfail"
)

// Filter passes the rows for which a condition is true.
type Filter struct {
	Child op.Node
	Cond  expr.Node
	Title string
}

type Filtered struct {
	op.Input
	Cond   expr.Node
	Title  string
	given  int64
	narrow kernel.Filter // nil before the first vectors, or if the condition must be evaluated row by row
	above  kernel.Reader // nil if unknown
}

func (n *Filter) Open(x *op.Frame, want op.Desired) (op.Operator, op.Provided, error) {
	want.Limit = 0
	want.OneTogether, want.OnePerRow, want.Counting, want.Leading = false, false, nil, want.Leading.OfSome()
	child, g, err := n.Child.Open(x, want)
	if err != nil {
		return nil, g, err
	}
	cond, err := x.Answer(n.Cond, child)
	if err != nil {
		return nil, g, cmp.Or(err, child.Close())
	}
	return &Filtered{Input: op.Input{Operator: x.Timed(child)}, Cond: cond, Title: n.Title}, g, nil
}

func (f *Filtered) Next(want int) (*kernel.Batch, error) {
	for {
		b, err := f.Vectors(want)
		switch {
		case err != nil:
			return nil, err
		case b == nil:
			ok, err := f.Row(want)
			if !ok || err != nil {
				return nil, err
			}
			if ok, err = expr.Holds(f.Cond, f.Env()); ok || err != nil {
				f.given++
				return op.Single(ok, err)
			}
		case !f.narrows(b):
			f.PutBack(b)
		case len(b.Rows) > 0:
			f.given += int64(len(b.Rows))
			return b, nil
		}
	}
}

func (f *Filtered) Step() *explain.Step {
	s := explain.NewStep("Filter ("+f.Title+")", f.Operator.Step())
	s.Add("filter", expr.Print(f.Cond))
	s.Rows = f.given
	return s
}

// ColumnsRead implements kernel.Reader.
func (f *Filtered) ColumnsRead() kernel.Columns { return op.ReadOf(f.above).Reading(f.Cond) }

func (f *Filtered) ReadFor(r kernel.Reader) {
	f.above = r
	f.Input.ReadFor(f)
}

// SkipTo implements op.Skipping.
func (f *Filtered) SkipTo(column int, row []byte) { op.SkipTo(f.Operator, column, row) }

func (f *Filtered) Under() op.Operator { return f.Operator }

// Quiet is as for scan.Quietly.
func (f *Filtered) Quiet() bool { return !mayfail.Condition(f.Cond) }

// OverBranch implements Spanning.
func (f *Filtered) OverBranch(branch op.Operator) op.Operator {
	return &Filtered{Input: op.Input{Operator: branch}, Cond: f.Cond, Title: f.Title}
}

func (f *Filtered) SameInParts() bool { return kernel.Pure(f.Cond) }

func (f *Filtered) OfPart(r *scan.PartRun, x *op.Frame) (op.Operator, *op.Frame) {
	child, x := r.Pipeline(f.Operator, x)
	return f.OverBranch(child), x
}

func (f *Filtered) AddWork(out *explain.Step) {
	out.Rows += f.given
	scan.AddWork(out.Steps[0], f.Operator)
}

// narrows keeps the rows of a batch for which the condition is true; it returns false if it must be
// evaluated row by row.
func (f *Filtered) narrows(b *kernel.Batch) (ok bool) {
	if f.narrow == nil {
		if f.narrow = f.Compiler(b.Schema()).Condition(f.Cond); f.narrow == nil {
			f.Rowwise = true
			return false
		}
	}
	b.Rows, ok = f.narrow.Narrow(b, b.Rows)
	return ok
}
