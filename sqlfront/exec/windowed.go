package exec

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// windowed is a running Window.
type windowed struct {
	*Window
	in    windowInput
	out   expr.Env
	rows  partitionRows
	peers peers
	calls []windowCall
	slots []int
	own   *rowCursor // of the rows that are given
	at    int64      // the row of the partition that is given
	given int64
	batch *windowBatch // nil where the rows come one by one
}

// windowCall is a running call. It is asked for the rows of a partition one after
// the other.
type windowCall interface {
	// result is the value for the row of that number, valid until the next call.
	result(at int64) (value.Value, error)
	// keeps is the first row that is needed for those behind this one.
	keeps(at int64) int64
	// restart begins another partition.
	restart() error
	close() error
}

func newWindowed(n *Window, x *frame, child source) *windowed {
	w := &windowed{Window: n, in: windowInput{x: x, child: child}, out: *child.env(), at: -1}
	w.in.row = []value.Value{} // a row of which nothing is kept is not the end
	w.out.Row = make([]value.Value, n.Width)
	copy(w.out.Row, child.env().Row)
	for _, c := range n.Captured {
		w.in.place(&expr.Column{Index: c})
	}
	w.rows = partitionRows{in: &w.in, queue: x.stmt.space.NewQueue()}
	for _, k := range n.Partition {
		w.rows.by = append(w.rows.by, w.in.place(k.Expr))
	}
	w.peers.rows, w.peers.cursor = &w.rows, w.rows.cursor()
	w.peers.restart()
	w.own = w.rows.cursor()
	return w
}

// start makes the calls. The arguments of aggregates stand behind all other values.
func (w *windowed) start() error {
	for i := range w.Calls {
		c, err := w.newCall(&w.Calls[i])
		if err != nil {
			return firstError(err, w.in.close())
		}
		w.calls, w.slots = append(w.calls, c), append(w.slots, w.Calls[i].Slot)
	}
	at := len(w.in.nodes)
	for _, c := range w.calls {
		if a, ok := c.(*frameAggregate); ok {
			a.first = at
			at += len(a.call.Agg.Args)
			w.in.aggregates = append(w.in.aggregates, a.call.Agg)
		}
	}
	w.in.inParallel()
	return nil
}

func (w *windowed) env() *expr.Env { return &w.out }

func (w *windowed) next() (bool, error) {
	ok, err := w.advance()
	if !ok || err != nil {
		return false, err
	}
	return true, w.give()
}

// advance goes to the next row.
func (w *windowed) advance() (bool, error) {
	for {
		w.forget()
		w.at++
		ok, err := w.rows.has(w.at)
		if ok || err != nil {
			return ok, err
		}
		if w.rows.ended {
			return false, nil
		}
		if err := w.restart(); err != nil {
			return false, err
		}
	}
}

// forget lets go of the rows that no call needs any more.
func (w *windowed) forget() {
	if w.at < 0 || w.rows.kept != nil {
		return
	}
	low := w.at + 1
	for _, c := range w.calls {
		low = min(low, c.keeps(w.at))
	}
	w.rows.queue.Forget(min(low, w.peers.keeps()))
}

// restart begins the next partition.
func (w *windowed) restart() error {
	w.at = -1
	w.rows.restart()
	w.peers.restart()
	for _, c := range w.calls {
		if err := c.restart(); err != nil {
			return err
		}
	}
	return nil
}

// give puts a row and its results into the frame.
func (w *windowed) give() error {
	for i, c := range w.calls {
		v, err := c.result(w.at)
		if err != nil {
			return err
		}
		w.out.Row[w.slots[i]] = v
	}
	row, err := w.rows.at(w.own, w.at)
	if err != nil {
		return err
	}
	for i, c := range w.Captured {
		w.out.Row[c] = row[i]
	}
	w.given++
	return w.in.x.tick()
}

func (w *windowed) close() error {
	err := firstError(w.in.close(), w.rows.queue.Close())
	return firstError(err, closeAll(w.calls))
}

func (w *windowed) step() *Step {
	under := w.in.child.step()
	how := "Window, streaming"
	if s := w.in.sort; s != nil {
		how = "Window, after a sort"
		under = NewStep("Sort", under)
		under.detail("by", printKeys(s.keys))
		if s.sorter != nil && s.sorter.Spilled() {
			under.kept()
		}
		under.Filesort = true
		s.parallel.describe(under)
	}
	out := NewStep(how, under)
	out.detail("partition by", printNodes(keyNodes(w.Partition)))
	out.detail("order by", printKeys(w.Order))
	var calls []string
	for _, c := range w.Calls {
		calls = append(calls, expr.Print(c.Call)+c.frameText())
	}
	out.detail("compute", strings.Join(calls, ", "))
	if w.rows.buffered {
		out.detail("keep", "rows that frames reach")
	}
	out.Memory = w.rows.queue.Peak()
	if w.rows.queue.Spilled() {
		out.kept()
	}
	out.Rows = w.given
	return out
}

func printKeys(keys []OrderKey) string {
	items := make([]OrderItem, len(keys))
	for i, k := range keys {
		items[i].OrderKey = k
	}
	return printOrder(items)
}

// frameText is the frame of a call that has one.
func (c *WindowCall) frameText() string {
	if !hasFrame(c.Call) {
		return ""
	}
	f := &c.Frame
	unit := " rows"
	if f.Range {
		unit = " range"
	}
	return unit + " between " + f.Start.String() + " and " + f.End.String()
}

// String is the bound as a statement has it.
func (b *WindowBound) String() string {
	switch {
	case b.N == nil:
		return b.Kind.String()
	case b.Unit != "":
		return "interval " + expr.Print(b.N) + " " + strings.ToLower(b.Unit) + " " + b.Kind.String()
	}
	return expr.Print(b.N) + " " + b.Kind.String()
}
