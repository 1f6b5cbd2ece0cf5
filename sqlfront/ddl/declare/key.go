package declare

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/attribute"
	"github.com/hbasekv/hbasekv/kv/index"
	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/ddl/rekey"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// addKey is ADD PRIMARY KEY, and PRIMARY KEY on a column.
func (a *alteration) addKey(names []string) error {
	if a.newKey != nil {
		return manyKeys()
	}
	a.newKey = names
	return nil
}

// addKeyOf is addKey for a column that itself is declared PRIMARY KEY.
func (a *alteration) addKeyOf(c *ast.ColumnDef) error {
	if !c.PrimaryKey {
		return nil
	}
	return a.addKey([]string{c.Name})
}

// manyKeys is error 1068.
func manyKeys() error { return mysqlerr.New(mysqlerr.MultiplePriKey, "Multiple primary key defined") }

// dropKey is DROP PRIMARY KEY.
func (a *alteration) dropKey() error {
	if a.from.HasHiddenKey() || a.keyDropped {
		return mysqlerr.New(mysqlerr.CantDropFieldOrKey, "Can't DROP '%s'; check that column/key exists", primary)
	}
	a.keyDropped = true
	return nil
}

// staysInKey reports whether a column is in the primary key, which no earlier action has dropped.
func (a *alteration) staysInKey(was int) bool { return !a.keyDropped && a.from.KeyPart(was) >= 0 }

// leavesKey reports whether a column's values were in the key only, and are in cells now.
func (a *alteration) leavesKey(column int) bool {
	was := a.columns[column].was
	return was >= 0 && a.from.KeyPart(was) >= 0 && !slices.Contains(a.to.Key, column)
}

// hideKey adds the hidden key if no column is left in a primary key, and removes it if one is declared.
func (a *alteration) hideKey() error {
	isKept := func(c altered) bool { return a.staysInKey(c.was) }
	switch kept := slices.ContainsFunc(a.columns, isKept); {
	case a.newKey != nil && a.from.HasHiddenKey():
		a.columns = slices.DeleteFunc(a.columns, isKept)
	case a.newKey != nil && kept:
		return manyKeys()
	case a.newKey == nil && !kept:
		a.columns = append(a.columns, altered{typed.HiddenKey(), -1})
	}
	return nil
}

// setKey finds the columns of the primary key: the newly declared ones, or those before.
func (a *alteration) setKey() error {
	for _, name := range a.newKey {
		if err := addKeyColumn(a.to, name); err != nil {
			return err
		}
	}
	if a.newKey == nil {
		for _, was := range a.from.Key {
			at := slices.IndexFunc(a.columns, func(c altered) bool { return c.was == was && a.staysInKey(was) })
			if at >= 0 {
				a.to.Key = append(a.to.Key, at)
			}
		}
	}
	if len(a.to.Key) == 0 {
		a.to.Key = []int{len(a.columns) - 1} // see hideKey
	}
	a.rekeys = len(a.to.Key) != len(a.from.Key) || a.reforms && a.from.Redundant()
	for part, at := range a.to.Key {
		was := a.columns[at].was
		a.rekeys = a.rekeys || was != a.from.Key[part] || !coltype.KeepsKey(a.from.Columns[was].Type, a.to.Columns[at].Type)
	}
	a.to.UTF8 = a.to.UTF8 || a.rekeys
	if a.rekeys && a.from.Mapped {
		return mysqlerr.Unsupported("changing the primary key of a mapped table, whose row keys other programs use: " +
			"use DROP TABLE and CREATE TABLE, which do not change any cells")
	}
	return nil
}

// checkRekeyed is error 1235 if a table's rows cannot be rewritten.
func (a *Alter) checkRekeyed() error {
	if a.altered.rekeys && a.now.Partitioning.Partitioned() {
		return mysqlerr.Unsupported("changing the primary key, or the type of its columns, of a table with partitions: " +
			"use ALTER TABLE ... REMOVE PARTITIONING before it, and PARTITION BY after it")
	}
	return nil
}

