package layout

import (
	"bytes"
	"context"
	"errors"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
	"github.com/hbasekv/hbasekv/partition"
)

// MergePart is the part of the largest size below which neighbours are merged.
// It is small so that merged regions are not soon split again.
const MergePart = 4

// Regions are the partitions of a table or, with the same bounds, of the
// families of a group.
type Regions struct {
	engine   *views.Engine
	most     uint64 // size in bytes above which a region is split
	families []*kv.Table
	Scheme   *partition.Scheme
	Sizes    []uint64 // on disk, of all families
}

// MeasureRegions returns the regions of a table with their present sizes.
func MeasureRegions(e *views.Engine, c *kv.Catalog, t *kv.Table, most uint64) (*Regions, error) {
	r := &Regions{engine: e, most: most, families: []*kv.Table{t}, Scheme: t.Partitioning}
	r.Sizes = make([]uint64, t.Partitioning.Len())
	for _, other := range c.Families(t.Database, t.Group) {
		if other != t {
			r.families = append(r.families, other)
		}
	}
	for i := range r.Sizes {
		var err error
		if r.Sizes[i], err = r.below(i, nil); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Table returns the first of the tables that share the regions.
func (r *Regions) Table() *kv.Table { return r.families[0] }

// RangedTables returns the databases and names of the tables that split
// themselves, one of each group.
func RangedTables(c *kv.Catalog) (out [][2]string) {
	for _, d := range c.Databases() {
		seen := map[string]bool{}
		for _, t := range c.AllTables(d.Name) {
			if !SplitsItself(t) || t.Group != "" && seen[t.Group] {
				continue
			}
			seen[t.Group] = true
			out = append(out, [2]string{d.Name, t.Name})
		}
	}
	return out
}

// SplitsItself reports whether a table's partitions are ranges of rows that the
// store may split and merge. Tables with slices of time are left alone: they
// grow in their last slices, and shrink by dropping the first.
func SplitsItself(t *kv.Table) bool {
	return t.Partitioning.Method() == partition.Range && t.Partitioning.Slices() == nil
}

// below returns the size on disk of the rows of partition i below a row, or of
// all rows if row is nil.
func (r *Regions) below(i int, row []byte) (size uint64, err error) {
	for _, t := range r.families {
		to := partition.RowRange{Start: r.Scheme.Bounds(i).Start, End: r.Scheme.Bounds(i).End}
		if row != nil {
			to.End = row
		}
		lower, upper := cellkey.Extent(keyspace.Extent{Space: keyspace.Of(t).Spaces[i], Rows: to})
		n, err := r.engine.DB.EstimateDiskUsage(lower, upper)
		if err != nil {
			return 0, faultfs.DiskError(err)
		}
		size += n
	}
	return size, nil
}

// Next returns the next change to make, or nil.
func (r *Regions) Next(ctx context.Context) (func(*kv.CatalogChange) error, error) {
	database, name := r.families[0].Database, r.families[0].Name
	for i, size := range r.Sizes {
		if size <= r.most || r.Scheme.Len() >= partition.MaxPartitions {
			continue
		}
		row, err := r.median(ctx, i)
		if err != nil {
			return nil, err
		}
		if row != nil {
			return func(c *kv.CatalogChange) error { return keyspace.AutoSplit(c, database, name, row) }, nil
		}
	}
	for i := 1; i < len(r.Sizes); i++ {
		if r.mayMerge(i) {
			into, end := r.Scheme.Name(i), r.Scheme.Bounds(i).End
			return func(c *kv.CatalogChange) error {
				return c.ReorganizePartitions(database, name, i-1, i, []string{into}, [][]byte{end})
			}, nil
		}
	}
	return nil, nil
}

// mayMerge reports whether partition i should be merged with the one below it.
func (r *Regions) mayMerge(i int) bool {
	if r.Sizes[i-1]+r.Sizes[i] >= r.most/MergePart {
		return false
	}
	for _, t := range r.families {
		if keyspace.Of(t).Spaces[i-1] != keyspace.Of(t).Spaces[i] || !keyspace.Of(t).SplitByItself(r.Scheme.Bounds(i).Start) {
			return false
		}
	}
	return true
}

// The search for a median ends when it is off by less than this part of the
// size, or after this many steps.
const (
	medianPart  = 16
	medianSteps = 200
)

// median returns the row of partition i that has about half of the size below
// it, or nil if the partition has fewer than two rows. It bisects between the
// first and the last row, as numbers whose digits are bytes, with sizes from
// the files' indexes: no other cells are read than those looked up.
func (r *Regions) median(ctx context.Context, i int) ([]byte, error) {
	rows, err := r.openRows(i)
	if err != nil {
		return nil, err
	}
	first, last := rows.first(), rows.last()
	if rows.err == nil && bytes.Compare(first, last) < 0 {
		best := closest{half: r.Sizes[i] / 2}
		err = r.halve(ctx, i, rows, first, last, &best)
		return best.row, errors.Join(err, rows.close())
	}
	return nil, rows.close()
}

func (r *Regions) halve(ctx context.Context, i int, rows *rowLookup, low, high []byte, best *closest) error {
	if err := r.consider(i, high, best); err != nil {
		return err
	}
	for range medianSteps {
		if err := ctx.Err(); err != nil {
			return err
		}
		middle := partition.Between(low, high, 2)
		if middle == nil || best.off <= best.half/(medianPart/2) {
			return nil
		}
		row := rows.from(middle[0])
		if rows.err != nil {
			return rows.err
		}
		if row == nil || bytes.Compare(row, high) >= 0 {
			high = middle[0] // no row is between
			continue
		}
		if err := r.consider(i, row, best); err != nil {
			return err
		}
		if best.lastBelow < best.half {
			low = row
		} else {
			high = middle[0]
		}
	}
	return nil
}

// consider finds the size below a row, and keeps the row if it is the best so far.
func (r *Regions) consider(i int, row []byte, best *closest) (err error) {
	if best.lastBelow, err = r.below(i, row); err != nil {
		return err
	}
	off := max(best.lastBelow, best.half) - min(best.lastBelow, best.half)
	if best.row == nil || off < best.off {
		best.row, best.off = row, off
	}
	return nil
}

// closest is the row that is closest to half of the size so far.
type closest struct {
	half, off uint64
	row       []byte
	lastBelow uint64 // size below the row considered last
}
