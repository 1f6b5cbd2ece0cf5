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
	// outer is the block around a subquery; names that are unknown here are looked up there.
	outer      *blockPlanner
	outerIndex *condition.Index // of what correlations read; nil for none
	// starColumns are the columns that * gives, in their order.
	starColumns []starColumn
	starNames   []string // of the star that is being added
	// names is the scope of what is being bound, as a subquery in it sees it.
	names bind.Scope
	// values is VALUES(column); nil is NULL.
	values func(column string) (expr.Node, error)
	// clause is where the names that are being bound stand; aggregates says
	// whether aggregates may stand there too.
	clause     string
	aggregates bool
}

// queryPlanner is what the blocks of one text share: of the statement, or of a
// view.
type queryPlanner struct {
	*Planner
	*planning
	parsed *ast.Parsed
	hints  ast.Hints
	// lockWait is what FOR UPDATE does about rows that others have locked.
	lockWait ast.LockWait
	// lock is the locking clause of the SELECT that reads the view, or of the
	// UNION.
	lock string
	// commonChecked is true once the common table expressions that nothing names
	// have been planned.
	commonChecked bool
	// reading is the view whose SELECT is being planned, or nil.
	reading *readingView
	// stars takes the columns that stars stand for, where a view is made.
	stars map[int][]string
	// changed is the SELECT of the rows that the statement is to change, or nil:
	// aggregates of its own are 1111.
	changed sqlparser.SelectStatement
	// targets are what the statement changes, and own is the number of items in front
	// of the select list that are not of its text.
	targets []*relation.Relation
	own     int
}

// planning is what is counted and noted while one statement is planned, the
// texts of its views included.
type planning struct {
	// named counts the views and the uses of common table expressions.
	named int
	// twice counts the derived tables that are planned in two ways.
	twice int
	// within is the number of queries that are being planned, each in the one
	// before.
	within int
	// height is that of the texts that are being planned, each put in for a name
	// in the one before.
	height int
	// reads are the relations that the statement reads so far.
	reads []*relation.Relation
	// recursion is the recursive common table expression that is being planned, or
	// nil.
	recursion *recursion
	// looking counts the clauses around whose literals are a part of the text.
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

// carried are the arguments where literals may be some, else nil.
func (q *queryPlanner) carried() *bind.Arguments {
	if q.looking > 0 {
		return nil
	}
	return q.Arguments
}

// carries reports whether a clause's literals are compared and nothing else. Those
// of others show in labels and types, and are told from each other.
func carries(clause string) bool { return clause == "where clause" || clause == "on clause" }

// readingView is what planning a view's SELECT knows of the statement around.
type readingView struct {
	view *kv.View
	// choice is what the statement says of the versions that the view reads.
	choice versions.Choice
	// within is the view whose SELECT names this one, or nil.
	within *readingView
}

// starColumn is a column that * gives.
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
	// columns are known once the parts that do not recurse are planned.
	columns []relation.Column
	out     *setop.Union
	// within is the depth of the parts' blocks: no deeper one may name it.
	within int
	// references counts those of the part that is being planned.
	references int
	around     *recursion
}

// maxTwice bounds how many derived tables and subqueries of a statement are planned in
// two ways: nested ones double at each step.
const maxTwice = 32

// onceMore plans a query again, nil where too many are. What it reads is noted already.
func (q *queryPlanner) onceMore(again func() (*block.Query, error)) (*block.Query, error) {
	if q.twice >= maxTwice {
		return nil, nil
	}
	q.twice++
	reads := q.reads
	defer func() { q.reads = reads }()
	return again()
}
