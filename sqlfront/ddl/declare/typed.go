// Package declare makes typed tables of their declarations, and has the rules of names and columns that hold
// for column families too.
package declare

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/charset"
	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// CellColumns are the columns of a column family.
var CellColumns = [4]string{"K", "Q", "T", "V"}

// Declaration is the context in which a statement declares a typed table.
type Declaration struct {
	Ctx context.Context
	Now time.Time // of the statement, in the session's time zone
	// IgnoreForeignKeys keeps foreign keys as comments, with notes; otherwise they are error 1235.
	IgnoreForeignKeys bool
	Note              func(n mysqlerr.Number, message string)
	// Warn is called for stored values of which an altered column holds the nearest ones; nil makes these errors,
	// as in strict mode.
	Warn func(code uint16, message string)
	// Bind binds an expression over the columns of a typed table.
	Bind func(t *kv.Table, text string) (expr.Node, error)
}

// IsTyped reports whether the statement creates a typed table: one whose columns are not those of a column
// family, K, Q, T, V and generated ones.
func IsTyped(st *ast.CreateTable) bool {
	if saysFamily(st) {
		return false
	}
	found := 0
	for _, c := range st.Columns {
		isOne := slices.ContainsFunc(CellColumns[:], func(name string) bool { return strings.EqualFold(name, c.Name) })
		switch {
		case isOne:
			found++
		case c.Generated == nil:
			return true
		}
	}
	return found < len(CellColumns) && len(st.Columns) > 0
}

// saysFamily reports whether a table's name or options say that it is a column family.
func saysFamily(st *ast.CreateTable) bool {
	return st.Options.TableGroup != nil || st.Options.HBase || strings.Contains(st.Name.Name, "$")
}

// Check refuses with 1235 what typed tables do not support.
func Check(st *ast.CreateTable) error {
	if err := CheckName(st.Name.Name); err != nil {
		return err
	}
	switch {
	case st.Temporary && IsMapped(st.Options):
		return mysqlerr.Unsupported("temporary mapped tables: their cells are those of a table group")
	case st.Partition != nil && IsMapped(st.Options):
		return mysqlerr.Unsupported("partitions of mapped tables: their cells are those of a table group")
	}
	for i := range st.Keys {
		if k := &st.Keys[i]; k.Kind != "CHECK" && k.Kind != foreignKey && !isIndex(k) {
			return unsupportedKey(k.Kind)
		}
	}
	return nil
}

// Table is the declaration of columns and keys in the statement.
func (d *Declaration) Table(st *ast.CreateTable, text schema.Text) (*typed.Table, error) {
	face, names := &typed.Table{UTF8: !isRedundant(st.Options)}, keyNames(st)
	for i := range st.Columns {
		c := st.Columns[i]
		inKey := slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, c.Name) })
		if inKey && c.Collate == "" && st.Options.Collate == "" {
			c.Collate = binaryCollation(&c, text)
		}
		if face.Column(c.Name) >= 0 {
			return nil, DuplicateColumn(c.Name)
		}
		column, err := d.column(&c, text)
		if err != nil {
			return nil, err
		}
		face.Columns = append(face.Columns, column)
	}
	if err := cmp.Or(setKey(face, st, names), checkNumbers(face)); err != nil {
		return nil, err
	}
	if IsMapped(st.Options) {
		if err := cmp.Or(familiesOwn(st.Options), mapOnto(face, st.Options.Mapping), checkMapped(face)); err != nil {
			return nil, err
		}
	}
	if len(names) == 0 {
		face.Key, face.Columns = []int{len(face.Columns)}, append(face.Columns, typed.HiddenKey())
	}
	foreign := foreignOf(st.Columns, st.Keys)
	if err := addIndexes(face, indexesOf(st.Columns, st.Keys, names)); err != nil {
		return nil, err
	}
	if !st.Temporary {
		if err := addIndexes(face, d.foreignIndexes(face, foreign)); err != nil {
			return nil, err
		}
	}
	return face, cmp.Or(addChecks(face, st.Name.Name, checksOf(st.Columns, st.Keys)),
		d.addForeign(face, st.Name.Name, foreign), checkRow(face), face.Settle())
}

// isRedundant reports whether options ask for the form that keys have in stores of earlier formats, as SHOW
// CREATE TABLE does for these.
func isRedundant(o ast.TableOptions) bool { return o.RowFormat == "REDUNDANT" }

// checkRow refuses columns that together are too wide.
func checkRow(face *typed.Table) error {
	converters := make([]coltype.Column, len(face.Columns))
	for i := range face.Columns {
		converters[i] = face.Columns[i].Converter()
	}
	return coltype.CheckRow(converters)
}

