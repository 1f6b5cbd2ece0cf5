package infoschema

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/charset"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// createTable is SHOW CREATE TABLE and SHOW CREATE VIEW.
func (s *show) createTable() (*relation.Result, error) {
	r, err := s.relation()
	switch {
	case err != nil:
		return nil, err
	case r.table != nil && s.st.Kind == ast.ShowCreateView:
		return nil, mysqlerr.NotView(r.database, r.name)
	case r.table != nil:
		text, err := s.createTableText(r, s.catalog.Group(r.database, r.table.Group))
		return texts("Table,Create Table", []string{r.name, text}), err
	case r.info != nil:
		return texts("Table,Create Table", []string{r.name, createInfoText(r.info)}), nil
	}
	text := ""
	if r.view != nil {
		text = createViewText(r.view)
	} else {
		text = createGroupViewText(r)
	}
	return texts("View,Create View,character_set_client,collation_connection", []string{r.name, text, charset.Default, charset.DefaultCollation}), nil
}

func (s *show) createDatabase() (*relation.Result, error) {
	if err := s.inDatabase(s.st.Name); err != nil {
		return nil, err
	}
	return texts("Database,Create Database", []string{s.database, createDatabaseText(s.database, s.text(), s.st.IfNotExists)}), nil
}

// text is the database's character set; information_schema has no descriptor.
func (s *show) text() schema.Text {
	if d := s.catalog.Database(s.database); d != nil {
		return schema.TextOf(d)
	}
	return charset.Catalog
}

func (s *show) createGroup() (*relation.Result, error) {
	if err := s.inDatabase(s.st.Table.Database); err != nil {
		return nil, err
	}
	g := s.catalog.Group(s.database, s.st.Name)
	if g == nil {
		return nil, mysqlerr.NoTableGroup(s.st.Name)
	}
	return texts("Tablegroup,Create Tablegroup", []string{g.Name, createGroupText(g)}), nil
}

// groups is SHOW TABLEGROUPS: a line for each table, and one without a table for an empty group.
func (s *show) groups() (*relation.Result, error) {
	r := texts("Tablegroup_name,Table_name,Database_name,Sharding")
	for _, d := range s.catalog.Databases() {
		if s.st.Database != "" && s.st.Database != d.Name {
			continue
		}
		for _, g := range s.catalog.Groups(d.Name) {
			s.addGroup(r, g)
		}
	}
	return r, nil
}

func (s *show) addGroup(r *relation.Result, g *kv.Group) {
	shown := s.Authority.Sees(g.Database, g.Name, "")
	row := func(table any) {
		r.Rows = append(r.Rows, []value.Value{cellValue(g.Name), cellValue(table), cellValue(g.Database), cellValue(orNull(schema.ShardingOf(g)))})
	}
	families := s.catalog.Families(g.Database, g.Name)
	for _, t := range families {
		if s.Authority.Sees(t.Database, t.Name, t.Group) {
			row(t.Name)
		}
	}
	if len(families) == 0 && shown {
		row(nil)
	}
}
