package kv

import (
	"fmt"
	"maps"
)

// CatalogChange is a private copy of a catalog that is being changed. Its methods check the rules
// between descriptors and what the store's limits allow (ErrUnsupported), and return this package's
// errors; after an error the copy is as before the call.
type CatalogChange struct {
	catalog *Catalog
	limits  Limits
	nextID  uint64
	layouts Layouts
}

// Catalog is the copy as changed so far.
func (c *CatalogChange) Catalog() *Catalog { return c.catalog }

// SetAttribute keeps something of the front's own under a name; the empty value is
// none.
func (c *CatalogChange) SetAttribute(name, value string) error {
	if err := c.limits.Allows(SetAttributes); err != nil {
		return err
	}
	attributes := maps.Clone(c.catalog.attributes)
	if attributes == nil {
		attributes = map[string]string{}
	}
	if attributes[name] = value; value == "" {
		delete(attributes, name)
	}
	c.catalog.attributes = attributes
	return nil
}

// CreateDatabase adds a database. The error is ErrDatabaseExists.
func (c *CatalogChange) CreateDatabase(d Database) error {
	if c.catalog.Database(d.Name) != nil {
		return ErrDatabaseExists
	}
	return c.putDatabase(d)
}

func (c *CatalogChange) putDatabase(d Database) error {
	if d.Attributes != nil {
		if err := c.limits.Allows(SetAttributes); err != nil {
			return err
		}
	}
	c.catalog.databases[d.Name] = &d
	return nil
}

// AlterDatabase replaces a database's descriptor. The error is ErrNoDatabase.
func (c *CatalogChange) AlterDatabase(d Database) error {
	if c.catalog.Database(d.Name) == nil {
		return ErrNoDatabase
	}
	return c.putDatabase(d)
}

// DropDatabase removes a database with its tables, groups and views. The error is ErrNoDatabase.
func (c *CatalogChange) DropDatabase(name string) error {
	if c.catalog.Database(name) == nil {
		return ErrNoDatabase
	}
	if len(c.catalog.Tables(name)) > 0 {
		if err := c.limits.Allows(DropFullDatabases); err != nil {
			return err
		}
	}
	delete(c.catalog.databases, name)
	maps.DeleteFunc(c.catalog.tables, func(_ [2]string, t *Table) bool { return t.Database == name })
	maps.DeleteFunc(c.catalog.views, func(_ [2]string, v *View) bool { return v.Database == name })
	maps.DeleteFunc(c.catalog.groups, func(_ [2]string, g *Group) bool { return g.Database == name })
	return nil
}

// CreateGroup adds a table group. The error is ErrNoDatabase, ErrGroupExists, or that of the table
// or view that has the name.
func (c *CatalogChange) CreateGroup(g Group) error {
	if c.catalog.Database(g.Database) == nil {
		return ErrNoDatabase
	}
	if c.catalog.Group(g.Database, g.Name) != nil {
		return ErrGroupExists
	}
	if c.catalog.Table(g.Database, g.Name) != nil {
		return ErrTableExists
	}
	if c.catalog.View(g.Database, g.Name) != nil {
		return ErrViewExists
	}
	return c.putGroup(g)
}

func (c *CatalogChange) putGroup(g Group) error {
	if err := c.limits.Allows(ChangeGroups); err != nil {
		return err
	}
	c.catalog.groups[[2]string{g.Database, g.Name}] = &g
	return nil
}

// AlterGroup replaces a table group's descriptor. The error is ErrNoGroup.
func (c *CatalogChange) AlterGroup(g Group) error {
	if c.catalog.Group(g.Database, g.Name) == nil {
		return ErrNoGroup
	}
	return c.putGroup(g)
}

// DropGroup removes a table group that has no tables. The error is ErrNoGroup or ErrGroupNotEmpty.
func (c *CatalogChange) DropGroup(database, name string) error {
	if c.catalog.Group(database, name) == nil {
		return ErrNoGroup
	}
	if len(c.catalog.Families(database, name)) > 0 {
		return ErrGroupNotEmpty
	}
	delete(c.catalog.groups, [2]string{database, name})
	return nil
}

