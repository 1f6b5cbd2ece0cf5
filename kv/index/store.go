package index

import (
	"context"
	"iter"
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

// ChangeCatalogAfter implements kv.CheckedChanger.
func (s *Store) ChangeCatalogAfter(ctx context.Context, read kv.Txn, fn func(*kv.CatalogChange) error) error {
	if x, ok := read.(*Txn); ok {
		read = x.Txn
	}
	return s.Full.ChangeCatalogAfter(ctx, read, fn)
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
