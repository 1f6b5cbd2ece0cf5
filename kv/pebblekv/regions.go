package pebblekv

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/partition"
)

// RANGE partitions grow and shrink as HBase's regions do. One that takes more
// than Options.MaxRegionBytes on disk, all families of its group together, is
// split at its median row. Two neighbours that such a split has parted, and
// that together are below a quarter of that size, are merged again, as HBase's
// normalizer does; bounds that a statement has set are left alone. Both change
// descriptors only.

// mergePart is the part of the largest size below which neighbours are merged.
// It is small, so that what has been merged is not soon to be split again.
const mergePart = 4

// regions says when to look at the sizes: after flushes and compactions,
// which is when they change.
type regions struct {
	ready atomic.Bool  // the store is open
	asked atomic.Int64 // since the last look began
}

// watchRegions looks at the sizes, unless somebody does so already: then that
// one looks again.
func (s *Store) watchRegions() {
	r := &s.regions
	if s.opts.MaxRegionBytes <= 0 || s.opts.ReadOnly || !r.ready.Load() || r.asked.Add(1) > 1 {
		return
	}
	for {
		asked := r.asked.Load()
		if s.enter() != nil {
			return
		}
		_ = s.balanceRegions(s.life) // the next look tries again
		s.exit()
		if r.asked.CompareAndSwap(asked, 0) {
			return
		}
	}
}

// balanceRegions splits and merges until nothing is left to do.
func (s *Store) balanceRegions(ctx context.Context) error {
	for _, name := range rangedTables(s.Catalog()) {
		if err := s.balanceTable(ctx, name[0], name[1]); err != nil {
			return err
		}
	}
	return nil
}

// rangedTables are the databases and names of the tables in ranges, one of each
// group.
func rangedTables(c *kv.Catalog) (out [][2]string) {
	for _, d := range c.Databases() {
		seen := map[string]bool{}
		for _, t := range c.Tables(d.Name) {
			if !splitsItself(t) || t.Group != "" && seen[t.Group] {
				continue
			}
			seen[t.Group] = true
			out = append(out, [2]string{d.Name, t.Name})
		}
	}
	return out
}

// splitsItself reports whether a table's partitions are ranges of rows that the
// store may split and merge. What is cut by time too is left alone: it grows in
// its last slices, and shrinks by dropping the first.
func splitsItself(t *kv.Table) bool {
	return t.Partitioning.Method() == partition.Range && t.Partitioning.Slices() == nil
}

// balanceTable splits and merges partitions of a table, and of its group.
func (s *Store) balanceTable(ctx context.Context, database, name string) error {
	for {
		r, err := s.regionsOf(database, name)
		if err != nil || r == nil {
			return err
		}
		change, err := r.next(ctx)
		if err != nil || change == nil {
			return err
		}
		err = s.ChangeCatalog(ctx, func(c *kv.CatalogChange) error {
			if c.Catalog().Table(database, name) != r.families[0] || s.isMoving(r.families[0]) {
				return kv.ErrCatalogChanged
			}
			return change(c)
		})
		if err != nil && !errors.Is(err, kv.ErrCatalogChanged) {
			return err
		}
	}
}

// tableRegions are the partitions of a table or, with the same bounds, of the
// families of a group.
type tableRegions struct {
	store    *Store
	families []*kv.Table
	scheme   *partition.Scheme
	sizes    []uint64 // on disk, of all families
}

// isMoving reports whether cells of the table are being moved: the move would
// begin anew where the layout changes under it. The next flush behind it leads to
// another look.
func (s *Store) isMoving(t *kv.Table) bool {
	return slices.ContainsFunc(s.moves(), func(m *move) bool {
		return slices.ContainsFunc(m.plan.Before, func(o *kv.Table) bool { return o.ID == t.ID })
	})
}

