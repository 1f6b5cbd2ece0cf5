package plan

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
)

// fromItem is a bound table expression: a leaf or a join.
type fromItem interface {
	// span is the frame's columns of the item, from first to below end.
	span() (first, end int)
}

// leaf is one relation.
type leaf struct {
	relation *relation.Relation
	first    int
	derived  *query // of a subquery in FROM, or of a view
	// again plans derived once more; it gives nil where that has been done too often. It is nil
	// of what nothing but the block's own frame gives its rows.
	again func() (*query, error)
	// joined says that it was a join of several, of which on are the conditions left.
	joined bool
	on     []expr.Node
	// lateral is what derived, or the document of json, reads of the block's frame, and where in its own it has that.
	lateral []correlation
	over    *exec.Subquery // derived over partners; nil where it has none
	json    *jsonTable     // nil for something else
}

// joinItem is a join. A right join is a left join with its sides exchanged.
type joinItem struct {
	left, right fromItem
	outer       bool // every row of left, with NULLs where right has none
	straight    bool // left comes first
	on          []expr.Node
}

func (l *leaf) span() (int, int) { return l.first, l.first + len(l.relation.Columns) }

func (j *joinItem) span() (int, int) {
	a, b := j.left.span()
	c, d := j.right.span()
	return min(a, c), max(b, d)
}

// holds reports whether the column is one of the item's relations.
func holds(from fromItem, index int) bool {
	if j, ok := from.(*joinItem); ok {
		return holds(j.left, index) || holds(j.right, index)
	}
	first, end := from.span()
	return index >= first && index < end
}

// keyIn is the place of a column of the frame among the keys of its relation.
func keyIn(from fromItem, index int) int {
	if j, ok := from.(*joinItem); ok {
		return max(keyIn(j.left, index), keyIn(j.right, index))
	}
	l := from.(*leaf)
	if i := index - l.first; l.derived != nil && i >= 0 && i < len(l.relation.Columns) {
		return l.derived.keyOf(i)
	}
	if !l.relation.Stored() {
		return -1
	}
	at := l.relation.KeyColumns(l.first)
	return slices.Index([]int{at.K, at.Q, at.T}, index)
}

// conditionsOf are the conditions of the joins of a table expression.
func conditionsOf(from fromItem) []expr.Node {
	j, ok := from.(*joinItem)
	if !ok {
		return nil
	}
	return append(append(conditionsOf(j.left), conditionsOf(j.right)...), j.on...)
}

// readByLaterals are the columns of the block's frame that lateral derived tables read.
func readByLaterals(from fromItem) (out []expr.Node) {
	switch from := from.(type) {
	case *leaf:
		for _, c := range from.lateral {
			out = append(out, c.outer)
		}
	case *joinItem:
		out = append(readByLaterals(from.left), readByLaterals(from.right)...)
	}
	return out
}

// readsOther is a relation of an item that reads columns of another item, nil for none.
func readsOther(from, other fromItem) *leaf {
	switch from := from.(type) {
	case *leaf:
		for _, c := range from.lateral {
			if holds(other, c.outer.(*expr.Column).Index) {
				return from
			}
		}
	case *joinItem:
		if l := readsOther(from.left, other); l != nil {
			return l
		}
		return readsOther(from.right, other)
	}
	return nil
}

// jsonTable is JSON_TABLE as a thing in FROM.
type jsonTable struct {
	document *query // of one row
	out      exec.JSONTable
}
