package pebblekv

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/counter"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/layout"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/txn"
)

func (s *Store) load() error {
	format, ok, err := layout.Record(s.db.Get, layout.FormatRecord)
	if err != nil {
		return err
	}
	if !ok {
		return s.create()
	}
	if err := layout.CheckFormat(format); err != nil {
		return err
	}
	data, ok, err := layout.Record(s.db.Get, layout.CatalogRecord)
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("%w: it has no catalog", kv.ErrFormat)
	}
	if s.stored, err = keyspace.Parse(data); err != nil {
		return err
	}
	if err := s.dropUnfinished(); err != nil {
		return err
	}
	clock, ok, err := layout.Clock(s.db.Get)
	if ok {
		s.engine.RaiseClock(clock)
	}
	s.engine.Views.Begin(s.stored.Catalog())
	return err
}

// create writes the first records of a new store.
func (s *Store) create() error {
	if s.opts.ReadOnly {
		return fmt.Errorf("%w: it is empty", kv.ErrFormat)
	}
	if err := s.checkEmpty(); err != nil {
		return err
	}
	s.stored = &keyspace.Catalog{}
	s.engine.Views.Begin(s.stored.Catalog())
	data, err := s.stored.MarshalJSON()
	if err != nil {
		return err
	}
	b := s.db.NewBatch()
	err = errors.Join(
		b.Set(cellkey.SystemKey(layout.FormatRecord), layout.FormatText(), nil),
		b.Set(cellkey.SystemKey(layout.CatalogRecord), data, nil),
		b.Commit(pebble.Sync))
	return errors.Join(err, b.Close(), s.failed.Err())
}

// checkEmpty keeps the store from moving into another program's.
func (s *Store) checkEmpty() error {
	it, err := s.db.NewIter(nil)
	if err != nil {
		return err
	}
	found := it.First()
	if err := it.Close(); err != nil {
		return err
	}
	if found {
		return fmt.Errorf("%w: it is another program's", kv.ErrFormat)
	}
	return nil
}

// Catalog is the newest catalog.
func (s *Store) Catalog(context.Context) (*kv.Catalog, error) { return s.catalog(), nil }

func (s *Store) catalog() *kv.Catalog { return s.engine.Views.NewestCatalog() }

// ChangeCatalog implements kv.Store. The change is synced whatever
// Options.Sync says.
func (s *Store) ChangeCatalog(ctx context.Context, fn func(*kv.CatalogChange) error) error {
	if err := (door{s}).Enter(); err != nil {
		return err
	}
	defer door{s}.Exit()
	return s.changeCatalog(ctx, descriptors(fn), func() error { return nil })
}

// ChangeCatalogAfter implements kv.CheckedChanger.
func (s *Store) ChangeCatalogAfter(ctx context.Context, read kv.Txn, fn func(*kv.CatalogChange) error) error {
	if err := (door{s}).Enter(); err != nil {
		return err
	}
	defer door{s}.Exit()
	tx := read.(*txn.Txn)
	if !tx.Of(&s.txns) {
		return kv.ErrReopened
	}
	return s.changeCatalog(ctx, descriptors(fn), tx.CheckReads)
}

// descriptors is a change that leaves key spaces to the layout.
func descriptors(fn func(*kv.CatalogChange) error) func(*keyspace.Change) error {
	return func(c *keyspace.Change) error { return fn(c.CatalogChange) }
}

// changeCatalog is ChangeCatalog inside the store; with is called at the moment
// in which the change becomes visible, under commits, and may still refuse it.
func (s *Store) changeCatalog(ctx context.Context, fn func(*keyspace.Change) error, with func() error) error {
	s.ddl.Lock()
	defer s.ddl.Unlock()
	if err := s.writable(ctx); err != nil {
		return err
	}
	change := s.stored.Change()
	if err := fn(change); err != nil {
		return err
	}
	next, freed := change.Finish()
	retained := s.catalog().Retains()
	b, err := s.catalogBatch(next, freed)
	if err != nil {
		return err
	}
	over := counter.Over(s.stored.Tables, next.Tables)
	if err := counter.Delete(b, over); err != nil {
		return err
	}
	if err := s.publish(b, next, with); err != nil {
		return err
	}
	s.counters.Forget(over)
	s.engine.Loads.Keep(s.catalog())
	if !retained {
		s.lookLater()
	}
	return b.Close()
}

func (s *Store) writable(ctx context.Context) error {
	switch {
	case s.opts.ReadOnly:
		return kv.ErrReadOnly
	case s.closed.Load(): // the context that ends with Close may end a little later
		return s.whyClosed()
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return s.accepts()
}

// accepts is why the store takes no writes at present, or nil.
func (s *Store) accepts() error {
	if err := s.failed.Err(); err != nil {
		return err
	}
	return s.background.FlushError()
}

func (s *Store) catalogBatch(next *keyspace.Catalog, freed []keyspace.Extent) (*pebble.Batch, error) {
	if next.NextSpace+1 == 0 {
		return nil, errors.New("the store has given out all its key spaces")
	}
	data, err := next.MarshalJSON() // which json.Marshal would read once more
	if err != nil {
		return nil, err
	}
	b := s.db.NewBatch()
	err = b.Set(cellkey.SystemKey(layout.CatalogRecord), data, nil)
	for _, e := range freed {
		lower, upper := cellkey.Extent(e)
		err = errors.Join(err, b.DeleteRange(lower, upper, nil))
	}
	return b, err
}

// publish makes data and catalog durable and visible together: no view is taken between.
func (s *Store) publish(b *pebble.Batch, next *keyspace.Catalog, with func() error) error {
	s.txns.Commits.Lock()
	defer s.txns.Commits.Unlock()
	if err := s.accepts(); err != nil {
		return err
	}
	if err := with(); err != nil {
		return err
	}
	err := s.engine.Views.Publish(next.Catalog(), func() error {
		return faultfs.Unknown(errors.Join(s.db.Apply(b, pebble.Sync), s.failed.Err()))
	})
	if err != nil {
		return err
	}
	s.stored = next
	s.txns.Runs.Forget() // key spaces may change places
	return nil
}
