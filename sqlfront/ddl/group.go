package ddl

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/ddl/declare"
	"github.com/hbasekv/hbasekv/sqlfront/ddl/retention"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

func (d *DDL) createGroup(ctx context.Context, st *ast.CreateTableGroup) error {
	database, err := d.in(st.Name)
	if err != nil {
		return err
	}
	if err := checkGroupName(st.Name.Name); err != nil {
		return err
	}
	if err := checkSharding(st.Sharding); err != nil {
		return err
	}
	g := kv.Group{Database: database, Name: st.Name.Name, Explicit: true}
	schema.SetSharding(&g, st.Sharding)
	if err := retention.Retain(g.Name, &g.Retention, st.Retention); err != nil {
		return err
	}
	err = d.changeCatalog(ctx, func(c *kv.CatalogChange) error {
		if old := c.Catalog().Group(database, g.Name); old != nil && !old.Explicit {
			return c.AlterGroup(g) // an implied group becomes a permanent one
		}
		return c.CreateGroup(g)
	})
	switch {
	case errors.Is(err, kv.ErrNoDatabase):
		return mysqlerr.UnknownDatabase(database)
	case errors.Is(err, kv.ErrTableExists), errors.Is(err, kv.ErrViewExists):
		return mysqlerr.New(mysqlerr.TableExists, "Table '%s' already exists: no table group can have its name", g.Name)
	case errors.Is(err, kv.ErrGroupExists):
		return d.unless(st.IfNotExists, mysqlerr.New(mysqlerr.TableExists, "Tablegroup '%s' already exists", g.Name))
	}
	return err
}

func checkGroupName(name string) error {
	if strings.Contains(name, "$") {
		return mysqlerr.New(mysqlerr.WrongTableName, "Incorrect table name '%s': the name of a table group must not contain $", name)
	}
	return declare.CheckName(name)
}

// checkSharding refuses words that OceanBase does not have.
func checkSharding(word string) error {
	if word == "" || slices.Contains([]string{"NONE", "PARTITION", "ADAPTIVE"}, word) {
		return nil
	}
	return mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to SHARDING: '%.100s' is not NONE, PARTITION or ADAPTIVE", word)
}

// alterGroup changes the sharding, which has no effect in one store, and which versions all tables of the
// group keep, and adds tables: these must have the group's name, and so belong to it already.
func (d *DDL) alterGroup(ctx context.Context, st *ast.AlterTableGroup) error {
	database, err := d.in(st.Name)
	if err != nil {
		return err
	}
	if st.Sharding != nil {
		if err := checkSharding(*st.Sharding); err != nil {
			return err
		}
	}
	group := st.Name.Name
	err = d.changeCatalog(ctx, func(c *kv.CatalogChange) error {
		old := c.Catalog().Group(database, group)
		if old == nil {
			return mysqlerr.NoTableGroup(group)
		}
		for _, name := range st.AddTables {
			if err := member(c.Catalog(), database, group, name); err != nil {
				return err
			}
		}
		next := *old
		if next.Explicit = true; st.Sharding != nil {
			schema.SetSharding(&next, *st.Sharding)
		}
		return retention.SetGroup(c, next, st.Retention)
	})
	return err
}

func member(c *kv.Catalog, database, group string, name ast.TableName) error {
	if name.Database != "" && name.Database != database {
		return mysqlerr.Unsupported("tables of another database in a table group")
	}
	t := c.Table(database, name.Name)
	if t == nil {
		return mysqlerr.NoTable(database, name.Name)
	}
	if t.Group != group {
		return broken("a table of the table group " + group + " is named " + group + "$family; rename it with ALTER TABLE ... RENAME")
	}
	return nil
}

func (d *DDL) dropGroup(ctx context.Context, st *ast.DropTableGroup) error {
	database, err := d.in(st.Name)
	if err != nil {
		return err
	}
	name := st.Name.Name
	err = d.changeCatalog(ctx, func(c *kv.CatalogChange) error { return c.DropGroup(database, name) })
	switch {
	case errors.Is(err, kv.ErrNoGroup):
		return d.unless(st.IfExists, mysqlerr.NoTableGroup(name))
	case errors.Is(err, kv.ErrGroupNotEmpty):
		return mysqlerr.New(mysqlerr.UnknownError, "Tablegroup '%s' is not empty: drop its tables first", name)
	}
	return err
}
