package tables

import (
	"sync"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/kv/rowapi"
)

// Only is the part of a view that has the tables of which sees is true, asked by database, table and group of
// any family, and the namespaces of databases of which lists is.
func (v *View) Only(sees func(database, table, group string) bool, lists func(database string) bool) *View {
	out := &View{names: v.names, catalog: v.catalog, tables: map[rowapi.TableName]*Table{}, regions: map[string]*Region{},
		lists: lists}
	for _, t := range v.ordered {
		for _, f := range t.Families {
			if sees(f.Database, f.Name, f.Group) {
				out.tables[t.Name], out.ordered = t, append(out.ordered, t)
				out.setRegions(t)
				break
			}
		}
	}
	out.meta = sync.OnceValue(out.metaRows)
	return out
}

// Database is the database that the table is in.
func (t *Table) Database() string { return t.database }

// shows reports whether a database is a namespace that the view has.
func (v *View) shows(database string) bool { return v.lists == nil || v.lists(database) }

// Narrows reports whether a descriptor makes a family keep less than it does, and whether the family is there.
func (t *Table) Narrows(m *pb.ColumnFamilySchema) (narrows, there bool) {
	f := t.find(string(m.GetName()))
	if f == nil {
		return false, false
	}
	next, err := retention(m)
	return err == nil && next.KeepsLess(f.Retention), true
}
