package ddl

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/ddl/declare"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Unfinished is the table of a CREATE TABLE ... SELECT until it has its rows. It is in the catalog under a
// temporary name, so that it is not used.
type Unfinished struct {
	ddl   *DDL
	table kv.Table // with its final name
	Name  ast.TableName
	// Columns are the SELECT's columns, in its order.
	Columns []string
	// ifNotExists means that another table of the name is not an error.
	ifNotExists bool
}

// CreateUnfinished adds the table of a statement whose SELECT has these columns; nil if IF NOT EXISTS has
// found one. Columns that the statement does not define are as in the SELECT, and the primary key may be
// omitted. Its errors are those of CREATE TABLE, and of selected.
func (d *DDL) CreateUnfinished(ctx context.Context, st *ast.CreateTable,
	selected func() ([]relation.Column, error)) (*Unfinished, error) {
	database, found, err := d.newTable(ctx, st)
	if err != nil || found {
		return nil, err
	}
	columns, err := selected()
	if err != nil {
		return nil, err
	}
	t, err := d.describeWith(ctx, database, st, columns)
	if err != nil {
		return nil, err
	}
	t.Created = d.Now.UnixMilli()
	u := &Unfinished{ddl: d, ifNotExists: st.IfNotExists,
		Name: ast.TableName{Database: database, Name: "#sql-" + strconv.FormatInt(time.Now().UnixNano(), 36)}}
	for _, c := range columns {
		u.Columns = append(u.Columns, c.Name)
	}
	if err := u.add(ctx, t); err != nil {
		return nil, d.unlessFound(ctx, err, t, st.IfNotExists)
	}
	return u, nil
}

// describeWith makes the descriptor of a table with the columns of its SELECT.
func (d *DDL) describeWith(ctx context.Context, database string, st *ast.CreateTable, columns []relation.Column) (*kv.Table, error) {
	if declare.IsMapped(st.Options) {
		return nil, mysqlerr.Unsupported("CREATE TABLE ... SELECT of a mapped table: create it, and INSERT ... SELECT")
	}
	selected := make([]declare.Selected, len(columns))
	for i, c := range columns {
		selected[i] = declare.Selected{Name: c.Name, Type: c.Type}
	}
	if declare.IsTypedWith(st, selected) {
		whole, err := declare.WithSelected(st, selected)
		if err != nil {
			return nil, err
		}
		return d.describeTyped(ctx, database, whole)
	}
	whole, err := withSelected(st, columns)
	if err != nil {
		return nil, err
	}
	return d.describe(ctx, database, whole)
}

// add checks the table under its own name, and adds it under the temporary one.
func (u *Unfinished) add(ctx context.Context, t *kv.Table) error {
	err := u.ddl.changeCatalog(ctx, func(c *kv.CatalogChange) error {
		made, err := declare.Create(c, t)
		if err != nil {
			return err
		}
		u.table = *made
		hidden := *made
		if schema.Edit(&hidden).Typed != nil {
			return declare.Rename(c, &hidden, u.Name.Name)
		}
		if err := setName(&hidden, u.Name.Name, false); err != nil {
			return err
		}
		return c.AlterTable(hidden)
	})
	return u.ddl.tableError(ctx, err, t)
}

// End gives the table its name. If the statement has failed, or the name is taken by now, it drops the table.
// finished reports whether the table has its name.
func (u *Unfinished) End(ctx context.Context, failed error) (finished bool, err error) {
	if err = failed; err == nil {
		err = u.ddl.changeCatalog(ctx, u.rename)
		err = u.ddl.tableError(ctx, err, &u.table)
	}
	if err == nil {
		u.ddl.noteCount(ctx, u.table.Database, u.table.Name)
		return true, nil
	}
	dropping := u.ddl.Store.ChangeCatalog(context.WithoutCancel(ctx), func(c *kv.CatalogChange) error {
		if hidden := c.Catalog().TableByID(u.table.ID); hidden != nil {
			return c.DropTable(hidden.Database, hidden.Name)
		}
		return nil // it has been dropped already
	})
	if dropping != nil {
		return false, dropping
	}
	return false, u.ddl.unlessFound(ctx, err, &u.table, u.ifNotExists)
}

