package exec

import (
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
)

// Filter lets the rows through for which a condition holds.
type Filter struct {
	Child Node
	Cond  expr.Node
	Title string
}

type filter struct {
	input
	cond   expr.Node
	title  string
	given  int64
	narrow kernel.Filter // nil before the first vectors, or where the condition is for rows
	above  kernel.Reader // nil where that is not known
}

func (n *Filter) open(x *frame, want request) (source, grant, error) {
	want.limit = 0
	want.onePerRow, want.counting, want.leading = false, nil, want.leading.ofSome()
	child, g, err := n.Child.open(x, want)
	if err != nil {
		return nil, g, err
	}
	cond, err := withMembers(x, n.Cond, child)
	if err != nil {
		return nil, g, cmp.Or(err, child.close())
	}
	return &filter{input: input{source: x.timed(child)}, cond: cond, title: n.Title}, g, nil
}

func (f *filter) next(want int) (*kernel.Batch, error) {
	for {
		b, err := f.vectors(want)
		switch {
		case err != nil:
			return nil, err
		case b == nil:
			ok, err := f.row(want)
			if !ok || err != nil {
				return nil, err
			}
			if ok, err = expr.Holds(f.cond, f.env()); ok || err != nil {
				f.given++
				return single(ok, err)
			}
		case !f.narrows(b):
			f.putBack(b)
		case len(b.Rows) > 0:
			f.given += int64(len(b.Rows))
			return b, nil
		}
	}
}

func (f *filter) step() *explain.Step {
	s := explain.NewStep("Filter ("+f.title+")", f.source.step())
	s.Add("filter", expr.Print(f.cond))
	s.Rows = f.given
	return s
}

// ColumnsRead implements kernel.Reader.
func (f *filter) ColumnsRead() kernel.Columns { return readOf(f.above).Reading(f.cond) }

func (f *filter) readFor(r kernel.Reader) {
	f.above = r
	f.input.readFor(f)
}

func (f *filter) under() source     { return f.source }
func (f *filter) sameInParts() bool { return kernel.Pure(f.cond) }

func (f *filter) ofPart(r *partRun, x *frame) (source, *frame) {
	child, x := r.chain(f.source, x)
	return &filter{input: input{source: child}, cond: f.cond, title: f.title}, x
}

func (f *filter) addWork(out *explain.Step) {
	out.Rows += f.given
	addWork(out.Steps[0], f.source)
}

// narrows leaves the rows of a batch for which the condition holds, or reports false where they are
// to be asked one by one.
func (f *filter) narrows(b *kernel.Batch) (ok bool) {
	if f.narrow == nil {
		if f.narrow = f.compiler(b.Schema()).Condition(f.cond); f.narrow == nil {
			f.rowwise = true
			return false
		}
	}
	b.Rows, ok = f.narrow.Narrow(b, b.Rows)
	return ok
}
