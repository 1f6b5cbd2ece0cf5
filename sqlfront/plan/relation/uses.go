package relation

import (
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

// Uses are the names that a plan has looked up in the store's catalog, with what they stood for. The plan is
// valid for every catalog in which they stand for the same. The zero value has none.
type Uses struct{ names []use }

type use struct {
	database, name string
	is             meaning
}

// meaning is all that decides what a name stands for. Descriptors are immutable, and catalogs share those
// that a change leaves as they are, so equal addresses mean equal contents.
type meaning struct {
	database    *kv.Database
	table, rows *kv.Table // rows are the family of a typed table
	group       *kv.Group
	view        *kv.View
	// below are the families of a group or of a mapped table, and the tables of entries of indexes.
	below []*kv.Table
}

func meaningOf(c *kv.Catalog, database, name string) meaning {
	m := meaning{database: c.Database(database), table: c.Table(database, name), rows: schema.TypedTable(c, database, name),
		group: c.Group(database, name), view: c.View(database, name)}
	switch {
	case m.view != nil:
		m.below = c.Families(m.view.GroupDatabase, m.view.Group)
	case m.group != nil:
		m.below = c.Families(database, name)
	}
	for _, t := range []*kv.Table{m.table, m.rows} {
		if t == nil {
			continue
		}
		for _, index := range t.Indexes {
			m.below = append(m.below, c.TableByID(index.Entries))
		}
	}
	return m
}

func (m *meaning) same(o *meaning) bool {
	return m.database == o.database && m.table == o.table && m.rows == o.rows && m.group == o.group && m.view == o.view &&
		slices.Equal(m.below, o.below)
}

// Note makes the plan depend on a name. It does nothing if u is nil.
func (u *Uses) Note(c *kv.Catalog, database, name string) {
	if u == nil || slices.ContainsFunc(u.names, func(of use) bool { return of.database == database && of.name == name }) {
		return
	}
	u.names = append(u.names, use{database, name, meaningOf(c, database, name)})
}

// Hold reports whether all names stand for the same in a catalog.
func (u *Uses) Hold(c *kv.Catalog) bool {
	for i := range u.names {
		of := &u.names[i]
		if now := meaningOf(c, of.database, of.name); !of.is.same(&now) {
			return false
		}
	}
	return true
}
