package relation

import (
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/hbasekv/hbasekv/sqlfront/exec/computed"
	"github.com/hbasekv/hbasekv/sqlfront/exec/setop"
	"github.com/hbasekv/hbasekv/sqlfront/pruning"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/versions"

	"github.com/hbasekv/hbasekv/kv"
)

// Relation is an item of FROM. It is immutable.
type Relation struct {
	// Database and Name are the catalog's names. Alias is the statement's name for it, or its own name if the
	// statement gives no alias.
	Database, Name, Alias string
	Columns               []Column
	byName                map[string]int // the first of each name in many Columns; built by the first lookup
	named                 int

	Kind relationKind
	// tables is the one table, or the families of the group.
	tables []*kv.Table
	// families are the names of the families, parallel to tables.
	families [][]byte
	group    *kv.Group
	// Virtual gives the rows of a catalog table.
	Virtual VirtualTable
	// Working is, in a recursion, the union whose last step's rows the relation is; else nil.
	Working *setop.Union
	// Definition is the view, if the relation is one, or nil.
	Definition *kv.View
	// Typed is the typed table, if the relation is one, or nil.
	Typed *typed.Table
	// Indexes are those by which the rows of a typed table, or the cells of a family, may be looked up.
	Indexes []Index
	// View is what the statement says of this relation's versions.
	View versions.Choice
	// selection is PARTITION (...), nil for all.
	selection *pruning.Selection
	// access is asked for the privilege to read each column, nil for none. groupName is the group that the
	// table is a family of.
	access    *rights.Access
	groupName string
}

type relationKind uint8

const (
	KindTable   relationKind = iota
	KindGroup                // the virtual table of a table group
	KindVirtual              // a catalog table
	KindDual                 // no columns, one row
	KindTyped                // a typed table
	KindDerived              // a subquery in FROM, or a view
	KindJSON                 // JSON_TABLE
	KindWorking              // what a recursive common table expression has given last
)

// isTemporary reports whether it is a temporary table of the session.
func (r *Relation) isTemporary() bool { return len(r.tables) > 0 && r.tables[0].Temporary }

// Table is the relation's base table, or nil if it is something else.
func (r *Relation) Table() *kv.Table {
	if r.Kind == KindTable {
		return r.tables[0]
	}
	return nil
}

// Family is the column family that has the rows: the relation's own, or the first of a typed table.
func (r *Relation) Family() *kv.Table { return r.tables[0] }

// Families are the column families that have the rows of a table.
func (r *Relation) Families() []*kv.Table { return r.tables }

// IsSame reports whether two relations are one table of the catalog, whatever their aliases.
func (r *Relation) IsSame(o *Relation) bool { return r.Database == o.Database && r.Name == o.Name }

// FamilyTables are the names of the tables of a table group, nil for another relation.
func (r *Relation) FamilyTables() (names []string) {
	if r.Kind != KindGroup {
		return nil
	}
	for _, t := range r.tables {
		names = append(names, t.Name)
	}
	return names
}

// IsVirtual reports whether the relation is a catalog table.
func (r *Relation) IsVirtual() bool { return r.Kind == KindVirtual }

// Shares reports whether two relations have cells of the same family.
func (r *Relation) Shares(o *Relation) bool {
	return slices.ContainsFunc(r.tables, func(t *kv.Table) bool { return slices.Contains(o.tables, t) })
}

// Group is the table group whose virtual table the relation is, or nil.
func (r *Relation) Group() *kv.Group { return r.group }

// Selected is what PARTITION (...) names, nil for all.
func (r *Relation) Selected() *pruning.Selection { return r.selection }

// Find is the index of the column of that name, ignoring case, or -1.
func (r *Relation) Find(name string) int {
	if len(r.Columns) > fewColumns {
		return r.findByName(name)
	}
	for i := range r.Columns {
		if strings.EqualFold(r.Columns[i].Name, name) {
			return i
		}
	}
	return -1
}

// fewColumns is the number of columns up to which a linear search is faster than a map.
const fewColumns = 16

func (r *Relation) findByName(name string) int {
	if r.byName == nil {
		r.byName = make(map[string]int, len(r.Columns))
	}
	for ; r.named < len(r.Columns); r.named++ { // a derived table gets its columns one by one
		key := folded(r.Columns[r.named].Name)
		if _, ok := r.byName[key]; !ok {
			r.byName[key] = r.named
		}
	}
	if i, ok := r.byName[folded(name)]; ok {
		return i
	}
	return -1
}

// folded is equal for names that strings.EqualFold holds for equal.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, name)
}

// Stored reports whether the relation's rows are cells of the store.
func (r *Relation) Stored() bool { return r.Kind == KindTable || r.Kind == KindGroup }

// OfCells reports whether the relation's rows are cells of the store, or made of these.
func (r *Relation) OfCells() bool { return r.Stored() || r.Kind == KindTyped }

// SameRows reports whether two relations are one table in one view.
func (r *Relation) SameRows(o *Relation) bool {
	return r.Kind == KindTable && o.Kind == KindTable && r.tables[0] == o.tables[0] &&
		r.selection == nil && o.selection == nil && reflect.DeepEqual(r.View, o.View)
}

// NoColumns is a relation for expressions that read no table.
func NoColumns() *Relation { return &Relation{Kind: KindDual} }

// Result is a table in memory.
type Result struct {
	Columns []Column
	Rows    [][]value.Value
}

// VirtualTable is a catalog table. It is immutable.
type VirtualTable interface {
	Columns() []Column
	computed.VirtualRows
}
