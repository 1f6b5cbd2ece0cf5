package kv

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/kv/attribute"
	"github.com/hbasekv/hbasekv/kv/sorted"
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
	Attributes *attribute.Set `json:"-"`
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
	Attributes *attribute.Set `json:"-"`
}

// Database describes a database (HBase's namespace).
type Database struct {
	Name string `json:"name"`
	// Attributes are the front's own.
	Attributes *attribute.Set `json:"-"`
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
	Attributes *attribute.Set `json:"-"`
	// Damage is why the store cannot read what it has kept of the view, empty where it can.
	Damage string `json:"-"`
}

// Catalog is all descriptors at one moment. It is immutable, and shares with those before it what has
// not been changed. Names are case-sensitive, as MySQL's table names are on Linux.
type Catalog struct {
	version   uint64
	nextID    uint64
	databases sorted.Map[string, Database]
	groups    sorted.Map[path, Group] // by database and name, as tables and views
	tables    sorted.Map[path, Table]
	views     sorted.Map[path, View]
	byID      sorted.Map[uint64, Table]
	families  sorted.Map[path, Table] // by database, group, and family with name
	ofGroups  sorted.Map[path, View]  // by their group's database and name, and their own names
	// attributes are the front's own, which stores keep and do not read.
	attributes sorted.Map[string, string]
	retaining  int // tables that do not keep all versions for ever
	// own are tables of one session, which hide others of their names, and stored is the
	// catalog without them; nil where there are none.
	own    map[[2]string]*Table
	stored *Catalog
}

// path is a key of several names; those that are not needed are empty.
type path = sorted.Path

func emptyCatalog() *Catalog {
	return &Catalog{
		databases:  sorted.New[string, Database](strings.Compare),
		groups:     sorted.ByPath[Group](),
		tables:     sorted.ByPath[Table](),
		views:      sorted.ByPath[View](),
		byID:       sorted.New[uint64, Table](cmp.Compare[uint64]),
		families:   sorted.ByPath[Table](),
		ofGroups:   sorted.ByPath[View](),
		attributes: sorted.New[string, string](strings.Compare),
	}
}

// maps are all of them.
func (c *Catalog) maps() []sorted.Shared {
	return []sorted.Shared{&c.databases, &c.groups, &c.tables, &c.views, &c.byID, &c.families, &c.ofGroups, &c.attributes}
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
	for _, t := range c.own {
		if t.ID == id {
			return t
		}
	}
	return c.byID.Get(id)
}

// Version grows with each change.
func (c *Catalog) Version() uint64 { return c.version }

// NextID is below the ID of the next table: no table has had a greater one.
func (c *Catalog) NextID() uint64 { return c.nextID }

// Attribute is what the front keeps under that name, empty where there is nothing. To a
// store it is opaque.
func (c *Catalog) Attribute(name string) string {
	if text := c.attributes.Get(name); text != nil {
		return *text
	}
	return ""
}

// AttributeNames are the names under which the front keeps something.
func (c *Catalog) AttributeNames() iter.Seq[string] { return c.attributes.Keys() }

// Retains reports whether any table does not keep all versions for ever.
func (c *Catalog) Retains() bool { return c.retaining > 0 }

// Database is the database of that name, or nil.
func (c *Catalog) Database(name string) *Database { return c.databases.Get(name) }

// Table is the table of that name, or nil.
func (c *Catalog) Table(database, name string) *Table {
	if c.own != nil {
		if t := c.own[[2]string{database, name}]; t != nil {
			return t
		}
	}
	return c.tables.Get(path{database, name})
}

// Group is the table group of that name, or nil.
func (c *Catalog) Group(database, name string) *Group {
	if c.hides(database, name) {
		return nil
	}
	return c.groups.Get(path{database, name})
}

// View is the view of that name, or nil.
func (c *Catalog) View(database, name string) *View {
	if c.hides(database, name) {
		return nil
	}
	return c.views.Get(path{database, name})
}

// hides reports whether a table of the session's own hides what the store has of that name.
func (c *Catalog) hides(database, name string) bool {
	return c.own != nil && c.own[[2]string{database, name}] != nil
}

// Databases are all databases by name.
func (c *Catalog) Databases() []*Database {
	return slices.AppendSeq(make([]*Database, 0, c.databases.Len()), c.databases.Values())
}

// EveryTable is the tables of all databases by name, with those of entries of indexes.
func (c *Catalog) EveryTable() iter.Seq[*Table] { return c.tables.Values() }

// Tables are the tables of a database by name, without those of entries of indexes.
func (c *Catalog) Tables(database string) []*Table {
	return slices.DeleteFunc(c.AllTables(database), func(t *Table) bool { return t.IndexOf != 0 })
}

// AllTables are the tables of a database by name, with those of entries of indexes.
func (c *Catalog) AllTables(database string) []*Table {
	return slices.Collect(sorted.Below(&c.tables, path{database}, 1))
}

// Title is what people are told a table is called: its name, of a table of entries the name of
// its index.
func (c *Catalog) Title(t *Table) string {
	if of := c.TableByID(t.IndexOf); t.IndexOf != 0 && of != nil {
		if i := of.IndexWith(t.ID); i >= 0 {
			return of.Name + " (index " + of.Indexes[i].Name + ")"
		}
	}
	return t.Name
}

// Groups are the table groups of a database by name.
func (c *Catalog) Groups(database string) []*Group {
	return slices.Collect(sorted.Below(&c.groups, path{database}, 1))
}

// Views are the views of a database by name.
func (c *Catalog) Views(database string) []*View {
	return slices.Collect(sorted.Below(&c.views, path{database}, 1))
}

// Families are the tables of a table group by family, in HBase's order of
// families.
func (c *Catalog) Families(database, group string) []*Table {
	if group == "" {
		return nil
	}
	return slices.Collect(sorted.Below(&c.families, path{database, group}, 2))
}
