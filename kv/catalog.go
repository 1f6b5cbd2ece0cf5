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

// ValueType says how a table's values are declared.
type ValueType struct {
	// Kind is the front's name for it, empty if nothing was declared.
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
	// Group and Family are the parts of Name; both are empty for a table in no group.
	Group        string    `json:"group,omitempty"`
	Family       string    `json:"family,omitempty"`
	MaxRow       int       `json:"max_row"`       // bytes
	MaxQualifier int       `json:"max_qualifier"` // bytes
	Value        ValueType `json:"value"`
	Created      int64     `json:"created"` // ms since 1970-01-01 UTC
	// Retention says which versions are kept.
	Retention Retention `json:"retention,omitzero"`

	Partitioning *partition.Scheme `json:"partitioning"`
	// PartitionColumn is the front's name for the column of PrefixKey partitioning, else empty.
	PartitionColumn string `json:"partition_column,omitempty"`
	// Generation grows when cells are removed without being deleted one by one, as by TRUNCATE:
	// writes for an earlier generation must not be committed.
	Generation uint64 `json:"generation,omitempty"`
	// Counter is the table's counter in a store with Counters; TRUNCATE starts another.
	Counter Counter `json:"counter,omitzero"`
	// Indexes are the table's indexes.
	Indexes []Index `json:"indexes,omitempty"`
	// IndexOf is the ID of the indexed table if this table has the entries of an index; else 0.
	IndexOf uint64 `json:"index_of,omitempty"`
	// Temporary tables belong to one session, and are in no store.
	Temporary bool `json:"-"`
	// Attributes are the front's own.
	Attributes *attribute.Set `json:"-"`
	// Layout says where the cells are. It is the store's own; others must not change it.
	Layout any `json:"-"`
}

