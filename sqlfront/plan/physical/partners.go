package physical

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/correlated"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/exec/query"
	"github.com/hbasekv/hbasekv/sqlfront/exec/subquery"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mayfail"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
)

// A subquery with an equality between its rows and the outer row finds the equal rows, called partners, among
// the rows that are read once for all outer rows. Other conditions and computations run for each outer row.

// partners divides the conditions of a block.
type partners struct {
	outer         []block.Correlation
	own, keys     []expr.Node // operands of the equalities: of the outer rows, and of the block's
	sure          []bool      // by key: whether it is known how they are compared
	all, residual []expr.Node // conditions on all rows, and on partners
	conditions    []expr.Node // all but those on all rows
	given         []correlated.Given
}

// Partnered plans a block over the partners of the outer row; nil if the result could differ from reading all
// rows for each outer row. Its errors are those of [Complete].
func Partnered(q *block.Query, outer []block.Correlation) (*subquery.Partnered, error) {
	b := &builder{Block: q.Block}
	p := partners{outer: outer}
	if b.Out.Lock != nil || b.Volatile() || !p.divide(b) || !b.keepable(b.From, p.all) {
		return nil, nil
	}
	out := &subquery.Partnered{Query: q.Out, Partners: &subquery.Partners{Own: p.own, Sure: p.sure,
		Residual: expr.Conjoin(p.residual), Conditions: expr.Conjoin(p.conditions), Given: p.given}}
	for _, c := range outer {
		out.Slots = append(out.Slots, c.Slot)
	}
	b.Correlations = nil
	above := append(append(b.Computed(), b.Nodes...), p.residual...)
	readsOutside := func(n expr.Node) bool { return expr.Reads(n, p.outside) }
	out.ByKey = len(p.given) == 0 && !slices.ContainsFunc(above, readsOutside)
	out.Looked = slices.ContainsFunc(p.keys, func(n expr.Node) bool {
		c, ok := n.(*expr.Column)
		return ok && block.KeyIn(b.From, c.Index) == 0
	})
	for at := range condition.ColumnsIn(above) {
		if b.Scope.At(at) != nil {
			out.Columns = append(out.Columns, at)
		}
	}
	slices.Sort(out.Columns)
	var err error
	out.All, err = b.allRows(p, out.Columns)
	b.Out.Source, b.Out.Projection = out.Partners, pipeline.NewProjection(b.Nodes)
	b.completeOver(q.Out)
	return out, err
}

// ofOneTable reports whether a block reads only a stored table, or a pivot of one, without locks.
func ofOneTable(b *block.Block) bool {
	l, ok := b.From.(*block.Leaf)
	return ok && len(l.Lateral) == 0 && (l.Relation.OfCells() || l.Derived != nil && l.Derived.OfTable()) &&
		b.Out.Lock == nil && !b.Volatile()
}

// keepable reports whether a table expression has the same rows for all outer rows, and no cross product.
func (b *builder) keepable(from block.From, conds []expr.Node) bool {
	switch from := from.(type) {
	case *block.Leaf:
		return len(from.Lateral) == 0 && (from.Relation.OfCells() || from.Derived != nil && from.Derived.Settled())
	case *block.Join:
		keys, _ := b.hashKeys(from, append(slices.Clone(from.On), conds...))
		return len(keys) > 0 && b.keepable(from.Left, conds) && b.keepable(from.Right, conds)
	}
	return false
}

// allRows is the query of the keys and columns for all outer rows.
func (b *builder) allRows(p partners, columns []int) (*query.Query, error) {
	nodes := p.keys
	for _, at := range columns {
		nodes = append(nodes, &expr.Column{Index: at, T: b.Scope.At(at).Type})
	}
	b.used = condition.ColumnsIn(nodes)
	source, err := b.build(b.From, p.all)
	body := &query.Select{Source: source, Projection: pipeline.NewProjection(nodes), Columns: len(nodes)}
	body.Projection.FindCells(source)
	out := &query.Query{Width: b.Width, Body: body, Subqueries: b.Subqueries}
	for _, n := range nodes {
		out.Types = append(out.Types, n.Type())
	}
	return out, err
}

// divide removes the equalities with the outer blocks from WHERE. It is false if there are none, or if the
// rows on which the other conditions are checked would matter: one that may warn or fail and follows the
// equalities is checked on partners, as are those after it.
func (p *partners) divide(b *builder) bool {
	where := b.inTurn()
	last := p.takeEqual(where)
	anyLoud := false
	for i, n := range where {
		late, reads, quiet := i > last && !b.asksEarly(n), expr.Reads(n, p.outside), !mayfail.Condition(n)
		switch keys, _, _ := p.equal(n); {
		case keys != nil:
		case reads && !late && !quiet:
			if n = p.lifted(b, n); n == nil {
				return false
			}
			p.residual, p.conditions = append(p.residual, n), append(p.conditions, where[i])
			continue
		case reads || late && (anyLoud || !quiet):
			p.residual, anyLoud = append(p.residual, n), anyLoud || !quiet
		default:
			p.all = append(p.all, n)
			continue
		}
		p.conditions = append(p.conditions, n)
	}
	return last >= 0
}

