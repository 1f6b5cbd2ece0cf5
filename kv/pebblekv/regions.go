package pebblekv

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/layout"
)

// RANGE partitions grow and shrink like HBase's regions. One that takes more than
// Options.MaxRegionBytes on disk, with all families of its group, is split at its
// median row. Two neighbours that such a split has made, and that together are
// below a quarter of that size, are merged again, as by HBase's normalizer; bounds
// set by a statement are left alone. Both only change descriptors.

// regions controls when to look at the sizes: after flushes and compactions,
// when they change.
type regions struct {
	ready atomic.Bool  // the store is open
	asked atomic.Int64 // requests since the last look began
}

// watchRegions looks at the sizes, unless a call is already doing so: then that
// one looks again.
func (s *Store) watchRegions() {
	r := &s.regions
	if s.opts.MaxRegionBytes <= 0 || s.opts.ReadOnly || !r.ready.Load() || r.asked.Add(1) > 1 {
		return
	}
	for {
		asked := r.asked.Load()
		if (door{s}).Enter() != nil {
			return
		}
		_ = s.balanceRegions(s.life) // the next look tries again
		door{s}.Exit()
		if r.asked.CompareAndSwap(asked, 0) {
			return
		}
	}
}

// balanceRegions splits and merges until nothing is left to do.
func (s *Store) balanceRegions(ctx context.Context) error {
	for _, name := range layout.RangedTables(s.catalog()) {
		if err := s.balanceTable(ctx, name[0], name[1]); err != nil {
			return err
		}
	}
	return nil
}

// balanceTable splits and merges partitions of a table, and of its group.
func (s *Store) balanceTable(ctx context.Context, database, name string) error {
	for {
		r, err := s.regionsOf(database, name)
		if err != nil || r == nil {
			return err
		}
		change, err := r.Next(ctx)
		if err != nil || change == nil {
			return err
		}
		err = s.ChangeCatalog(ctx, func(c *kv.CatalogChange) error {
			if c.Catalog().Table(database, name) != r.Table() || s.isMoving(r.Table()) {
				return kv.ErrCatalogChanged
			}
			return change(c)
		})
		if err != nil && !errors.Is(err, kv.ErrCatalogChanged) {
			return err
		}
	}
}

// isMoving reports whether cells of the table are being moved: a change of the
// layout would make the move begin again. The next flush after the move leads to
// another look.
func (s *Store) isMoving(t *kv.Table) bool {
	return len(s.txns.Moves.Of([]*kv.Table{t})) > 0
}

// regionsOf returns the regions of a table, or nil if it no longer has ranges
// or must be left alone.
func (s *Store) regionsOf(database, name string) (*layout.Regions, error) {
	c := s.catalog()
	t := c.Table(database, name)
	if t == nil || !layout.SplitsItself(t) || s.isMoving(t) {
		return nil, nil
	}
	return layout.MeasureRegions(&s.engine, c, t, uint64(s.opts.MaxRegionBytes))
}