// Group describes a table group (HBase's table).
type Group struct {
	Database string `json:"database"`
	Name     string `json:"name"`
	// Explicit groups were created by a statement and outlive their tables.
	Explicit bool `json:"explicit,omitempty"`
	// Retention applies to tables that join the group without one of their own.
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

// View describes a relation without cells of its own: a query, or another view of the cells of a
// table group. The store keeps it without reading it. A View in a Catalog is immutable.
type View struct {
	Database string `json:"database"`
	Name     string `json:"name"`
	Created  int64  `json:"created"` // ms since 1970-01-01 UTC
	// Group, in GroupDatabase, is the table group whose cells it shows, and with which it is dropped;
	// both are empty if it belongs to none.
	Group         string `json:"group,omitempty"`
	GroupDatabase string `json:"group_database,omitempty"`
	// Attributes are the front's own: the query, and what was declared with it.
	Attributes *attribute.Set `json:"-"`
	// Damage is the reason why the store cannot read the stored view, empty if it can.
	Damage string `json:"-"`
}

// Catalog is all descriptors at one moment. It is immutable, and shares unchanged parts with earlier
// ones. Names are case-sensitive, as MySQL's table names are on Linux.
type Catalog struct {
	version    uint64
	nextID     uint64
	databases  sorted.Map[string, Database]
	groups     sorted.Map[path, Group] // by database and name, like tables and views
	tables     sorted.Map[path, Table]
	views      sorted.Map[path, View]
	byID       sorted.Map[uint64, Table]
	families   sorted.Map[path, Table]    // by database, group, and family with name
	ofGroups   sorted.Map[path, View]     // by their group's database and name, and their own names
	attributes sorted.Map[string, string] // the front's own, which stores keep and do not read
	retaining  int                        // tables with a Retention
	// own are tables of one session, which hide others of the same name, and stored is the catalog
	// without them; nil if there are none.
	own    map[[2]string]*Table
	stored *Catalog
}

// path is a key of several names; unused ones are empty.
type path = sorted.Path

// EmptyCatalog returns a catalog without descriptors.
func EmptyCatalog() *Catalog {
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

// copyMaps gives a copied Catalog maps of its own.
func (c *Catalog) copyMaps() {
	c.databases, c.groups, c.tables, c.views = c.databases.Copy(), c.groups.Copy(), c.tables.Copy(), c.views.Copy()
	c.byID, c.families, c.ofGroups, c.attributes = c.byID.Copy(), c.families.Copy(), c.ofGroups.Copy(), c.attributes.Copy()
}

// OwnVersions is the first version of catalogs with a session's own tables; other versions are below.
const OwnVersions = 1 << 63

// With returns the catalog as seen by a session with tables of its own. By names and IDs these are
// found instead of the store's, but lists omit them. version is the session's own and must be below
// 2^63. own must not be changed afterwards.
func (c *Catalog) With(own map[[2]string]*Table, version uint64) *Catalog {
	out := *c
	out.own, out.stored, out.version = own, c, OwnVersions|version
	return &out
}

// Stored returns the catalog without the tables that With has added.
func (c *Catalog) Stored() *Catalog {
	if c.stored != nil {
		return c.stored
	}
	return c
}

// IsOwn reports whether the catalog comes from With, so that only one session sees it.
func (c *Catalog) IsOwn() bool { return c.stored != nil }

// TableByID returns the table with an ID, which a renamed table keeps; nil if there is none.
func (c *Catalog) TableByID(id uint64) *Table {
	for _, t := range c.own {
		if t.ID == id {
			return t
		}
	}
	return c.byID.Get(id)
}

// Version returns a number that grows with each change.
func (c *Catalog) Version() uint64 { return c.version }

// NextID returns the greatest ID that a table has had; the next table's is greater.
func (c *Catalog) NextID() uint64 { return c.nextID }

// Attribute returns what the front stores under that name, empty if there is nothing. Stores do not
// read it.
func (c *Catalog) Attribute(name string) string {
	if text := c.attributes.Get(name); text != nil {
		return *text
	}
	return ""
}

// AttributeNames returns the names under which the front stores something.
func (c *Catalog) AttributeNames() iter.Seq[string] { return c.attributes.Keys() }

// Retains reports whether any table has a Retention.
func (c *Catalog) Retains() bool { return c.retaining > 0 }

// Database returns the database of that name, or nil.
func (c *Catalog) Database(name string) *Database { return c.databases.Get(name) }

// Table returns the table of that name, or nil.
func (c *Catalog) Table(database, name string) *Table {
	if c.own != nil {
		if t := c.own[[2]string{database, name}]; t != nil {
			return t
		}
	}
	return c.tables.Get(path{database, name})
}

// Group returns the table group of that name, or nil.
func (c *Catalog) Group(database, name string) *Group {
	if c.hides(database, name) {
		return nil
	}
	return c.groups.Get(path{database, name})
}

// View returns the view of that name, or nil.
func (c *Catalog) View(database, name string) *View {
	if c.hides(database, name) {
		return nil
	}
	return c.views.Get(path{database, name})
}

// hides reports whether one of the session's own tables hides the store's descriptor of that name.
func (c *Catalog) hides(database, name string) bool {
	return c.own != nil && c.own[[2]string{database, name}] != nil
}

// Databases returns all databases by name.
func (c *Catalog) Databases() []*Database {
	return slices.AppendSeq(make([]*Database, 0, c.databases.Len()), c.databases.Values())
}

// EveryTable returns the tables of all databases by name, including those of index entries.
func (c *Catalog) EveryTable() iter.Seq[*Table] { return c.tables.Values() }

// Tables returns the tables of a database by name, without those of index entries.
func (c *Catalog) Tables(database string) []*Table {
	return slices.DeleteFunc(c.AllTables(database), func(t *Table) bool { return t.IndexOf != 0 })
}

// AllTables returns the tables of a database by name, including those of index entries.
func (c *Catalog) AllTables(database string) []*Table {
	return slices.Collect(sorted.Below(c.tables, path{database}, 1))
}

// Title returns the name of a table for messages: its name, or for a table of index entries the names
// of the table and the index.
func (c *Catalog) Title(t *Table) string {
	if of := c.TableByID(t.IndexOf); t.IndexOf != 0 && of != nil {
		if i := of.IndexWith(t.ID); i >= 0 {
			return of.Name + " (index " + of.Indexes[i].Name + ")"
		}
	}
	return t.Name
}

// Groups returns the table groups of a database by name.
func (c *Catalog) Groups(database string) []*Group {
	return slices.Collect(sorted.Below(c.groups, path{database}, 1))
}

// Views returns the views of a database by name.
func (c *Catalog) Views(database string) []*View {
	return slices.Collect(sorted.Below(c.views, path{database}, 1))
}

// Families returns the tables of a table group in HBase's order of families.
func (c *Catalog) Families(database, group string) []*Table {
	if group == "" {
		return nil
	}
	return slices.Collect(sorted.Below(c.families, path{database, group}, 2))
}
