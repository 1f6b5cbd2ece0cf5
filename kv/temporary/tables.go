package temporary

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/index"
)

// Memory counts the bytes of the tables.
type Memory interface {
	// Take counts n bytes more. Its error is that of the write that needs them, which then
	// does nothing.
	Take(n int64) error
	// Give counts n bytes less.
	Give(n int64)
}

// Tables are a session's own tables on top of a store, and are a kv.Store for the session. One
// goroutine uses it at a time.
type Tables struct {
	store   kv.Store
	memory  Memory
	keeper  *index.Keeper
	stored  *kv.Catalog // of the own tables
	named   map[[2]string]*kv.Table
	newest  *kv.Catalog // the last one that was made
	version uint64      // how many were made
	changes uint64      // of the own tables

	counters map[uint64]counter // of the own tables, by ID
}

var _ kv.Store = (*Tables)(nil)

// New returns Tables without own tables. maker makes the entries of their indexes.
func New(store kv.Store, memory Memory, maker index.Maker) *Tables {
	return &Tables{store: store, memory: memory, keeper: index.ForTemporary(maker), stored: kv.EmptyCatalog(), named: map[[2]string]*kv.Table{},
		counters: map[uint64]counter{}}
}

// Len returns the number of own tables.
func (t *Tables) Len() int { return len(t.named) }

// Catalog returns the store's newest catalog with the own tables in it.
func (t *Tables) Catalog(ctx context.Context) (*kv.Catalog, error) {
	c, err := t.store.Catalog(ctx)
	if err != nil {
		return nil, err
	}
	return t.over(c), nil
}

// over returns one of the store's catalogs with the own tables in it.
func (t *Tables) over(stored *kv.Catalog) *kv.Catalog {
	if t.newest == nil || t.newest.Stored() != stored {
		t.version++
		t.newest = stored.With(t.named, t.version)
	}
	return t.newest
}

// Over returns a catalog that is being changed, with the own tables in it.
func (t *Tables) Over(c *kv.Catalog) *kv.Catalog { return c.With(t.named, 0) }

// ChangeCatalog changes the store's catalog.
func (t *Tables) ChangeCatalog(ctx context.Context, fn func(*kv.CatalogChange) error) error {
	return t.store.ChangeCatalog(ctx, fn)
}

// Begin starts a transaction of the store that also covers the own tables. These can be written
// even if it is read-only.
func (t *Tables) Begin(ctx context.Context, o kv.TxnOptions) (kv.Txn, error) {
	txn, err := t.store.Begin(ctx, o)
	if err != nil {
		return nil, err
	}
	return t.Join(txn), nil
}

// Join extends an open transaction of the store to the own tables. Its earlier savepoints apply to both.
func (t *Tables) Join(txn kv.Txn) kv.Txn {
	if t.keeper.Below(txn) != nil {
		return txn
	}
	return t.keeper.Over(&Txn{Wrapped: kv.Wrapped{Txn: txn}, tables: t})
}

// Close drops the own tables, and leaves the store open. Cursors on them can still be read.
func (t *Tables) Close() error {
	t.install((&kv.StoredCatalog{NextID: t.stored.NextID()}).Catalog())
	return nil
}

func (t *Tables) drop(c *cells) {
	t.memory.Give(c.bytes)
	c.bytes, c.dropped = 0, true
}

// own returns the cells of one of a session's own tables, nil for another table.
func own(t *kv.Table) *cells {
	c, _ := t.Layout.(*cells)
	return c
}
