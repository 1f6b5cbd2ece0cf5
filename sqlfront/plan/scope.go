package plan

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// Scope resolves column names over relations that lie side by side in a row.
// It implements expr.Scope.
type Scope struct {
	parts []scopePart
	// clause is where the names stand, as error messages say it.
	clause string
	// own is true while names are looked up that are not of the statement's text.
	own bool
}

// scopePart is one relation of a scope; nodes are its columns, which lie in
// the row from the first one's index on.
type scopePart struct {
	relation *Relation
	nodes    []*expr.Column
	// hidden columns are those that a join with USING shows once, on its
	// other side: they are found by qualified names alone.
	hidden []bool
}

// Scope resolves names over this relation alone, whose columns are those of
// the row from 0 on. clause is where the names stand, as error messages say
// it: "where clause".
func (r *Relation) Scope(clause string) *Scope {
	s := &Scope{clause: clause}
	s.add(r, 0)
	return s
}

// add puts a relation's columns at the row's columns from first on, and gives them.
func (s *Scope) add(r *Relation, first int) []*expr.Column {
	part := scopePart{relation: r, nodes: make([]*expr.Column, len(r.Columns)), hidden: make([]bool, len(r.Columns))}
	for i, c := range r.Columns {
		part.nodes[i] = &expr.Column{Index: first + i, Name: c.Name, T: c.Type}
	}
	s.parts = append(s.parts, part)
	return part.nodes
}

// nameTables makes the columns print with their table's name.
func (s *Scope) nameTables() {
	for _, p := range s.parts {
		for _, n := range p.nodes {
			n.Table = p.relation.Alias
		}
	}
}

// Resolve is the column of that name. table is empty, an alias, or database
// and alias with a point between them. Its errors are 1054 and 1052.
func (s *Scope) Resolve(table, column string) (expr.Node, error) {
	n, err := s.find(table, column)
	if err == nil && n == nil {
		err = s.unknown(table, column)
	}
	if err != nil {
		return nil, err
	}
	return n, nil
}

// find is Resolve with nil for an unknown column.
func (s *Scope) find(table, column string) (*expr.Column, error) {
	var found *expr.Column
	for _, p := range s.parts {
		if table != "" && !p.relation.called(table) {
			continue
		}
		i := p.relation.Find(column)
		if i < 0 || table == "" && p.hidden[i] {
			continue
		}
		if found != nil {
			return nil, mysqlerr.New(mysqlerr.NonUniq, "Column '%s' in %s is ambiguous", column, s.clause)
		}
		found = p.nodes[i]
		if !s.own {
			if err := p.relation.Read(p.relation.Columns[i].Name); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

func (s *Scope) unknown(table, column string) error {
	name := column
	if table != "" {
		name = table + "." + column
	}
	return mysqlerr.New(mysqlerr.BadField, "Unknown column '%s' in '%s'%s", name, s.clause,
		mysqlerr.NearestOf(column, s.columnsOf(table)))
}

// columnsOf are the names of all columns, or of the relations that a qualifier means.
func (s *Scope) columnsOf(table string) []string {
	var names []string
	for _, p := range s.parts {
		if table != "" && !p.relation.called(table) {
			continue
		}
		for _, c := range p.relation.Columns {
			names = append(names, c.Name)
		}
	}
	return names
}

// called reports whether a qualifier of a column means this relation.
func (r *Relation) called(qualifier string) bool {
	same := func(a, b string) bool { return a == b }
	if r.kind == kindVirtual {
		same = strings.EqualFold
	}
	if same(qualifier, r.Alias) {
		return true
	}
	database, name, qualified := strings.Cut(qualifier, ".")
	return qualified && same(database, r.Database) && same(name, r.Alias)
}

// at is the column of the row with that index, or nil.
func (s *Scope) at(index int) *Column {
	if p, i := s.place(index); p != nil {
		return &p.relation.Columns[i]
	}
	return nil
}

// column is the node of the row's column with that index, or nil.
func (s *Scope) column(index int) *expr.Column {
	if p, i := s.place(index); p != nil {
		return p.nodes[i]
	}
	return nil
}

// place is the relation of the row's column with that index, and the column's
// place in it.
func (s *Scope) place(index int) (*scopePart, int) {
	for i := range s.parts {
		p := &s.parts[i]
		if n := len(p.nodes); n > 0 && index >= p.nodes[0].Index && index < p.nodes[0].Index+n {
			return p, index - p.nodes[0].Index
		}
	}
	return nil, 0
}
