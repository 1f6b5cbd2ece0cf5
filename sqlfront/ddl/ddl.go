package ddl

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/ddl/declare"
	"github.com/hbasekv/hbasekv/sqlfront/ddl/turns"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/go-sql-driver/mysql"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/charset"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/storeerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// DDL runs statements that change the catalog of a store.
type DDL struct {
	Store kv.Store
	// Others is the catalog that has the table of CREATE TABLE ... LIKE; nil means the store's.
	Others func(context.Context) (*kv.Catalog, error)
	// Database is the current database, or empty.
	Database string
	// Now is the time when the statement began, by the store's clock: the creation time of tables and views.
	Now time.Time
	// Params are the values of placeholders, which only bounds of partitions may have.
	Params []value.Value
	// Parsed is the statement with its literals.
	Parsed *ast.Parsed
	// Planner returns a planner over a catalog, as the session's.
	Planner func(*kv.Catalog) *plan.Planner
	// Note adds a note for SHOW WARNINGS.
	Note func(n mysqlerr.Number, message string)
	// Warn is Note for warnings about stored values that an altered column cannot hold; nil makes these errors.
	Warn func(code uint16, message string)
	// Progress is called with the progress of a move of cells; it may be nil.
	Progress func(kv.MoveProgress)
	// Building is called with the number of rows that the build of an index has read; it may be nil.
	Building func(rows int64)
	// Virtual reports whether a database contains only catalog tables.
	Virtual func(database string) bool

	// Turns are shared by all sessions of the store.
	Turns *turns.Turns

	// Authority is whom the statement acts for; nil may do everything. Permit returns an error if privileges
	// are missing in a catalog; nil refuses nothing.
	Authority *rights.Authority
	Permit    func(*kv.Catalog) error

	// IgnoreForeignKeys treats foreign keys of typed tables as comments.
	IgnoreForeignKeys bool

	// Definer is the account whose privileges apply in views that the statement creates.
	Definer string

	// Answer is set by a statement that returns rows.
	Answer *relation.Result
}

// changeCatalog is Store.ChangeCatalog if the statement still has its privileges at that moment: others may
// have added tables that it affects since it began.
func (d *DDL) changeCatalog(ctx context.Context, fn func(*kv.CatalogChange) error) error {
	return d.Store.ChangeCatalog(ctx, d.permitted(fn))
}

func (d *DDL) permitted(fn func(*kv.CatalogChange) error) func(*kv.CatalogChange) error {
	return func(c *kv.CatalogChange) error {
		if d.Permit != nil {
			if err := d.Permit(c.Catalog()); err != nil {
				return err
			}
		}
		return fn(c)
	}
}

// in is the database of a name, which must be one that DDL may change. Its errors are 1046, 1044 and 1049.
func (d *DDL) in(name ast.TableName) (string, error) {
	database := name.Database
	if database == "" {
		database = d.Database
	}
	if database == "" {
		return "", mysqlerr.New(mysqlerr.NoDB, "No database selected")
	}
	return database, d.changeable(database)
}

func (d *DDL) changeable(database string) error {
	if d.Virtual != nil && d.Virtual(database) {
		return mysqlerr.DatabaseDenied(database)
	}
	return nil
}

func (d *DDL) createDatabase(ctx context.Context, st *ast.CreateDatabase) error {
	if err := d.changeable(st.Name); err != nil {
		return err
	}
	if st.Name == "" || len([]rune(st.Name)) > declare.MaxName || strings.HasSuffix(st.Name, " ") {
		return mysqlerr.New(mysqlerr.WrongDBName, "Incorrect database name '%s'", st.Name)
	}
	text, err := charset.Declared(st.Options.Charset, st.Options.Collate, schema.Text{})
	if err != nil {
		return err
	}
	err = d.changeCatalog(ctx, func(c *kv.CatalogChange) error {
		made := kv.Database{Name: st.Name}
		schema.SetText(&made, text)
		return c.CreateDatabase(made)
	})
	if !errors.Is(err, kv.ErrDatabaseExists) {
		return storeerr.OfDatabase(err, st.Name)
	}
	return d.unless(st.IfNotExists, mysqlerr.New(mysqlerr.DBCreateExists, "Can't create database '%s'; database exists", st.Name))
}

