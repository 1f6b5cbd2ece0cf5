package declare

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/attribute"
	"github.com/hbasekv/hbasekv/sqlfront/charset"
	"github.com/hbasekv/hbasekv/sqlfront/collation"
	"github.com/hbasekv/hbasekv/sqlfront/ddl/retention"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

// Alter is one attempt at ALTER TABLE for a typed table, which only changes the declaration of its columns.
type Alter struct {
	Declaration
	Store kv.Store
	// In returns the database of a name, if the statement may change it.
	In func(ast.TableName) (string, error)
	// Permitted wraps a change of the catalog, which fails if privileges are missing.
	Permitted Permitted
	// MayMap is the error for a mapped table whose families the session may not read and write.
	MayMap func(*kv.View, *typed.Table) error
	// Next is the altered table, as far as it is known.
	Next kv.Table

	// Rewritten is shared by all attempts at the statement.
	Rewritten Rewritten

	now     *kv.Table
	altered *alteration
	stored  *attribute.Set // of the altered table, once it is in the catalog
	view    *kv.View       // of a mapped table, whose descriptor is now
	// families have the rows' cells, in the order of the table's families.
	families []*kv.Table
	to       string  // its new name
	number   *uint64 // AUTO_INCREMENT = n, nil if not given
}

// Permitted wraps a change of the catalog so that it fails if privileges are missing.
type Permitted func(func(*kv.CatalogChange) error) func(*kv.CatalogChange) error

// Run alters the table. The error is kv.ErrConflict or kv.ErrCatalogChanged if others have changed it or its
// rows meanwhile: repeat the attempt. Otherwise it is MySQL's, the store's, or cancellation.
func (a *Alter) Run(t *kv.Table, st *ast.AlterTable) error {
	err := a.run(st, func(c *kv.Catalog) error {
		a.now = c.TableByID(t.ID)
		if a.now == nil || a.now.Group != t.Group || a.now.Database != t.Database {
			return mysqlerr.NoTable(t.Database, t.Group) // it has been renamed
		}
		a.families = []*kv.Table{a.now}
		return nil
	}, a.put)
	return a.rewrite(err)
}

// TellWarnings adds the warnings about rows, once the table has been altered.
func (a *Alter) TellWarnings() {
	for _, w := range a.altered.warnings {
		a.Warn(w.code, w.message)
	}
	for range a.altered.unshown {
		a.Warn(a.altered.warnings[0].code, "") // only counted
	}
}

// run alters the table that find finds in a catalog; put stores it.
func (a *Alter) run(st *ast.AlterTable, find func(*kv.Catalog) error, put func(*kv.CatalogChange) error) error {
	store, ok := a.Store.(kv.CheckedChanger)
	tx, err := a.Store.Begin(a.Ctx, kv.TxnOptions{Serializable: ok, ReadOnly: !ok})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := find(tx.Catalog()); err != nil {
		return err
	}
	if err := a.alter(tx, st); err != nil {
		return err
	}
	switch {
	case a.altered.rekeys:
		return a.rekey(tx)
	case !ok:
		return a.Store.ChangeCatalog(a.Ctx, a.Permitted(put))
	}
	return store.ChangeCatalogAfter(a.Ctx, tx, a.Permitted(put))
}

// put stores the altered table in the catalog.
func (a *Alter) put(c *kv.CatalogChange) error {
	switch {
	case c.Catalog().TableByID(a.now.ID) != a.now:
		return kv.ErrCatalogChanged
	case a.Next.Database != a.now.Database || a.to != a.now.Group:
		if err := Rename(c, &a.Next, a.to); err != nil {
			return err
		}
	default:
		if err := c.AlterTable(a.Next); err != nil {
			return err
		}
	}
	if err := a.altered.entries.apply(c, &a.Next, a.altered.to); err != nil {
		return err
	}
	if err := a.renaming().Follow(c); err != nil {
		return err
	}
	a.stored = schema.Of(c.Catalog().TableByID(a.now.ID)).Typed
	return nil
}

// alter makes the altered table, and checks that the rows fit it.
func (a *Alter) alter(tx kv.Txn, st *ast.AlterTable) error {
	face, err := typed.Of(a.now)
	if err != nil {
		return err
	}
	a.Next, a.to = *a.now, a.now.Group
	declared := schema.Edit(&a.Next)
	columns := begin(&a.Declaration, a.now.Group, face, declared.Text)
	columns.temporary, columns.rewritten = a.now.Temporary, a.Rewritten
	if err := columns.bindOld(a.now); err != nil {
		return err
	}
	for _, action := range st.Actions {
		done, err := columns.action(action)
		if !done {
			err = a.other(columns, action)
		}
		if err != nil {
			return err
		}
	}
	a.altered = columns
	if err := cmp.Or(columns.finish(), a.checkRekeyed()); err != nil {
		return err
	}
	declared.Typed = attribute.New(columns.to)
	if err := columns.bindNew(&a.Next); err != nil {
		return err
	}
	if err := cmp.Or(retention.Check(a.now.Group, a.Next.Retention), a.renumber(tx, face, columns.to)); err != nil || !columns.looks() {
		return err
	}
	scan := face.Cells()
	cursor, err := tx.Scan(a.Ctx, a.families, &scan)
	if err != nil {
		return err
	}
	return cmp.Or(columns.look(cursor), cursor.Close())
}

