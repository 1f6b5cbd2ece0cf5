package scan

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/pruning"
	"github.com/hbasekv/hbasekv/sqlfront/versions"
)

// Access says how to find the rows of one stored relation: the cells of a view for which a
// condition is true. It is immutable.
//
// Its rows have the relation's columns, with V only if it is needed.
type Access struct {
	// Alias is the relation's name in the statement.
	Alias string
	// Tables are the one table, or the families of a group; Families are their names.
	Tables   []*kv.Table
	Families [][]byte
	// View is the statement's choice of the relation's versions, nil for the session's; Selection
	// is its PARTITION (...), nil for all.
	View      *versions.Choice
	Selection *pruning.Selection
	// First is the row's column for the relation's first one, Width the number of its columns.
	// Columns says where its keys and V are.
	First, Width int
	Columns      constrain.Columns
	// PerRow says that its reader makes one row of all cells of a row.
	PerRow bool
	// Twin, if not nil, is the same relation under another alias, which has the same rows.
	Twin *Twin
	// Where is the condition; it may be nil.
	Where expr.Node
	// NeedValue says that V is read outside of the condition.
	NeedValue bool
	// Given are the columns in the condition whose values are known before the access is opened:
	// those of the outer blocks of a subquery, and of the other side of a join.
	Given func(index int) bool
	// Subqueries says that the condition compares keys with subqueries whose results are known
	// before the access is opened.
	Subqueries bool
}

// Twin is a relation's alias, and its first column in the row.
type Twin struct {
	Alias string
	First int
}

// Has reports whether the row's column belongs to the relation.
func (a *Access) Has(index int) bool { return index >= a.First && index < a.First+a.Width }

// own returns the relation's column for one of its twin's.
func (a *Access) own(index int) int {
	if a.Twin != nil {
		if at := index - a.Twin.First; at >= 0 && at < a.Width {
			return a.First + at
		}
	}
	return index
}

// RowColumn reports whether the row's column is K or computed from K.
func (a *Access) RowColumn(index int) bool { return a.Columns.OfRow(index) }
