package exec

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Window computes calls over windows of one partitioning and order. It reads its
// child in that order, or sorts what the child gives.
type Window struct {
	Child Node
	// Partition are the expressions whose equal values make a partition: in
	// whatever order and direction they are sorted, these are as good as any.
	Partition []OrderKey
	Order     []OrderKey
	Calls     []WindowCall
	// Captured are the frame's columns that are read above.
	Captured []int
	Width    int
}

// WindowCall is a call, its frame, and the column of the executor's frame for its
// result.
type WindowCall struct {
	Call  *expr.WindowCall
	Frame WindowFrame
	Slot  int
}

// keys are what rows are sorted by: where the reader's order begins with them, or
// they with it, one order serves both.
func (n *Window) keys(want []OrderKey) (keys []OrderKey, serves bool) {
	own := append(slices.Clone(n.Partition), n.Order...)
	if len(want) == 0 {
		return own, false
	}
	left := slices.Clone(n.Partition)
	for i, k := range want {
		at := slices.IndexFunc(left, func(p OrderKey) bool { return sameKey(p.Expr, k.Expr) })
		if at >= 0 {
			keys, left = append(keys, k), slices.Delete(left, at, at+1)
			continue
		}
		done := len(keys) - len(n.Partition) // of Order
		switch {
		case len(left) > 0:
			return own, false
		case done < len(n.Order):
			if o := n.Order[done]; o.Desc != k.Desc || !sameKey(o.Expr, k.Expr) {
				return own, false
			}
			keys = append(keys, k)
		case n.computes(want[i:]):
			return own, false
		default:
			return append(keys, want[i:]...), true
		}
	}
	keys = append(keys, left...)
	return append(keys, n.Order[max(len(keys)-len(n.Partition), 0):]...), true
}

// computes reports whether the keys cannot be had below the node.
func (n *Window) computes(keys []OrderKey) bool {
	return slices.ContainsFunc(keys, func(k OrderKey) bool {
		return expr.IsVolatile(k.Expr) || expr.Reads(k.Expr, func(index int) bool {
			return slices.ContainsFunc(n.Calls, func(c WindowCall) bool { return c.Slot == index })
		})
	})
}

// ascending are the keys of a sort that nobody else has a wish about: partitions come
// in ascending order then.
func (n *Window) ascending(keys []OrderKey) []OrderKey {
	keys = slices.Clone(keys)
	for i := range n.Partition {
		keys[i].Desc = false
	}
	return keys
}

// sameKey reports whether two keys are one: the planner has one node for all that
// are alike.
func sameKey(a, b expr.Node) bool {
	x, ok := a.(*expr.Column)
	y, both := b.(*expr.Column)
	return a == b || ok && both && x.Index == y.Index
}

// gathers reports whether rows that are alike in the nodes come together where they
// are in the order of the keys.
func gathers(keys []OrderKey, nodes []expr.Node) bool {
	return len(nodes) <= len(keys) && !slices.ContainsFunc(keys[:len(nodes)], func(k OrderKey) bool {
		return !slices.ContainsFunc(nodes, func(n expr.Node) bool { return sameKey(k.Expr, n) })
	})
}

func (n *Window) open(x *frame, want request) (source, grant, error) {
	keys, serves := n.keys(want.order)
	below := request{order: keys}
	if len(n.Order) == 0 && !serves {
		below = request{together: keyNodes(n.Partition)}
	}
	child, g, err := n.Child.open(x, below)
	if err != nil {
		return nil, g, err
	}
	w := newWindowed(n, x, x.timed(child))
	if len(keys) > 0 && !g.ordered && !g.together {
		if !serves {
			keys = n.ascending(keys)
		}
		w.in.sort = &windowSort{keys: keys}
		w.in.layOut(keys)
	}
	inOrder := g.ordered || w.in.sort != nil
	out := grant{ordered: serves && inOrder, together: len(want.together) > 0 && gathers(keys, want.together) && inOrder}
	return w, out, w.start()
}

func keyNodes(keys []OrderKey) []expr.Node {
	out := make([]expr.Node, len(keys))
	for i, k := range keys {
		out[i] = k.Expr
	}
	return out
}

// windowInput gives the rows of a Window's child in order, each as what is kept of
// it: the captured columns, and what calls and keys read.
type windowInput struct {
	x     *frame
	child source
	// columns are the frame's columns that are kept, -1 for the values of nodes.
	nodes   []expr.Node
	columns []int
	// aggregates read what stands behind.
	aggregates []*expr.Aggregate
	row        []value.Value
	batch      *batchRows  // nil where rows come one by one
	sort       *windowSort // nil where the child's rows are in order
}

// windowSort puts rows in order.
type windowSort struct {
	keys   []OrderKey
	places spill.Keys
	sorter *spill.Sorter
	begun  bool
	err    error
	warned bool // where rows were read
	// parallel reads the rows on several goroutines; it may be nil.
	parallel *parallelRows
}

