package relation

import (
	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// ColumnMoment is the column in a typed table's history that has the moment at which a cell of the row
// changed. * does not include it, and a column of the table with the same name replaces it.
const ColumnMoment = "_T"

// OfMoments reports whether a relation gives the rows of a typed table as they were at several moments: FOR
// SYSTEM_TIME ALL, FROM or BETWEEN. It then has AddMoment's column after those of the table.
func (r *Relation) OfMoments() bool {
	p := r.View.Period
	return r.Typed != nil && p != nil && p.Kind != clause.PeriodAsOf
}

// AddMoment adds ColumnMoment to a relation that is OfMoments. It is part of the key, since it tells the rows
// apart.
func (r *Relation) AddMoment() {
	r.Columns = append(r.Columns, Column{Name: ColumnMoment, Type: value.Type{Kind: value.Int, Length: 20}, Key: true, Hidden: true})
	r.NameColumns()
}

// MomentOfCells is the moment of a row as an expression over its cells, whose first column is at first.
func (r *Relation) MomentOfCells(first int) expr.Node {
	return &expr.Column{Index: first + r.CellColumns() - 2, Name: ColumnMoment, T: value.Type{Kind: value.Int, Length: 20}}
}
