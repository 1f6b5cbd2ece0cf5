package plan

import (
	"maps"
	"slices"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/expr/member"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
)

// planFrom binds FROM.
func (b *blockPlanner) planFrom(exprs sqlparser.TableExprs) (block.From, error) {
	b.correlateLaterals(exprs)
	return b.tableExprs(exprs)
}

// tableExprs binds table expressions; a comma is a join.
func (b *blockPlanner) tableExprs(exprs sqlparser.TableExprs) (block.From, error) {
	var out block.From
	for _, e := range exprs {
		next, err := b.tableExpr(e)
		if err != nil {
			return nil, err
		}
		if out == nil {
			out = next
		} else {
			out = &block.Join{Left: out, Right: next}
		}
	}
	return out, nil
}

func (b *blockPlanner) tableExpr(e sqlparser.TableExpr) (block.From, error) {
	switch e := e.(type) {
	case *sqlparser.AliasedTableExpr:
		return b.aliasedTable(e)
	case *sqlparser.ParenTableExpr:
		return b.tableExprs(e.Exprs)
	case *sqlparser.JoinTableExpr:
		return b.join(e)
	}
	return nil, mysqlerr.Unsupported(sqlparser.String(e))
}

func (b *blockPlanner) aliasedTable(e *sqlparser.AliasedTableExpr) (block.From, error) {
	l := &block.Leaf{First: b.Width}
	var err error
	switch t := e.Expr.(type) {
	case *ast.Table:
		if t.Common != nil {
			l.Relation, l.Derived, err = b.common(t, e.As.String())
			l.Again = func() (*block.Query, error) { return b.commonQuery(t.Common) }
			break
		}
		l.Relation, l.Derived, err = b.named(t, e.As.String())
		l.Again = func() (*block.Query, error) { same := *l.Relation; return b.viewQuery(&same, b.lockClause()) }
	case *sqlparser.Subquery:
		l.Relation, l.Derived, err = b.derived(t, e.As.String())
		l.Again = func() (*block.Query, error) { return b.query(t.Select, nil) }
	case *ast.JSONTable:
		q, correlations, err := b.inFront(t.Lateral)
		if err == nil {
			err = b.addJSONTable(l, t, e.As.String(), q, correlations)
		}
		if err != nil {
			return nil, err
		}
	case *ast.Lateral:
		err = b.addLateral(l, t, e.As.String())
	}
	if err != nil {
		return nil, err
	}
	if again := l.Again; again != nil {
		l.Again = func() (*block.Query, error) { return b.onceMore(again) }
	}
	return l, b.addLeaf(l)
}

// named is the relation of that name, with the SELECT of a view.
func (b *blockPlanner) named(table *ast.Table, alias string) (*relation.Relation, *block.Query, error) {
	if err := b.mayRead(table, alias); err != nil {
		return nil, nil, err
	}
	r, err := b.TableNamed(b.hints, table, alias)
	if err != nil {
		return nil, nil, err
	}
	if b.isTarget(table, alias) {
		r.Restrict(&b.Resolver)
	}
	r.View = b.reading.choose(r.View)
	b.reads = append(b.reads, r)
	if r.OfMoments() {
		r.AddMoment()
	}
	if r.Definition == nil {
		return r, nil, nil
	}
	q, err := b.viewQuery(r, b.lockClause())
	return r, q, err
}

// MySQL's limits of one SELECT.
const (
	maxTables  = 61
	maxColumns = 4096
)