// column is a column as it is declared.
func (d *Declaration) column(c *ast.ColumnDef, text schema.Text) (typed.Column, error) {
	out := typed.Column{Name: c.Name, NotNull: c.NotNull, Comment: c.Comment}
	if err := cmp.Or(CheckComment(c), checkAttributes(c)); err != nil {
		return out, err
	}
	var err error
	if out.Type, err = coltype.Of(c, text); err != nil {
		return out, err
	}
	if c.AutoIncrement {
		if err := numberColumn(&out, c); err != nil {
			return out, err
		}
	}
	if c.OnUpdate != "" {
		converter := out.Converter()
		if err := converter.CheckOnUpdate(clockDigits(c.OnUpdate)); err != nil {
			return out, err
		}
		out.OnUpdate = true
	}
	if c.Generated != nil {
		out.Generated = &typed.Generated{Text: c.Generated.Text, Stored: c.Generated.Stored}
		return out, generatedKind.allowed(c.Name, c.Generated.Expr)
	}
	if c.Default != nil {
		out.Default, err = d.defaultOf(&out, c.Default)
	}
	return out, err
}

// checkAttributes refuses attributes that columns of typed tables do not have.
func checkAttributes(c *ast.ColumnDef) error {
	switch {
	case c.Name == "" || strings.HasSuffix(c.Name, " "):
		return mysqlerr.New(mysqlerr.WrongColumnName, "Incorrect column name '%s'", c.Name)
	case c.Generated != nil && c.Default != nil:
		return generatedUsage("DEFAULT")
	case c.Generated != nil && c.AutoIncrement:
		return generatedUsage("AUTO_INCREMENT")
	case c.Generated != nil && c.OnUpdate != "":
		return generatedUsage("ON UPDATE")
	}
	return nil
}

// generatedUsage is error 1221.
func generatedUsage(of string) error {
	return mysqlerr.New(mysqlerr.WrongUsage, "Incorrect usage of %s and generated column", of)
}

// clockDigits is n of CURRENT_TIMESTAMP(n), 0 if it is not given.
func clockDigits(text string) int {
	_, inside, _ := strings.Cut(text, "(")
	n, _ := strconv.Atoi(strings.Trim(inside, " )"))
	return n
}

// defaultOf is DEFAULT of a column; the error is 1067 if the column cannot hold it.
func (d *Declaration) defaultOf(c *typed.Column, given *ast.DefaultValue) (*typed.Default, error) {
	converter := c.Converter()
	w := d.writing()
	switch {
	case given.Null:
		_, err := converter.Default(w, value.Value{})
		return &typed.Default{Null: true}, err
	case given.Expr == nil:
		_, err := converter.Default(w, value.NewString(given.Text))
		return &typed.Default{Text: []byte(given.Text)}, err
	case !given.Clock:
		return &typed.Default{Expr: given.Text}, defaultKind.allowed(c.Name, given.Expr)
	default:
		if converter.CheckOnUpdate(clockDigits(given.Text)) != nil {
			return nil, mysqlerr.New(mysqlerr.InvalidDefault, "Invalid default value for '%s'", c.Name)
		}
		return &typed.Default{Clock: true}, nil
	}
}

// keyNames are the columns of the primary key. If none is declared, it is the SERIAL column, which is a key
// by itself.
func keyNames(st *ast.CreateTable) []string {
	names := slices.Clone(st.PrimaryKey)
	for _, c := range st.Columns {
		if c.PrimaryKey {
			names = append(names, c.Name)
		}
	}
	for _, c := range st.Columns {
		if len(names) == 0 && c.AutoIncrement && c.Unique {
			return []string{c.Name}
		}
	}
	return names
}

// binaryCollation is the collation of a text in the key for which none is declared: HBase distinguishes rows
// by their bytes. It is empty for other columns.
func binaryCollation(c *ast.ColumnDef, text schema.Text) string {
	set := cmp.Or(c.Charset, charset.Shown(text).Charset)
	switch c.Type {
	case "char", "varchar", "enum", "set":
		if !strings.EqualFold(set, charset.Binary) {
			return strings.ToLower(set) + "_bin"
		}
	}
	return ""
}

// setKey sets the primary key, whose columns become NOT NULL.
func setKey(face *typed.Table, st *ast.CreateTable, names []string) error {
	for _, name := range names {
		if at := face.Column(name); at >= 0 && st.Columns[at].Null {
			return nullInKey(name)
		}
		if err := addKeyColumn(face, name); err != nil {
			return err
		}
	}
	return nil
}

// addKeyColumn appends a column to the primary key.
func addKeyColumn(face *typed.Table, name string) error {
	at := face.Column(name)
	switch {
	case at < 0:
		return mysqlerr.New(mysqlerr.KeyColumnDoesNotExist, "Key column '%s' doesn't exist in table", name)
	case slices.Contains(face.Key, at):
		return DuplicateColumn(name)
	}
	c := &face.Columns[at]
	if c.Generated != nil && !c.Generated.Stored {
		return mysqlerr.New(mysqlerr.UnsupportedOnGenerated,
			"'Defining a virtual generated column as primary key' is not supported for generated columns.")
	}
	if err := c.Type.CheckKey(name, 0); err != nil {
		return err
	}
	c.NotNull = true
	face.Key = append(face.Key, at)
	return nil
}

func nullInKey(name string) error {
	return mysqlerr.New(mysqlerr.PrimaryCantHaveNull,
		"All parts of a PRIMARY KEY must be NOT NULL; if you need NULL in a key, use UNIQUE instead (column '%s')",
		name)
}
