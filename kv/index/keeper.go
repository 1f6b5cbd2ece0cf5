package index

import (
	"sync"

	"github.com/hbasekv/hbasekv/kv"
)

// Keeper makes transactions maintain the entries of indexes: those of a store's tables, or those of the
// Temporary tables of one session, which are kept beside the store.
type Keeper struct {
	// MostPending is how many rows (or columns, in indexes with entries for each) a transaction may write
	// before their entries are written, by Settle or Commit: they are in memory. A further write fails with
	// kv.ErrTooLarge. The default is 4 Mi, which take about 1 GiB.
	MostPending int

	maker     Maker
	temporary bool // the tables are Temporary
	journals  journals

	mu      sync.Mutex
	catalog *kv.Catalog // the catalog of tables
	tables  map[*kv.Table]*table
}

func newKeeper(maker Maker, temporary bool) Keeper {
	return Keeper{MostPending: 4 << 20, maker: maker, temporary: temporary}
}

// ForTemporary returns a keeper for Temporary tables, whose entries maker makes.
func ForTemporary(maker Maker) *Keeper {
	k := newKeeper(maker, true)
	return &k
}

// Over returns a transaction that also maintains entries. Nobody must write with txn itself any more.
func (k *Keeper) Over(txn kv.Txn) *Txn { return &Txn{Wrapped: kv.Wrapped{Txn: txn}, keeper: k} }

// Below returns the transaction over which a transaction of this keeper is; nil for another one.
func (k *Keeper) Below(txn kv.Txn) kv.Txn {
	if x, ok := txn.(*Txn); ok && x.keeper == k {
		return x.Txn
	}
	return nil
}

// keeps reports whether the table has indexes whose entries are maintained here.
func (k *Keeper) keeps(t *kv.Table) bool { return len(t.Indexes) > 0 && t.Temporary == k.temporary }

// of returns the indexes of a table in a catalog. Those of the last catalog are cached.
func (k *Keeper) of(c *kv.Catalog, t *kv.Table) (*table, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.catalog != c {
		k.catalog, k.tables = c, map[*kv.Table]*table{}
	}
	if found := k.tables[t]; found != nil {
		return found, nil
	}
	made, err := newTable(c, t, k.maker)
	if err == nil {
		k.tables[t] = made
	}
	return made, err
}