// addLeaf puts a relation's columns into the frame and into scope.
func (b *blockPlanner) addLeaf(l *block.Leaf) error {
	for _, p := range b.Scope.Parts {
		if p.Relation.Alias == l.Relation.Alias && (p.Relation.Database == l.Relation.Database || l.Relation.Database == "") {
			return mysqlerr.New(mysqlerr.NonUniqTable, "Not unique table/alias: '%s'", l.Relation.Alias)
		}
	}
	if len(b.Scope.Parts) >= maxTables {
		return mysqlerr.New(mysqlerr.TooManyTables, "Too many tables; MySQL can only use %d tables in a join", maxTables)
	}
	b.Width += len(l.Relation.Columns)
	nodes := b.Scope.Add(l.Relation, l.First)
	if err := b.bindVirtual(l, nodes); err != nil {
		return err
	}
	for i, n := range nodes {
		if l.Relation.Columns[i].Hidden {
			continue
		}
		b.starColumns = append(b.starColumns, starColumn{relation: l.Relation, at: i, node: n})
	}
	return nil
}

// derived plans a subquery in FROM, which cannot refer to outer blocks.
func (b *blockPlanner) derived(s *sqlparser.Subquery, alias string) (*relation.Relation, *block.Query, error) {
	q, err := b.query(s.Select, nil)
	if err != nil {
		return nil, nil, err
	}
	if alias == "" {
		return nil, nil, mysqlerr.New(mysqlerr.DerivedMustHaveAlias, "Every derived table must have its own alias")
	}
	r, err := derivedRelation(alias, nil, q)
	return r, q, err
}

// derivedRelation is a query in FROM; names are those of its columns, nil for the query's own.
func derivedRelation(alias string, names []string, q *block.Query) (*relation.Relation, error) {
	r := &relation.Relation{Kind: relation.KindDerived, Name: alias, Alias: alias}
	for i, c := range q.Columns {
		name := c.Name
		if names != nil {
			name = names[i]
		}
		if r.Find(name) >= 0 {
			return nil, mysqlerr.New(mysqlerr.DupFieldName, "Duplicate column name '%s'", name)
		}
		r.Columns = append(r.Columns, relation.Column{Name: name, Type: c.Type.OfColumn()})
	}
	r.NameColumns()
	return r, nil
}

func (b *blockPlanner) join(e *sqlparser.JoinTableExpr) (block.From, error) {
	firstPart, firstStar := len(b.Scope.Parts), len(b.starColumns)
	left, err := b.tableExpr(e.LeftExpr)
	if err != nil {
		return nil, err
	}
	middle, middleStar := len(b.Scope.Parts), len(b.starColumns)
	right, err := b.tableExpr(e.RightExpr)
	if err != nil {
		return nil, err
	}
	j := &block.Join{Left: left, Right: right}
	turned := e.Join == sqlparser.RightJoinStr || e.Join == sqlparser.NaturalRightJoinStr
	j.Outer = turned || e.Join == sqlparser.LeftJoinStr || e.Join == sqlparser.NaturalLeftJoinStr
	j.Straight = e.Join == sqlparser.StraightJoinStr
	parts := b.Scope.Parts
	sides := joinSides{blockPlanner: b, left: parts[firstPart:middle], right: parts[middle:], turned: turned}
	if turned && block.ReadsOther(j.Right, j.Left) != nil {
		return nil, forbiddenLateral(block.ReadsOther(j.Right, j.Left))
	}
	if j.On, err = sides.condition(e); err != nil {
		return nil, err
	}
	sides.makeNullable(j.Outer)
	if sides.common != nil {
		sides.orderStar(b.starColumns[firstStar:middleStar], b.starColumns[middleStar:])
	}
	if turned {
		j.Left, j.Right = j.Right, j.Left
	}
	return j, nil
}

// joinSides are the relations left and right of a JOIN.
type joinSides struct {
	*blockPlanner
	left, right []relation.Part
	turned      bool // RIGHT JOIN
	// common maps each column that both sides have, of one side, to that of the side that * shows; nil if the
	// join has none.
	common map[expr.Node]expr.Node
}

