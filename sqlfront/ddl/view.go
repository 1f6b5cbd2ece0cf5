package ddl

import (
	"context"
	"fmt"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/ddl/declare"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/attribute"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

// createView is CREATE [OR REPLACE] VIEW and ALTER VIEW. The SELECT is checked against the catalog that the
// view becomes a part of.
func (d *DDL) createView(ctx context.Context, st *ast.CreateView) error {
	database, err := d.in(st.Name)
	if err != nil {
		return err
	}
	if err := declare.CheckName(st.Name.Name); err != nil {
		return err
	}
	return d.changeCatalog(ctx, func(c *kv.CatalogChange) error {
		if c.Catalog().Group(database, st.Name.Name) != nil && schema.TypedTable(c.Catalog(), database, st.Name.Name) == nil {
			return d.createFace(c.Catalog(), database, st)
		}
		replace, err := replaces(c.Catalog(), database, st)
		if err != nil {
			return err
		}
		v, err := d.defineView(c.Catalog(), database, st)
		if err != nil {
			return err
		}
		if replace {
			err = c.AlterView(*v)
		} else {
			err = c.CreateView(*v)
		}
		if err != nil {
			return err
		}
		return d.checkView(c.Catalog(), v)
	})
}

// replaces reports whether the statement replaces an existing view, and refuses names that are taken.
func replaces(c *kv.Catalog, database string, st *ast.CreateView) (bool, error) {
	name := st.Name.Name
	switch {
	case c.Database(database) == nil:
		return false, mysqlerr.UnknownDatabase(database)
	case schema.Mapped(c, database, name) != nil && (st.OrReplace || st.Alter):
		return false, mysqlerr.NotView(database, name)
	case c.View(database, name) != nil && (st.OrReplace || st.Alter):
		return true, nil
	case c.View(database, name) != nil:
		return false, mysqlerr.New(mysqlerr.TableExists, "Table '%s' already exists", name)
	case schema.Stored(c, database, name) != nil && (st.OrReplace || st.Alter):
		return false, mysqlerr.NotView(database, name)
	case schema.Stored(c, database, name) != nil:
		return false, mysqlerr.New(mysqlerr.TableExists, "Table '%s' already exists", name)
	case st.Alter:
		return false, mysqlerr.NoTable(database, name)
	}
	return false, nil
}

// defineView makes the descriptor: its text names each table with its database
// and each column that a star stands for, so that it means the same wherever
// and whenever it is read.
func (d *DDL) defineView(c *kv.Catalog, database string, st *ast.CreateView) (*kv.View, error) {
	definition, err := d.Planner(c).Define(d.Parsed, st)
	if err != nil {
		return nil, err
	}
	if st.Check != "" && !definition.Single {
		return nil, mysqlerr.New(mysqlerr.ViewNonUpdatableCheck, "CHECK OPTION on non-updatable view '%s.%s'", database, st.Name.Name)
	}
	names, err := viewNames(definition.Columns, st.Columns)
	if err != nil {
		return nil, err
	}
	says := &schema.View{Columns: names, Definition: d.canonical(st, definition), Algorithm: st.Algorithm,
		Security: st.Security, Check: st.Check, Definer: d.definer(st)}
	return &kv.View{Database: database, Name: st.Name.Name, Created: d.Now.UnixMilli(), Attributes: attribute.New(says)}, nil
}

// definer is the account that the statement names, or the one that runs it.
func (d *DDL) definer(st *ast.CreateView) string {
	named := st.Definer
	if named == nil || named.Current || d.Definer == "" && named.User == "root" && named.Host == "localhost" {
		return d.Definer
	}
	return named.User + "@" + strings.ToLower(named.Host)
}

// checkView plans the view as it was stored, which also finds views that refer to themselves.
func (d *DDL) checkView(c *kv.Catalog, v *kv.View) error {
	_, err := d.Planner(c).ViewColumns(v)
	return err
}

// viewNames are the names of a view's columns: those of the list or else the labels. A label that is not a
// valid name is replaced as in MySQL.
func viewNames(columns []relation.Column, list []string) ([]string, error) {
	if list != nil && len(list) != len(columns) {
		return nil, mysqlerr.New(mysqlerr.ViewWrongList,
			"In definition of view, derived table or common table expression, SELECT list and column names list have different column counts")
	}
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
		if list != nil {
			names[i] = list[i]
		} else if !isColumnName(c.Name) {
			names[i] = fmt.Sprintf("Name_exp_%d", i+1)
		}
		if !isColumnName(names[i]) {
			return nil, mysqlerr.New(mysqlerr.WrongColumnName, "Incorrect column name '%s'", names[i])
		}
		for _, other := range names[:i] {
			if strings.EqualFold(other, names[i]) {
				return nil, mysqlerr.New(mysqlerr.DupFieldName, "Duplicate column name '%s'", names[i])
			}
		}
	}
	return names, nil
}