// rowValues returns the function for the values of columns in rewritten rows.
func (a *alteration) rowValues() func(column int, stored []value.Value) (value.Value, error) {
	fresh := make([]value.Value, len(a.columns))
	for i := range a.columns {
		c := &a.to.Columns[i]
		if a.columns[i].was < 0 && a.to.KeyPart(i) >= 0 && c.Absent != nil {
			fresh[i], _ = a.to.ReadCell(i, c.Absent)
			c.Absent = nil // the rewritten rows have it
		}
	}
	writing := a.writing()
	env := &expr.Env{Env: *writing.Env}
	return func(i int, stored []value.Value) (value.Value, error) {
		c, was := &a.to.Columns[i], a.columns[i].was
		switch {
		case was < 0:
			return fresh[i], nil
		case a.to.HasCell(i) && a.from.HasCell(was):
			if a.to.KeyPart(i) < 0 {
				return value.Value{}, nil // its cells are copied
			}
			return stored[was], nil
		case coltype.KeepsKey(a.from.Columns[was].Type, c.Type):
			return stored[was], nil
		}
		converter := c.Converter()
		return converter.Convert(writing, a.given(retyped{was, i}, a.from.Shown(env, was, stored[was])))
	}
}

// rekey writes the rows that tx reads into a new table with the altered primary key, which replaces the old
// one. The error is kv.ErrConflict if others have written rows meanwhile.
func (a *Alter) rekey(tx kv.Txn) (err error) {
	store, ok := a.Store.(kv.CheckedChanger)
	if !ok {
		return mysqlerr.Unsupported("changing the primary key in this store")
	}
	values, columns := a.altered.rowValues(), a.altered
	t, err := a.unfinished()
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.drop(t))
		}
	}()
	to := columns.to
	rows := rekey.Copy{Store: a.Store, From: columns.from, To: to, Value: values}
	if at := to.Numbered(); at >= 0 && columns.columns[at].was < 0 {
		rows.Number = func(n uint64) (value.Value, error) {
			return to.Converter(at).Convert(columns.writing(), value.NewUint(n))
		}
	}
	largest, err := rows.Run(a.Ctx, tx, a.now, t)
	if err != nil {
		return err
	}
	if err := a.buildAll(t, to); err != nil {
		return err
	}
	columns.entries = indexChanges{} // they are built
	return store.ChangeCatalogAfter(a.Ctx, tx, a.Permitted(func(c *kv.CatalogChange) error { return a.replace(c, t, largest) }))
}

// unfinished creates the table for the rows, under a temporary name.
func (a *Alter) unfinished() (made *kv.Table, err error) {
	t := a.Next
	schema.Edit(&t).Typed = attribute.New(a.altered.to)
	t.Group = "#sql-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	t.Name, t.Database, t.Counter = Family(t.Group), a.now.Database, kv.Counter{}
	err = a.Store.ChangeCatalog(a.Ctx, a.Permitted(func(c *kv.CatalogChange) error {
		made, err = c.CreateTable(t)
		return err
	}))
	return made, err
}

func (a *Alter) drop(t *kv.Table) error {
	return a.Store.ChangeCatalog(context.WithoutCancel(a.Ctx), func(c *kv.CatalogChange) error {
		if now := c.Catalog().TableByID(t.ID); now != nil {
			return c.DropTable(now.Database, now.Name)
		}
		return nil // it has been dropped already
	})
}

