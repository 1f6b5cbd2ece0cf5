package plan

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/setop"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/versions"
	"github.com/xwb1989/sqlparser"
)

// blockPlanner plans one block.
type blockPlanner struct {
	*queryPlanner
	*block.Block
	// outer is the block that contains a subquery; names that are unknown here are looked up there.
	outer      *blockPlanner
	outerIndex *condition.Index // of what correlations read, or nil
	// starColumns are the columns that * expands to, in order.
	starColumns []starColumn
	starNames   []string // of the star that is being added
	// names is the scope of the expression that is being bound, through which its subqueries resolve
	// names.
	names bind.Scope
	// values resolves VALUES(column); nil makes it NULL.
	values func(column string) (expr.Node, error)
	// clause is the clause that is being bound, for messages; aggregates says whether it may contain
	// aggregates.
	clause     string
	aggregates bool
}

// queryPlanner is the state that the blocks of one text share: of the statement, or of a view.
type queryPlanner struct {
	*Planner
	*planning
	parsed *ast.Parsed
	hints  ast.Hints
	// lockWait says whether FOR UPDATE waits for locked rows, skips them, or fails.
	lockWait ast.LockWait
	// lock is the locking clause of the SELECT that reads the view, or of the UNION.
	lock string
	// commonChecked is true once the unused common table expressions have been planned.
	commonChecked bool
	// reading is the view whose SELECT is being planned, or nil.
	reading *readingView
	// stars receives the columns that each * expands to, for CREATE VIEW.
	stars map[int][]string
	// changed is the SELECT of the rows that the statement will change, or nil: an aggregate in it is error
	// 1111.
	changed sqlparser.SelectStatement
	// targets are the relations that the statement changes, and own is the number of leading items that
	// are not from its text.
	targets []*relation.Relation
	own     int
}

// planning is the state of planning one statement, including the texts of its views.
type planning struct {
	// named counts the views and the uses of common table expressions.
	named int
	// twice counts the queries that are planned in two ways.
	twice int
	// within is the nesting depth of the query that is being planned.
	within int
	// height is the sum of the heights of the nested texts that are being planned.
	height int
	// reads are the relations that the statement reads, as far as it is planned.
	reads []*relation.Relation
	// recursion is the recursive common table expression that is being planned, or nil.
	recursion *recursion
	// looking counts the enclosing clauses whose literals must stay parts of the text.
	looking int
}

func newQueryPlanner(p *Planner, parsed *ast.Parsed, hints ast.Hints) queryPlanner {
	return queryPlanner{Planner: p, planning: &planning{}, parsed: parsed, hints: hints}
}

// newBlock is the planner of a block.
func (q *queryPlanner) newBlock(node *sqlparser.Select, scope *relation.Scope, outer *blockPlanner) *blockPlanner {
	return &blockPlanner{queryPlanner: q, outer: outer, Block: &block.Block{Node: node, Scope: scope, Meter: &q.Meter,
		Changes: q.changed != nil, AnyValue: q.AnyValue}}
}

// carried returns the arguments if literals may become arguments, otherwise nil.
func (q *queryPlanner) carried() *bind.Arguments {
	if q.looking > 0 {
		return nil
	}
	return q.Arguments
}

// carries reports whether the literals of a clause only matter for comparisons. In other clauses they appear
// in labels and types, or distinguish expressions.
func carries(clause string) bool { return clause == "where clause" || clause == "on clause" }

// readingView has what a view's SELECT inherits from the statement that reads the view.
type readingView struct {
	view *kv.View
	// choice is the statement's choice of the versions that the view reads.
	choice versions.Choice
	// within is the view whose SELECT names this one, or nil.
	within *readingView
}

// starColumn is a column that * expands to.
type starColumn struct {
	relation *relation.Relation
	at       int
	node     *expr.Column
	common   bool // of both sides of a join with USING
}

// recursion is a recursive common table expression that is being planned
// (https://dev.mysql.com/doc/refman/8.0/en/with.html#common-table-expressions-recursive).
type recursion struct {
	common *ast.CommonTable
	// columns are set once the parts that do not recurse are planned.
	columns []relation.Column
	out     *setop.Union
	// within is the depth of the parts' blocks: a deeper block must not name the recursion.
	within int
	// references counts the references in the part that is being planned.
	references int
	around     *recursion
}

// maxTwice bounds the number of derived tables and subqueries of a statement that are planned in two
// ways: nested ones double at each level.
const maxTwice = 32

// onceMore plans a query again, without recording its relations a second time; nil if too many queries have
// been.
func (q *queryPlanner) onceMore(again func() (*block.Query, error)) (*block.Query, error) {
	if q.twice >= maxTwice {
		return nil, nil
	}
	q.twice++
	reads := q.reads
	defer func() { q.reads = reads }()
	return again()
}