// unless returns the error, or nil with a note if IF EXISTS or IF NOT EXISTS asks for one.
func (d *DDL) unless(noted bool, err *mysql.MySQLError) error {
	if noted {
		d.Note(mysqlerr.Number(err.Number), err.Message)
		return nil
	}
	return err
}

// alterDatabase changes the character set that new tables are shown with.
func (d *DDL) alterDatabase(ctx context.Context, st *ast.AlterDatabase) error {
	name, err := d.in(ast.TableName{Database: st.Name})
	if err != nil {
		return err
	}
	return d.changeCatalog(ctx, func(c *kv.CatalogChange) error {
		old := c.Catalog().Database(name)
		if old == nil {
			return mysqlerr.UnknownDatabase(name)
		}
		text, err := charset.Declared(st.Options.Charset, st.Options.Collate, schema.TextOf(old))
		if err != nil {
			return err
		}
		next := *old
		schema.SetText(&next, text)
		return c.AlterDatabase(next)
	})
}

func (d *DDL) dropDatabase(ctx context.Context, st *ast.DropDatabase) error {
	if err := d.changeable(st.Name); err != nil {
		return err
	}
	err := d.changeCatalog(ctx, func(c *kv.CatalogChange) error { return c.DropDatabase(st.Name) })
	if !errors.Is(err, kv.ErrNoDatabase) {
		return storeerr.OfDatabase(err, st.Name)
	}
	return d.unless(st.IfExists, mysqlerr.New(mysqlerr.DBDropExists, "Can't drop database '%s'; database doesn't exist", st.Name))
}

// exists reports whether a table or a view of that name exists now; creating one checks it again.
func (d *DDL) exists(ctx context.Context, database, name string) bool {
	c, err := d.Store.Catalog(ctx)
	return err == nil && (schema.Stored(c, database, name) != nil || c.View(database, name) != nil)
}

// tableError turns errors of creating or renaming a table into MySQL's.
func (d *DDL) tableError(ctx context.Context, err error, t *kv.Table) error {
	switch {
	case errors.Is(err, kv.ErrNoDatabase):
		return mysqlerr.UnknownDatabase(t.Database)
	case schema.Of(t).Typed != nil && errors.Is(err, kv.ErrGroupExists) && !d.exists(ctx, t.Database, t.Group):
		return mysqlerr.New(mysqlerr.TableExists, "Table '%s' already exists: it is a table group", t.Group)
	case schema.Of(t).Typed != nil && isTaken(err):
		return mysqlerr.New(mysqlerr.TableExists, "Table '%s' already exists", t.Group)
	case (errors.Is(err, kv.ErrTableExists) || errors.Is(err, kv.ErrViewExists)) && !d.exists(ctx, t.Database, t.Name):
		return mysqlerr.New(mysqlerr.TableExists, "Table '%s' already exists: no table group can have its name", t.Group)
	case errors.Is(err, kv.ErrTableExists), errors.Is(err, kv.ErrViewExists):
		return mysqlerr.New(mysqlerr.TableExists, "Table '%s' already exists", t.Name)
	case errors.Is(err, kv.ErrGroupExists):
		return mysqlerr.New(mysqlerr.TableExists, "Table '%s' already exists: it is a table group", t.Name)
	case errors.Is(err, kv.ErrPartitioning):
		return mysqlerr.Unsupported("tables of one table group (" + t.Group + ") that are partitioned differently")
	}
	return err
}

// isTaken reports whether the error says that a name is in use.
func isTaken(err error) bool {
	return errors.Is(err, kv.ErrTableExists) || errors.Is(err, kv.ErrViewExists) || errors.Is(err, kv.ErrGroupExists)
}

// table is an existing table; the error is 1146 if there is none.
func (d *DDL) table(ctx context.Context, name ast.TableName) (*kv.Table, error) {
	return d.tableIn(ctx, nil, name)
}

