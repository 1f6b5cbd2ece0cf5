package kv

import (
	"maps"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/partition"
)

// ValueKind is the declared SQL type of a table's values; the words are
// MySQL's because they are what a client declared and is shown again.
type ValueKind string

// The kinds of value.
const (
	VarBinary  ValueKind = "varbinary"
	Blob       ValueKind = "blob"
	MediumBlob ValueKind = "mediumblob"
	LongBlob   ValueKind = "longblob"
)

// ValueType is how a table's values are declared.
type ValueType struct {
	Kind     ValueKind `json:"kind"`
	Max      int       `json:"max"` // bytes
	Nullable bool      `json:"nullable,omitempty"`
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

// Table describes one table: a column family, or a table on its own. A Table
// in a Catalog is immutable.
type Table struct {
	ID       uint64 `json:"id"`
	Database string `json:"database"`
	Name     string `json:"name"`
	// Group and Family are the parts of Name; both are empty for a table
	// that is in no group.
	Group  string `json:"group,omitempty"`
	Family string `json:"family,omitempty"`
	// HBase is true where the table was declared with TDSQL's HBase keyword.
	HBase bool `json:"hbase,omitempty"`

	MaxRow       int            `json:"max_row"`       // bytes
	MaxQualifier int            `json:"max_qualifier"` // bytes
	Value        ValueType      `json:"value"`
	Prefixes     []PrefixColumn `json:"prefixes,omitempty"`
	// TimeColumn is nil where none was declared.
	TimeColumn *TimeColumn `json:"time_column,omitempty"`
	// Labels are those of row, qualifier, timestamp and value, in this order.
	// A name is empty where it is the usual one; ColumnNames has them all.
	Labels  [4]Label `json:"labels,omitzero"`
	Text    Text     `json:"text,omitzero"`
	Comment string   `json:"comment,omitempty"`
	Created int64    `json:"created"` // ms since 1970-01-01 UTC
	// Retention is which versions are kept.
	Retention Retention `json:"retention,omitzero"`

	Partitioning *partition.Scheme `json:"partitioning"`
	// PartitionColumn is the generated column that PrefixKey partitioning
	// names, else empty.
	PartitionColumn string `json:"partition_column,omitempty"`
	// Generation grows when cells go without being deleted one by one, as with
	// TRUNCATE: writes meant for an earlier generation must not be committed.
	Generation uint64 `json:"generation,omitempty"`
	// Layout is where the cells are: the store's own, which others leave as it is.
	Layout any `json:"-"`
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

// Group describes a table group (HBase's table).
type Group struct {
	Database string `json:"database"`
	Name     string `json:"name"`
	// Explicit groups were created by a statement and outlive their tables.
	Explicit bool   `json:"explicit,omitempty"`
	Sharding string `json:"sharding,omitempty"`
	// Retention is that of tables which join the group without one of their own.
	Retention Retention `json:"retention,omitzero"`
}

// Database describes a database (HBase's namespace).
type Database struct {
	Name string `json:"name"`
	Text Text   `json:"text,omitzero"`
}

// View describes a view: a relation that a query defines. The store keeps it
// and knows nothing of what the query says. A View in a Catalog is immutable.
type View struct {
	Database string `json:"database"`
	Name     string `json:"name"`
	// Columns are the names of the columns, in order.
	Columns []string `json:"columns"`
	// Definition is the query, with all that its meaning depends on in it.
	Definition string `json:"definition"`
	// Algorithm, Security and Check are what was declared and is shown
	// again, in MySQL's words.
	Algorithm string `json:"algorithm,omitempty"`
	Security  string `json:"security,omitempty"`
	Check     string `json:"check,omitempty"`
	// Definer is whose rights count in the view, as the front writes it.
	Definer string `json:"definer,omitempty"`
	Created int64  `json:"created"` // ms since 1970-01-01 UTC
}

// Catalog is all descriptors at one moment. It is immutable. Names are
// case-sensitive, as MySQL's table names are on Linux.
type Catalog struct {
	version   uint64
	databases map[string]*Database
	groups    map[[2]string]*Group
	tables    map[[2]string]*Table
	views     map[[2]string]*View
	// attributes are the front's own, which stores keep and do not read.
	attributes map[string]string
	retains    bool
}

// Version grows with each change.
func (c *Catalog) Version() uint64 { return c.version }

// Attribute is what the front keeps under that name, empty where there is nothing. To a
// store it is opaque.
func (c *Catalog) Attribute(name string) string { return c.attributes[name] }

// Retains reports whether any table does not keep all versions for ever.
func (c *Catalog) Retains() bool { return c.retains }

// Database is the database of that name, or nil.
func (c *Catalog) Database(name string) *Database { return c.databases[name] }

// Table is the table of that name, or nil.
func (c *Catalog) Table(database, name string) *Table { return c.tables[[2]string{database, name}] }

// Group is the table group of that name, or nil.
func (c *Catalog) Group(database, name string) *Group { return c.groups[[2]string{database, name}] }

// View is the view of that name, or nil.
func (c *Catalog) View(database, name string) *View { return c.views[[2]string{database, name}] }

// Databases are all databases by name.
func (c *Catalog) Databases() []*Database {
	return slices.SortedFunc(maps.Values(c.databases), func(a, b *Database) int {
		return strings.Compare(a.Name, b.Name)
	})
}

// Tables are the tables of a database by name.
func (c *Catalog) Tables(database string) []*Table { return inDatabase(c.tables, database) }

// Groups are the table groups of a database by name.
func (c *Catalog) Groups(database string) []*Group { return inDatabase(c.groups, database) }

// Views are the views of a database by name.
func (c *Catalog) Views(database string) []*View { return inDatabase(c.views, database) }

// inDatabase are the descriptors of one database, whose keys are the database's
// and their own name, by name.
func inDatabase[D any](all map[[2]string]D, database string) []D {
	var names []string
	for key := range all {
		if key[0] == database {
			names = append(names, key[1])
		}
	}
	slices.Sort(names)
	var out []D
	for _, name := range names {
		out = append(out, all[[2]string{database, name}])
	}
	return out
}

// Families are the tables of a table group by family, in HBase's order of
// families.
func (c *Catalog) Families(database, group string) []*Table {
	var out []*Table
	for _, t := range c.Tables(database) {
		if t.Group == group && group != "" {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b *Table) int { return strings.Compare(a.Family, b.Family) })
	return out
}