func (u *Unfinished) rename(c *kv.CatalogChange) error {
	if schema.Of(&u.table).Typed != nil {
		return declare.Rename(c, &u.table, u.table.Group)
	}
	return c.AlterTable(u.table)
}

// withSelected adds to the statement the columns that come from its SELECT.
func withSelected(st *ast.CreateTable, selected []relation.Column) (*ast.CreateTable, error) {
	whole := *st
	whole.Columns = slices.Clone(st.Columns)
	for i, c := range selected {
		same := func(other relation.Column) bool { return strings.EqualFold(other.Name, c.Name) }
		if slices.ContainsFunc(selected[:i], same) {
			return nil, declare.DuplicateColumn(c.Name)
		}
		if slices.ContainsFunc(st.Columns, func(d ast.ColumnDef) bool { return strings.EqualFold(d.Name, c.Name) }) {
			continue
		}
		def, err := selectedColumn(c)
		if err != nil {
			return nil, err
		}
		at := len(whole.Columns)
		if len(st.Columns) > 0 {
			at = placeFor(whole.Columns, def)
		}
		whole.Columns = slices.Insert(whole.Columns, at, def)
	}
	if whole.PrimaryKey == nil {
		whole.PrimaryKey = declare.CellColumns[:colV]
	}
	return &whole, nil
}

// colV is V's index in declare.CellColumns.
const colV = 3

// placeFor is the index at which a column goes among those that are defined.
func placeFor(defined []ast.ColumnDef, c ast.ColumnDef) int {
	for i, d := range defined {
		if placeOf(d) > placeOf(c) {
			return i
		}
	}
	return len(defined)
}

// placeOf is the rank of a column: K, Q, T, V and then the others.
func placeOf(c ast.ColumnDef) int {
	for i, name := range declare.CellColumns {
		if strings.EqualFold(c.Name, name) {
			return i
		}
	}
	return len(declare.CellColumns)
}

// The lengths of K and Q if the SELECT does not say how long they are.
const (
	defaultRow       = 1024
	defaultQualifier = 256
)

// selectedColumn is the definition of a column of a SELECT: a byte string or a text for K, Q and V, an
// integer for T.
func selectedColumn(c relation.Column) (ast.ColumnDef, error) {
	def := ast.ColumnDef{Name: c.Name, Length: -1, Decimals: -1, Type: "bigint"}
	place := placeOf(ast.ColumnDef{Name: c.Name})
	switch {
	case place == len(declare.CellColumns):
		return def, broken("column '" + c.Name + "' of the SELECT is not K, Q, T or V")
	case declare.CellColumns[place] == "T" && c.Type.Kind == value.Int:
		return def, nil
	case declare.CellColumns[place] == "T" || !isString(c.Type):
		return def, broken("column " + c.Name + " of the SELECT has another type: define it before the SELECT")
	}
	def.Type = "varbinary"
	n := bytesOf(c.Type)
	switch place {
	case colV:
		setSelectedValue(&def, c.Type, n)
	case 0:
		def.Length = fitting(n, defaultRow)
	default:
		def.Length = fitting(n, defaultQualifier)
	}
	return def, nil
}

func isString(t value.Type) bool {
	switch t.Kind {
	case value.Bytes, value.Text, value.JSON, value.Null:
		return true
	}
	return false
}

// bytesOf is the maximum length of a string in bytes, 0 if unknown.
func bytesOf(t value.Type) int {
	const bytesPerCharacter = 4
	switch t.Kind {
	case value.Text:
		return bytesPerCharacter * t.Length
	case value.Bytes:
		return t.Length
	}
	return 0
}

func fitting(n, otherwise int) int {
	if n == 0 || n > maxKey {
		return otherwise
	}
	return n
}

// setSelectedValue declares V as the SELECT has it.
func setSelectedValue(def *ast.ColumnDef, t value.Type, n int) {
	def.NotNull = !t.Nullable
	switch {
	case t.Kind == value.Bytes && t.Name != "":
		def.Type = strings.ToLower(t.Name)
	case n > 0 && n <= maxVarbinary:
		def.Length = n
	default:
		def.Type = schema.LongBlob
	}
}
