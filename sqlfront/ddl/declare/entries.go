package declare

import (
	"context"
	"errors"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/attribute"
	"github.com/hbasekv/hbasekv/kv/index"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

// AddIndexes adds the indexes of a new table that is in the catalog. It has no rows, so nothing has to be
// built.
func AddIndexes(c *kv.CatalogChange, t *kv.Table, face *typed.Table) error {
	for i := range face.Indexes {
		if err := addEntries(c, t, &face.Indexes[i]); err != nil {
			return err
		}
		if err := publish(c, t, face.Indexes[i].Name); err != nil {
			return err
		}
	}
	return nil
}

// addEntries adds an index that has to be built to a table of the catalog.
func addEntries(c *kv.CatalogChange, t *kv.Table, of *typed.Index) error {
	entries := kv.Table{MaxRow: maxEntry, MaxQualifier: maxEntry, Partitioning: &partition.Scheme{},
		Value: kv.ValueType{Kind: schema.LongBlob, Max: schema.MaxLongBlob, Nullable: true}}
	_, err := c.AddIndex(t.Database, t.Name, kv.Index{Name: of.Name, Unique: of.Unique}, entries)
	return err
}

// dropEntries drops indexes of a table; others may have dropped some already.
func dropEntries(c *kv.CatalogChange, t *kv.Table, names []string) error {
	for _, name := range names {
		if err := c.DropIndex(t.Database, t.Name, name); err != nil && !errors.Is(err, kv.ErrNoIndex) {
			return err
		}
	}
	return nil
}

// without are the indexes other than those with these names.
func without(indexes []schema.Index, names []string) []schema.Index {
	return slices.DeleteFunc(slices.Clone(indexes), func(i schema.Index) bool { return slices.Contains(names, i.Name) })
}

// maxEntry is the maximum length of an entry's row and qualifier, in bytes.
const maxEntry = 65535

// publish declares that an index has the entries of all rows.
func publish(c *kv.CatalogChange, t *kv.Table, name string) error {
	now := c.Catalog().Table(t.Database, t.Name)
	if now == nil {
		return kv.ErrNoTable
	}
	at := now.IndexNamed(name)
	if at < 0 {
		return kv.ErrNoIndex
	}
	next := now.Indexes[at]
	next.Building = false
	return c.ChangeIndex(t.Database, t.Name, name, next)
}

// indexChanges are the changes of the entries of a table's indexes.
type indexChanges struct {
	gone    []string
	renamed [][2]string // from, to
	added   []string
}

// note notes the change from an old index to the next one; nil means none.
func (x *indexChanges) note(a *alteration, old, next *typed.Index) {
	switch {
	case next == nil:
		x.gone = append(x.gone, old.Name)
	case !a.keepsEntries(old, next):
		x.gone, x.added = append(x.gone, old.Name), append(x.added, next.Name)
	case old.Name != next.Name:
		x.renamed = append(x.renamed, [2]string{old.Name, next.Name})
	}
}

// keepsEntries reports whether the entries of an index stay as they are.
func (a *alteration) keepsEntries(old, next *typed.Index) bool {
	if len(old.Parts) != len(next.Parts) {
		return false
	}
	for i, p := range next.Parts {
		was, is := old.Parts[i], p
		if a.columns[is.Column].was != was.Column || was.Length != is.Length ||
			!coltype.KeepsKey(a.from.Columns[was.Column].Type, a.to.Columns[is.Column].Type) || a.reserved(is.Column) != "" ||
			a.recomputes(was.Column, is.Column) {
			return false
		}
	}
	return true
}

// recomputes reports whether a virtual column may have other values than before: its expression changes, or
// the types of columns.
func (a *alteration) recomputes(was, is int) bool {
	if !a.to.IsVirtual(is) {
		return false
	}
	return a.from.Columns[was].Generated.Text != a.to.Columns[is].Generated.Text || slices.ContainsFunc(a.columns, func(c altered) bool {
		return c.was >= 0 && !coltype.SameType(a.from.Columns[c.was].Type, c.Type)
	})
}

// apply changes the indexes of an altered table in the catalog.
func (x *indexChanges) apply(c *kv.CatalogChange, t *kv.Table, face *typed.Table) error {
	for _, name := range x.gone {
		if err := c.DropIndex(t.Database, t.Name, name); err != nil {
			return err
		}
	}
	if err := x.rename(c, t); err != nil {
		return err
	}
	for _, name := range x.added {
		if err := addEntries(c, t, &face.Indexes[face.Index(name)]); err != nil {
			return err
		}
	}
	return nil
}

// rename renames indexes, which may exchange their names: each has a temporary name in between.
func (x *indexChanges) rename(c *kv.CatalogChange, t *kv.Table) error {
	for _, step := range [][2]int{{0, 2}, {2, 1}} {
		for _, names := range x.renamed {
			all := [3]string{names[0], names[1], "\x00" + names[0]}
			from, to := all[step[0]], all[step[1]]
			now := c.Catalog().Table(t.Database, t.Name)
			at := now.IndexNamed(from)
			if at < 0 {
				return kv.ErrNoIndex
			}
			next := now.Indexes[at]
			next.Name = to
			if err := c.ChangeIndex(t.Database, t.Name, from, next); err != nil {
				return err
			}
		}
	}
	return nil
}

// build builds the entries of added indexes while others read and write the table. If one cannot be built,
// undo reverts the change, and dropped indexes are built again.
func (x *indexChanges) build(
	ctx context.Context, store kv.Store, t *kv.Table, building func(rows int64), undo func(*kv.CatalogChange) (again []string, err error),
) error {
	err := index.BuildEach(ctx, store, t, x.added, index.BuildOptions{Progress: building})
	if err == nil {
		return nil
	}
	var again []string
	ctx = context.WithoutCancel(ctx)
	undone := store.ChangeCatalog(ctx, func(c *kv.CatalogChange) (err error) {
		again, err = undo(c)
		return err
	})
	if undone == nil {
		undone = index.BuildEach(ctx, store, t, again, index.BuildOptions{Progress: building})
	}
	return errors.Join(err, undone)
}

// undo reverts the changes in a table of the catalog that has its old descriptor. again are the dropped
// indexes, which must be built again.
func (x *indexChanges) undo(c *kv.CatalogChange, t *kv.Table, face *typed.Table) (again []string, err error) {
	if err := dropEntries(c, t, x.added); err != nil {
		return nil, err
	}
	back := indexChanges{added: x.gone}
	for _, names := range x.renamed {
		back.renamed = append(back.renamed, [2]string{names[1], names[0]})
	}
	return x.gone, back.apply(c, t, face)
}

// Build builds the entries of the added indexes while others read and write the table. If one cannot be
// built, the alteration is reverted. building is called with the number of rows read; it may be nil.
func (a *Alter) Build(building func(rows int64)) error {
	return a.altered.entries.build(a.Ctx, a.Store, a.now, building, a.undo)
}

// undo reverts an alteration whose indexes could not be built: all of it, or only the new indexes if the
// table has been altered since, or a column rewritten.
func (a *Alter) undo(c *kv.CatalogChange) (again []string, err error) {
	now := c.Catalog().TableByID(a.now.ID)
	if now == nil {
		return nil, nil
	}
	next, added := *now, a.altered.entries.added
	if !schema.Of(now).Typed.Equal(a.stored) || len(a.Rewritten) > 0 { // others may have written new cells
		if err := a.forget(&next); err != nil {
			return nil, err
		}
		if err := c.AlterTable(next); err != nil {
			return nil, err
		}
		return nil, dropEntries(c, &next, added)
	}
	if err := a.renaming().Back().Follow(c); err != nil {
		return nil, err
	}
	next = *a.now
	next.Indexes, next.Layout = now.Indexes, now.Layout
	if err := c.AlterTable(next); err != nil {
		return nil, err
	}
	return a.altered.entries.undo(c, &next, a.altered.from)
}

// forget removes the new indexes from the declaration of a table.
func (a *Alter) forget(t *kv.Table) error {
	face, err := typed.Of(t)
	if err != nil {
		return err
	}
	next := *face
	next.Indexes = without(face.Indexes, a.altered.entries.added)
	schema.Edit(t).Typed = attribute.New(&next)
	return nil
}
