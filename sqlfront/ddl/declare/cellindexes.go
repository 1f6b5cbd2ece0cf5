package declare

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

// SetCellIndexes declares the indexes of a new column family.
func SetCellIndexes(t *kv.Table, keys []ast.KeyDef) error {
	for i := range keys {
		if err := checkCellIndex(t, &keys[i]); err != nil {
			return err
		}
	}
	face := typed.DeclaredCells(t)
	if err := addIndexes(face, keys); err != nil {
		return err
	}
	schema.Of(t).Indexes = face.Indexes
	return nil
}

// checkCellIndex refuses anything but an index over Q and V.
func checkCellIndex(t *kv.Table, k *ast.KeyDef) error {
	names := schema.Of(t).AllColumnNames()
	if k.Kind != plainIndex {
		return mysqlerr.Unsupported(k.Kind + " of column families: besides the primary key, they can only have an INDEX over Q and V, such as (Q, V(64)) or (V(64))")
	}
	for _, p := range k.Parts {
		named := func(name string) bool { return strings.EqualFold(name, p.Column) }
		if at := slices.IndexFunc(names, named); at >= 0 && at != typed.CellQ && at != typed.CellV {
			return mysqlerr.Unsupported("an index over column '" + names[at] + "' of a column family: one over Q and V, as (Q, V(64)) or " +
				"(V(64)), leads to the K of the newest version of each cell")
		}
	}
	return nil
}

// CellIndexes is the effect of ALTER TABLE on the indexes of a column family.
type CellIndexes struct {
	now *kv.Table
	*alteration
}

// AlterCellIndexes starts the alteration of a family's indexes.
func AlterCellIndexes(t *kv.Table) *CellIndexes {
	return &CellIndexes{t, begin(nil, t.Name, typed.CellsOf(t), schema.Text{})}
}

// Action applies an action about indexes; done is false for any other.
func (x *CellIndexes) Action(action ast.AlterAction) (done bool, err error) {
	switch action := action.(type) {
	case *ast.AlterAddKey:
		x.indexes = append(x.indexes, action.Key)
		return isIndex(&action.Key), checkCellIndex(x.now, &action.Key)
	case *ast.AlterDropKey:
		if action.Kind == plainIndex {
			return true, x.dropIndex(action.Name)
		}
	case *ast.AlterRenameIndex:
		return true, x.renameIndex(action)
	}
	return false, nil
}

// Declare declares the indexes in the altered family's descriptor.
func (x *CellIndexes) Declare(next *kv.Table) error {
	x.to = typed.DeclaredCells(next)
	if err := x.keepIndexes(); err != nil {
		return err
	}
	schema.Of(next).Indexes = x.to.Indexes
	return nil
}

// Put stores the altered family in the catalog, with its indexes; new ones still have to be built.
func (x *CellIndexes) Put(c *kv.CatalogChange, next *kv.Table) error {
	if err := c.AlterTable(*next); err != nil {
		return err
	}
	return x.entries.apply(c, next, x.to)
}

// Build builds the entries of the added indexes while others read and write the family. If one cannot be
// built, the indexes are as before. building is called with the number of cells read; it may be nil.
func (x *CellIndexes) Build(ctx context.Context, store kv.Store, building func(cells int64)) error {
	return x.entries.build(ctx, store, x.now, building, x.undo)
}

// undo restores the indexes. If others have changed them since, it only removes the added ones.
func (x *CellIndexes) undo(c *kv.CatalogChange) (again []string, err error) {
	now := c.Catalog().TableByID(x.now.ID)
	if now == nil {
		return nil, nil
	}
	next := *now
	declared, since := schema.Edit(&next), !reflect.DeepEqual(schema.Of(now).Indexes, x.to.Indexes)
	declared.Indexes = x.from.Indexes
	if since {
		declared.Indexes = without(schema.Of(now).Indexes, x.entries.added)
	}
	if err := c.AlterTable(next); err != nil {
		return nil, err
	}
	if since {
		return nil, dropEntries(c, &next, x.entries.added)
	}
	return x.entries.undo(c, &next, x.from)
}
