package kv

// CreateView adds a view. Views, tables and table groups of a database cannot share a name. The
// error is ErrNoDatabase, the one for a table, group or view that has the name, or ErrNoGroup if
// the view's group is missing.
func (c *CatalogChange) CreateView(v View) error {
	switch {
	case c.catalog.Database(v.Database) == nil:
		return ErrNoDatabase
	case c.catalog.Table(v.Database, v.Name) != nil:
		return ErrTableExists
	case c.catalog.Group(v.Database, v.Name) != nil:
		return ErrGroupExists
	case c.catalog.View(v.Database, v.Name) != nil:
		return ErrViewExists
	case v.Group != "" && c.catalog.Group(v.GroupDatabase, v.Group) == nil:
		return ErrNoGroup
	}
	if err := c.limits.Allows(ChangeViews); err != nil {
		return err
	}
	c.catalog.setView(path{v.Database, v.Name}, &v)
	return nil
}

// AlterView replaces the descriptor of the view that has v's name. The error is ErrNoView.
func (c *CatalogChange) AlterView(v View) error {
	if c.catalog.View(v.Database, v.Name) == nil {
		return ErrNoView
	}
	c.catalog.setView(path{v.Database, v.Name}, &v)
	return nil
}

// RenameView renames a view, in the same database or into another. The error is ErrNoView, or one
// of CreateView for the new name.
func (c *CatalogChange) RenameView(database, name, toDatabase, toName string) error {
	old := c.catalog.View(database, name)
	if old == nil {
		return ErrNoView
	}
	next := *old
	next.Database, next.Name = toDatabase, toName
	c.catalog.setView(path{database, name}, nil)
	if err := c.CreateView(next); err != nil {
		c.catalog.setView(path{database, name}, old)
		return err
	}
	return nil
}

// DropView removes a view. The error is ErrNoView.
func (c *CatalogChange) DropView(database, name string) error {
	if c.catalog.View(database, name) == nil {
		return ErrNoView
	}
	c.catalog.setView(path{database, name}, nil)
	return nil
}
