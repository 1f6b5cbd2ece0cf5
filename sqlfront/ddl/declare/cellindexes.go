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
	if t.Temporary && len(keys) > 0 {
		return mysqlerr.Unsupported("an index of a temporary table")
	}
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

// checkCellIndex refuses what is no index over Q and V.
func checkCellIndex(t *kv.Table, k *ast.KeyDef) error {
	names := schema.Of(t).AllColumnNames()
	if k.Kind != plainIndex {
		return mysqlerr.Unsupported(k.Kind + " of column families: an INDEX over Q and V, as (Q, V(64)) or (V(64)), is what they have beside the primary key")
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

// CellIndexes is what ALTER TABLE makes of the indexes of a column family.
type CellIndexes struct {
	now *kv.Table
	*alteration
}

// AlterCellIndexes begins to alter those of a family.
func AlterCellIndexes(t *kv.Table) *CellIndexes {
	return &CellIndexes{t, begin(nil, t.Name, typed.CellsOf(t), schema.Text{})}
}

// Action takes an action of indexes; done is false where it is another one.
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

// Declare declares the indexes of the family as it is to become.
func (x *CellIndexes) Declare(next *kv.Table) error {
	x.to = typed.DeclaredCells(next)
	if err := x.keepIndexes(); err != nil {
		return err
	}
	schema.Of(next).Indexes = x.to.Indexes
	return nil
}

// Put puts the altered family into the catalog, with its indexes, of which those that it adds are yet to be built.
func (x *CellIndexes) Put(c *kv.CatalogChange, next *kv.Table) error {
	if err := c.AlterTable(*next); err != nil {
		return err
	}
	return x.entries.apply(c, next, x.to)
}

// Build makes the entries of the indexes that were added, beside those who read and write the family. Where one cannot be
// built, the indexes are those before. building is told how many cells have been read; it may be nil.
func (x *CellIndexes) Build(ctx context.Context, store kv.Store, building func(cells int64)) error {
	return x.entries.build(ctx, store, x.now, building, x.undo)
}

// undo takes back what was done to the indexes, unless others have changed these since: then only those that were added go.
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
