package order

import (
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/window"
)

// windowInput returns the rows of a Window's child in order, each as its kept values: the captured
// columns, and what calls and keys read.
type windowInput struct {
	x      *op.Frame
	child  op.Input
	layout *window.Layout
	row    []value.Value
	batch  *pipeline.BatchRows // nil if rows are read one by one
	sort   *windowSort         // nil if the child's rows are in order
}

func newWindowInput(x *op.Frame, child op.Operator, layout *window.Layout) *windowInput {
	// Not nil, even if nothing is kept of a row.
	return &windowInput{x: x, child: op.Input{Operator: child}, layout: layout, row: []value.Value{}}
}

// windowSort sorts rows.
type windowSort struct {
	keys   []ordering.Key
	places spill.Keys
	sorter *spill.Sorter
	begun  bool
	err    error
	warned bool // reading rows has warned
	// parallel reads the rows on several goroutines; it may be nil.
	parallel *pipeline.Rows
}

// inParallel makes the sort read rows on several goroutines, if the result stays the same. Each
// sorts what it has read.
func (in *windowInput) inParallel() {
	s := in.sort
	if s == nil {
		return
	}
	nodes := in.layout.Evaluated()
	if s.parallel = pipeline.RowsOf(in.x, in.child.Operator, nodes); s.parallel == nil {
		return
	}
	s.parallel.Bounded(spill.SortedSize(len(nodes)))
	s.parallel.Keeping(in.rowsOf, func() pipeline.Keeper {
		return keptSorted{in.x.Stmt.Space.NewSorterOfPart(s.places)}
	})
}

// rowsOf returns the rows of a child.
func (in *windowInput) rowsOf(child op.Operator, x *op.Frame) func() ([]value.Value, error) {
	part := newWindowInput(x, child, in.layout)
	part.inBatches()
	return part.nextOfChild
}

// inBatches reads all rows in batches, and evaluates what is kept of them in batches, too.
func (in *windowInput) inBatches() {
	in.batch = pipeline.RowsOfKernels(&in.child, in.layout.Evaluated(), in.kernels)
}

// kernels returns the kernels of all that is evaluated.
func (in *windowInput) kernels(c *kernel.Compiler) ([]kernel.Kernel, bool) {
	out, ok := c.CompileAll(in.layout.Nodes())
	for _, a := range in.layout.Aggregates() {
		var args []kernel.Kernel
		if ok {
			args, ok = c.Arguments(a)
		}
		out = append(out, args...)
	}
	return out, ok
}

// layOut adds the sort's keys to the layout.
func (in *windowInput) layOut(keys []ordering.Key) {
	for _, k := range keys {
		in.sort.places = append(in.sort.places, spill.Key{Column: in.layout.Place(k.Expr), Desc: k.Desc})
	}
}

// Next returns the next row, or nil after the last. It is valid until the next call.
func (in *windowInput) Next() ([]value.Value, error) {
	if in.sort == nil {
		return in.nextOfChild()
	}
	if err := in.sortOnce(); err != nil {
		return nil, err
	}
	return in.sort.sorter.Next()
}

// Kept returns the sorted rows if all are in memory, otherwise nil.
func (in *windowInput) Kept() (*spill.Sorter, error) {
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
		s.warned, s.err = in.x.Warns(in.sortAll)
	}
	return in.sort.err
}

func (in *windowInput) sortAll() error {
	done, err := in.sort.parallel.ReadParts()
	if err != nil {
		return err
	}
	in.sort.sorter = in.x.Stmt.Space.NewSorter(in.sort.places)
	if done {
		return in.sort.sorter.Merge(sortedParts(in.sort.parallel.Parts), in.sort.parallel.Count)
	}
	in.inBatches()
	if err := spill.Each(in.nextOfChild, in.sort.sorter.Add); err != nil {
		return err
	}
	return in.sort.sorter.Sort()
}

func (in *windowInput) nextOfChild() ([]value.Value, error) {
	row, err := in.batch.Next()
	switch {
	case err != nil:
		return nil, err
	case row != nil:
		err = in.layout.Convert(row, in.child.Env())
	default:
		if ok, err := in.child.Row(in.wants()); !ok || err != nil {
			return nil, err
		}
		in.row, err = in.layout.Append(in.row[:0], in.child.Env())
		row = in.row
	}
	if err != nil {
		return nil, err
	}
	return row, in.x.Tick()
}

// wants is the number of rows requested from the child.
func (in *windowInput) wants() int {
	if in.batch != nil {
		return op.AllRows
	}
	return 1
}

func (in *windowInput) Close() error {
	err := in.child.Close()
	if in.sort == nil {
		return err
	}
	if in.sort.sorter != nil {
		err = cmp.Or(err, in.sort.sorter.Close())
	}
	return cmp.Or(err, in.sort.parallel.Close())
}