// inParallel makes the sort read rows on several goroutines, where nobody can tell.
// Each sorts what it has read.
func (in *windowInput) inParallel() {
	s := in.sort
	if s == nil {
		return
	}
	nodes := in.evaluated()
	if s.parallel = in.x.parallelRows(in.child, nodes); s.parallel == nil {
		return
	}
	s.parallel.bounded(spill.SortedSize(len(nodes)))
	s.parallel.keeping(in.rowsOf, func() rowKeeper {
		return keptSorted{newRun(&in.x.stmt.space, s.places)}
	})
}

// rowsOf gives the rows of a child.
func (in *windowInput) rowsOf(child source, x *frame) func() ([]value.Value, error) {
	part := &windowInput{x: x, child: child, nodes: in.nodes, columns: in.columns, aggregates: in.aggregates, row: []value.Value{}}
	part.inBatches()
	return part.nextOfChild
}

// inBatches has all rows read in batches, and what is kept of them evaluated so.
func (in *windowInput) inBatches() {
	in.child, in.batch = rowsOfKernels(in.child, in.evaluated(), in.kernels)
}

// evaluated are the expressions whose values are kept, or are what aggregates read.
func (in *windowInput) evaluated() []expr.Node {
	nodes := in.nodes[:len(in.nodes):len(in.nodes)]
	for _, a := range in.aggregates {
		nodes = append(nodes, a.Args...)
	}
	return nodes
}

// kernels are those of evaluated.
func (in *windowInput) kernels(c *kernel.Compiler) ([]kernel.Kernel, bool) {
	out, ok := c.CompileAll(in.nodes)
	for _, a := range in.aggregates {
		var args []kernel.Kernel
		if ok {
			args, ok = argKernels(c, a)
		}
		out = append(out, args...)
	}
	return out, ok
}

// ofBatch is a row of a batch as it is kept: with the arguments of aggregates as frames
// have them.
func (in *windowInput) ofBatch(row []value.Value) (_ []value.Value, err error) {
	args := row[len(in.nodes):]
	for _, a := range in.aggregates {
		for i := range a.Args {
			if args[i], err = a.FrameArg(in.child.env(), args[i]); err != nil {
				return nil, err
			}
		}
		args = args[len(a.Args):]
	}
	return row, in.x.tick()
}

// place is where the value of an expression is kept.
func (in *windowInput) place(n expr.Node) int {
	c, plain := n.(*expr.Column)
	for i, kept := range in.nodes {
		if kept == n || plain && in.columns[i] == c.Index {
			return i
		}
	}
	in.nodes = append(in.nodes, n)
	column := -1
	if plain {
		column = c.Index
	}
	in.columns = append(in.columns, column)
	return len(in.nodes) - 1
}

// layOut makes the places of the sort's keys.
func (in *windowInput) layOut(keys []OrderKey) {
	for _, k := range keys {
		in.sort.places = append(in.sort.places, spill.Key{Column: in.place(k.Expr), Desc: k.Desc})
	}
}

// next is the next row, nil behind the last. It is valid until the next call.
func (in *windowInput) next() ([]value.Value, error) {
	if in.sort == nil {
		return in.nextOfChild()
	}
	if err := in.sortOnce(); err != nil {
		return nil, err
	}
	return in.sort.sorter.Next()
}

// kept are the rows in their order where they are sorted and all in memory, else nil.
func (in *windowInput) kept() (*spill.Sorter, error) {
	if in.sort == nil {
		return nil, nil
	}
	if err := in.sortOnce(); err != nil || !in.sort.sorter.Kept() {
		return nil, err
	}
	return in.sort.sorter, nil
}

func (in *windowInput) sortOnce() error {
	if s := in.sort; !s.begun {
		s.begun = true
		s.warned, s.err = in.x.warns(in.sortAll)
	}
	return in.sort.err
}

func (in *windowInput) sortAll() error {
	done, err := in.sort.parallel.readParts()
	if err != nil {
		return err
	}
	in.sort.sorter = in.x.stmt.space.NewSorterBy(in.sort.places)
	if done {
		return in.sort.sorter.Merge(sortedParts(in.sort.parallel.parts), in.sort.parallel.count)
	}
	in.inBatches()
	if err := spill.Each(in.nextOfChild, in.sort.sorter.Add); err != nil {
		return err
	}
	return in.sort.sorter.Sort()
}

func (in *windowInput) nextOfChild() ([]value.Value, error) {
	if row, err := in.batch.next(); row != nil || err != nil {
		if err != nil {
			return nil, err
		}
		return in.ofBatch(row)
	}
	ok, err := in.child.next()
	if !ok || err != nil {
		return nil, err
	}
	env := in.child.env()
	env.Held.NewRow()
	in.row = in.row[:0]
	for i, c := range in.columns {
		var v value.Value
		if c >= 0 {
			v = env.Row[c]
		} else if v, err = in.nodes[i].Eval(env); err != nil {
			return nil, err
		}
		in.row = append(in.row, v)
	}
	for _, a := range in.aggregates {
		if in.row, err = a.AppendFrameArgs(env, in.row); err != nil {
			return nil, err
		}
	}
	return in.row, in.x.tick()
}

func (in *windowInput) close() error {
	err := in.child.close()
	if in.sort == nil {
		return err
	}
	if in.sort.sorter != nil {
		err = firstError(err, in.sort.sorter.Close())
	}
	return firstError(err, in.sort.parallel.close())
}
