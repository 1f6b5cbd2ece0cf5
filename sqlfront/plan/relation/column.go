package relation

import (
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Column is a column of a relation or of a result.
type Column struct {
	Name string
	Type value.Type
	// Database, Table, OrgTable and OrgName say where the column comes from:
	// Table is the alias that the statement gave, the others are the
	// catalog's names. All are empty for an expression.
	Database, Table, OrgTable, OrgName string
	// Key is true for the columns of the primary key (K, Q, T and a group's F).
	Key bool
	// Hidden is true for a column that * does not include. If it has no name, only a qualified one finds it.
	Hidden bool
	// Generated is true for the columns that are computed from another one of
	// the relation, whose index is From.
	Generated bool
	From      int
	// Numbered is true for an AUTO_INCREMENT column. HasDefault is true for a NOT NULL column that has a
	// value even if an INSERT gives none.
	Numbered, HasDefault bool
	// Hex is true for a hex or bit literal.
	Hex bool
}

// The usual names of the columns that tables have. A table may have declared
// them in other cases: see schema.Table.ColumnNames.
const (
	ColumnK = "K"
	ColumnF = "F"
	ColumnQ = "Q"
	ColumnT = "T"
	ColumnV = "V"
)

// maxFamily is the declared width of a group's F column, MySQL's longest name.
const maxFamily = 64

// tableColumns are the columns of a table in their order: K, Q, T, V and the
// generated ones.
func tableColumns(t *kv.Table) []Column {
	names := schema.Of(t).ColumnNames()
	cols := []Column{
		keyColumn(names[0], varbinary(t.MaxRow)),
		keyColumn(names[1], varbinary(t.MaxQualifier)),
		keyColumn(names[2], value.Type{Kind: value.Int, Length: 20}),
		{Name: names[3], Type: valueType(t.Value)},
	}
	for _, p := range schema.Of(t).Prefixes {
		typ := varbinary(p.Max)
		typ.Nullable = true
		cols = append(cols, Column{Name: p.Name, Type: typ, Generated: true})
	}
	if g := schema.Of(t).TimeColumn; g != nil {
		typ := value.Type{Kind: value.Int, Length: 20, Nullable: true}
		cols = slices.Insert(cols, 4+g.Behind, Column{Name: g.Name, Type: typ, Generated: true, From: 2})
	}
	return cols
}

// groupColumns are the columns of a table group's virtual table: K, F, Q, T, V,
// each as wide as the widest family's.
func groupColumns(families []*kv.Table) []Column {
	row, qualifier, val := 1, 1, kv.ValueType{Kind: schema.VarBinary, Max: 1}
	for i, t := range families {
		row, qualifier = max(row, t.MaxRow), max(qualifier, t.MaxQualifier)
		nullable := val.Nullable || t.Value.Nullable
		if i == 0 || t.Value.Max > val.Max {
			val = t.Value
		}
		val.Nullable = nullable
	}
	return []Column{
		keyColumn(ColumnK, varbinary(row)),
		keyColumn(ColumnF, varbinary(maxFamily)),
		keyColumn(ColumnQ, varbinary(qualifier)),
		keyColumn(ColumnT, value.Type{Kind: value.Int, Length: 20}),
		{Name: ColumnV, Type: valueType(val)},
	}
}

func keyColumn(name string, t value.Type) Column { return Column{Name: name, Type: t, Key: true} }

func varbinary(length int) value.Type { return value.Type{Kind: value.Bytes, Length: length} }

func valueType(v kv.ValueType) value.Type {
	t := value.Type{Kind: value.Bytes, Length: v.Max, Nullable: v.Nullable}
	if kind := schema.KindOf(v); kind != schema.VarBinary {
		t.Name = strings.ToUpper(kind)
	}
	return t
}
