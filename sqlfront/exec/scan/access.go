package scan

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/pruning"
	"github.com/hbasekv/hbasekv/sqlfront/versions"
)

// Access is how the rows of one stored relation are found: the cells of a
// view for which a condition holds. It is immutable.
//
// Its rows have the relation's columns, with V only where it was asked for.
type Access struct {
	// Alias is what the statement calls the relation.
	Alias string
	// Tables are the one table, or the families of a group; Families are their
	// names.
	Tables   []*kv.Table
	Families [][]byte
	// View is what the statement says of the relation's versions, nil where it leaves them to the
	// session, Selection its PARTITION (...), nil for all.
	View      *versions.Choice
	Selection *pruning.Selection
	// First is the row's column that holds the relation's first one, Width the
	// number of its columns. Columns say where its keys and V are.
	First, Width int
	Columns      constrain.Columns
	// PerRow says that its reader makes one row of all cells of a row.
	PerRow bool
	// Twin, where it is not nil, is the same relation under another name, which has each of
	// the rows, too.
	Twin *Twin
	// Where is the condition; it may be nil.
	Where expr.Node
	// NeedValue says that someone other than the condition reads V.
	NeedValue bool
	// Given are the columns that the condition reads and that have their values before the access
	// is opened: those of the blocks around a subquery, and of the other side of a join.
	Given func(index int) bool
	// Subqueries says that the condition compares keys with subqueries, whose
	// results are known before the access is opened.
	Subqueries bool
}

// Twin is a relation by its name, and its first column in the row.
type Twin struct {
	Alias string
	First int
}

// Has reports whether the row's column is one of the relation.
func (a *Access) Has(index int) bool { return index >= a.First && index < a.First+a.Width }

// own is the relation's column for one of its twin's.
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