// buildAll adds a table's indexes, with the entries of its rows.
func (a *Alter) buildAll(t *kv.Table, face *typed.Table) error {
	var names []string
	err := a.Store.ChangeCatalog(a.Ctx, func(c *kv.CatalogChange) error {
		names = nil
		for i := range face.Indexes {
			if err := addEntries(c, t, &face.Indexes[i]); err != nil {
				return err
			}
			names = append(names, face.Indexes[i].Name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return index.BuildEach(a.Ctx, a.Store, t, names, index.BuildOptions{})
}

// replace replaces the old table by the one with the rows. Its counter continues after its numbers.
func (a *Alter) replace(c *kv.CatalogChange, t *kv.Table, largest uint64) error {
	now := c.Catalog().TableByID(t.ID)
	if c.Catalog().TableByID(a.now.ID) != a.now || now == nil {
		return kv.ErrCatalogChanged
	}
	next := *now
	next.Database = a.Next.Database
	next.Counter.From = min(largest, kv.MaxCount) + 1
	if a.number != nil {
		next.Counter.From = max(next.Counter.From, *a.number)
	}
	if err := c.DropTable(a.now.Database, a.now.Name); err != nil {
		return err
	}
	if err := Rename(c, &next, a.to); err != nil {
		return err
	}
	return a.renaming().Follow(c)
}

// numberColumn makes a column AUTO_INCREMENT: the error is 1063 if it is not a number, or one that is exact
// and not whole, and 1067 if it has a default.
func numberColumn(c *typed.Column, def *ast.ColumnDef) error {
	switch base := c.Type.Base; {
	case !base.IsInteger() && !base.IsFloat():
		return mysqlerr.New(mysqlerr.WrongFieldSpec, "Incorrect column specifier for column '%s'", c.Name)
	case def.Default != nil:
		return mysqlerr.New(mysqlerr.InvalidDefault, "Invalid default value for '%s'", c.Name)
	}
	c.AutoIncrement, c.NotNull = true, true
	return nil
}

// checkNumbers is error 1075 if several columns are AUTO_INCREMENT, or one that is not the first of the
// primary key.
func checkNumbers(t *typed.Table) error {
	for i := range t.Columns {
		if t.Columns[i].AutoIncrement && (len(t.Key) == 0 || t.Key[0] != i) {
			return mysqlerr.New(mysqlerr.WrongAutoKey,
				"Incorrect table definition; there can be only one auto column and it must be defined as a key")
		}
	}
	return nil
}

// Number sets the first value of a new table's counter from the statement. The error is 1235 if the store
// cannot number its rows.
func Number(store kv.Store, t *kv.Table, face *typed.Table, st *ast.CreateTable) error {
	if _, ok := store.(kv.Counters); !ok && face.Numbered() >= 0 {
		return mysqlerr.Unsupported("AUTO_INCREMENT and tables without a primary key in this store")
	}
	if n := st.Options.AutoIncrement; n != nil && face.AutoIncrement() >= 0 {
		t.Counter.From = *n
	}
	return nil
}

// renumber sets the counter to the number in ALTER TABLE or, if that is larger, to the one after the table's
// largest, as in InnoDB. A column that becomes AUTO_INCREMENT starts in the same way. So do the numbers of
// rows without a declared key, so that rows that were loaded as cells are not overwritten.
func (a *Alter) renumber(tx kv.Txn, from, to *typed.Table) error {
	switch _, ok := a.Store.(kv.Counters); {
	case to.Numbered() < 0, a.number == nil && from.Numbered() >= 0:
		return nil
	case !ok:
		return mysqlerr.Unsupported("AUTO_INCREMENT in this store")
	case a.altered.rekeys:
		return nil // see replace
	}
	n := uint64(1)
	if a.number != nil {
		n = max(n, *a.number)
	}
	largest, err := lastNumber(a.Ctx, tx, a.now, to)
	a.Next.Counter = a.now.Counter.Anew(max(n, min(largest, kv.MaxCount)+1))
	return err
}

// lastNumber is the largest value of an AUTO_INCREMENT column, which the last row has; 0 if none is above 0.
func lastNumber(ctx context.Context, tx kv.Txn, t *kv.Table, face *typed.Table) (n uint64, err error) {
	cursor, err := tx.Scan(ctx, []*kv.Table{t}, &kv.Scan{Reverse: true, Ordered: true, MaxVersions: 1})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, cursor.Close()) }()
	for cursor.Next() {
		if n, ok := face.Number(cursor.Cell().Row); ok {
			return n, nil
		}
	}
	return 0, cursor.Err()
}
