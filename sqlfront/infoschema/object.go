package infoschema

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// object is an item of FROM: a table, the virtual table of a group, a view, or a catalog table.
type object struct {
	database, name string
	// table is nil unless the object is a table. For a typed table it is the family that has the rows, which
	// itself is a relation with another name, and for a mapped one only a descriptor.
	table    *kv.Table
	mapped   *kv.View    // of a mapped table
	families []*kv.Table // of a group
	view     *kv.View    // nil unless it is a view
	info     *infoTable  // nil unless it is a catalog table
}

// relationsOf are the relations of a database with such names, ordered by name. Groups without families are
// omitted, since there is nothing to see in them. named is called before anything else is read.
func (i *Information) relationsOf(c *kv.Catalog, database string, named func(string) bool) []object {
	var out []object
	if of := virtualIn(c, database); of != "" {
		for _, name := range sortedKeys(i.tables[of]) {
			if t := i.tables[of][name]; named(t.name) {
				out = append(out, t.relation())
			}
		}
		return out
	}
	for _, t := range c.Tables(database) {
		if named(t.Name) && schema.Of(t).Typed == nil { // otherwise it is listed as the typed table
			out = append(out, object{database: database, name: t.Name, table: t})
		}
	}
	for _, g := range c.Groups(database) {
		if named(g.Name) {
			out = appendGroup(c, out, g)
		}
	}
	for _, v := range c.Views(database) {
		if named(v.Name) {
			out = append(out, viewObject(v))
		}
	}
	slices.SortFunc(out, func(a, b object) int { return strings.Compare(a.name, b.name) })
	return out
}

func viewObject(v *kv.View) object {
	if v.Group != "" {
		return object{database: v.Database, name: v.Name, table: schema.Descriptor(v), mapped: v}
	}
	return object{database: v.Database, name: v.Name, view: v}
}

func appendGroup(c *kv.Catalog, out []object, g *kv.Group) []object {
	if t := schema.TypedTable(c, g.Database, g.Name); t != nil {
		return append(out, object{database: g.Database, name: g.Name, table: t})
	}
	families := c.Families(g.Database, g.Name)
	if len(families) == 0 {
		return out
	}
	return append(out, object{database: g.Database, name: g.Name, families: families})
}

// find is the relation of that name, false if there is none.
func (i *Information) find(c *kv.Catalog, database, name string) (object, bool) {
	if of := virtualIn(c, database); of != "" {
		t := i.tables[of][strings.ToUpper(name)]
		if t == nil {
			return object{}, false
		}
		return t.relation(), true
	}
	if t := schema.Stored(c, database, name); t != nil {
		return object{database: database, name: name, table: t}, true
	}
	if v := c.View(database, name); v != nil {
		return viewObject(v), true
	}
	families := c.Families(database, name)
	return object{database: database, name: name, families: families}, len(families) > 0
}

// kind is MySQL's TABLE_TYPE.
func (r object) kind() string {
	switch {
	case r.table != nil, r.info != nil && r.database != Name:
		return "BASE TABLE"
	case r.info != nil:
		return "SYSTEM VIEW"
	}
	return "VIEW"
}

// column is the catalog's information about one column.
type column struct {
	name string
	// data is the type's name, declared is the type as it was written.
	data, declared string
	kind           value.Kind
	max            int64 // bytes of a string, 0 for other types
	nullable       bool
	key            string // COLUMN_KEY
	comment        string
	stored         bool   // for a generated column
	expression     string // for a generated column
	// digits and scale are a decimal's, fraction is a time's; charset is a text's if it is not that of the
	// catalog tables.
	digits, scale, fraction int
	charset, collation      string
	// declaration is set for a typed table's column, else nil.
	declaration *declaration
}

// Exists reports whether there is a table or a view of that name. The error is the store's.
func (i *Information) Exists(ctx context.Context, database, name string) (bool, error) {
	c, err := i.store.Catalog(ctx)
	if err != nil {
		return false, err
	}
	_, ok := i.find(c, database, name)
	return ok, nil
}

// isTyped reports whether the relation is a typed table.
func (r object) isTyped() bool {
	return r.mapped != nil || r.table != nil && r.name != r.table.Name && schema.Of(r.table).Typed != nil
}

