package tables

import (
	"sync"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/kv/rowapi"
)

// Only returns a view with only some tables and namespaces: a table is shown if sees is true for the
// database, table and group of any of its families, a namespace if lists is true for its database.
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

// Database returns the table's database.
func (t *Table) Database() string { return t.database }

// shows reports whether the view has a database as a namespace.
func (v *View) shows(database string) bool { return v.lists == nil || v.lists(database) }

// Narrows reports whether a descriptor makes a family keep less than now, and whether the family exists.
func (t *Table) Narrows(m *pb.ColumnFamilySchema) (narrows, there bool) {
	f := t.find(string(m.GetName()))
	if f == nil {
		return false, false
	}
	next, err := retention(m)
	return err == nil && next.KeepsLess(f.Retention), true
}
