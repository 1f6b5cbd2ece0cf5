package kv

import "fmt"

// CatalogChange is a private copy of a catalog that is being changed. Its methods check the rules
// between descriptors and the store's limits (ErrUnsupported), and return this package's errors.
// After an error the copy is as before the call.
type CatalogChange struct {
	catalog *Catalog
	limits  Limits
	layouts Layouts
}

// Catalog returns the copy as changed so far.
func (c *CatalogChange) Catalog() *Catalog { return c.catalog }

// ChangedTables returns the tables changed so far, paired by ID, in any order.
func (c *CatalogChange) ChangedTables() []Changed[Table] { return c.catalog.byID.Changes() }

// SetAttribute stores something of the front's own under a name; the empty value removes it.
func (c *CatalogChange) SetAttribute(name, value string) error {
	if err := c.limits.Allows(SetAttributes); err != nil {
		return err
	}
	if value == "" {
		c.catalog.attributes.Set(name, nil)
	} else {
		c.catalog.attributes.Set(name, &value)
	}
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
	c.catalog.databases.Set(d.Name, &d)
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
	all := c.catalog.AllTables(name)
	if len(all) > 0 {
		if err := c.limits.Allows(DropFullDatabases); err != nil {
			return err
		}
	}
	c.catalog.databases.Set(name, nil)
	for _, t := range all {
		c.catalog.setTable(t.ID, nil)
	}
	for _, v := range c.catalog.Views(name) {
		c.catalog.setView(path{name, v.Name}, nil)
	}
	for _, g := range c.catalog.Groups(name) {
		c.catalog.groups.Set(path{name, g.Name}, nil)
	}
	return nil
}

// CreateGroup adds a table group. The error is ErrNoDatabase, ErrGroupExists, or the error for a
// table or view that has the name.
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
	c.catalog.groups.Set(path{g.Database, g.Name}, &g)
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
	c.catalog.groups.Set(path{database, name}, nil)
	return nil
}

// CreateTable adds an empty table without indexes, and assigns its ID and Layout. If its group is missing,
// the group is created, and dropped with its last table. The error is ErrNoDatabase, the one for a table,
// group or view that has the name, or ErrPartitioning if the group's tables are partitioned differently.
func (c *CatalogChange) CreateTable(t Table) (*Table, error) {
	if err := c.checkNewTable(&t); err != nil {
		return nil, err
	}
	if err := c.limits.allowsLayout(t.Partitioning); err != nil {
		return nil, err
	}
	c.limit(&t)
	c.catalog.nextID++
	t.ID = c.catalog.nextID
	t.Layout, t.Indexes, t.IndexOf = nil, nil, 0
	c.layouts.Lay(&t, make([]Leaf, t.Partitioning.NumLeaves()), nil)
	c.implyGroup(&t)
	c.catalog.setTable(t.ID, &t)
	return &t, nil
}

// limit adapts a new descriptor to the store's limits: values are not nullable in a store without nulls, and
// keys are no longer than the store's, whatever is declared.
func (c *CatalogChange) limit(t *Table) {
	t.Value.Nullable = t.Value.Nullable && c.limits.Nulls
	if most := c.limits.MaxRow; most > 0 {
		t.MaxRow = min(t.MaxRow, most)
	}
	if most := c.limits.MaxQualifier; most > 0 {
		t.MaxQualifier = min(t.MaxQualifier, most)
	}
}

// implyGroup creates the table's group if it is missing.
func (c *CatalogChange) implyGroup(t *Table) {
	if t.Group != "" && c.catalog.Group(t.Database, t.Group) == nil {
		c.catalog.groups.Set(path{t.Database, t.Group}, &Group{Database: t.Database, Name: t.Group})
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

// checkPartitioning requires that the tables of a group are partitioned alike, so that a row of the group is
// in one partition.
func (c *CatalogChange) checkPartitioning(t *Table) error {
	for _, other := range c.catalog.Families(t.Database, t.Group) {
		if other.ID != t.ID && !c.layouts.Alike(other, t) {
			return fmt.Errorf("%w: %s and %s", ErrPartitioning, other.Name, t.Name)
		}
	}
	return nil
}

// DropTable removes a table and, with its last table, an implicit group. The error is ErrNoTable.
func (c *CatalogChange) DropTable(database, name string) error {
	t := c.catalog.Table(database, name)
	if t == nil {
		return ErrNoTable
	}
	c.catalog.setTable(t.ID, nil)
	c.dropEntries(t.Indexes...)
	c.dropImpliedGroup(database, t.Group)
	return nil
}

func (c *CatalogChange) dropImpliedGroup(database, group string) {
	g := c.catalog.Group(database, group)
	if g != nil && !g.Explicit && len(c.catalog.Families(database, group)) == 0 {
		c.catalog.groups.Set(path{database, group}, nil)
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
	emptied := c.catalog.Table(database, name) // a private copy
	emptied.Counter = emptied.Counter.Anew(0)
	return c.truncateEntries(emptied.Indexes...)
}

// AlterTable replaces the descriptor of the table that has t's ID, under t's database and name, which may be
// new. Layout and Indexes are taken from t. If CellTTL of the Retention was set, it stays set. The error is
// ErrNoTable, ErrUnsupported if a table with indexes would retain its cells for another time, or one of
// CreateTable for the new name and partitioning.
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
	c.catalog.setTable(t.ID, &t)
	c.implyGroup(&t)
	c.moveEntries(&t)
	return nil
}

// takeOut removes a table that will become t, and the implicit group if t leaves it empty; it returns the
// group as it was.
func (c *CatalogChange) takeOut(old, t *Table) *Group {
	group := c.catalog.Group(old.Database, old.Group)
	c.catalog.setTable(old.ID, nil)
	if old.Database != t.Database || old.Group != t.Group {
		c.dropImpliedGroup(old.Database, old.Group)
	}
	return group
}

func (c *CatalogChange) putBack(old *Table, group *Group) {
	c.catalog.setTable(old.ID, old)
	if group != nil {
		c.catalog.groups.Set(path{group.Database, group.Name}, group)
	}
}
