package relation

import (
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

// Scope resolves column names over relations that lie side by side in a row.
// It implements bind.Scope.
type Scope struct {
	Parts []Part
	// Clause is the clause in which the names stand, as error messages give it.
	Clause string
	// Own is true while names are looked up that are not in the statement's text.
	Own bool
}

// Part is one relation of a scope. Nodes are its columns, which lie in the row from the first one's index on.
type Part struct {
	Relation *Relation
	Nodes    []*expr.Column
	// Hidden columns are those that a join with USING shows once, on its other side: only qualified names
	// find them.
	Hidden []bool
}

// Scope resolves names over this relation alone, whose columns are those of the row from 0 on. clause is the
// clause in which the names stand, as error messages give it: "where clause".
func (r *Relation) Scope(clause string) *Scope {
	s := &Scope{Clause: clause}
	s.Add(r, 0)
	return s
}

// Add puts a relation's columns into the row from first on, and returns them.
func (s *Scope) Add(r *Relation, first int) []*expr.Column {
	part := Part{Relation: r, Nodes: make([]*expr.Column, len(r.Columns)), Hidden: make([]bool, len(r.Columns))}
	for i, c := range r.Columns {
		part.Hidden[i] = c.Hidden && c.Name == ""
		part.Nodes[i] = &expr.Column{Index: first + i, Name: c.Name, T: c.Type}
	}
	s.Parts = append(s.Parts, part)
	return part.Nodes
}

// NameTables makes the columns print with their table's name.
func (s *Scope) NameTables() {
	for _, p := range s.Parts {
		for _, n := range p.Nodes {
			n.Table = p.Relation.Alias
		}
	}
}

// Resolve is the column of that name. table is empty, an alias, or database.alias. Its errors are 1054 and
// 1052.
func (s *Scope) Resolve(table, column string) (expr.Node, error) {
	n, err := s.Find(table, column)
	if err == nil && n == nil {
		err = s.Unknown(table, column)
	}
	if err != nil {
		return nil, err
	}
	return n, nil
}

// Find is Resolve with nil for an unknown column.
func (s *Scope) Find(table, column string) (*expr.Column, error) {
	var found *expr.Column
	for _, p := range s.Parts {
		i := p.find(table, column)
		if i < 0 {
			continue
		}
		if found != nil {
			return nil, Ambiguous(column, s.Clause)
		}
		found = p.Nodes[i]
		if !s.Own && !p.Relation.Columns[i].Hidden {
			if err := p.Relation.Read(p.Relation.Columns[i].Name); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

// find returns the position of a column in the part, or -1 if the name does not mean it.
func (p *Part) find(table, column string) int {
	if table != "" && !p.Relation.Called(table) {
		return -1
	}
	i := p.Relation.Find(column)
	if i >= 0 && table == "" && p.Hidden[i] {
		return -1
	}
	return i
}

// Has reports whether a name means at least one column.
func (s *Scope) Has(table, column string) bool {
	return slices.ContainsFunc(s.Parts, func(p Part) bool { return p.find(table, column) >= 0 })
}

// Ambiguous is error 1052 about a name in a clause.
func Ambiguous(column, clause string) error {
	return mysqlerr.New(mysqlerr.NonUniq, "Column '%s' in %s is ambiguous", column, clause)
}

// Unknown is error 1054 about a column, with the nearest existing name.
func (s *Scope) Unknown(table, column string) error {
	name := column
	if table != "" {
		name = table + "." + column
	}
	return mysqlerr.New(mysqlerr.BadField, "Unknown column '%s' in '%s'%s", name, s.Clause,
		mysqlerr.NearestOf(column, s.columnsOf(table)))
}

// columnsOf are the names of all columns, or of the relations that a qualifier means.
func (s *Scope) columnsOf(table string) []string {
	var names []string
	for _, p := range s.Parts {
		if table != "" && !p.Relation.Called(table) {
			continue
		}
		for _, c := range p.Relation.Columns {
			if !c.Hidden {
				names = append(names, c.Name)
			}
		}
	}
	return names
}

// Called reports whether a qualifier of a column means this relation.
func (r *Relation) Called(qualifier string) bool {
	same := func(a, b string) bool { return a == b }
	if r.Kind == KindVirtual {
		same = strings.EqualFold
	}
	if same(qualifier, r.Alias) {
		return true
	}
	database, name, qualified := strings.Cut(qualifier, ".")
	return qualified && same(database, r.Database) && same(name, r.Alias)
}

// At is the column of the row with that index, or nil.
func (s *Scope) At(index int) *Column {
	if p, i := s.Place(index); p != nil {
		return &p.Relation.Columns[i]
	}
	return nil
}

// ColumnAt is the node of the row's column with that index, or nil.
func (s *Scope) ColumnAt(index int) *expr.Column {
	if p, i := s.Place(index); p != nil {
		return p.Nodes[i]
	}
	return nil
}

// Place is the relation of the row's column with that index, and the column's
// place in it.
func (s *Scope) Place(index int) (*Part, int) {
	for i := range s.Parts {
		p := &s.Parts[i]
		if n := len(p.Nodes); n > 0 && index >= p.Nodes[0].Index && index < p.Nodes[0].Index+n {
			return p, index - p.Nodes[0].Index
		}
	}
	return nil, 0
}

// SettleByKey adds the columns of a stored relation or typed table that its settled ones determine: all by
// the whole key, the generated ones by the column that they are computed from.
func (p Part) SettleByKey(settled map[int]bool) {
	face := p.Relation.Typed
	if !p.Relation.Stored() && face == nil {
		return
	}
	whole := true
	for i, c := range p.Relation.Columns {
		whole = whole && (!c.Key || settled[p.Nodes[i].Index])
	}
	if face != nil && !whole && !p.Relation.OfMoments() {
		whole = slices.ContainsFunc(face.Indexes, func(x typed.Index) bool {
			return x.Unique && !slices.ContainsFunc(x.Parts, func(part typed.IndexPart) bool {
				return part.Length > 0 || !face.Columns[part.Column].NotNull || !settled[p.Nodes[part.Column].Index]
			})
		})
	}
	for i, c := range p.Relation.Columns {
		if whole || c.Generated && settled[p.Nodes[c.From].Index] {
			settled[p.Nodes[i].Index] = true
		}
	}
}
