package index

import (
	"context"
	"errors"
	"iter"
	"maps"
	"sync"

	"github.com/hbasekv/hbasekv/kv"
)

// Full is a store that can do everything that this package leaves to it.
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
	// OpenFiles is how many files the store may have open.
	OpenFiles() int
}

// Store is a store whose transactions keep the entries of indexes.
type Store struct {
	Full
	maker Maker

	mu      sync.Mutex
	catalog *kv.Catalog // of the tables
	tables  map[*kv.Table]*table
}

// Wrap makes a store keep the entries of indexes, which maker knows. Whoever writes to the store
// beside it leaves the entries behind.
func Wrap(store Full, maker Maker) *Store { return &Store{Full: store, maker: maker} }

// Begin implements kv.Store. A transaction that only reads is the wrapped store's own.
func (s *Store) Begin(ctx context.Context, o kv.TxnOptions) (kv.Txn, error) {
	txn, err := s.Full.Begin(ctx, o)
	if err != nil || o.ReadOnly {
		return txn, err
	}
	return &Txn{Wrapped: kv.Wrapped{Txn: txn}, store: s}, nil
}

// ChangeCatalog implements kv.Store. Indexes that the change makes stale are built anew before it returns.
func (s *Store) ChangeCatalog(ctx context.Context, fn func(*kv.CatalogChange) error) error {
	return s.renewing(ctx, fn, func(fn func(*kv.CatalogChange) error) error { return s.Full.ChangeCatalog(ctx, fn) })
}

// ChangeCatalogAfter implements kv.CheckedChanger, as ChangeCatalog.
func (s *Store) ChangeCatalogAfter(ctx context.Context, read kv.Txn, fn func(*kv.CatalogChange) error) error {
	if x, ok := read.(*Txn); ok {
		read = x.Txn
	}
	return s.renewing(ctx, fn, func(fn func(*kv.CatalogChange) error) error { return s.Full.ChangeCatalogAfter(ctx, read, fn) })
}

// renewing changes the catalog, and builds the indexes anew that fn has made stale, whatever becomes of the context: the
// change has been made.
func (s *Store) renewing(ctx context.Context, fn func(*kv.CatalogChange) error, change func(func(*kv.CatalogChange) error) error) error {
	var stale map[uint64]uint64
	err := change(func(c *kv.CatalogChange) error {
		before := staleIn(c.Catalog())
		err := fn(c)
		stale = staleIn(c.Catalog())
		maps.DeleteFunc(stale, func(entries, count uint64) bool { return before[entries] == count })
		return err
	})
	if err != nil {
		return err
	}
	for entries := range stale {
		if err := Build(context.WithoutCancel(ctx), s, entries, BuildOptions{}); err != nil && !errors.Is(err, kv.ErrNoIndex) {
			return err
		}
	}
	return nil
}

// staleIn are how stale the indexes of a catalog are that are stale, by the IDs of their tables of entries.
func staleIn(c *kv.Catalog) map[uint64]uint64 {
	out := map[uint64]uint64{}
	for _, u := range UnfinishedIn(c) {
		if index := u.Table.Indexes[u.Index]; index.Stale > 0 {
			out[index.Entries] = index.Stale
		}
	}
	return out
}

// BulkLoad implements kv.BulkLoader. A load writes files, and no entries: it is refused where a
// table has indexes, or is one of entries.
func (s *Store) BulkLoad(
	ctx context.Context, tables []*kv.Table, cells iter.Seq2[kv.Cell, error], o kv.BulkOptions,
) (kv.BulkStats, error) {
	for _, t := range tables {
		if t.IndexOf != 0 {
			return kv.BulkStats{}, kv.ErrUnsupported{What: "bulk load into the entries of an index: writes to its table make them"}
		}
		if len(t.Indexes) > 0 {
			return kv.BulkStats{}, kv.ErrUnsupported{What: "bulk load into a table with indexes: INSERT and LOAD DATA write it, or DROP INDEX " +
				t.Indexes[0].Name + " first, and create it anew"}
		}
	}
	return s.Full.BulkLoad(ctx, tables, cells, o)
}

// of is what there is to know of a table with indexes of a catalog. That of the catalog that was
// asked for last is at hand.
func (s *Store) of(c *kv.Catalog, t *kv.Table) (*table, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.catalog != c {
		s.catalog, s.tables = c, map[*kv.Table]*table{}
	}
	if found := s.tables[t]; found != nil {
		return found, nil
	}
	made, err := newTable(c, t, s.maker)
	if err == nil {
		s.tables[t] = made
	}
	return made, err
}
