package order

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Sorted returns its child's rows in order.
type Sorted struct {
	child  firstRows
	by     []OrderItem
	sorter spill.LimitedSorter
	x      *op.Frame
	out    expr.Env
	ready  bool
	given  int64
	// parallel reads the rows on several goroutines; it may be nil.
	parallel *pipeline.Rows
}

func NewSorted(x *op.Frame, child op.Operator, by []OrderItem, limit int64) *Sorted {
	s := &Sorted{by: by, x: x, sorter: x.Stmt.Space.NewLimitedSorter(sortKeysOf(by), limit)}
	if s.child.Operator = child; s.sorter.Limited() {
		s.child.first = s.sorter.First()
	}
	return s
}

func sortKeysOf(order []OrderItem) spill.Keys {
	keys := make(spill.Keys, len(order))
	for i, k := range order {
		keys[i] = spill.Key{Column: k.Column, Desc: k.Desc}
	}
	return keys
}

func (s *Sorted) Env() *expr.Env { return &s.out }

func (s *Sorted) Next(int) (_ *kernel.Batch, err error) {
	if !s.ready {
		if err := s.read(); err != nil {
			return nil, err
		}
		s.ready = true
	}
	if s.out.Row, err = s.sorter.Next(); s.out.Row == nil || err != nil {
		return nil, err
	}
	s.given++
	return op.OneRow, nil
}

func (s *Sorted) read() error {
	done, err := s.parallel.ReadParts()
	if err != nil {
		return err
	}
	if done {
		return s.fromParts()
	}
	err = spill.Each(s.child.allRows, func(row []value.Value) error {
		if err := s.sorter.Add(row); err != nil {
			return err
		}
		return s.x.Tick()
	})
	if err != nil {
		return err
	}
	return s.sorter.Sort()
}

// firstRows reads rows, except those that are certainly not among the first of a sort.
type firstRows struct {
	op.Input
	first *spill.TopN // nil if all are kept
}

// allRows compares only the first key of rows in batches: other columns are not read if none of a
// batch's rows remain.
func (f *firstRows) allRows() ([]value.Value, error) {
	for f.first != nil {
		b, err := f.Vectors(op.AllRows)
		if err != nil {
			return nil, err
		}
		if b == nil {
			break
		}
		if b.Rows = f.first.Narrow(b.Rows, b.Column(f.first.Key().Column)); len(b.Rows) > 0 {
			f.Take(b)
			break
		}
	}
	return f.Input.AllRows()
}

func (s *Sorted) Close() error {
	return cmp.Or(s.parallel.Close(), s.child.Close(), s.sorter.Close())
}

func (s *Sorted) Step() *explain.Step {
	out := explain.NewStep("Sort", s.child.Step())
	if s.sorter.Limited() {
		out.Title = fmt.Sprintf("Sort, keeping %d rows", s.sorter.Limit())
	}
	out.Add("by", printOrder(s.by))
	if s.sorter.Spilled() {
		out.AddSpilled()
	}
	out.Filesort, out.Memory = true, s.sorter.Peak()
	s.parallel.Describe(out)
	out.Rows = s.given
	return out
}

func printOrder(order []OrderItem) string {
	keys := make([]string, len(order))
	for i, k := range order {
		keys[i] = expr.Print(k.Expr)
		if k.Desc {
			keys[i] += " desc"
		}
	}
	return strings.Join(keys, ", ")
}

// keptFirst and keptSorted are the keepers of sorts.
type (
	keptFirst  struct{ *spill.TopN }
	keptSorted struct{ *spill.Sorter }
)

func (k keptFirst) Keep(row []value.Value) (bool, error) {
	k.Add(row)
	return k.Full(), nil
}

func (k keptFirst) End() error { return nil }

func (k keptFirst) Close() error { k.TopN.Close(); return nil }

func (k keptSorted) Keep(row []value.Value) (bool, error) {
	err := k.Add(row)
	return k.Full(), err
}

func (k keptSorted) End() error { return k.Sort() }

func (k keptSorted) Close() error { return k.Sorter.Close() }

// InParallel makes the sort read the rows of a projection on several goroutines, if the result
// stays the same. Each sorts what it has read.
func (s *Sorted) InParallel(p *pipeline.Projection, src op.Operator) {
	if s.parallel = pipeline.RowsOf(s.x, src, p.Nodes); s.parallel == nil {
		return
	}
	if s.sorter.Limited() {
		s.parallel.NewPart = func(of op.Operator, cells *kv.Scan) pipeline.Part { return s.firstOf(p, of, cells) }
		return
	}
	s.parallel.Bounded(spill.SortedSize(len(p.Nodes)))
	s.parallel.Keeping(p.RowsOf, func() pipeline.Keeper {
		return keptSorted{s.sorter.SorterOfPart()}
	})
}

// firstOf returns a part whose first rows are kept.
func (s *Sorted) firstOf(p *pipeline.Projection, of op.Operator, cells *kv.Scan) pipeline.Part {
	run, x := scan.NewPartRun(of, cells)
	keep := keptFirst{s.sorter.FirstOfPart()}
	rows := &firstRows{Input: op.Input{Operator: p.Start(x, run.Source)}, first: keep.TopN}
	return &pipeline.RowPart{PartRun: run, Next: rows.allRows, Keep: keep}
}

// fromParts combines the kept rows of the parts.
func (s *Sorted) fromParts() error {
	if !s.sorter.Limited() {
		return s.sorter.Merge(sortedParts(s.parallel.Parts), s.parallel.Count)
	}
	first := make([]*spill.TopN, len(s.parallel.Parts))
	for i, each := range s.parallel.Parts {
		first[i] = each.(*pipeline.RowPart).Keep.(keptFirst).TopN
	}
	return s.sorter.MergeFirst(first)
}

// sortedParts returns the parts' sorters.
func sortedParts(parts []pipeline.Part) []*spill.Sorter {
	out := make([]*spill.Sorter, len(parts))
	for i, each := range parts {
		out[i] = each.(*pipeline.RowPart).Keep.(keptSorted).Sorter
	}
	return out
}

// OrderItem is a key of ORDER BY and the projection's column for its value.
type OrderItem struct {
	ordering.Key
	Column int
}