// orderStar sorts the columns of a join with USING in the order of *
// (https://dev.mysql.com/doc/refman/5.7/en/join.html): the common ones, those of the side whose rows are all
// returned, those of the other.
func (s *joinSides) orderStar(left, right []starColumn) {
	first, second := left, right
	if s.turned {
		first, second = right, left
	}
	shown := slices.Collect(maps.Values(s.common))
	var common, rest []starColumn
	for _, c := range first {
		if slices.Contains(shown, expr.Node(c.node)) {
			c.common = true
			common = append(common, c)
		} else {
			rest = append(rest, c)
		}
	}
	for _, c := range second {
		if s.common[c.node] == nil {
			rest = append(rest, c)
		}
	}
	s.starColumns = append(s.starColumns[:len(s.starColumns)-len(left)-len(right)], append(common, rest...)...)
}

func (s *joinSides) condition(e *sqlparser.JoinTableExpr) ([]expr.Node, error) {
	switch {
	case e.Condition.On != nil:
		return s.onCondition(e.Condition.On)
	case e.Condition.Using != nil:
		return s.using(e.Condition.Using)
	}
	switch e.Join {
	case sqlparser.NaturalJoinStr, sqlparser.NaturalLeftJoinStr, sqlparser.NaturalRightJoinStr:
		return s.using(s.sameNames())
	}
	return nil, nil
}

// onCondition binds ON, in which only the relations of its join are visible.
func (s *joinSides) onCondition(e sqlparser.Expr) ([]expr.Node, error) {
	all := s.Scope
	s.Scope = &relation.Scope{Parts: append(append([]relation.Part(nil), s.left...), s.right...)}
	n, err := s.bind(e, "on clause", s.blockPlanner, false)
	s.Scope = all
	if err != nil {
		return nil, err
	}
	return expr.Conjuncts(member.Numeric(n)), nil
}

// sameNames are the columns that both sides have, for NATURAL JOIN.
func (s *joinSides) sameNames() sqlparser.Columns {
	var out sqlparser.Columns
	left, right := relation.Scope{Parts: s.left}, relation.Scope{Parts: s.right}
	for _, p := range s.left {
		for i, c := range p.Relation.Columns {
			l, _ := left.Find("", c.Name)
			r, _ := right.Find("", c.Name)
			if l != nil && r != nil && !p.Hidden[i] && !c.Hidden {
				out = append(out, sqlparser.NewColIdent(c.Name))
			}
		}
	}
	return out
}

// using makes the condition of USING, and hides the common columns of the side that may have no row.
func (s *joinSides) using(columns sqlparser.Columns) ([]expr.Node, error) {
	var on []expr.Node
	s.common = map[expr.Node]expr.Node{}
	left := relation.Scope{Parts: s.left, Clause: "from clause"}
	right := relation.Scope{Parts: s.right, Clause: "from clause"}
	for i, c := range columns {
		if slices.ContainsFunc(columns[:i], c.Equal) {
			continue
		}
		l, err := left.Resolve("", c.String())
		if err != nil {
			return nil, err
		}
		r, err := right.Resolve("", c.String())
		if err != nil {
			return nil, err
		}
		equal, err := bind.Equality(l, r)
		if err != nil {
			return nil, err
		}
		on = append(on, equal)
		if s.turned {
			l, r = r, l
		}
		hide(s.left, r)
		hide(s.right, r)
		s.common[r] = l
	}
	return on, nil
}

// hide excludes a column from * and from unqualified names.
func hide(parts []relation.Part, n expr.Node) {
	for _, p := range parts {
		for i := range p.Nodes {
			if expr.Node(p.Nodes[i]) == n {
				p.Hidden[i] = true
			}
		}
	}
}

// makeNullable marks the columns of the side that an outer join fills with NULLs.
func (s *joinSides) makeNullable(outer bool) {
	if !outer {
		return
	}
	parts := s.right
	if s.turned {
		parts = s.left
	}
	for _, p := range parts {
		for _, n := range p.Nodes {
			n.T.Nullable = true
		}
	}
}
