package order

import (
	"cmp"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/window"
)

// windowed is a running Window.
type windowed struct {
	*Window
	in    *windowInput
	out   expr.Env
	run   *window.Run
	given int64
	tried bool         // to make batches
	batch *windowBatch // nil if the rows are returned one by one
}

func newWindowed(n *Window, x *op.Frame, child op.Operator) *windowed {
	layout := &window.Layout{}
	w := &windowed{Window: n, in: newWindowInput(x, child, layout), out: *child.Env()}
	w.out.Row = make([]value.Value, n.Width)
	copy(w.out.Row, child.Env().Row)
	for _, c := range n.Captured {
		layout.Place(&expr.Column{Index: c})
	}
	w.run = window.New(n.windows(), layout, w.in, &x.Env, &x.Stmt.Space)
	return w
}

// start adds the calls.
func (w *windowed) start() error {
	for i := range w.Calls {
		if err := w.run.Add(&w.Calls[i].Call, w.Calls[i].Slot); err != nil {
			return cmp.Or(err, w.in.Close())
		}
	}
	w.in.inParallel()
	return nil
}

func (w *windowed) Env() *expr.Env { return &w.out }

func (w *windowed) Next(want int) (*kernel.Batch, error) {
	if want > 1 {
		if b, err := w.nextBatch(); b != nil || err != nil {
			return b, err
		}
	}
	ok, err := w.run.Next()
	if !ok || err != nil {
		return nil, err
	}
	return op.Single(true, w.give())
}

// give copies a row and its results into the frame.
func (w *windowed) give() error {
	if err := w.run.Results(w.out.Row); err != nil {
		return err
	}
	w.given++
	if len(w.Captured) > 0 {
		row, err := w.run.Row()
		if err != nil {
			return err
		}
		for i, c := range w.Captured {
			w.out.Row[c] = row[i]
		}
	}
	return w.in.x.Tick()
}

func (w *windowed) Close() error { return cmp.Or(w.in.Close(), w.run.Close()) }

func (w *windowed) Step() *explain.Step {
	under := w.in.child.Step()
	how := "Window, streaming"
	if s := w.in.sort; s != nil {
		how = "Window, after a sort"
		under = explain.NewStep("Sort", under)
		under.Add("by", printKeys(s.keys))
		if s.sorter != nil && s.sorter.Spilled() {
			under.AddSpilled()
		}
		under.Filesort = true
		s.parallel.Describe(under)
	}
	out := explain.NewStep(how, under)
	out.Add("partition by", op.PrintNodes(ordering.Nodes(w.Partition)))
	out.Add("order by", printKeys(w.Order))
	var calls []string
	for _, c := range w.Calls {
		calls = append(calls, c.String())
	}
	out.Add("compute", strings.Join(calls, ", "))
	if w.run.Keeps() {
		out.Add("keep", "rows that frames reach")
	}
	out.Memory = w.run.Peak()
	if w.run.Spilled() {
		out.AddSpilled()
	}
	out.Rows = w.given
	return out
}

func printKeys(keys []ordering.Key) string {
	items := make([]OrderItem, len(keys))
	for i, k := range keys {
		items[i].Key = k
	}
	return printOrder(items)
}