// columns are the columns of a relation. The names of the family column in a group's virtual table, and of
// the other columns, come from the table's form.
func (i *Information) columns(c *kv.Catalog, r object) ([]column, error) {
	switch {
	case r.isTyped():
		return typedColumns(r.table)
	case r.table != nil:
		return tableColumns(r.table), nil
	case r.info != nil:
		return r.info.columns, nil
	case r.view != nil:
		return i.viewColumns(c, r.view)
	}
	return groupColumns(r.families), nil
}

func tableColumns(t *kv.Table) []column {
	names := schema.Of(t).ColumnNames()
	out := []column{
		binaryColumn(names[0], t.MaxRow, keyMark),
		binaryColumn(names[1], t.MaxQualifier, keyMark),
		{name: names[2], data: "bigint", declared: "bigint(20)", kind: value.Int, key: keyMark},
		valueColumn(names[3], t.Value),
	}
	if face := typed.IndexedCells(t); face != nil {
		out[typed.CellV].key = face.KeyMark(typed.CellV)
	}
	for i, l := range schema.Of(t).Labels {
		out[i].comment = l.Comment
	}
	for _, p := range schema.Of(t).Prefixes {
		c := binaryColumn(p.Name, p.Max, "")
		c.nullable, c.stored, c.comment = true, p.Stored, p.Comment
		c.expression = "substr(" + lex.QuoteName(names[0]) + ",1," + strconv.Itoa(p.Length) + ")"
		out = append(out, c)
	}
	if g := schema.Of(t).TimeColumn; g != nil {
		out = slices.Insert(out, len(names)+g.Behind, column{name: g.Name, data: "bigint", declared: "bigint(20)", kind: value.Int,
			nullable: true, stored: g.Stored, comment: g.Comment, expression: "abs(" + lex.QuoteName(names[2]) + ")"})
	}
	return out
}

// groupColumns are K, F, Q, T and V, as wide as in the widest family.
func groupColumns(families []*kv.Table) []column {
	widest := *families[0]
	family := 0
	for _, t := range families {
		widest.MaxRow = max(widest.MaxRow, t.MaxRow)
		widest.MaxQualifier = max(widest.MaxQualifier, t.MaxQualifier)
		family = max(family, len(t.Family))
		nullable := widest.Value.Nullable || t.Value.Nullable
		if t.Value.Max > widest.Value.Max {
			widest.Value = t.Value
		}
		widest.Value.Nullable = nullable
	}
	widest.Attributes = nil
	c := tableColumns(&widest)
	out := []column{c[0], binaryColumn(relation.ColumnF, family, keyMark), c[1], c[2], c[3]}
	for i := range out {
		out[i].key = "" // a view has no keys
	}
	return out
}

// keyMark is COLUMN_KEY for a column of the primary key.
const keyMark = "PRI"

func binaryColumn(name string, max int, key string) column {
	return column{
		name: name, data: "varbinary", declared: "varbinary(" + strconv.Itoa(max) + ")", kind: value.Bytes,
		max: int64(max), key: key,
	}
}

func valueColumn(name string, v kv.ValueType) column {
	kind := schema.KindOf(v)
	c := column{name: name, data: kind, declared: kind, kind: value.Bytes, max: int64(v.Max), nullable: v.Nullable}
	switch kind {
	case schema.VarBinary:
		c.declared += "(" + strconv.Itoa(v.Max) + ")"
	case schema.LongBlob:
		c.max = 1<<32 - 1 // MySQL's, which clients compare; values have a lower limit
	}
	return c
}

// extra is MySQL's EXTRA.
func (c column) extra() string {
	switch {
	case c.declaration != nil:
		return c.declaration.extra
	case c.expression == "":
		return ""
	case c.stored:
		return "STORED GENERATED"
	}
	return "VIRTUAL GENERATED"
}

func yesNo(yes bool) string {
	if yes {
		return "YES"
	}
	return "NO"
}

// sees reports whether the session has some privilege on a relation; others are not shown to it.
func (i *Information) sees(a *rights.Authority, each object) bool {
	return a.Sees(each.database, each.name, each.groupName())
}

// groupName is the group of which the relation is a family, or empty.
func (r object) groupName() string {
	if r.table == nil || r.isTyped() {
		return ""
	}
	return r.table.Group
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// engineName is the engine by which clients recognize tables with transactions.
const engineName = "InnoDB"
