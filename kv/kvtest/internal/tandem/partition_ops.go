package tandem

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
	"github.com/hbasekv/hbasekv/partition"
)

// partitionOp changes partitions without moving cells: "split" at the bound, "cut"
// at the bound and the points, "merge", "add" up to the bound, "drop" or "truncate".
type partitionOp struct {
	kind, table string
	which       int // modulo the number of partitions
	bound       []byte
	points      [][]byte // more bounds
}

var partitionKinds = []string{"split", "cut", "merge", "merge", "add", "drop", "truncate"}

func (g *Generator) partitionOp() op {
	o := partitionOp{kind: Pick(g, partitionKinds), table: Pick(g, fixture.TableNames), which: g.IntN(maxOrdinal),
		bound: []byte(Pick(g, SomeRows))}
	for range g.IntN(3) {
		o.points = append(o.points, []byte(Pick(g, SomeRows)))
	}
	return o
}

func (o partitionOp) String() string {
	return fmt.Sprintf("%s partition %d of %s at %s %q", o.kind, o.which, o.table, fixture.Escape(o.bound), o.points)
}

func (o partitionOp) Run(ctx context.Context, s *Side) string {
	return s.changeLayout(ctx, o.table, o.change)
}

// changeLayout changes the catalog if the table exists.
func (s *Side) changeLayout(ctx context.Context, table string,
	change func(*kv.CatalogChange, *partition.Scheme) error) string {
	return errorText(s.Store.ChangeCatalog(ctx, func(c *kv.CatalogChange) error {
		t := c.Catalog().Table(fixture.Database, table)
		if t == nil {
			return kv.ErrNoTable
		}
		return change(c, t.Partitioning)
	}))
}

func (o partitionOp) change(c *kv.CatalogChange, s *partition.Scheme) error {
	i := o.which % s.Len()
	switch o.kind {
	case "split":
		names, upper := o.halves(s, i)
		return c.ReorganizePartitions(fixture.Database, o.table, i, i, names, upper)
	case "cut":
		_, err := c.SplitPartitions(fixture.Database, o.table, append([][]byte{o.bound}, o.points...))
		return err
	case "merge":
		first, last, names, upper := o.union(s)
		return c.ReorganizePartitions(fixture.Database, o.table, first, last, names, upper)
	case "add":
		return c.AddPartitions(fixture.Database, o.table, []string{o.name()}, [][]byte{o.bound})
	case "drop":
		return c.DropPartitions(fixture.Database, o.table, []int{i})
	}
	return c.TruncatePartitions(fixture.Database, o.table, []int{i})
}

// name returns the name of a new partition.
func (o partitionOp) name() string { return fmt.Sprintf("n%x", o.bound) }

// halves returns partition i split at the bound.
func (o partitionOp) halves(s *partition.Scheme, i int) (names []string, upper [][]byte) {
	return []string{o.name(), s.Name(i)}, [][]byte{o.bound, s.Bounds(i).End}
}

// union returns two neighbours as one partition.
func (o partitionOp) union(s *partition.Scheme) (first, last int, names []string, upper [][]byte) {
	first = o.which % s.Len()
	last = min(first+1, s.Len()-1)
	return first, last, []string{s.Name(last)}, [][]byte{s.Bounds(last).End}
}

// moveOp moves cells to the layout with that number, or merges or isolates a
// partition, or splits or joins slices. Other operations run meanwhile.
type moveOp struct {
	kind   string // "layout", "merge", "isolate" or "slices"
	layout int
	at     partitionOp
	slices sliceOp
	during []op
}

func (g *Generator) moveOp() op {
	o := moveOp{kind: Pick(g, []string{"layout", "layout", "merge", "isolate", "slices", "slices"}),
		layout: g.IntN(len(fixture.AllLayouts()))}
	if g.splitsItself {
		o.kind, o.layout = "layout", max(g.IntN(len(fixture.Layouts())), g.IntN(len(fixture.Layouts()))) // Range is the last one
	}
	o.at = partitionOp{table: Pick(g, fixture.TableNames), which: g.IntN(maxOrdinal)}
	o.slices = g.sliceOp(o.at.table)
	for range g.IntN(8) {
		if during := g.smallOp(); g.collects && uncovers(during) {
			continue
		} else if len(o.during) == 0 || !o.mayNotFit() || onlyAdds(during) {
			o.during = append(o.during, during)
		}
	}
	return o
}

// mayNotFit reports whether some cells may have no place in the new layout. Whether
// a store finds such a cell before another operation removes it is undefined.
func (o moveOp) mayNotFit() bool {
	if o.kind != "layout" {
		return false
	}
	s := fixture.AllLayouts()[o.layout].Scheme
	_, ok := s.Place([]byte{0xff, 0xff, 0xff}, math.MinInt64)
	return !ok
}

// onlyAdds reports whether an operation removes no cells.
func onlyAdds(o op) bool {
	switch o := o.(type) {
	case WriteOp:
		return !strings.HasPrefix(o.Kind, "delete")
	case ScanOp, openOp, stepOp, savepointOp, beginOp, LoadOp:
		return true
	}
	return false
}

func (o moveOp) String() string {
	return fmt.Sprintf("move %s %s %d %d (%v) during %v", o.at.table, o.kind, o.layout, o.at.which, o.slices, o.during)
}

// Run runs the first operation before the move, the second one when it has begun,
// and the others between cells, all of them before its last step.
func (o moveOp) Run(ctx context.Context, s *Side) string {
	mover, ok := s.Store.(kv.Repartitioner)
	if !ok {
		return "cannot move"
	}
	if o.mayNotFit() { // and neither may hidden cells
		if err := s.collectAll(ctx); err != nil {
			return errorText(err)
		}
	}
	var answers []string
	told := 0
	upTo := func(n int) {
		for len(answers) < min(n, len(o.during)) {
			answers = append(answers, o.during[len(answers)].Run(ctx, s))
		}
	}
	err := o.move(ctx, s, mover, kv.MoveOptions{Progress: func(p kv.MoveProgress) {
		if told++; told > 2 && p.Cells == p.AllCells {
			upTo(len(o.during))
		}
		upTo(told)
	}})
	upTo(len(o.during))
	return errorText(err) + " " + strings.Join(answers, "; ")
}

func (o moveOp) move(ctx context.Context, s *Side, mover kv.Repartitioner, options kv.MoveOptions) error {
	if o.kind == "isolate" {
		t := fixture.Catalog(s.Store).Table(fixture.Database, o.at.table)
		if t == nil {
			return kv.ErrNoTable
		}
		return mover.Isolate(ctx, fixture.Database, o.at.table, t.Partitioning.LeafName(o.at.which%t.Partitioning.NumLeaves()),
			options)
	}
	return mover.Repartition(ctx, fixture.Database, o.at.table, o.relayout, options)
}

var errNotRange = errors.New("not a range")

func (o moveOp) relayout(t *kv.Table) (err error) {
	if o.kind == "layout" {
		t.Partitioning = fixture.AllLayouts()[o.layout].Scheme
		return nil
	}
	if o.kind == "slices" {
		t.Partitioning, err = o.slices.reorganized(t.Partitioning)
		return err
	}
	if t.Partitioning.Method() != partition.Range {
		return errNotRange
	}
	first, last, names, upper := o.at.union(t.Partitioning)
	t.Partitioning, err = t.Partitioning.Reorganizing(first, last, names, upper)
	return err
}