func isColumnName(name string) bool {
	return name != "" && len([]rune(name)) <= declare.MaxName && !strings.HasSuffix(name, " ") && !strings.ContainsRune(name, 0)
}

// canonical is the SELECT as written, with its names qualified and its stars spelled out.
func (d *DDL) canonical(st *ast.CreateView, definition *plan.Definition) string {
	var b strings.Builder
	from := 0
	for _, ref := range st.Refs {
		b.WriteString(st.SelectText[from:ref.Start])
		stars := strings.Join(definition.Stars[max(ref.Star, 0)], ", ")
		switch {
		case ref.Query:
			b.WriteString("SELECT " + stars + " FROM")
		case ref.Star >= 0:
			b.WriteString(stars)
		default:
			b.WriteString(d.qualified(ref.Table))
		}
		from = ref.End
	}
	b.WriteString(st.SelectText[from:])
	return b.String()
}

func (d *DDL) qualified(name ast.TableName) string {
	database := name.Database
	switch {
	case database == "" && strings.EqualFold(name.Name, "dual"):
		return "DUAL"
	case database == "":
		database = d.Database
	}
	return lex.QuoteName(database) + "." + lex.QuoteName(name.Name)
}

// dropViews drops all of the views that exist, or none if a name is a table's.
func (d *DDL) dropViews(ctx context.Context, st *ast.DropView) error {
	return d.dropAll(ctx, st.IfExists, func(c *kv.CatalogChange) (missing []string, err error) {
		for _, name := range st.Names {
			database, err := d.in(name)
			if err != nil {
				return nil, err
			}
			if schema.Mapped(c.Catalog(), database, name.Name) != nil {
				return nil, mysqlerr.NotView(database, name.Name)
			}
			if c.DropView(database, name.Name) == nil {
				continue
			}
			if st.IfExists && c.Catalog().Group(database, name.Name) != nil {
				d.Note(mysqlerr.NonUpdatableTable, groupsOwn(name.Name))
				continue
			}
			if err := droppable(c.Catalog(), database, name.Name); err != nil {
				return nil, err
			}
			missing = append(missing, database+"."+name.Name)
		}
		return missing, nil
	})
}

// droppable refuses a name that is not a view's.
func droppable(c *kv.Catalog, database, name string) error {
	switch {
	case schema.Stored(c, database, name) != nil:
		return mysqlerr.NotView(database, name)
	case c.Group(database, name) != nil:
		return mysqlerr.New(mysqlerr.NonUpdatableTable, "%s", groupsOwn(name))
	}
	return nil
}

// renameView is RENAME TABLE for a view, which must stay in its database.
func renameView(c *kv.CatalogChange, from, name, to, toName string) error {
	if from != to {
		return mysqlerr.New(mysqlerr.ForbidSchemaChange, "Changing schema from '%s' to '%s' is not allowed.", from, to)
	}
	if err := declare.CheckName(toName); err != nil {
		return err
	}
	return renamed(toName, c.RenameView(from, name, to, toName))
}

// renamed is the error of a renaming: 1050 if the new name is taken.
func renamed(name string, err error) error {
	if isTaken(err) {
		return mysqlerr.New(mysqlerr.TableExists, "Table '%s' already exists", name)
	}
	return err
}
