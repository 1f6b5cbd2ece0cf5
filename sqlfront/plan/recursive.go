package plan

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/exec/setop"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

func (r *recursion) error(n mysqlerr.Number, format string) error {
	return mysqlerr.New(n, format, r.common.Name)
}

func (r *recursion) misplaced() error {
	return r.error(mysqlerr.CTERecursiveRequiresNonrecursive, "Recursive Common Table Expression '%s' should have one or more "+
		"non-recursive query blocks followed by one or more recursive ones")
}

// recursionOf is the recursion for c that is being planned, or nil.
func (q *queryPlanner) recursionOf(c *ast.CommonTable) *recursion {
	for r := q.recursion; r != nil; r = r.around {
		if r.common == c {
			return r
		}
	}
	return nil
}

// workingRelation is the recursion in FROM of its own parts: the rows of the previous step.
func (b *blockPlanner) workingRelation(r *recursion, alias string) (*relation.Relation, error) {
	if r.references++; r.references > 1 || b.planning.within != r.within || b.outer != nil {
		return nil, r.error(mysqlerr.CTERecursiveRequiresSingleReference, "In recursive query block of Recursive Common Table "+
			"Expression '%s', the recursive table must be referenced only once, and not in any subquery")
	}
	if alias == "" {
		alias = r.common.Name
	}
	out := &relation.Relation{Kind: relation.KindWorking, Name: alias, Alias: alias, Working: r.out}
	out.Columns = append(out.Columns, r.columns...)
	out.NameColumns()
	return out, nil
}

// recursiveQuery plans a recursive common table expression: a UNION whose first parts do not name it.
func (q *queryPlanner) recursiveQuery(c *ast.CommonTable) (*block.Query, error) {
	r := &recursion{common: c, out: &setop.Union{Name: c.Name}, within: q.within + 1, around: q.recursion}
	q.recursion = r
	defer func() { q.recursion = r.around }()
	u, ok := c.Node.(*sqlparser.Union)
	if !ok {
		return nil, r.error(mysqlerr.CTERecursiveRequiresUnion, "Recursive Common Table Expression '%s' should contain a UNION")
	}
	if !unites(u) {
		return nil, notUnited()
	}
	if len(u.OrderBy) > 0 {
		return nil, mysqlerr.Unsupported("ORDER BY over UNION in recursive Common Table Expression")
	}
	p := unionPlanner{queryPlanner: q}
	p.out.Out = r.out
	for _, part := range unitedParts(u, true, nil) {
		if err := p.addRecursive(r, part); err != nil {
			return nil, err
		}
	}
	if p.out.Recursive == 0 {
		return nil, r.misplaced()
	}
	b, err := p.finish(u)
	if err != nil {
		return nil, err
	}
	p.out.Width, p.out.Subqueries, r.out.Recursive = b.Width, b.Subqueries, p.out.Recursive
	return &block.Query{Columns: p.out.Columns, Union: &p.out, Out: block.NewQuery(p.out.Columns)}, nil
}

// unitedPart is a query of a set operation; operation is as of unionPart.
type unitedPart struct {
	node      sqlparser.SelectStatement
	operation clause.SetOperation
}

// unitedParts appends the operands of a statement's set operations, from left to right. Together with unions,
// operands of EXCEPT and INTERSECT stay whole.
func unitedParts(u *sqlparser.Union, unions bool, out []unitedPart) []unitedPart {
	left, ok := u.Left.(*sqlparser.Union)
	if ok && (!unions || unites(left)) {
		out = unitedParts(left, unions, out)
	} else {
		out = append(out, unitedPart{node: u.Left})
	}
	return append(out, unitedPart{u.Right, clause.ParseSetOperation(u.Type)})
}

// unites is false for EXCEPT and INTERSECT.
func unites(u *sqlparser.Union) bool {
	o := clause.ParseSetOperation(u.Type)
	return o == clause.Union || o == clause.UnionAll
}

