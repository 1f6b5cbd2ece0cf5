package declare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/attribute"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

// IsMapped reports whether options map a table onto a table group.
func IsMapped(o ast.TableOptions) bool {
	m := o.Mapping
	return m.Table != nil || m.Columns != nil || m.Separator != nil
}

// Mapped is the mapped table that a statement declares, as a view of its table group. t is its descriptor
// with the options.
func (d *Declaration) Mapped(st *ast.CreateTable, t *kv.Table) (*kv.View, error) {
	declared := schema.Edit(t)
	face, err := d.Table(st, declared.Text)
	if err != nil {
		return nil, err
	}
	declared.Typed = attribute.New(face)
	v := &kv.View{Database: t.Database, Name: t.Name, Created: d.Now.UnixMilli(), Attributes: t.Attributes,
		GroupDatabase: t.Database, Group: *st.Options.Mapping.Table}
	if home, group, ok := strings.Cut(v.Group, ":"); ok {
		v.GroupDatabase, v.Group = home, group
	}
	return v, d.BindRules(t, face)
}

// PutMapped adds a new mapped table to the catalog. mayMap checks that the session may read and write its
// families, since privileges on the table open them.
func PutMapped(c *kv.CatalogChange, v *kv.View, mayMap func(*kv.View, *typed.Table) error) error {
	face, err := typed.OfView(v)
	switch {
	case err != nil:
		return err
	case schema.TypedTable(c.Catalog(), v.GroupDatabase, v.Group) != nil:
		return mysqlerr.Unsupported("mapping a table onto " + v.Group + ", which is a typed table itself")
	case c.Catalog().Group(v.GroupDatabase, v.Group) == nil:
		return mysqlerr.NoTableGroup(v.Group)
	}
	return cmp.Or(CheckPlaces(c.Catalog(), v, face), mayMap(v, face), c.CreateView(*v))
}

// mapOnto gives the columns of a table the places in the options.
func mapOnto(face *typed.Table, m ast.Mapping) error {
	switch {
	case m.Table == nil:
		return wrongMapping("HBASE_TABLE", "it is missing: it names the table group whose cells the columns are")
	case m.Columns == nil:
		return wrongMapping("HBASE_COLUMNS", "it is missing: it lists :key or family:qualifier for each column, in order")
	case len(face.Key) == 0:
		return mysqlerr.Unsupported("a mapped table without a primary key: declare the columns with the place :key as PRIMARY KEY")
	}
	face.Mapped = true
	if m.Separator != nil {
		face.Separator = []byte(*m.Separator)
	}
	return setPlaces(face, *m.Columns)
}

func wrongMapping(option, why string) error {
	return mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to %s: %s", option, why)
}

// familiesOwn refuses options that belong to the families of a mapped table.
func familiesOwn(o ast.TableOptions) error {
	if len(o.Retention) > 0 {
		return mysqlerr.Unsupported(o.Retention[0].Name + " of mapped tables: the families say which versions are kept")
	}
	return nil
}

// setPlaces gives the columns of a mapped table the entries of HBASE_COLUMNS.
func setPlaces(face *typed.Table, text string) error {
	places, err := typed.ParsePlaces(text)
	switch {
	case err != nil:
		return wrongMapping("HBASE_COLUMNS", err.Error())
	case len(places) != len(face.Columns):
		return wrongMapping("HBASE_COLUMNS", fmt.Sprintf("it has %d entries for %d columns", len(places), len(face.Columns)))
	}
	for i, p := range places {
		face.Columns[i].Entry = p.String()
	}
	return nil
}

// checkMapped refuses what mapped tables cannot have: columns without a place, two with the same place, and
// no column outside of the key.
func checkMapped(face *typed.Table) error {
	if !face.Mapped {
		return nil
	}
	var seen []typed.Place
	for i := range face.Columns {
		c := &face.Columns[i]
		if c.Generated != nil && !c.Generated.Stored {
			return mysqlerr.Unsupported("the VIRTUAL column '" + c.Name + "' of a mapped table, whose columns must all have cells: " +
				"make it STORED, or compute it in a view of the table")
		}
		places, err := typed.ParsePlaces(c.Entry)
		if err != nil {
			return wrongMapping("HBASE_COLUMNS", err.Error())
		}
		p, inKey := places[0], slices.Contains(face.Key, i)
		p.Encoding = 0
		switch {
		case c.AutoIncrement:
			return mysqlerr.Unsupported("AUTO_INCREMENT of mapped tables, where other programs may number rows too: " +
				"insert numbers of another table with AUTO_INCREMENT (LAST_INSERT_ID()), or UUID()")
		case p.Key != inKey:
			return wrongMapping("HBASE_COLUMNS", ":key is for the columns of the primary key, and for each of them, but column '"+
				c.Name+"' has "+c.Entry)
		case !p.Key && slices.Contains(seen, p):
			return wrongMapping("HBASE_COLUMNS", "the cell "+p.Family+":"+p.Qualifier+" is that of two columns")
		}
		seen = append(seen, p)
	}
	if len(face.Key) == len(face.Columns) {
		return wrongMapping("HBASE_COLUMNS", "no column has a cell, and a row is there while one has")
	}
	return nil
}

// CheckPlaces refuses places that the group of a mapped table does not have: a missing family (1146), and a
// qualifier that is longer than its family's.
func CheckPlaces(c *kv.Catalog, v *kv.View, face *typed.Table) error {
	families, err := face.FamiliesIn(c, v)
	if err != nil {
		return err
	}
	for i := range face.Columns {
		if !face.HasCell(i) {
			continue
		}
		t := families[face.FamilyOf(i)]
		if n := len(face.Columns[i].CellQualifier()); n > t.MaxQualifier {
			return wrongMapping("HBASE_COLUMNS", fmt.Sprintf("the qualifier of %s has %d bytes, and those of %s at most %d",
				face.Columns[i].Entry, n, t.Name, t.MaxQualifier))
		}
	}
	return nil
}

// RunMapped is Run for a table that is mapped onto a table group; the catalog has it as the view v.
func (a *Alter) RunMapped(v *kv.View, st *ast.AlterTable) error {
	return a.run(st, func(c *kv.Catalog) error {
		if a.view = c.View(v.Database, v.Name); a.view == nil || a.view.Group != v.Group || a.view.GroupDatabase != v.GroupDatabase {
			return mysqlerr.NoTable(v.Database, v.Name)
		}
		face, err := typed.OfView(a.view)
		if err != nil {
			return err
		}
		a.now = schema.Descriptor(a.view)
		a.families, err = face.FamiliesIn(c, a.view)
		return err
	}, a.putMapped)
}

// putMapped stores the altered table in the catalog.
func (a *Alter) putMapped(c *kv.CatalogChange) error {
	v := *a.view
	if c.Catalog().View(v.Database, v.Name) != a.view {
		return kv.ErrCatalogChanged
	}
	face, err := typed.Of(&a.Next)
	if err != nil {
		return err
	}
	v.Attributes = a.Next.Attributes
	if err := cmp.Or(CheckPlaces(c.Catalog(), &v, face), a.MayMap(&v, face), c.AlterView(v)); err != nil {
		return err
	}
	if a.Next.Database == v.Database && a.to == v.Name {
		return nil
	}
	return RenameMapped(c, &v, a.Next.Database, a.to)
}

// RenameMapped renames a mapped table.
func RenameMapped(c *kv.CatalogChange, v *kv.View, database, name string) error {
	return cmp.Or(CheckName(name), c.RenameView(v.Database, v.Name, database, name))
}