// tableIn is table for a catalog; a nil in means the newest.
func (d *DDL) tableIn(ctx context.Context, in func(context.Context) (*kv.Catalog, error), name ast.TableName) (*kv.Table, error) {
	database, err := d.in(name)
	if err != nil {
		return nil, err
	}
	if in == nil {
		in = d.Store.Catalog
	}
	catalog, err := in(ctx)
	if err != nil {
		return nil, err
	}
	if catalog.Database(database) == nil {
		return nil, mysqlerr.UnknownDatabase(database)
	}
	if t := schema.Stored(catalog, database, name.Name); t != nil {
		return t, nil
	}
	if schema.Mapped(catalog, database, name.Name) != nil {
		return nil, mysqlerr.Unsupported("this statement for mapped tables (" + name.Name + "): their cells belong to a table group")
	}
	if catalog.Group(database, name.Name) != nil || catalog.View(database, name.Name) != nil {
		return nil, mysqlerr.NotTable(database, name.Name)
	}
	return nil, mysqlerr.NoTable(database, name.Name)
}

// dropTables drops all of the tables that exist.
func (d *DDL) dropTables(ctx context.Context, st *ast.DropTable) error {
	databases := make([]string, len(st.Names))
	for i, name := range st.Names {
		var err error
		if databases[i], err = d.in(name); err != nil {
			return err
		}
	}
	return d.dropAll(ctx, st.IfExists, func(c *kv.CatalogChange) (missing []string, err error) {
		for i, name := range st.Names {
			if v := schema.Mapped(c.Catalog(), databases[i], name.Name); v != nil {
				if err := c.DropView(v.Database, v.Name); err != nil {
					return nil, err
				}
				continue
			}
			t := schema.Stored(c.Catalog(), databases[i], name.Name)
			if t == nil || c.DropTable(t.Database, t.Name) != nil {
				missing = append(missing, databases[i]+"."+name.Name)
			}
		}
		return missing, nil
	})
}

// dropAll drops tables or views in one change. Missing ones are error 1051, although the others are dropped.
func (d *DDL) dropAll(ctx context.Context, ifExists bool, drop func(*kv.CatalogChange) (missing []string, err error)) error {
	var missing []string
	err := d.changeCatalog(ctx, func(c *kv.CatalogChange) (err error) {
		missing, err = drop(c)
		return err
	})
	if err != nil {
		return err
	}
	return d.unknown(ctx, ifExists, missing)
}

// unknown is error 1051 about missing names, or nil with a note for each if ifExists is set.
func (d *DDL) unknown(ctx context.Context, ifExists bool, missing []string) error {
	if len(missing) > 0 && !ifExists {
		err := mysqlerr.New(mysqlerr.BadTable, "Unknown table '%s'", strings.Join(missing, ","))
		err.Message += d.groupAmong(ctx, missing)
		return err
	}
	for _, name := range missing {
		d.Note(mysqlerr.BadTable, "Unknown table '"+name+"'")
	}
	return nil
}

// groupAmong says, if one of the names is a table group, how to drop that.
func (d *DDL) groupAmong(ctx context.Context, names []string) string {
	c, err := d.Store.Catalog(ctx)
	if err != nil {
		return ""
	}
	for _, each := range names {
		database, name, _ := strings.Cut(each, ".")
		if c.Group(database, name) == nil || !d.Authority.Sees(database, name, "") {
			continue
		}
		var families []string
		for _, t := range c.Families(database, name) {
			if d.Authority.Sees(database, t.Name, t.Group) {
				families = append(families, t.Name)
			}
		}
		if len(families) == 0 {
			return "; " + name + " is a table group: DROP TABLEGROUP drops it"
		}
		return "; " + name + " is a table group, which goes with its tables " + mysqlerr.Some(families)
	}
	return ""
}

func (d *DDL) truncate(ctx context.Context, st *ast.TruncateTable) error {
	t, err := d.table(ctx, st.Name)
	if err != nil {
		return err
	}
	err = d.changeCatalog(ctx, func(c *kv.CatalogChange) error { return c.TruncateTable(t.Database, t.Name) })
	if errors.Is(err, kv.ErrNoTable) {
		return mysqlerr.NoTable(t.Database, t.Name)
	}
	return err
}