// CreateTable adds an empty table; its ID and Layout are assigned here, and it has no indexes. A group that is named and
// missing is made, to go with its last table. The error is ErrNoDatabase, that of the table, group
// or view that has the name, or ErrPartitioning where the group's tables are partitioned otherwise.
func (c *CatalogChange) CreateTable(t Table) (*Table, error) {
	if err := c.checkNewTable(&t); err != nil {
		return nil, err
	}
	if err := c.limits.allowsLayout(t.Partitioning); err != nil {
		return nil, err
	}
	c.limit(&t)
	c.nextID++
	t.ID = c.nextID
	t.Layout, t.Indexes, t.IndexOf = nil, nil, 0
	c.layouts.Lay(&t, make([]Leaf, t.Partitioning.NumLeaves()), nil)
	c.implyGroup(&t)
	c.catalog.tables[[2]string{t.Database, t.Name}] = &t
	return &t, nil
}

// limit makes of a new descriptor what the store can hold: where there is no null,
// values are not nullable, and keys are no longer than the store's, whatever is declared.
func (c *CatalogChange) limit(t *Table) {
	t.Value.Nullable = t.Value.Nullable && c.limits.Nulls
	if most := c.limits.MaxRow; most > 0 {
		t.MaxRow = min(t.MaxRow, most)
	}
	if most := c.limits.MaxQualifier; most > 0 {
		t.MaxQualifier = min(t.MaxQualifier, most)
	}
}

// implyGroup makes the table's group where it is missing.
func (c *CatalogChange) implyGroup(t *Table) {
	if t.Group != "" && c.catalog.Group(t.Database, t.Group) == nil {
		c.catalog.groups[[2]string{t.Database, t.Group}] = &Group{Database: t.Database, Name: t.Group}
	}
}

func (c *CatalogChange) checkNewTable(t *Table) error {
	switch {
	case c.catalog.Database(t.Database) == nil:
		return ErrNoDatabase
	case c.catalog.Table(t.Database, t.Name) != nil:
		return ErrTableExists
	case c.catalog.Group(t.Database, t.Name) != nil:
		return ErrGroupExists
	case c.catalog.View(t.Database, t.Name) != nil:
		return ErrViewExists
	case t.Group == "":
		return nil
	case t.Group == t.Name, c.catalog.Table(t.Database, t.Group) != nil:
		return ErrTableExists
	case c.catalog.View(t.Database, t.Group) != nil:
		return ErrViewExists
	}
	return c.checkPartitioning(t)
}

// checkPartitioning holds the tables of one group to one partitioning, so that
// a row of the group is in one partition.
func (c *CatalogChange) checkPartitioning(t *Table) error {
	for _, other := range c.catalog.Families(t.Database, t.Group) {
		if other.ID != t.ID && !c.layouts.Alike(other, t) {
			return fmt.Errorf("%w: %s and %s", ErrPartitioning, other.Name, t.Name)
		}
	}
	return nil
}

// DropTable removes a table and, with the last one, a group that was implied. The error is
// ErrNoTable.
func (c *CatalogChange) DropTable(database, name string) error {
	t := c.catalog.Table(database, name)
	if t == nil {
		return ErrNoTable
	}
	delete(c.catalog.tables, [2]string{database, name})
	c.dropEntries(t.Indexes...)
	c.dropImpliedGroup(database, t.Group)
	return nil
}

func (c *CatalogChange) dropImpliedGroup(database, group string) {
	g := c.catalog.Group(database, group)
	if g != nil && !g.Explicit && len(c.catalog.Families(database, group)) == 0 {
		delete(c.catalog.groups, [2]string{database, group})
	}
}

// TruncateTable empties a table. The error is ErrNoTable.
func (c *CatalogChange) TruncateTable(database, name string) error {
	if t := c.catalog.Table(database, name); t != nil && len(c.catalog.Families(database, t.Group)) > 1 {
		if err := c.limits.Allows(TruncateFamilies); err != nil {
			return err
		}
	}
	if err := c.truncate(database, name, func(_, _ int) bool { return true }); err != nil {
		return err
	}
	emptied := c.catalog.Table(database, name) // a copy that nobody else has
	emptied.Counter = emptied.Counter.Anew(0)
	return c.truncateEntries(emptied)
}