// addRecursive adds a part of a recursion. The types are those of the parts that do not recurse.
func (p *unionPlanner) addRecursive(r *recursion, part unitedPart) error {
	for inner, ok := part.node.(*sqlparser.ParenSelect); ok; inner, ok = part.node.(*sqlparser.ParenSelect) {
		part.node = inner.Select
	}
	refers := refersTo(part.node, r.common, map[*ast.CommonTable]bool{})
	switch {
	case !refers && p.out.Recursive == 0:
		return p.add(part.node, part.operation)
	case refers && isOther(part.node):
		return notUnited()
	case !refers || len(p.out.Parts) == 0:
		return r.misplaced()
	case p.out.Recursive == 0:
		p.out.Recursive = len(p.out.Parts)
		p.settleColumns(r)
	}
	r.references = 0
	q, correlations, err := p.correlated(part.node, nil)
	if err != nil {
		return err
	}
	if len(q.Columns) != len(p.out.Columns) {
		return mysqlerr.New(mysqlerr.WrongNumberOfColumns, "The used SELECT statements have a different number of columns")
	}
	p.out.Parts = append(p.out.Parts, block.UnionPart{Query: q, Operation: part.operation, Correlations: correlations})
	return r.check(q)
}

// isOther reports whether the query is an EXCEPT or INTERSECT.
func isOther(node sqlparser.SelectStatement) bool {
	u, ok := node.(*sqlparser.Union)
	return ok && !unites(u)
}

func notUnited() error {
	return mysqlerr.New(mysqlerr.CTERecursiveNotUnion,
		"Recursive table reference in EXCEPT or INTERSECT operand is not allowed")
}

// settleColumns names the columns and makes them nullable, as in MySQL. A column that is only NULL is a
// binary string of length 0.
func (p *unionPlanner) settleColumns(r *recursion) {
	for i := range p.out.Columns {
		c := &p.out.Columns[i]
		limit := -1
		if c.Type.Kind == value.Null {
			c.Type.Kind, limit = value.Bytes, 0
		}
		if c.Type.Nullable = true; c.Type.Kind.IsString() && c.Type.Length > 0 {
			limit = c.Type.Length
		}
		own := relation.Column{Name: c.Name, Type: c.Type.OfColumn()}
		if i < len(r.common.Columns) {
			own.Name = r.common.Columns[i]
		}
		r.columns = append(r.columns, own)
		r.out.Columns = append(r.out.Columns, setop.RecursiveColumn{Name: own.Name, Limit: limit})
	}
}

// check refuses a part that cannot be computed from the rows of one step.
func (r *recursion) check(q *block.Query) error {
	b := q.Block
	switch {
	case b == nil:
		return mysqlerr.Unsupported("UNION in parentheses in a recursive query block")
	case b.Aggregated || b.Windows != nil:
		return r.error(mysqlerr.CTERecursiveForbidsAggregation, "Recursive Common Table Expression '%s' can contain neither "+
			"aggregation nor window functions in recursive query block")
	case b.Out.Distinct || b.Out.Limit.Present || len(b.Order) > 0:
		return mysqlerr.Unsupported("ORDER BY / LIMIT / SELECT DISTINCT in recursive query block of Common Table Expression")
	case mayMiss(b.From, false):
		return r.error(mysqlerr.CTERecursiveForbiddenJoinOrder, "In recursive query block of Recursive Common Table Expression "+
			"'%s', the recursive table must neither be in the right argument of a LEFT JOIN, nor be forced to be non-first with "+
			"join order hints")
	}
	return nil
}

// mayMiss reports whether the recursion is on the side of an outer join that may have no row.
func mayMiss(from block.From, outer bool) bool {
	switch from := from.(type) {
	case *block.Join:
		return mayMiss(from.Left, outer) || mayMiss(from.Right, outer || from.Outer)
	case *block.Leaf:
		return outer && from.Relation.Working != nil
	}
	return false
}

// refersTo reports whether a query names the common table expression, directly or through others.
func refersTo(node sqlparser.SQLNode, c *ast.CommonTable, seen map[*ast.CommonTable]bool) bool {
	found := false
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if t, ok := n.(*ast.Table); ok && t.Common != nil {
			found = found || t.Common == c
			if !found && !seen[t.Common] {
				seen[t.Common] = true
				found = refersTo(t.Common.Node, c, seen)
			}
		}
		return !found, nil
	}, node)
	return found
}
