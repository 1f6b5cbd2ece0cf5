package tandem

import (
	"context"
	"fmt"
	"math"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
	"github.com/hbasekv/hbasekv/partition"
)

// sliceOp changes slices of time without moving cells: "add" up to the bound,
// "drop", "truncate", "empty" a leaf, or "rename".
type sliceOp struct {
	kind, table string
	which       int // modulo the number of slices, or of leaves
	bound       int64
	max         bool
}

var (
	sliceKinds  = []string{"add", "add", "drop", "truncate", "empty", "rename"}
	sliceBounds = []int64{-1, 0, 1, 2, 3, 4, math.MaxInt64}
)

func (g *Generator) sliceOp(table string) sliceOp {
	return sliceOp{kind: Pick(g, sliceKinds), table: table, which: g.IntN(maxOrdinal), bound: Pick(g, sliceBounds),
		max: g.IntN(3) == 0}
}

func (o sliceOp) String() string {
	return fmt.Sprintf("%s slice %d of %s at %d max=%v", o.kind, o.which, o.table, o.bound, o.max)
}

func (o sliceOp) Run(ctx context.Context, s *Side) string {
	if uncovers(o) {
		if err := s.collectAll(ctx); err != nil {
			return errorText(err)
		}
	}
	return s.changeLayout(ctx, o.table, o.change)
}

func (o sliceOp) change(c *kv.CatalogChange, s *partition.Scheme) error {
	i := o.which % s.NumSlices()
	switch o.kind {
	case "add":
		return c.AddSlices(fixture.Database, o.table, o.slices())
	case "drop":
		return c.DropSlices(fixture.Database, o.table, []int{i})
	case "truncate":
		return c.TruncateSlices(fixture.Database, o.table, []int{i})
	case "rename":
		return c.ReorganizeSlices(fixture.Database, o.table, i, i, o.renamed(s, i))
	}
	return c.TruncateLeaves(fixture.Database, o.table, []int{o.which % s.NumLeaves()})
}

// slices returns a single slice up to the bound, or an open one.
func (o sliceOp) slices() *partition.Slices {
	if o.max {
		return &partition.Slices{Names: []string{"m" + o.name()}, Max: true}
	}
	return &partition.Slices{Names: []string{o.name()}, Upper: []int64{o.bound}}
}

func (o sliceOp) name() string { return fmt.Sprintf("n%x", uint64(o.bound)) }

// renamed returns slice i with a different name. The last one may reach further.
func (o sliceOp) renamed(s *partition.Scheme, i int) *partition.Slices {
	by := s.Slices()
	switch {
	case by == nil || i == len(by.Names)-1:
		return o.slices()
	}
	return &partition.Slices{Names: []string{o.name()}, Upper: []int64{by.Upper[i]}}
}

// reorganized returns the scheme with a slice split at the bound or, if the
// bound is outside the slice, joined with the next one.
func (o sliceOp) reorganized(s *partition.Scheme) (*partition.Scheme, error) {
	by := s.Slices()
	if by == nil {
		return nil, partition.ErrNotSliced
	}
	i := o.which % len(by.Names)
	lower, upper, open := s.SliceBounds(i)
	last := i
	into := &partition.Slices{}
	if o.bound > lower && (open || o.bound < upper) {
		into.Names, into.Upper = []string{o.name()}, []int64{o.bound}
	} else {
		last = min(i+1, len(by.Names)-1)
	}
	into.Names = append(into.Names, by.Names[last])
	if last < len(by.Upper) {
		into.Upper = append(into.Upper, by.Upper[last])
	} else {
		into.Max = true
	}
	return s.ReorganizingSlices(i, last, into)
}