// lifted replaces what a condition computes from the outer row alone by columns, so that it neither warns nor
// fails; nil if it still might. The computation itself may: an outer row for which it does is looked up on
// its own.
func (p *partners) lifted(b *builder, n expr.Node) expr.Node {
	var given []correlated.Given
	var lift func(n expr.Node) expr.Node
	lift = func(n expr.Node) expr.Node {
		if !p.liftable(n) {
			return expr.RewriteOperands(n, lift)
		}
		given = append(given, correlated.Given{X: n, Slot: b.Alloc()})
		return &expr.Column{Index: b.Width - 1, Name: "given", T: n.Type()}
	}
	out := lift(n)
	if mayfail.Condition(out) {
		return nil
	}
	p.given = append(p.given, given...)
	return out
}

// liftable reports whether an expression is computed from the outer row alone, and gives integers or strings.
func (p *partners) liftable(n expr.Node) bool {
	return mayfail.Value(n) && (condition.GivesInteger(n) || condition.GivesString(n)) && expr.Reads(n, p.outside) &&
		expr.OnlyColumns(n, p.outside) && !expr.IsVolatile(n) && !op.HasSubquery(n)
}

// takeEqual collects the equalities, and returns the index of the last one.
func (p *partners) takeEqual(where []expr.Node) (last int) {
	last = -1
	for i, n := range where {
		keys, exact, sure := p.equal(n)
		if keys == nil {
			continue
		}
		last = i
		for _, k := range keys {
			p.own, p.keys, p.sure = append(p.own, k.X), append(p.keys, k.Y), append(p.sure, sure)
		}
		if !exact {
			p.residual = append(p.residual, n)
		}
	}
	return last
}

// inTurn are the conditions in the order in which they are checked: those on V of a stored table come last.
func (b *builder) inTurn() (where []expr.Node) {
	l, ok := b.From.(*block.Leaf)
	if !ok || !l.Relation.Stored() {
		return b.Where
	}
	v := l.Relation.KeyColumns(l.First).V
	readsV := func(n expr.Node) bool { return expr.Reads(n, func(index int) bool { return index == v }) }
	var last []expr.Node
	for _, n := range b.Where {
		if readsV(n) {
			last = append(last, n)
		} else {
			where = append(where, n)
		}
	}
	return append(where, last...)
}

// asksEarly reports whether a condition may be checked before those that are written before it: on a side of
// a join, or below groups if it reads only their keys.
func (b *builder) asksEarly(n expr.Node) bool {
	l, ok := b.From.(*block.Leaf)
	if !ok {
		return true
	}
	if l.Relation.Typed != nil {
		return !expr.Reads(n, func(index int) bool { return block.Holds(l, index) })
	}
	if l.Derived == nil || l.Derived.Block == nil || !l.Derived.Block.Aggregated {
		return false
	}
	grouped := l.Derived.Block.Grouped()
	return expr.OnlyColumns(n, func(index int) bool {
		if !block.Holds(l, index) {
			return true
		}
		c, ok := l.Derived.Block.Items[index-l.First].Node.(*expr.Column)
		return ok && grouped[c.Index]
	})
}

func (p *partners) outside(index int) bool { return outerAt(p.outer, index) >= 0 }

// equal are the keys that a condition sets equal, of the outer blocks and of the block's rows; nil for none.
// exact says that it accepts all rows with equal keys, sure that the keys are equal in all rows that it
// accepts, whatever their kinds.
func (p *partners) equal(n expr.Node) (keys []condition.KeyPair, exact, sure bool) {
	for _, side := range condition.ComparedAsEqual(n) {
		own, key := side[0], side[1]
		if !expr.Reads(own, p.outside) || !expr.OnlyColumns(own, p.outside) || expr.Reads(key, p.outside) ||
			!expr.Reads(key, func(int) bool { return true }) || expr.IsVolatile(n) {
			continue
		}
		if keys, exact := condition.EqualKeys(n, side); keys != nil {
			return keys, exact, true
		}
		switch one, other := own.Type().Kind, key.Type().Kind; {
		case one.IsString() == other.IsString():
		case one.IsTemporal(), other.IsTemporal():
			continue // a text is compared as a date, not as a number
		default:
			own, key = condition.AsDouble(own), condition.AsDouble(key)
		}
		return condition.KeysFor(n, own, key), false, false
	}
	return nil, false, false
}
