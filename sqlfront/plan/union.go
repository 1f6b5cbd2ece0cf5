package plan

import (
	"slices"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

func (q *queryPlanner) union(u *sqlparser.Union, outer *blockPlanner) (*block.Query, []block.Correlation, error) {
	if u.Lock != "" && outer == nil {
		q.lock = u.Lock // of all its queries
	}
	p := unionPlanner{queryPlanner: q, outer: outer}
	if err := p.addUnion(u); err != nil {
		return nil, nil, err
	}
	b, err := p.finish(u)
	if err != nil {
		return nil, nil, err
	}
	p.out.Width, p.out.Subqueries = b.Width, b.Subqueries
	return &block.Query{Columns: p.out.Columns, Union: &p.out, Out: block.NewQuery(p.out.Columns)}, b.Correlations, nil
}

type unionPlanner struct {
	*queryPlanner
	outer *blockPlanner
	out   block.Union
}

// addUnion adds the operands of a statement's set operations, from left to right. A right operand that
// is itself a set operation is planned as a query of its own.
func (p *unionPlanner) addUnion(u *sqlparser.Union) error {
	for _, part := range unitedParts(u, false, nil) {
		if err := p.add(part.node, part.operation); err != nil {
			return err
		}
	}
	return nil
}

// add adds a query.
func (p *unionPlanner) add(s sqlparser.SelectStatement, o clause.SetOperation) error {
	q, correlations, err := p.correlated(s, p.outer)
	if err != nil {
		return err
	}
	p.out.Parts = append(p.out.Parts, block.UnionPart{Query: q, Operation: o, Correlations: correlations})
	return p.unify(q.Columns, o)
}

// unify widens the columns' types to hold the values of all parts. A column of INTERSECT is nullable if both
// sides are, one of EXCEPT if the left side is.
func (p *unionPlanner) unify(columns []relation.Column, o clause.SetOperation) error {
	if p.out.Columns == nil {
		p.out.Columns = slices.Clone(columns)
		return nil
	}
	if len(columns) != len(p.out.Columns) {
		return mysqlerr.New(mysqlerr.WrongNumberOfColumns, "The used SELECT statements have a different number of columns")
	}
	for i := range columns {
		t, left := &p.out.Columns[i].Type, p.out.Columns[i].Type.Nullable
		by, err := bind.CollatedTypes(*t, columns[i].Type)
		if err != nil {
			return err
		}
		*t = unifyTypes(*t, columns[i].Type)
		t.Collated = by
		switch o {
		case clause.Intersect, clause.IntersectAll:
			t.Nullable = left && columns[i].Type.Nullable
		case clause.Except, clause.ExceptAll:
			t.Nullable = left
		}
	}
	return nil
}

// unifyTypes is a type that holds the values of both.
func unifyTypes(a, b value.Type) value.Type {
	out := a
	switch {
	case a.Kind == value.Null || a.Kind == b.Kind && a.Length < b.Length:
		out = b
	case b.Kind == value.Null || a.Kind == b.Kind:
	case a.Kind.IsNumber() && b.Kind.IsNumber():
		out = value.Type{Kind: widerNumber(a.Kind, b.Kind), Decimals: max(a.Decimals, b.Decimals)}
	case isDay(a.Kind) && isDay(b.Kind):
		out = value.Type{Kind: value.DateTime}
	case a.Kind == value.Bytes || b.Kind == value.Bytes:
		out = value.Type{Kind: value.Bytes, Length: max(a.Length, b.Length)}
	default:
		out = value.Type{Kind: value.Text, Length: max(a.Length, b.Length)}
	}
	if a.Kind == b.Kind && a.Name != b.Name {
		out.Name = ""
	}
	if a.Charset != b.Charset {
		out.Charset = ""
	}
	out.Members = nil
	out.Decimals = max(a.Decimals, b.Decimals)
	if out.Kind == value.Decimal && a.Kind.IsNumber() && b.Kind.IsNumber() {
		out = out.WithDigits(max(a.Whole(), b.Whole()))
	}
	out.Nullable = a.Nullable || b.Nullable
	return out
}

func isDay(k value.Kind) bool { return k == value.Date || k == value.DateTime }

// widerNumber is the numeric kind that holds the values of both kinds in a UNION.
func widerNumber(a, b value.Kind) value.Kind {
	switch {
	case a == value.Float || b == value.Float:
		return value.Float
	case a == value.Int && b == value.Int:
		return value.Int
	}
	return value.Decimal
}

// finish binds LIMIT and ORDER BY, in which the labels of the first part are visible. The block planner that
// it returns has the union's frame.
func (p *unionPlanner) finish(u *sqlparser.Union) (*blockPlanner, error) {
	r := &relation.Relation{Kind: relation.KindDerived, Columns: slices.Clone(p.out.Columns)}
	b := p.newBlock(&sqlparser.Select{OrderBy: u.OrderBy}, r.Scope("order clause"), p.outer)
	b.Width = len(r.Columns)
	for i, n := range b.Scope.Parts[0].Nodes {
		b.Items = append(b.Items, block.Item{Label: r.Columns[i].Name, Node: n})
	}
	if err := bindUnionOrder(b); err != nil {
		return nil, err
	}
	p.order(b)
	for i := range p.out.Parts {
		part := &p.out.Parts[i]
		for _, c := range part.Correlations {
			part.From = append(part.From, b.correlate(c.Outer))
		}
	}
	var err error
	p.out.Limit, err = NewLimit(u.Limit, p.carried())
	return b, err
}

// bindUnionOrder binds ORDER BY of a UNION, in which no tables are visible and aggregates are not
// allowed.
func bindUnionOrder(b *blockPlanner) error {
	for _, o := range b.Node.OrderBy {
		if table := qualifierIn(o.Expr); table != "" {
			return mysqlerr.New(mysqlerr.TablenameNotAllowedHere, "Table '%s' from one of the SELECTs cannot be used in "+
				"global ORDER clause", table)
		}
		before := len(b.Aggs)
		if err := b.bindOrderKey(o); err != nil {
			return err
		}
		if b.Windows != nil {
			return bind.WindowMisused(b.Windows.Calls[0].Call.Name)
		}
		if len(b.Aggs) > before {
			return mysqlerr.New(mysqlerr.AggregateOrderForUnion, "Expression #%d of ORDER BY contains aggregate function "+
				"and applies to a UNION", len(b.Order))
		}
	}
	return nil
}

// qualifierIn is the table name of the first qualified column, outside of subqueries.
func qualifierIn(e sqlparser.Expr) string {
	table := ""
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if c, ok := n.(*sqlparser.ColName); ok && table == "" {
			table = c.Qualifier.Name.String()
		}
		_, inner := n.(*sqlparser.Subquery)
		return !inner, nil
	}, e)
	return table
}

// order finds the keys of ORDER BY among the columns of the result, and appends the others.
func (p *unionPlanner) order(b *blockPlanner) {
	for i := range b.Order {
		o := &b.Order[i]
		if c, ok := o.Expr.(*expr.Column); ok && c.Index < len(p.out.Columns) {
			o.Column = c.Index
			continue
		}
		o.Column = len(p.out.Columns) + len(p.out.Keys)
		p.out.Keys = append(p.out.Keys, o.Expr)
	}
	p.out.Order = b.Order
}
