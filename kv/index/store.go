package index

import (
	"context"
	"errors"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/sample"
)

// Full is a store with everything that this package needs.
type Full interface {
	kv.Store
	kv.Announcer
	kv.Backuper
	kv.BoundsFinder
	kv.BulkLoader
	kv.CheckedChanger
	kv.Checker
	kv.Collector
	kv.Compacter
	kv.Counters
	kv.Estimator
	kv.Flusher
	kv.HealthReader
	kv.LoadReader
	kv.Measured
	kv.Repartitioner
	kv.StatsReader
	sample.Teller
	// OpenFiles returns how many files the store may have open.
	OpenFiles() int
}

// Store is a store whose transactions maintain the entries of indexes.
type Store struct {
	Full
	Keeper
}

// Wrap makes a store maintain the entries of indexes, which maker makes. Writes to the store that bypass the
// wrapper do not update entries.
func Wrap(store Full, maker Maker) *Store { return &Store{store, newKeeper(maker, false)} }

// Begin implements kv.Store. A transaction that only reads is the wrapped store's own.
func (s *Store) Begin(ctx context.Context, o kv.TxnOptions) (kv.Txn, error) {
	txn, err := s.Full.Begin(ctx, o)
	if err != nil || o.ReadOnly {
		return txn, err
	}
	return s.Over(txn), nil
}

// ChangeCatalog implements kv.Store. It rebuilds the indexes that the change makes stale before it returns.
func (s *Store) ChangeCatalog(ctx context.Context, fn func(*kv.CatalogChange) error) error {
	return s.renewing(ctx, fn, func(fn func(*kv.CatalogChange) error) error { return s.Full.ChangeCatalog(ctx, fn) })
}

// ChangeCatalogAfter implements kv.CheckedChanger, like ChangeCatalog.
func (s *Store) ChangeCatalogAfter(ctx context.Context, read kv.Txn, fn func(*kv.CatalogChange) error) error {
	if x, ok := read.(*Txn); ok {
		read = x.Txn
	}
	return s.renewing(ctx, fn, func(fn func(*kv.CatalogChange) error) error { return s.Full.ChangeCatalogAfter(ctx, read, fn) })
}

// renewing changes the catalog, and rebuilds the indexes that fn has made stale, even if the context ends:
// the change has been made.
func (s *Store) renewing(ctx context.Context, fn func(*kv.CatalogChange) error, change func(func(*kv.CatalogChange) error) error) error {
	var stale []uint64
	err := change(func(c *kv.CatalogChange) error {
		err := fn(c)
		stale = madeStale(c.ChangedTables())
		return err
	})
	if err != nil {
		return err
	}
	for _, entries := range stale {
		if err := Build(context.WithoutCancel(ctx), s, entries, BuildOptions{}); err != nil && !errors.Is(err, kv.ErrNoIndex) {
			return err
		}
	}
	return nil
}

// madeStale returns the indexes that a change of tables has made stale, by the IDs of their tables of
// entries.
func madeStale(changed []kv.Changed[kv.Table]) (entries []uint64) {
	for _, t := range changed {
		if t.Is == nil {
			continue
		}
		for _, index := range t.Is.Indexes {
			if index.Building && index.Stale > staleIn(t.Was, index.Entries) {
				entries = append(entries, index.Entries)
			}
		}
	}
	return entries
}

// staleIn returns kv.Index.Stale of a table's index with those entries; 0 if it is not stale, or not the
// table's.
func staleIn(t *kv.Table, entries uint64) uint64 {
	if t == nil {
		return 0
	}
	i := t.IndexWith(entries)
	if i < 0 {
		return 0
	}
	return t.Indexes[i].Stale
}
