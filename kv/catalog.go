package kv

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/partition"
)

// ValueType is how a table's values are declared.
type ValueType struct {
	// Kind is the front's word for it, empty where nothing was declared.
	Kind     string `json:"kind"`
	Max      int    `json:"max"` // bytes
	Nullable bool   `json:"nullable,omitempty"`
}

// Table describes one table: a column family, or a table on its own. A Table
// in a Catalog is immutable.
type Table struct {
	ID       uint64 `json:"id"`
	Database string `json:"database"`
	Name     string `json:"name"`
	// Group and Family are the parts of Name; both are empty for a table
	// that is in no group.
	Group        string    `json:"group,omitempty"`
	Family       string    `json:"family,omitempty"`
	MaxRow       int       `json:"max_row"`       // bytes
	MaxQualifier int       `json:"max_qualifier"` // bytes
	Value        ValueType `json:"value"`
	Created      int64     `json:"created"` // ms since 1970-01-01 UTC
	// Retention is which versions are kept.
	Retention Retention `json:"retention,omitzero"`

	Partitioning *partition.Scheme `json:"partitioning"`
	// PartitionColumn is the front's name for what PrefixKey partitioning is over, else
	// empty.
	PartitionColumn string `json:"partition_column,omitempty"`
	// Generation grows when cells go without being deleted one by one, as with
	// TRUNCATE: writes meant for an earlier generation must not be committed.
	Generation uint64 `json:"generation,omitempty"`
	// Counter is the table's counter, of a store that has Counters; TRUNCATE begins another.
	Counter Counter `json:"counter,omitzero"`
	// Indexes are those of the table.
	Indexes []Index `json:"indexes,omitempty"`
	// IndexOf is, of a table of entries, the ID of the table whose index it has; else 0.
	IndexOf uint64 `json:"index_of,omitempty"`
	// Temporary tables are one session's own, and no store's.
	Temporary bool `json:"-"`
	// Attributes are the front's own.
	Attributes *Attributes `json:"-"`
	// Layout is where the cells are: the store's own, which others leave as it is.
	Layout any `json:"-"`
}

// Group describes a table group (HBase's table).
type Group struct {
	Database string `json:"database"`
	Name     string `json:"name"`
	// Explicit groups were created by a statement and outlive their tables.
	Explicit bool `json:"explicit,omitempty"`
	// Retention is that of tables which join the group without one of their own.
	Retention Retention `json:"retention,omitzero"`
	// Attributes are the front's own.
	Attributes *Attributes `json:"-"`
}

// Database describes a database (HBase's namespace).
type Database struct {
	Name string `json:"name"`
	// Attributes are the front's own.
	Attributes *Attributes `json:"-"`
}

// View describes a relation without cells of its own: a query, or another face of the cells
// of a table group. The store keeps it and knows nothing of what it says. A View in a Catalog
// is immutable.
type View struct {
	Database string `json:"database"`
	Name     string `json:"name"`
	Created  int64  `json:"created"` // ms since 1970-01-01 UTC
	// Group, in GroupDatabase, is the table group whose cells it shows, with which it is kept and
	// goes; both are empty for a view that belongs to none.
	Group         string `json:"group,omitempty"`
	GroupDatabase string `json:"group_database,omitempty"`
	// Attributes are the front's own: the query, and what was declared with it.
	Attributes *Attributes `json:"-"`
	// Damage is why the store cannot read what it has kept of the view, empty where it can.
	Damage string `json:"-"`
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
	// own are tables of one session, which hide others of their names, and stored is the
	// catalog without them; nil where there are none.
	own    map[[2]string]*Table
	stored *Catalog
}

// OwnVersions is the first version of catalogs that have a session's own tables: others' are below.
const OwnVersions = 1 << 63

// With is the catalog as a session sees it that has tables of its own. By their names, and their
// IDs, they are found in the place of what the store has; no list has them. The version is one
// of the session's own, below 2^63. own must stay as it is.
func (c *Catalog) With(own map[[2]string]*Table, version uint64) *Catalog {
	out := *c
	out.own, out.stored, out.version = own, c, OwnVersions|version
	return &out
}

// Stored is the catalog without the tables that With has added.
func (c *Catalog) Stored() *Catalog {
	if c.stored != nil {
		return c.stored
	}
	return c
}

// IsOwn reports whether the catalog is one of With's, which nobody else sees.
func (c *Catalog) IsOwn() bool { return c.stored != nil }

// TableByID is the table of an ID, which stays its own under another name; nil where there
// is none.
func (c *Catalog) TableByID(id uint64) *Table {
	for _, tables := range []map[[2]string]*Table{c.own, c.tables} {
		for _, t := range tables {
			if t.ID == id {
				return t
			}
		}
	}
	return nil
}

// Version grows with each change.
func (c *Catalog) Version() uint64 { return c.version }

// Attribute is what the front keeps under that name, empty where there is nothing. To a
// store it is opaque.
func (c *Catalog) Attribute(name string) string { return c.attributes[name] }

// AttributeNames are the names under which the front keeps something, in any order.
func (c *Catalog) AttributeNames() iter.Seq[string] { return maps.Keys(c.attributes) }

// Retains reports whether any table does not keep all versions for ever.
func (c *Catalog) Retains() bool { return c.retains }

// Database is the database of that name, or nil.
func (c *Catalog) Database(name string) *Database { return c.databases[name] }

// Table is the table of that name, or nil.
func (c *Catalog) Table(database, name string) *Table {
	if c.own != nil {
		if t := c.own[[2]string{database, name}]; t != nil {
			return t
		}
	}
	return c.tables[[2]string{database, name}]
}

// Group is the table group of that name, or nil.
func (c *Catalog) Group(database, name string) *Group {
	return visible(c, c.groups, [2]string{database, name})
}

// View is the view of that name, or nil.
func (c *Catalog) View(database, name string) *View {
	return visible(c, c.views, [2]string{database, name})
}

// visible is a descriptor unless a table of the session's own hides it.
func visible[D any](c *Catalog, from map[[2]string]*D, name [2]string) *D {
	if c.own[name] != nil {
		return nil
	}
	return from[name]
}

// Databases are all databases by name.
func (c *Catalog) Databases() []*Database {
	return slices.SortedFunc(maps.Values(c.databases), func(a, b *Database) int {
		return strings.Compare(a.Name, b.Name)
	})
}

// Tables are the tables of a database by name, without those of entries of indexes.
func (c *Catalog) Tables(database string) []*Table {
	return slices.DeleteFunc(c.AllTables(database), func(t *Table) bool { return t.IndexOf != 0 })
}

// AllTables are the tables of a database by name, with those of entries of indexes.
func (c *Catalog) AllTables(database string) []*Table { return inDatabase(c.tables, database) }

// Title is what people are told a table is called: its name, of a table of entries the name of
// its index.
func (c *Catalog) Title(t *Table) string {
	if of := c.TableByID(t.IndexOf); t.IndexOf != 0 && of != nil {
		for i := range of.Indexes {
			if of.Indexes[i].Entries == t.ID {
				return of.Name + " (index " + of.Indexes[i].Name + ")"
			}
		}
	}
	return t.Name
}

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