// AlterTable replaces the descriptor of the table that has t's ID, under t's database and name,
// which may be new. The Layout and the Indexes are t's. CellTTL of the Retention stays where it was
// set. The error is ErrNoTable, ErrUnsupported where a table with indexes is to retain its cells for
// another time, or one of CreateTable for the new name and partitioning.
func (c *CatalogChange) AlterTable(t Table) error {
	old := c.catalog.TableByID(t.ID)
	if old == nil {
		return ErrNoTable
	}
	if old.Database != t.Database || old.Name != t.Name {
		if err := c.limits.Allows(RenameTables); err != nil {
			return err
		}
	}
	c.limit(&t)
	t.Retention.CellTTL = t.Retention.CellTTL || old.Retention.CellTTL
	if err := old.indexesRetain(t.Retention); err != nil {
		return err
	}
	group := c.takeOut(old, &t)
	if err := c.checkNewTable(&t); err != nil {
		c.putBack(old, group)
		return err
	}
	c.catalog.tables[[2]string{t.Database, t.Name}] = &t
	c.implyGroup(&t)
	c.moveEntries(&t)
	return nil
}

// takeOut removes a table that is to become t, and the implied group that t
// leaves behind empty; it gives the group as it was.
func (c *CatalogChange) takeOut(old, t *Table) *Group {
	group := c.catalog.Group(old.Database, old.Group)
	delete(c.catalog.tables, [2]string{old.Database, old.Name})
	if old.Database != t.Database || old.Group != t.Group {
		c.dropImpliedGroup(old.Database, old.Group)
	}
	return group
}

func (c *CatalogChange) putBack(old *Table, group *Group) {
	c.catalog.tables[[2]string{old.Database, old.Name}] = old
	if group != nil {
		c.catalog.groups[[2]string{group.Database, group.Name}] = group
	}
}

// StoredCatalog is a catalog as a Store keeps it, but for the tables' layouts.
type StoredCatalog struct {
	Version   uint64      `json:"version"`
	NextID    uint64      `json:"next_id"`
	Databases []*Database `json:"databases"`
	Groups    []*Group    `json:"groups,omitempty"`
	Tables    []*Table    `json:"tables,omitempty"`
	Views     []*View     `json:"views,omitempty"`
	// Attributes are the front's own.
	Attributes map[string]string `json:"attributes,omitempty"`
}

// Change starts a change of the stored catalog of a store with such limits. The
// layouts are those of a store that has none, where they are nil.
func (s *StoredCatalog) Change(limits Limits, layouts Layouts) *CatalogChange {
	if layouts == nil {
		layouts = noLayouts{}
	}
	return &CatalogChange{catalog: s.Catalog(), limits: limits, nextID: s.NextID, layouts: layouts}
}

// Finish is the changed catalog in stored form, one version on from s. Views of table groups that are no
// more are not in it.
func (c *CatalogChange) Finish(s *StoredCatalog) *StoredCatalog {
	next := &StoredCatalog{Version: s.Version + 1, NextID: c.nextID, Attributes: c.catalog.attributes}
	next.Databases = c.catalog.Databases()
	maps.DeleteFunc(c.catalog.views, func(_ [2]string, v *View) bool {
		return v.Group != "" && c.catalog.Group(v.GroupDatabase, v.Group) == nil
	})
	for _, d := range next.Databases {
		next.Groups = append(next.Groups, c.catalog.Groups(d.Name)...)
		next.Tables = append(next.Tables, c.catalog.AllTables(d.Name)...)
		next.Views = append(next.Views, c.catalog.Views(d.Name)...)
	}
	return next
}

// Catalog is the catalog that readers use.
func (s *StoredCatalog) Catalog() *Catalog {
	c := &Catalog{
		version:    s.Version,
		databases:  map[string]*Database{},
		groups:     map[[2]string]*Group{},
		tables:     map[[2]string]*Table{},
		views:      map[[2]string]*View{},
		attributes: s.Attributes,
	}
	for _, d := range s.Databases {
		c.databases[d.Name] = d
	}
	for _, g := range s.Groups {
		c.groups[[2]string{g.Database, g.Name}] = g
	}
	for _, t := range s.Tables {
		c.tables[[2]string{t.Database, t.Name}] = t
		c.retains = c.retains || !t.Retention.IsZero()
	}
	for _, v := range s.Views {
		c.views[[2]string{v.Database, v.Name}] = v
	}
	return c
}
