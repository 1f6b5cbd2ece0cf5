// Package schema is what SQL declares of tables, views, table groups and databases
// beyond what stores know: the attributes of their descriptors. The members' names in
// JSON are an on-disk format.
//
// The main types: [Table], by [Of], and [View], by [OfView]. Their results belong to a catalog and
// must not be changed, except those of [Edit].
package schema

import (
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/attribute"
)

// The words for the types of values, kv.ValueType.Kind.
const (
	VarBinary  = "varbinary"
	Blob       = "blob"
	MediumBlob = "mediumblob"
	LongBlob   = "longblob"
)

// The maximum lengths of blobs, in bytes.
const (
	MaxBlob       = 1<<16 - 1
	MaxMediumBlob = 1<<24 - 1
	MaxLongBlob   = 512 << 20
)

// KindOf is the word for the type of values; without a declared one, the smallest blob that holds them.
func KindOf(v kv.ValueType) string {
	switch {
	case v.Kind != "":
		return v.Kind
	case v.Max <= MaxBlob:
		return Blob
	case v.Max <= MaxMediumBlob:
		return MediumBlob
	}
	return LongBlob
}

// Table is what was declared of a table. The zero value is that of a table that SQL has not created.
type Table struct {
	// HBase is true if the table was declared with TDSQL's HBase keyword.
	HBase    bool           `json:"hbase,omitempty"`
	Prefixes []PrefixColumn `json:"prefixes,omitempty"`
	// TimeColumn is nil if none was declared.
	TimeColumn *TimeColumn `json:"time_column,omitempty"`
	// Labels are those of row, qualifier, timestamp and value, in this order. A name is empty if it is the
	// default; ColumnNames has them all.
	Labels  [4]Label `json:"labels,omitzero"`
	Text    Text     `json:"text,omitzero"`
	Comment string   `json:"comment,omitempty"`
	// Indexes are those of a column family without a typed table, over the columns K, Q, T and V.
	Indexes []Index `json:"cell_indexes,omitempty"`
	// Typed is the declaration of the typed table whose rows the cells are, a Table of package typed; nil if
	// there is none.
	Typed *attribute.Set `json:"typed,omitempty"`
}

// PrefixColumn is a generated column that shows the first bytes of the row.
type PrefixColumn struct {
	Name    string `json:"name"`
	Length  int    `json:"length"`           // of the prefix, in bytes
	Max     int    `json:"max"`              // the declared width, in bytes
	Stored  bool   `json:"stored,omitempty"` // as declared; it is always computed
	Comment string `json:"comment,omitempty"`
}

// TimeColumn is a generated column that shows the absolute value of the timestamp, for partitions by time. A
// table with one does not accept the smallest int64 as a timestamp.
type TimeColumn struct {
	Name    string `json:"name"`
	Stored  bool   `json:"stored,omitempty"` // as declared; it is always computed
	Comment string `json:"comment,omitempty"`
	// Behind is the number of PrefixColumns that were declared before it.
	Behind int `json:"behind,omitempty"`
}

// Label is a client's name and description for a column.
type Label struct {
	Name    string `json:"name,omitempty"`
	Comment string `json:"comment,omitempty"`
}

// Text is the character set and collation that a client declared. They are only shown again: rows, qualifiers
// and values are bytes. Both are empty if nothing was declared.
type Text struct {
	Charset   string `json:"charset,omitempty"`
	Collation string `json:"collation,omitempty"`
}

// Of is what was declared of a table.
func Of(t *kv.Table) *Table { return attribute.Read[Table](t.Attributes) }

// Edit gives a copy of a descriptor its own attributes, which are those of Of, and may be changed until the
// descriptor is in a catalog.
func Edit(t *kv.Table) *Table {
	next := *Of(t)
	next.Prefixes = slices.Clip(next.Prefixes)
	t.Attributes = attribute.New(&next)
	return &next
}

// usualNames are the default names of the columns.
var usualNames = [4]string{"K", "Q", "T", "V"}

// ColumnNames are the names of row, qualifier, timestamp and value, in the
// case in which they were declared.
func (t *Table) ColumnNames() [4]string {
	names := usualNames
	for i, l := range t.Labels {
		if l.Name != "" {
			names[i] = l.Name
		}
	}
	return names
}

// Generated is the number of generated columns.
func (t *Table) Generated() int {
	if t.TimeColumn != nil {
		return len(t.Prefixes) + 1
	}
	return len(t.Prefixes)
}

// PrefixPlace is the index, from 0, of a PrefixColumn among the generated columns.
func (t *Table) PrefixPlace(i int) int {
	if t.TimeColumn != nil && i >= t.TimeColumn.Behind {
		return i + 1
	}
	return i
}

// AllColumnNames are those of ColumnNames followed by those of the generated columns, in their order.
func (t *Table) AllColumnNames() []string {
	names := t.ColumnNames()
	out := names[:]
	for _, p := range t.Prefixes {
		out = append(out, p.Name)
	}
	if t.TimeColumn != nil {
		out = slices.Insert(out, len(names)+t.TimeColumn.Behind, t.TimeColumn.Name)
	}
	return out
}

// SetColumn names and describes column i of ColumnNames.
func (t *Table) SetColumn(i int, l Label) {
	if l.Name == usualNames[i] {
		l.Name = ""
	}
	t.Labels[i] = l
}

// View is the definition of a view.
type View struct {
	// Columns are the names of the columns, in order.
	Columns []string `json:"columns"`
	// Definition is the query, including everything that its meaning depends on.
	Definition string `json:"definition"`
	// Algorithm, Security and Check are shown again as declared, in MySQL's words.
	Algorithm string `json:"algorithm,omitempty"`
	Security  string `json:"security,omitempty"`
	Check     string `json:"check,omitempty"`
	// Definer is the account whose privileges apply in the view.
	Definer string `json:"definer,omitempty"`
}

// OfView is the definition of a view that is a query.
func OfView(v *kv.View) *View { return attribute.Read[View](v.Attributes) }

// database is what was declared of a database.
type database struct {
	Text Text `json:"text,omitzero"`
}

// TextOf is the character set of a database's new tables.
func TextOf(d *kv.Database) Text { return attribute.Read[database](d.Attributes).Text }

// SetText declares the character set of a database's new tables.
func SetText(d *kv.Database, t Text) {
	d.Attributes = nil
	if t != (Text{}) {
		d.Attributes = attribute.New(&database{t})
	}
}

// group is what was declared of a table group.
type group struct {
	Sharding string `json:"sharding,omitempty"`
}

// ShardingOf is SHARDING of a table group.
func ShardingOf(g *kv.Group) string { return attribute.Read[group](g.Attributes).Sharding }

// SetSharding sets SHARDING.
func SetSharding(g *kv.Group, sharding string) { g.Attributes = attribute.New(&group{sharding}) }
