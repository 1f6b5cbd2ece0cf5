package index

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// Local says which entries of an index belong to the rows in a leaf of its table's partitioning: those within
// Entries, and no others are there.
type Local struct {
	Index   string
	Entries partition.RowRange
}

// Exchange is kv.CatalogChange.ExchangePartition with the entries of indexes. Those in locals change places with
// all entries of the other table's index of the same name, in the same change, so that both are complete and
// unique throughout. Other indexes are rebuilt; unique ones of these are kv.ErrUnsupported, since both tables may
// have an entry until then. It fails with kv.ErrNeedsMove if Isolate is needed first, for either table.
func Exchange(c *kv.CatalogChange, t *kv.Table, leaf int, with *kv.Table, locals []Local) error {
	for _, index := range slices.Concat(t.Indexes, with.Indexes) {
		isLocal := slices.ContainsFunc(locals, func(l Local) bool { return l.Index == index.Name })
		switch {
		case t.Retention.CellTTL || with.Retention.CellTTL:
			return kv.ErrUnsupported{What: "exchanging a partition with cells that have a TTL of their own, which no index can have: DROP INDEX " + index.Name + " first"}
		case index.Unique && !isLocal:
			return kv.ErrUnsupported{What: "exchanging partitions of tables whose UNIQUE indexes do not begin with the columns of the partitions: DROP INDEX " +
				index.Name + " first, and create it again afterwards"}
		case index.Building && isLocal:
			return kv.ErrNeedsMove
		}
	}
	if err := c.ExchangePartition(t, leaf, with); err != nil {
		return err
	}
	for _, l := range locals {
		if err := l.exchange(c, t, with); err != nil {
			return err
		}
	}
	return nil
}

// exchange exchanges the entries of one index. The tables are as they were before their cells changed places.
func (l *Local) exchange(c *kv.CatalogChange, t, with *kv.Table) error {
	own, other := l.entries(c.Catalog(), t), l.entries(c.Catalog(), with)
	if own == nil || other == nil {
		return kv.ErrNoIndex
	}
	leaf, ok := leafOf(own.Partitioning, l.Entries)
	if !ok || other.Partitioning.Partitioned() {
		return kv.ErrNeedsMove
	}
	if err := c.ExchangePartition(own, leaf, other); err != nil {
		return err
	}
	for _, each := range []*kv.Table{t, with} {
		if err := c.ChangeIndex(each.Database, each.Name, l.Index, each.Indexes[each.IndexNamed(l.Index)]); err != nil {
			return err
		}
	}
	return nil
}

// Without makes a change that removes the rows in leaves of a table, such as kv.CatalogChange.DropPartitions, and
// removes their entries in the same change: those in locals, which has those of each of the leaves. Indexes without
// locals are rebuilt, and so are those that have been Building.
func Without(c *kv.CatalogChange, t *kv.Table, locals []Local, remove func() error) error {
	if err := remove(); err != nil {
		return err
	}
	for _, index := range t.Indexes {
		of := slices.DeleteFunc(slices.Clone(locals), func(l Local) bool { return l.Index != index.Name })
		if len(of) == 0 || index.Building || of[0].entries(c.Catalog(), t).Partitioning.Len() > mostParts {
			continue
		}
		for _, l := range of {
			if err := l.remove(c, t); err != nil {
				return err
			}
		}
		if err := c.ChangeIndex(t.Database, t.Name, index.Name, index); err != nil {
			return err
		}
	}
	return nil
}

// remove removes the entries, which takes no longer for many of them. The range becomes that of the next partition of
// entries, if there is one, so that their number does not grow.
func (l *Local) remove(c *kv.CatalogChange, t *kv.Table) error {
	own := l.entries(c.Catalog(), t)
	if points := l.bounds(); len(points) > 0 {
		if _, err := c.SplitPartitions(own.Database, own.Name, points); err != nil {
			return err
		}
		own = c.Catalog().TableByID(own.ID)
	}
	within := own.Partitioning.Prune([]partition.RowRange{l.Entries})
	if l.Entries.End == nil {
		return c.TruncatePartitions(own.Database, own.Name, within)
	}
	return c.DropPartitions(own.Database, own.Name, within)
}

