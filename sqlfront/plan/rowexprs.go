package plan

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
)

// RowExprs binds expressions over the rows of one relation, whose columns are those of the row from 0 on,
// such as the assignments of UPDATE. They may have subqueries that refer to the row; [Context.RowEnv] makes
// the environment in which they are evaluated.
type RowExprs struct{ block *blockPlanner }

// RowExprs binds expressions of a statement; r may be without columns.
func (p *Planner) RowExprs(parsed *ast.Parsed, hints ast.Hints, r *relation.Relation) *RowExprs {
	const clause = "field list"
	q := newQueryPlanner(p, parsed, hints)
	b := q.newBlock(&sqlparser.Select{}, r.Scope(clause), nil)
	b.clause = clause
	return &RowExprs{b}
}

// Binder binds expressions whose names are resolved by scope; nil resolves the columns of the relation.
func (e *RowExprs) Binder(scope bind.Scope) *bind.Binder {
	if scope == nil {
		scope = e.block
	}
	e.block.names = scope
	return e.block.binder(scope)
}

// Resolve finds a column of the relation.
func (e *RowExprs) Resolve(table, column string) (expr.Node, error) {
	return e.block.Resolve(table, column)
}

// SetValues sets how VALUES(column) is resolved, in subqueries too.
func (e *RowExprs) SetValues(values func(column string) (expr.Node, error)) { e.block.values = values }

// Reads are the relations that the subqueries read.
func (e *RowExprs) Reads() []*relation.Relation { return e.block.reads }

// Subqueries reports whether an expression has a subquery.
func (e *RowExprs) Subqueries() bool { return len(e.block.Subqueries) > 0 }

// Reads are the relations that the SELECT reads, in the order of the text.
func (s *Select) Reads() []*relation.Relation { return s.reads }
