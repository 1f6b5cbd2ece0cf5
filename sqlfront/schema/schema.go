// Package schema is what SQL declares of tables, views, table groups and databases
// beyond what stores know: the attributes of their descriptors. The members' names in
// JSON are an on-disk format.
//
// The types that matter: [Table], by [Of], and [View], by [OfView]. What they give
// belongs to a catalog and is not to be changed, but behind [Edit].
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

// The longest values of blobs, in bytes.
const (
	MaxBlob       = 1<<16 - 1
	MaxMediumBlob = 1<<24 - 1
	MaxLongBlob   = 512 << 20
)

// KindOf is the word for the type of values: the smallest blob that holds them, where
// nothing was declared.
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

// Table is what was declared of a table. The zero value is what a table has that SQL
// has not made.
type Table struct {
	// HBase is true where the table was declared with TDSQL's HBase keyword.
	HBase    bool           `json:"hbase,omitempty"`
	Prefixes []PrefixColumn `json:"prefixes,omitempty"`
	// TimeColumn is nil where none was declared.
	TimeColumn *TimeColumn `json:"time_column,omitempty"`
	// Labels are those of row, qualifier, timestamp and value, in this order.
	// A name is empty where it is the usual one; ColumnNames has them all.
	Labels  [4]Label `json:"labels,omitzero"`
	Text    Text     `json:"text,omitzero"`
	Comment string   `json:"comment,omitempty"`
	// Indexes are those of a column family that has no typed table, whose columns are K, Q, T and V.
	Indexes []Index `json:"cell_indexes,omitempty"`
	// Typed is what was declared of the typed table whose rows the cells are, a Table of package
	// typed; nil where they are none's.
	Typed *attribute.Set `json:"typed,omitempty"`
}

// PrefixColumn is a generated column that shows the first bytes of the row.
type PrefixColumn struct {
	Name    string `json:"name"`
	Length  int    `json:"length"`           // of the substring, in bytes
	Max     int    `json:"max"`              // the declared width, in bytes
	Stored  bool   `json:"stored,omitempty"` // as declared; it is computed either way
	Comment string `json:"comment,omitempty"`
}

// TimeColumn is a generated column that shows the absolute value of the
// timestamp, which partitions by time are of. A table with one does not take the
// smallest int64 for a timestamp.
type TimeColumn struct {
	Name    string `json:"name"`
	Stored  bool   `json:"stored,omitempty"` // as declared; it is computed either way
	Comment string `json:"comment,omitempty"`
	// Behind is the number of PrefixColumns that were declared before it.
	Behind int `json:"behind,omitempty"`
}

// Label is how a client named and described a column.
type Label struct {
	Name    string `json:"name,omitempty"`
	Comment string `json:"comment,omitempty"`
}

// Text is the character set and collation that a client declared. They are
// kept to be shown again: rows, qualifiers and values are bytes. Both are empty
// where nothing was declared.
type Text struct {
	Charset   string `json:"charset,omitempty"`
	Collation string `json:"collation,omitempty"`
}

// Of is what was declared of a table.
func Of(t *kv.Table) *Table { return attribute.Read[Table](t.Attributes) }

// Edit gives a copy of a descriptor attributes of its own, which are those of Of, and
// may be changed until the descriptor is in a catalog.
func Edit(t *kv.Table) *Table {
	next := *Of(t)
	next.Prefixes = slices.Clip(next.Prefixes)
	t.Attributes = attribute.New(&next)
	return &next
}

// usualNames are the columns' names in tables that are declared as usual.
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

// PrefixPlace is the place, from 0, of a PrefixColumn among the generated
// columns.
func (t *Table) PrefixPlace(i int) int {
	if t.TimeColumn != nil && i >= t.TimeColumn.Behind {
		return i + 1
	}
	return i
}

// AllColumnNames are those of ColumnNames and behind them those of the generated
// columns, in their order.
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

// View is what a view says.
type View struct {
	// Columns are the names of the columns, in order.
	Columns []string `json:"columns"`
	// Definition is the query, with all that its meaning depends on in it.
	Definition string `json:"definition"`
	// Algorithm, Security and Check are what was declared and is shown
	// again, in MySQL's words.
	Algorithm string `json:"algorithm,omitempty"`
	Security  string `json:"security,omitempty"`
	Check     string `json:"check,omitempty"`
	// Definer is whose rights count in the view.
	Definer string `json:"definer,omitempty"`
}

// OfView is what a view says that is a query.
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

// ShardingOf is what SHARDING of a table group says.
func ShardingOf(g *kv.Group) string { return attribute.Read[group](g.Attributes).Sharding }

// SetSharding declares what SHARDING says.
func SetSharding(g *kv.Group, sharding string) { g.Attributes = attribute.New(&group{sharding}) }
