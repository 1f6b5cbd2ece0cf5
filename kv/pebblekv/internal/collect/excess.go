package collect

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// removeExcess removes from a partition the versions that are not kept because
// their columns have newer ones. It looks at the columns in all slices of time that
// the files' properties point to: those with more versions in one file than are
// kept or, if the newest versions are kept even when expired, with expired ones.
func (c *collector) removeExcess(ctx context.Context, row int) error {
	var leaves []int
	for slice := range c.Table.Partitioning.NumSlices() {
		leaves = append(leaves, c.Table.Partitioning.Leaf(row, slice))
	}
	spaces := slices.Clone(keyspace.Of(c.Table).Spaces[:0:0])
	for _, leaf := range leaves {
		spaces = append(spaces, keyspace.Of(c.Table).Spaces[leaf])
	}
	slices.Sort(spaces)
	lower, _ := cellkey.Extent(keyspace.ExtentOf(c.Table, leaves[0]))
	return c.through(ctx, cellkey.Suffix(lower), spaces, func(from []byte) ([]byte, error) {
		return c.excessFrom(leaves, from)
	})
}

// hints returns block filters, at least one of which shows each column that may
// have something to remove.
func (c *collector) hints() (out []pebble.BlockPropertyFilter) {
	r := c.Table.Retention
	switch {
	case c.Full:
		return nil
	case r.MaxVersions > 0:
		out = append(out, cellkey.NewVersionsFilter(r.MaxVersions))
	}
	if r.MinVersions > 0 && c.oldest > math.MinInt64 {
		out = append(out, cellkey.NewTimeFilter(math.MinInt64, c.oldest-1))
	}
	return out
}

func (c *collector) excessFrom(leaves []int, from []byte) (next []byte, err error) {
	all, err := c.openAll(leaves)
	if err != nil {
		return nil, err
	}
	shown := all
	if hints := c.hints(); len(hints) > 0 {
		if shown, err = c.openAll(leaves, hints...); err != nil {
			return nil, errors.Join(err, all.close())
		}
		defer func() { err = errors.Join(err, shown.close()) }()
	}
	for next = from; next != nil && !c.full(); {
		if next = shown.columnFrom(next); next != nil {
			c.trim(all, next)
			next = cellkey.MakeBehind(next)
		}
	}
	return next, errors.Join(shown.err(), all.err(), all.close())
}

// openAll returns the sources of leaves, one for each filter, or without filters
// for all that they hold.
func (c *collector) openAll(leaves []int, filters ...pebble.BlockPropertyFilter) (out sources, err error) {
	for _, leaf := range leaves {
		for i := range max(1, len(filters)) {
			s, err := c.open(leaf, filters[min(i, len(filters)):min(i+1, len(filters))]...)
			if err != nil {
				return nil, errors.Join(err, out.close())
			}
			out = append(out, s)
		}
	}
	return out, nil
}

// columnFrom returns the first column at or after a place, nil if there is none.
func (ss sources) columnFrom(place []byte) []byte {
	ss.seek(place)
	if s := ss.first(); s != nil {
		return bytes.Clone(cellkey.Suffix(s.column))
	}
	return nil
}

// trim removes from a column what follows the kept versions, unless somebody writes
// the column meanwhile.
func (c *collector) trim(all sources, column []byte) {
	all.seek(column)
	for rank := 0; ; {
		c.steps++
		s := all.first()
		if s == nil || !s.isIn(column) {
			return
		}
		if c.Table.Retention.CellTTL && s.hasExpired(c.Now) { // it does not count
			s.next()
			continue
		}
		if !c.Table.Retention.Keeps(rank, s.timestamp(), c.Now) {
			break
		}
		rank++
		s.next()
	}
	guard := &stretch{bytes.Clone(column), cellkey.MakeBehind(bytes.Clone(column))}
	for _, s := range all {
		if s.isIn(column) {
			c.run(s, guard.to, nil, guard)
		}
	}
}