// regionsOf are those of a table, or nil where it is no longer in ranges or has
// to be left alone.
func (s *Store) regionsOf(database, name string) (*tableRegions, error) {
	c := s.Catalog()
	t := c.Table(database, name)
	if t == nil || !splitsItself(t) || s.isMoving(t) {
		return nil, nil
	}
	r := &tableRegions{store: s, families: []*kv.Table{t}, scheme: t.Partitioning, sizes: make([]uint64, t.Partitioning.Len())}
	for _, other := range c.Families(database, t.Group) {
		if other != t {
			r.families = append(r.families, other)
		}
	}
	for i := range r.sizes {
		var err error
		if r.sizes[i], err = r.below(i, nil); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// below is what the rows of partition i below a row take on disk; all of them
// where the row is nil.
func (r *tableRegions) below(i int, row []byte) (size uint64, err error) {
	for _, t := range r.families {
		to := partition.RowRange{Start: r.scheme.Bounds(i).Start, End: r.scheme.Bounds(i).End}
		if row != nil {
			to.End = row
		}
		lower, upper := cellkey.Extent(kv.Extent{Space: t.Spaces[i], Rows: to})
		n, err := r.store.db.EstimateDiskUsage(lower, upper)
		if err != nil {
			return 0, faultfs.DiskError(err)
		}
		size += n
	}
	return size, nil
}

// next is the next change to make, or nil.
func (r *tableRegions) next(ctx context.Context) (func(*kv.CatalogChange) error, error) {
	database, name := r.families[0].Database, r.families[0].Name
	for i, size := range r.sizes {
		if size <= uint64(r.store.opts.MaxRegionBytes) || r.scheme.Len() >= partition.MaxPartitions {
			continue
		}
		row, err := r.median(ctx, i)
		if err != nil {
			return nil, err
		}
		if row != nil {
			return func(c *kv.CatalogChange) error { return c.AutoSplitPartition(database, name, row) }, nil
		}
	}
	for i := 1; i < len(r.sizes); i++ {
		if r.mayMerge(i) {
			into, end := r.scheme.Name(i), r.scheme.Bounds(i).End
			return func(c *kv.CatalogChange) error {
				return c.ReorganizePartitions(database, name, i-1, i, []string{into}, [][]byte{end})
			}, nil
		}
	}
	return nil, nil
}

// mayMerge reports whether partition i is to be merged with the one below it.
func (r *tableRegions) mayMerge(i int) bool {
	if r.sizes[i-1]+r.sizes[i] >= uint64(r.store.opts.MaxRegionBytes)/mergePart {
		return false
	}
	for _, t := range r.families {
		if t.Spaces[i-1] != t.Spaces[i] || !t.SplitByItself(r.scheme.Bounds(i).Start) {
			return false
		}
	}
	return true
}

// The search for a median ends when it is off by less than this part of the
// size, or after so many steps.
const (
	medianPart  = 16
	medianSteps = 200
)

// median is the row of partition i with about as much below it as from it on,
// or nil where the partition has not two rows. It halves the rows between the
// first and the last, taking bytes for digits, by the sizes that the indexes of
// the files tell: no cell but those looked up is read.
func (r *tableRegions) median(ctx context.Context, i int) ([]byte, error) {
	rows, err := r.openRows(i)
	if err != nil {
		return nil, err
	}
	first, last := rows.first(), rows.last()
	if rows.err == nil && bytes.Compare(first, last) < 0 {
		best := closest{half: r.sizes[i] / 2}
		err = r.halve(ctx, i, rows, first, last, &best)
		return best.row, errors.Join(err, rows.close())
	}
	return nil, rows.close()
}

func (r *tableRegions) halve(ctx context.Context, i int, rows *rowLookup, low, high []byte, best *closest) error {
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

// consider looks how much is below a row.
func (r *tableRegions) consider(i int, row []byte, best *closest) (err error) {
	if best.lastBelow, err = r.below(i, row); err != nil {
		return err
	}
	off := max(best.lastBelow, best.half) - min(best.lastBelow, best.half)
	if best.row == nil || off < best.off {
		best.row, best.off = row, off
	}
	return nil
}

// closest is the row that has come closest to the half so far.
type closest struct {
	half, off uint64
	row       []byte
	lastBelow uint64 // of the row considered last
}
