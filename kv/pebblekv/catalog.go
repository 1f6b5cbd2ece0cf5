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
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/records"
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
	if s.format, err = layout.ParseFormat(format); err != nil {
		return err
	}
	if s.stored, err = s.read(s.format); err != nil {
		return err
	}
	if s.format < layout.FormatVersion {
		if err := s.turn(); err != nil {
			return err
		}
	}
	if err := s.dropUnfinished(); err != nil {
		return err
	}
	clock, ok, err := layout.Clock(s.db.Get)
	if ok {
		s.engine.RaiseClock(clock)
	}
	s.engine.Views.Begin(s.stored.Catalog)
	return err
}

// read reads the catalog of a store of a format.
func (s *Store) read(format int) (c *keyspace.Catalog, err error) {
	ok := false
	if format == layout.FirstFormat {
		var data []byte
		if data, ok, err = layout.Record(s.db.Get, records.First); ok && err == nil {
			return records.ReadFirst(data)
		}
	} else {
		c, ok, err = records.ReadFrom(s.db.NewIter)
	}
	if err == nil && !ok {
		err = fmt.Errorf("%w: it has no catalog", kv.ErrFormat)
	}
	return c, err
}

// turn converts a store of an earlier format to the current one. A store that is only read stays
// as it is.
func (s *Store) turn() error {
	if s.opts.ReadOnly {
		return nil
	}
	if s.format == layout.FirstFormat {
		return s.write(func(b *pebble.Batch) error { return records.Turn(b, s.stored) })
	}
	return s.write(func(*pebble.Batch) error { return nil })
}

// create writes the first records of a new store.
func (s *Store) create() error {
	if s.opts.ReadOnly {
		return fmt.Errorf("%w: the database is empty", kv.ErrFormat)
	}
	if err := s.checkEmpty(); err != nil {
		return err
	}
	s.stored = keyspace.New()
	s.engine.Views.Begin(s.stored.Catalog)
	return s.write(func(b *pebble.Batch) error { return records.Write(b, s.stored, s.stored.Everything()) })
}

// write writes records, including the current format, to a store that is being opened.
func (s *Store) write(add func(*pebble.Batch) error) error {
	s.format = layout.FormatVersion
	b := s.db.NewBatch()
	err := errors.Join(add(b), b.Set(cellkey.SystemKey(layout.FormatRecord), layout.FormatText(), nil))
	if err == nil {
		err = b.Commit(pebble.Sync)
	}
	return errors.Join(err, b.Close(), s.failed.Err())
}

// checkEmpty keeps the store from using another program's database.
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
		return fmt.Errorf("%w: it belongs to another program", kv.ErrFormat)
	}
	return nil
}

// Catalog implements kv.Store: the newest catalog.
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

// descriptors returns a change that leaves key spaces to the layout.
func descriptors(fn func(*kv.CatalogChange) error) func(*keyspace.Change) error {
	return func(c *keyspace.Change) error { return fn(c.CatalogChange) }
}

// changeCatalog is ChangeCatalog inside the store. with is called when the change becomes
// visible, with Commits held, and may still refuse it.
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
	next, changed, freed := change.Finish()
	retained := s.catalog().Retains()
	b, err := s.catalogBatch(next, changed, freed)
	if err != nil {
		return err
	}
	over := counter.Over(changed.Tables)
	if err := counter.Delete(b, over); err != nil {
		return err
	}
	if err := s.publish(b, next, with); err != nil {
		return err
	}
	s.counters.Forget(over)
	s.engine.Loads.Forget(changed.Tables)
	if !retained {
		s.lookLater()
	}
	return b.Close()
}

func (s *Store) writable(ctx context.Context) error {
	switch {
	case s.opts.ReadOnly:
		return kv.ErrReadOnly
	case s.engine.Closed.Load(): // the context that Close ends may end a little later
		return s.whyClosed()
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return s.accepts()
}

// accepts returns the reason why the store accepts no writes now, or nil.
func (s *Store) accepts() error {
	if err := s.failed.Err(); err != nil {
		return err
	}
	return s.background.FlushError()
}

func (s *Store) catalogBatch(next *keyspace.Catalog, changed *kv.Difference, freed []keyspace.Extent) (*pebble.Batch, error) {
	if next.NextSpace+1 == 0 {
		return nil, errors.New("the store has no key spaces left")
	}
	b := s.db.NewBatch()
	err := records.Write(b, next, changed)
	for _, e := range freed {
		lower, upper := cellkey.Extent(e)
		err = errors.Join(err, b.DeleteRange(lower, upper, nil))
	}
	return b, err
}

// publish makes data and catalog durable and visible atomically.
func (s *Store) publish(b *pebble.Batch, next *keyspace.Catalog, with func() error) error {
	s.txns.Commits.Lock()
	defer s.txns.Commits.Unlock()
	if err := s.accepts(); err != nil {
		return err
	}
	if err := with(); err != nil {
		return err
	}
	err := s.engine.Views.Publish(next.Catalog, func() error {
		return faultfs.Unknown(errors.Join(s.db.Apply(b, pebble.Sync), s.failed.Err()))
	})
	if err != nil {
		return err
	}
	s.stored = next
	s.txns.Runs.Forget() // key spaces may change places
	return nil
}