// bounds returns the bounds of the entries that are not the first or the last ones.
func (l *Local) bounds() (points [][]byte) {
	if len(l.Entries.Start) > 0 {
		points = append(points, l.Entries.Start)
	}
	if l.Entries.End != nil {
		points = append(points, l.Entries.End)
	}
	return points
}

// entries returns the table of entries of a table's index, nil if there is none.
func (l *Local) entries(c *kv.Catalog, t *kv.Table) *kv.Table {
	if i := t.IndexNamed(l.Index); i >= 0 {
		return c.TableByID(t.Indexes[i].Entries)
	}
	return nil
}

// leafOf returns the leaf of a scheme that has these rows and no others.
func leafOf(s *partition.Scheme, rows partition.RowRange) (leaf int, ok bool) {
	for i := range s.Len() {
		if b := s.Bounds(i); bytes.Equal(b.Start, rows.Start) && bytes.Equal(b.End, rows.End) {
			return i, true
		}
	}
	return 0, false
}

// Isolate prepares an index for Exchange: it completes the index, and gives the Local entries a leaf and a key
// space of their own while others read and write. With the zero range they are all entries of the index, whose
// table then has no partitions. The error is kv.ErrCatalogChanged if others have dropped the index.
func Isolate(ctx context.Context, store kv.Store, t *kv.Table, l Local, o kv.MoveOptions) error {
	mover, ok := store.(kv.Repartitioner)
	if !ok {
		return kv.ErrUnsupported{What: "moving entries between partitions in this store"}
	}
	catalog, err := store.Catalog(ctx)
	if err != nil {
		return err
	}
	own := l.entries(catalog, t)
	if own == nil {
		return kv.ErrCatalogChanged
	}
	if err := complete(ctx, store, own.ID); err != nil {
		return err
	}
	leaf := ""
	err = mover.Repartition(ctx, own.Database, own.Name, func(t *kv.Table) (err error) {
		if t.Partitioning, err = l.parting(t.Partitioning); err == nil {
			i, _ := leafOf(t.Partitioning, l.Entries)
			leaf = t.Partitioning.LeafName(i)
		}
		return err
	}, o)
	if err == nil && leaf != "" {
		err = mover.Isolate(ctx, own.Database, own.Name, leaf, o)
	}
	if errors.Is(err, kv.ErrNoTable) || errors.Is(err, kv.ErrNoPartition) {
		return kv.ErrCatalogChanged
	}
	return err
}

// complete builds an index that is Building, or waits for whoever does.
func complete(ctx context.Context, store kv.Store, entries uint64) error {
	err := Build(ctx, store, entries, BuildOptions{})
	var duplicate *kv.DuplicateEntryError
	if errors.As(err, &duplicate) || errors.Is(err, kv.ErrNoIndex) {
		return kv.ErrCatalogChanged
	}
	return err
}

// mostParts is the number of partitions of entries beyond which those of earlier exchanges are given up: their
// rows may have been dropped long ago.
const mostParts = 512

// parting returns a scheme in which one partition has the entries, and none if they are all.
func (l *Local) parting(s *partition.Scheme) (*partition.Scheme, error) {
	points := l.bounds()
	if len(points) == 0 {
		return &partition.Scheme{}, nil
	}
	if s.Len() > mostParts {
		s = &partition.Scheme{}
	}
	next, _, err := s.Splitting(points)
	if err != nil {
		return nil, err
	}
	within := next.Prune([]partition.RowRange{l.Entries})
	first, last := within[0], within[len(within)-1]
	if first == last {
		return next, nil
	}
	return next.Reorganizing(first, last, []string{next.Name(last)}, [][]byte{l.Entries.End})
}

// SameRetention reports whether the entries of two tables' indexes of a name expire alike, so that Exchange can
// exchange them.
func SameRetention(c *kv.Catalog, t, with *kv.Table, name string) bool {
	l := Local{Index: name}
	own, other := l.entries(c, t), l.entries(c, with)
	return own != nil && other != nil && own.Retention == other.Retention
}
