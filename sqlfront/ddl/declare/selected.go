package declare

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/collation"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Selected is a column of the SELECT in CREATE TABLE ... SELECT.
type Selected struct {
	Name string
	Type value.Type
}

// IsTypedWith is IsTyped for a statement whose SELECT adds columns.
func IsTypedWith(st *ast.CreateTable, selected []Selected) bool {
	if saysFamily(st) {
		return false
	}
	isCell := func(name string) bool {
		return slices.ContainsFunc(CellColumns[:], func(cell string) bool { return strings.EqualFold(cell, name) })
	}
	return slices.ContainsFunc(st.Columns, func(c ast.ColumnDef) bool { return c.Generated == nil && !isCell(c.Name) }) ||
		slices.ContainsFunc(selected, func(c Selected) bool { return !isCell(c.Name) })
}

// WithSelected adds to the statement of a typed table the columns that come from its SELECT; those that only
// the statement defines come first. Its error is 1060.
func WithSelected(st *ast.CreateTable, selected []Selected) (*ast.CreateTable, error) {
	whole := *st
	rest := slices.Clone(st.Columns)
	var given []ast.ColumnDef
	for i, c := range selected {
		if slices.ContainsFunc(selected[:i], func(o Selected) bool { return strings.EqualFold(o.Name, c.Name) }) {
			return nil, DuplicateColumn(c.Name)
		}
		at := slices.IndexFunc(rest, func(d ast.ColumnDef) bool { return strings.EqualFold(d.Name, c.Name) })
		if at < 0 {
			given = append(given, definitionOf(c))
			continue
		}
		given = append(given, rest[at])
		rest = slices.Delete(rest, at, at+1)
	}
	whole.Columns = append(rest, given...)
	return &whole, nil
}

// maxCharacters is the length of the longest VARCHAR of which a row holds several.
const maxCharacters = 16383

// definitionOf is the definition of a column of a SELECT, by the type of its values.
func definitionOf(c Selected) ast.ColumnDef {
	def := ast.ColumnDef{Name: c.Name, Length: -1, Decimals: -1, NotNull: !c.Type.Nullable}
	def.Type, def.Unsigned = strings.CutPrefix(strings.ToLower(c.Type.Name), "unsigned ")
	switch t := c.Type; t.Kind {
	case value.Int, value.Uint:
		if def.Type == "" {
			def.Type, def.Unsigned = "bigint", t.Kind == value.Uint
		}
		if def.Type == "bit" {
			def.Length = t.Length
		}
	case value.Decimal:
		def.Type, def.Length, def.Decimals = "decimal", t.Precision(), max(0, t.Decimals)
	case value.Float:
		def.Type = cmp.Or(def.Type, "double")
	case value.Date:
		def.Type = "date"
	case value.Time:
		def.Type, def.Length = "time", t.Decimals
	case value.DateTime:
		def.Type, def.Length = cmp.Or(def.Type, "datetime"), t.Decimals
	case value.JSON:
		def.Type = "json"
	case value.Null:
		def.Type, def.Length = "binary", 0
	default:
		defineString(&def, t)
	}
	return def
}

// defineString defines a column of texts or bytes. For ENUM and SET, a SELECT only knows the length.
func defineString(def *ast.ColumnDef, t value.Type) {
	long, short := "longblob", "varbinary"
	if t.Kind == value.Text {
		long, short = "longtext", "varchar"
		def.Charset = t.Charset
		if t.Charset == "" && t.Derivation == value.Implicit {
			def.Collate = t.Collation.String()
			if t.Collation == collation.Bin0900 { // the collation of texts in keys
				def.Collate = collation.Bin.String()
			}
		}
	}
	fixed := def.Type == "char" || def.Type == "binary"
	switch {
	case strings.HasSuffix(def.Type, "text"), strings.HasSuffix(def.Type, "blob"):
	case t.Length > maxCharacters, t.Length == 0:
		def.Type = long
	case fixed:
		def.Length = t.Length
	default:
		def.Type, def.Length = short, t.Length
	}
}
