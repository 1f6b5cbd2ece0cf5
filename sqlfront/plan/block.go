package plan

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
)

// blockPlanner plans one block.
type blockPlanner struct {
	*queryPlanner
	*block.Block
	// outer is the block around a subquery; names that are unknown here are
	// looked up there.
	outer      *blockPlanner
	outerIndex *condition.Index // of what correlations read; nil for none
	// starColumns are the columns that * gives, in their order.
	starColumns []starColumn
	starNames   []string // of the star that is being added
	// names is the scope of what is being bound, as a subquery in it sees it.
	names expr.Scope
	// values is VALUES(column); nil is NULL.
	values func(column string) (expr.Node, error)
	// clause is where the names that are being bound stand; aggregates says
	// whether aggregates may stand there too.
	clause     string
	aggregates bool
}

// newBlock is the planner of a block.
func (q *queryPlanner) newBlock(node *sqlparser.Select, scope *relation.Scope, outer *blockPlanner) *blockPlanner {
	return &blockPlanner{queryPlanner: q, outer: outer, Block: &block.Block{Node: node, Scope: scope, Meter: &q.Meter,
		Changes: q.changed != nil, AnyValue: q.AnyValue}}
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

func newQueryPlanner(p *Planner, parsed *ast.Parsed, hints ast.Hints) queryPlanner {
	return queryPlanner{Planner: p, planning: &planning{}, parsed: parsed, hints: hints}
}

func (q *queryPlanner) block(node *sqlparser.Select, outer *blockPlanner) (*blockPlanner, error) {
	b := q.newBlock(node, &relation.Scope{}, outer)
	return b, b.plan()
}

func (b *blockPlanner) plan() error {
	from, err := b.planFrom(b.Node.From)
	if err != nil {
		return err
	}
	if b.outer != nil || len(b.Scope.Parts) > 1 {
		b.Scope.NameTables()
	}
	if err := b.bindItems(); err != nil {
		return err
	}
	if err := b.bindWhere(); err != nil {
		return err
	}
	if err := b.bindGroups(); err != nil {
		return err
	}
	if err := b.bindHaving(); err != nil {
		return err
	}
	if err := b.bindOrder(); err != nil {
		return err
	}
	if err := b.checkWindows(); err != nil {
		return err
	}
	if b.Aggregated && b.Node == b.changed {
		return groupFunctionMisused()
	}
	return b.finish(from)
}

// Resolve finds a column here or in the blocks around; it makes the planner an
// expr.Scope.
func (b *blockPlanner) Resolve(table, column string) (expr.Node, error) {
	b.Scope.Clause = b.clause
	n, err := b.Scope.Find(table, column)
	if err != nil {
		return nil, err
	}
	if n != nil {
		return n, nil
	}
	if outer, err := b.resolveOutside(table, column); outer != nil || err != nil {
		return outer, err
	}
	return nil, b.Scope.Unknown(table, column)
}

// bind binds an expression of a clause. aggregates says whether there may be
// any in it.
func (b *blockPlanner) bind(e sqlparser.Expr, clause string, scope expr.Scope, aggregates bool) (expr.Node, error) {
	before := *b
	b.clause, b.aggregates, b.names = clause, aggregates, scope
	if clause == "field list" {
		b.names = aliases{b}
	}
	if !carries(clause) {
		b.looking++
		defer func() { b.looking-- }()
	}
	binder := b.binder(scope)
	if clause == "having clause" {
		binder.Args = aliases{b}
	}
	n, err := binder.Bind(e)
	b.clause, b.aggregates, b.names = before.clause, before.aggregates, before.names
	return n, err
}

func (b *blockPlanner) binder(scope expr.Scope) *expr.Binder {
	return &expr.Binder{Scope: scope, Arguments: b.Arguments, Carries: b.carried() != nil, Subquery: b.bindSubquery,
		Agg: b.addAggregate, Window: b.bindWindow, Grouping: b.bindGrouping,
		Values: b.bindValues, Default: b.bindDefault, Meter: b.Meter}
}

// carried are the arguments where literals may be some, else nil.
func (q *queryPlanner) carried() *expr.Arguments {
	if q.looking > 0 {
		return nil
	}
	return q.Arguments
}

// carries reports whether a clause's literals are compared and nothing else. Those
// of others show in labels and types, and are told from each other.
func carries(clause string) bool { return clause == "where clause" || clause == "on clause" }

func (b *blockPlanner) bindWhere() error {
	if b.Node.Where == nil {
		return nil
	}
	n, err := b.bind(b.Node.Where.Expr, "where clause", b, false)
	b.Where = expr.Conjuncts(n)
	return err
}

func (b *blockPlanner) bindItems() error {
	defer func() { b.Scope.Own = false }()
	for i, e := range b.Node.SelectExprs {
		b.Scope.Own = i < b.own && b.changed == sqlparser.SelectStatement(b.Node)
		var err error
		switch e := e.(type) {
		case *sqlparser.StarExpr:
			err = b.addStar(e.TableName)
		case *ast.ViewStar:
			err = b.addStar(e.TableName)
			b.noteStar(e.Number)
		case *ast.Item:
			err = b.addItem(e)
		default:
			err = mysqlerr.Unsupported(sqlparser.String(e))
		}
		if err != nil {
			return err
		}
		if len(b.Items) > maxColumns {
			return mysqlerr.New(mysqlerr.TooManyFields, "Too many columns")
		}
	}
	b.Columns += len(b.Items)
	return nil
}

func (b *blockPlanner) addItem(e *ast.Item) error {
	n, err := b.bind(e.Expr, "field list", b, true)
	if err != nil {
		return err
	}
	it := block.Item{Label: e.Label, Node: n}
	if c, ok := n.(*expr.Column); ok {
		it.Origin = b.Scope.At(c.Index)
	}
	b.Items = append(b.Items, it)
	return nil
}

// addStar adds the columns of * or of table.*.
func (b *blockPlanner) addStar(of sqlparser.TableName) error {
	qualifier := of.Name.String()
	if !of.Qualifier.IsEmpty() {
		qualifier = of.Qualifier.String() + "." + qualifier
	}
	found := false
	for _, p := range b.Scope.Parts {
		if qualifier != "" && !p.Relation.Called(qualifier) {
			continue
		}
		found = found || p.Relation.Kind != relation.KindDual
		if qualifier != "" {
			b.addRelation(p)
		}
	}
	if qualifier == "" {
		b.addAll()
	}
	switch {
	case found:
		return nil
	case qualifier != "":
		return mysqlerr.New(mysqlerr.BadTable, "Unknown table '%s'", qualifier)
	}
	return mysqlerr.New(mysqlerr.NoTablesUsed, "No tables used")
}

// addAll adds the columns of all relations, those that joins with USING share once.
func (b *blockPlanner) addAll() {
	for _, c := range b.starColumns {
		r := c.relation
		if c.common {
			r = nil
		}
		origin := &c.relation.Columns[c.at]
		b.starItem(block.Item{Label: origin.Name, Node: c.node, Origin: origin}, r)
	}
}

// addRelation adds the columns of a relation.
func (b *blockPlanner) addRelation(p relation.Part) {
	for i, n := range p.Nodes {
		c := &p.Relation.Columns[i]
		b.starItem(block.Item{Label: c.Name, Node: n, Origin: c}, p.Relation)
	}
}
