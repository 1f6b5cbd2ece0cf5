package temporary

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// firstID keeps the IDs of the session's own tables apart from those of the store.
const firstID = 1 << 63

// Own returns a kv.Store of the own tables alone, for statements that change their descriptors.
// It has the databases of the store.
func (t *Tables) Own() kv.Store { return ownStore{t} }

// ownStore is the store that Own returns.
type ownStore struct{ *Tables }

var _ kv.CheckedChanger = ownStore{}

// Catalog returns the own tables and the store's databases.
func (o ownStore) Catalog(ctx context.Context) (*kv.Catalog, error) {
	before, err := o.before(ctx)
	if err != nil {
		return nil, err
	}
	return before.Catalog(), nil
}

// before returns the catalog to be changed. The database of a table may have been dropped: the
// table stays.
func (o ownStore) before(ctx context.Context) (*kv.StoredCatalog, error) {
	c, err := o.store.Catalog(ctx)
	if err != nil {
		return nil, err
	}
	out := &kv.StoredCatalog{NextID: max(o.stored.NextID(), firstID), Databases: c.Databases()}
	for _, d := range o.stored.Databases() {
		tables := o.stored.AllTables(d.Name)
		if len(tables) > 0 && c.Database(d.Name) == nil {
			out.Databases = append(out.Databases, d)
		}
		out.Tables, out.Groups = append(out.Tables, tables...), append(out.Groups, o.stored.Groups(d.Name)...)
	}
	return out, nil
}

// limits returns the limits of tables in memory: a table has one partition.
func limits() kv.Limits {
	l := kv.FullLimits()
	l.Partitionings, l.Slices = []partition.Method{partition.None}, false
	l.DDL = kv.RenameTables | kv.TruncateFamilies | kv.ChangeIndexes
	return l
}

// ChangeCatalog implements kv.Store for the own tables.
func (o ownStore) ChangeCatalog(ctx context.Context, fn func(*kv.CatalogChange) error) error {
	before, err := o.before(ctx)
	if err != nil {
		return err
	}
	change := before.Catalog().Change(limits(), layouts{})
	if err := fn(change); err != nil {
		return err
	}
	after, _ := change.Finish()
	if after.Retains() {
		return kv.ErrUnsupported{What: "retention of a temporary table, which is dropped with its session"}
	}
	o.install(after)
	return nil
}

// ChangeCatalogAfter implements kv.CheckedChanger. Nobody else writes what was read.
func (o ownStore) ChangeCatalogAfter(ctx context.Context, _ kv.Txn, fn func(*kv.CatalogChange) error) error {
	return o.ChangeCatalog(ctx, fn)
}

// install makes a changed catalog the current one, and drops cells that no table has any more.
func (t *Tables) install(after *kv.Catalog) {
	kept := map[*cells]bool{}
	named := map[[2]string]*kv.Table{}
	for each := range after.EveryTable() {
		kept[own(each)] = true
		named[[2]string{each.Database, each.Name}] = each
	}
	for _, each := range t.named {
		if c := own(each); !kept[c] {
			t.drop(c)
			delete(t.counters, each.ID)
		}
	}
	t.stored, t.named, t.newest = after, named, nil
	t.changes++
}

// layouts implements kv.Layouts: the layout of a table is its cells.
type layouts struct{}

// Lay creates cells for a table that has no previous ones.
func (layouts) Lay(t *kv.Table, from []kv.Leaf, _ []kv.Leaf) {
	if of := from[0].Table; of != nil {
		t.Layout = of.Layout
		return
	}
	t.Layout = newCells()
}

func (layouts) Requested(*kv.Table, [][]byte) {}

func (layouts) Alike(_, _ *kv.Table) bool { return true }

func (layouts) Together(_ *kv.Table, a, b int) bool { return a == b }
