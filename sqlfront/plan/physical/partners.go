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

// A subquery that sets something of its rows equal to something of the outer row finds these
// rows, its partners, among those for all outer rows. Whatever else it asks of them, or makes of
// them, it does for each outer row.

// partners divides the conditions of a block for that.
type partners struct {
	outer         []block.Correlation
	own, keys     []expr.Node // what is equal, of the outer rows and of the block's
	sure          []bool      // of keys of which it is known how they are compared
	all, residual []expr.Node // conditions on all rows, and on partners
	conditions    []expr.Node // all but those on all rows
	given         []correlated.Given
}

// Partnered plans a block over the partners of the outer row; nil where that cannot be told
// from reading all rows for each. Its errors are those of [Complete].
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

// ofOneTable reports whether a block reads a stored table, or a pivot of one, and locks
// nothing.
func ofOneTable(b *block.Block) bool {
	l, ok := b.From.(*block.Leaf)
	return ok && len(l.Lateral) == 0 && (l.Relation.OfCells() || l.Derived != nil && l.Derived.OfTable()) &&
		b.Out.Lock == nil && !b.Volatile()
}

// keepable reports whether the rows of a table expression are the same ones for all outer rows,
// and no product.
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

// allRows are the keys and columns of the rows for all outer rows.
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

// divide takes the equalities with the outer blocks out of WHERE. It is false where there
// are none, or it would show of how many rows the others are asked: one that may warn or fail
// is asked of partners if it is asked behind the equalities, and so is what comes behind it.
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

// lifted is a condition with columns in the place of what is computed of the outer row alone, so
// that it neither warns nor fails; nil where it would all the same. What is computed may: an outer row
// for which it does looks its rows up.
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

// liftable reports whether an expression is computed of the outer row alone, and gives integers
// or strings.
func (p *partners) liftable(n expr.Node) bool {
	return mayfail.Value(n) && (condition.GivesInteger(n) || condition.GivesString(n)) && expr.Reads(n, p.outside) &&
		expr.OnlyColumns(n, p.outside) && !expr.IsVolatile(n) && !op.HasSubquery(n)
}

// takeEqual takes the equalities, and gives the place of the last one.
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

// inTurn are the conditions in the turn in which they are asked: of a stored table those on
// values come last.
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

// asksEarly reports whether a condition may be asked before others that are written in front of
// it: of the sides of a join, or below groups, of which it reads the keys alone.
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

// equal are the keys that a condition sets equal, of the outer blocks and of the block's
// rows; none for nothing. It is exact where rows with such keys are all that it accepts, and sure
// where keys of all kinds are equal in rows that it accepts.
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
		if own.Type().Kind.IsString() != key.Type().Kind.IsString() {
			own, key = condition.AsDouble(own), condition.AsDouble(key)
		}
		return condition.KeysFor(n, own, key), false, false
	}
	return nil, false, false
}
