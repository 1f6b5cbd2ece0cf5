package plan

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/loud"
)

// A subquery of one table, or pivot, that sets something of its rows equal to something of
// the row around finds these rows, its partners, among those for all rows around. Whatever
// else it asks of them, or makes of them, it does for each row around.

// partners divides the conditions of a block for that.
type partners struct {
	outer     []correlation
	own, keys []expr.Node // what is equal, of the rows around and of the block's
	all, rest []expr.Node // conditions on all rows, and on partners
	asked     []expr.Node // all but those on all rows
}

// partnered plans a block over the partners of the row around; nil where that cannot be told
// from reading all rows for each.
func (q *query) partnered(outer []correlation) (*exec.Partnered, error) {
	b := q.planner
	p := partners{outer: outer}
	if !b.ofOneTable() || !p.divide(b) {
		return nil, nil
	}
	out := &exec.Partnered{Query: q.out, Partners: &exec.Partners{Own: p.own, Rest: expr.Conjoin(p.rest), Asked: expr.Conjoin(p.asked)}}
	for _, c := range outer {
		out.Slots = append(out.Slots, c.slot)
	}
	b.correlations = nil
	above := append(append(b.computed(), b.nodes...), p.rest...)
	out.ByKey = !slices.ContainsFunc(above, func(n expr.Node) bool { return expr.Reads(n, p.outside) })
	for at := range columnsIn(above) {
		if b.scope.at(at) != nil {
			out.Columns = append(out.Columns, at)
		}
	}
	slices.Sort(out.Columns)
	var err error
	out.All, err = b.allRows(p, out.Columns)
	b.out.Source, b.out.Projection = out.Partners, exec.NewProjection(b.nodes)
	b.completeOver(q.out)
	return out, err
}

// ofOneTable reports whether a block reads a stored table, or a pivot of one, and locks
// nothing.
func (b *blockPlanner) ofOneTable() bool {
	l, ok := b.from.(*leaf)
	return ok && (l.relation.stored() || l.derived != nil && l.derived.ofTable()) && b.out.Lock == nil && !b.volatile()
}

// allRows are the keys and columns of the rows for all rows around.
func (b *blockPlanner) allRows(p partners, columns []int) (*exec.Query, error) {
	nodes := p.keys
	for _, at := range columns {
		nodes = append(nodes, &expr.Column{Index: at, T: b.scope.at(at).Type})
	}
	b.used = columnsIn(nodes)
	source, err := b.build(b.from, p.all)
	body := &exec.Select{Source: source, Projection: exec.NewProjection(nodes), Columns: len(nodes)}
	body.Projection.FindCells(source)
	out := &exec.Query{Width: b.width, Body: body, Subqueries: b.subqueries}
	for _, n := range nodes {
		out.Types = append(out.Types, n.Type())
	}
	return out, err
}

// divide takes the equalities with the blocks around out of WHERE. It is false where there
// are none, or it would show of how many rows the others are asked: one that may warn or fail
// is asked of partners if it is asked behind the equalities, and so is what comes behind it.
func (p *partners) divide(b *blockPlanner) bool {
	where, stored := b.inTurn()
	last := p.takeEqual(where)
	anyLoud := false
	for i, n := range where {
		late, reads, quiet := i > last && stored, expr.Reads(n, p.outside), !loud.Condition(n)
		switch keys, _ := p.equal(n); {
		case keys != nil:
		case reads && !late && !quiet:
			return false
		case reads || late && (anyLoud || !quiet):
			p.rest, anyLoud = append(p.rest, n), anyLoud || !quiet
		default:
			p.all = append(p.all, n)
			continue
		}
		p.asked = append(p.asked, n)
	}
	return last >= 0
}

// takeEqual takes the equalities, and gives the place of the last one.
func (p *partners) takeEqual(where []expr.Node) (last int) {
	last = -1
	for i, n := range where {
		keys, exact := p.equal(n)
		if keys == nil {
			continue
		}
		last = i
		for _, k := range keys {
			p.own, p.keys = append(p.own, k.x), append(p.keys, k.y)
		}
		if !exact {
			p.rest = append(p.rest, n)
		}
	}
	return last
}

// inTurn are the conditions in the turn in which they are asked, which of a derived table is
// not known: of a stored one those on values come last.
func (b *blockPlanner) inTurn() (where []expr.Node, known bool) {
	l := b.from.(*leaf)
	if !l.relation.stored() {
		return b.where, false
	}
	v := l.relation.keyColumns(l.first).V
	readsV := func(n expr.Node) bool { return expr.Reads(n, func(index int) bool { return index == v }) }
	var last []expr.Node
	for _, n := range b.where {
		if readsV(n) {
			last = append(last, n)
		} else {
			where = append(where, n)
		}
	}
	return append(where, last...), true
}

func (p *partners) outside(index int) bool { return outerAt(p.outer, index) >= 0 }

// equal are the keys that a condition sets equal, of the blocks around and of the block's
// rows; none for nothing. It is exact where rows with such keys are all that it accepts.
func (p *partners) equal(n expr.Node) (keys []keyPair, exact bool) {
	for _, side := range comparedAsEqual(n) {
		own, key := side[0], side[1]
		if !expr.Reads(own, p.outside) || !expr.OnlyColumns(own, p.outside) || expr.Reads(key, p.outside) ||
			!expr.Reads(key, func(int) bool { return true }) || expr.IsVolatile(n) {
			continue
		}
		if keys, exact := equalKeys(n, side); keys != nil {
			return keys, exact
		}
		if own.Type().Kind.IsString() != key.Type().Kind.IsString() {
			own, key = asDouble(own), asDouble(key)
		}
		return keysFor(n, own, key), false
	}
	return nil, false
}

// asDouble is a value as it is compared where a number and a string are.
func asDouble(n expr.Node) expr.Node { return &expr.Cast{X: n, To: expr.ToDouble, Length: -1} }