// other applies an action that is not about columns.
func (a *Alter) other(columns *alteration, action ast.AlterAction) (err error) {
	const kind = " of tables other than column families"
	switch action := action.(type) {
	case *ast.AlterRename:
		to := action.To
		to.Database = cmp.Or(to.Database, a.now.Database)
		a.to = to.Name
		a.Next.Database, err = a.In(to)
		return err
	case *ast.AlterOptions:
		a.number = cmp.Or(action.Options.AutoIncrement, a.number)
		columns.reforms = columns.reforms || action.Options.RowFormat != "" && !isRedundant(action.Options)
		if IsMapped(action.Options) || a.view != nil {
			if err := columns.remap(action.Options); err != nil {
				return err
			}
		}
		return SetOptions(&a.Next, action.Options)
	case *ast.AlterConvert:
		return a.convert(columns, action)
	case *ast.AlterAddKey:
		return unsupportedKey(action.Key.Kind)
	case *ast.AlterDropKey:
		return mysqlerr.Unsupported("ALTER TABLE ... DROP " + action.Kind + kind)
	}
	return mysqlerr.Unsupported("this ALTER TABLE" + kind)
}

// convert is CONVERT TO CHARACTER SET: it sets the character set and collation of the table's texts, except
// those of the primary key, whose comparison must not change.
func (a *Alter) convert(columns *alteration, to *ast.AlterConvert) error {
	text, err := charset.Declared(to.Charset, to.Collate, schema.Text{})
	if err != nil {
		return err
	}
	text = charset.Shown(text)
	switch _, ok := collation.Named(text.Collation); {
	case strings.EqualFold(text.Charset, charset.Binary):
		return mysqlerr.Unsupported("CONVERT TO CHARACTER SET binary: MODIFY makes columns binary")
	case !ok:
		return mysqlerr.Unsupported("the collation " + text.Collation + " of columns")
	}
	for i := range columns.columns {
		if c := &columns.columns[i]; c.Type.Base.HasCharset() && (c.was < 0 || columns.from.KeyPart(c.was) < 0) {
			c.Type.Charset, c.Type.Collation = text.Charset, text.Collation
		}
	}
	return SetOptions(&a.Next, ast.TableOptions{Charset: to.Charset, Collate: to.Collate})
}

// rewrite writes the cells of the column that the error of an attempt is about, and then requests another attempt.
func (a *Alter) rewrite(err error) error {
	var of *unwritten
	if !errors.As(err, &of) {
		return err
	}
	name := a.altered.columns[of.column.is].Name
	fresh := a.altered.from.FreeQualifier(name)
	err = a.Store.ChangeCatalog(a.Ctx, a.Permitted(func(c *kv.CatalogChange) error { return a.retire(c, fresh) }))
	switch {
	case err != nil:
	case slices.Contains(a.altered.computes, of.column.is):
		err = a.writeComputed(of.column.is, fresh)
	default:
		err = a.writeConverted(of.column, fresh)
	}
	if err != nil {
		return err
	}
	a.Rewritten[name] = fresh
	return kv.ErrCatalogChanged
}

// retire reserves a qualifier for cells that are to be written.
func (a *Alter) retire(c *kv.CatalogChange, fresh string) error {
	if c.Catalog().TableByID(a.now.ID) != a.now {
		return kv.ErrCatalogChanged
	}
	next, face := *a.now, *a.altered.from
	face.Retired = append(slices.Clone(face.Retired), fresh)
	schema.Edit(&next).Typed = attribute.New(&face)
	return c.AlterTable(next)
}

// writeConverted rewrites all versions of a column's cells in the form of the new type, with their timestamps, in
// one transaction. Versions without a value in the new type are left out; the newest of each row has been
// checked.
func (a *Alter) writeConverted(column retyped, fresh string) error {
	old := a.altered.from.CellName(column.was)
	scan := kv.Scan{NeedValue: true, Qualifiers: []kv.QualifierRange{{Start: old, End: append(bytes.Clone(old), 0)}}}
	return a.writeCells(fresh, &scan, func(cursor kv.Cursor, put putCell) error {
		convert := a.altered.conversion(column)
		for cursor.Next() {
			v, err := cursor.Value()
			if err != nil {
				return err
			}
			c := cursor.Cell()
			if v, ok := convert(v); ok {
				if err := put(c.Row, c.Timestamp, v); err != nil {
					return err
				}
			}
		}
		return cursor.Err()
	})
}

// putCell writes a cell of a row, of which it copies the key.
type putCell func(row []byte, timestamp int64, value []byte) error

// writeCells writes cells with a qualifier for those of the table that a scan reads, in one transaction: all, or
// none if write fails.
func (a *Alter) writeCells(qualifier string, scan *kv.Scan, write func(cursor kv.Cursor, put putCell) error) error {
	tx, err := a.Store.Begin(a.Ctx, kv.TxnOptions{})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	t := tx.Catalog().TableByID(a.now.ID)
	if t == nil {
		return mysqlerr.NoTable(a.now.Database, a.now.Group)
	}
	cursor, err := tx.Scan(a.Ctx, []*kv.Table{t}, scan)
	if err != nil {
		return err
	}
	err = write(cursor, func(row []byte, timestamp int64, value []byte) error {
		return tx.Put(a.Ctx, t, kv.Cell{Row: bytes.Clone(row), Qualifier: []byte(qualifier), Timestamp: timestamp, Value: value})
	})
	if err := cmp.Or(err, cursor.Close()); err != nil {
		return err
	}
	return tx.Commit(a.Ctx)
}
