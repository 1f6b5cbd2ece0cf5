package exec

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// pairs are the rows of a batch of a join: rows of a left batch, and of the right side
// the numbers of those that join them, -1 for none. The pairs of a left row follow each
// other.
type pairs struct {
	lefts, rights []int32
	l             *kernel.Batch
	out           *kernel.Batch
	matched       []int32
	rest          kernel.Filter // nil where nothing else is asked
	given         int
	above         columnReader // asked before the first pairs; nil for all, and then
}

// rightRows are what the numbers of right rows stand for.
type rightRows interface {
	// column is the values of a column of the schema, NULL at -1: in the memory of a
	// vector of that kind, or of the rows.
	column(at int, rows []int32, own *value.Vector) *value.Vector
}

// newPairs is nil where a condition is for rows.
func newPairs(l *batchReader, right kernel.Schema, rows rightRows, rest expr.Node) *pairs {
	p := &pairs{}
	schema := append(l.schema[:len(l.schema):len(l.schema)], right...)
	own := make([]value.Vector, len(schema))
	p.out = kernel.NewBatch(schema, func(at int, v *value.Vector) {
		own[at].Kind = schema[at].Kind
		if at < len(l.schema) {
			*v = *rowsOf(p.l.Column(at), p.lefts, &own[at])
		} else {
			*v = *rows.column(at-len(l.schema), p.rights, &own[at])
		}
	})
	if rest != nil {
		c := &kernel.Compiler{Schema: schema, Env: l.env()}
		if p.rest = c.Condition(rest); p.rest == nil {
			return nil
		}
	}
	return p
}

// rowsOf is the values of a vector at some rows, NULL at -1. Where the rows follow each
// other they stay where they are, and have their codes; else they are gathered in own.
func rowsOf(of *value.Vector, rows []int32, own *value.Vector) *value.Vector {
	if len(rows) > 0 && follow(rows) {
		view := of.Slice(rows[0], len(rows))
		return &view
	}
	own.Start(own.Kind, len(rows))
	gatherRows(own, 0, of, rows)
	return own
}

// follow reports whether each of the numbers is that of a row, and one more than the one
// before.
func follow(rows []int32) bool {
	first := rows[0]
	if int(rows[len(rows)-1]-first) != len(rows)-1 || first < 0 {
		return false
	}
	for at, i := range rows {
		if i != first+int32(at) {
			return false
		}
	}
	return true
}

// gatherRows sets a vector, from a place on, to the values of another one at some rows,
// NULL at -1.
func gatherRows(to *value.Vector, place int, of *value.Vector, rows []int32) {
	for at, i := range rows {
		switch at += place; {
		case i < 0:
			to.SetNull(int32(at))
		case of.Kind == value.Bytes:
			to.Bytes[at] = of.Bytes[i]
		default:
			to.Set(int32(at), of.At(i))
		}
	}
}

// start begins with pairs of a left batch.
func (p *pairs) start(l *kernel.Batch) {
	if p.above != nil {
		p.leaveOut(p.above.columnsRead())
		p.above = nil
	}
	p.l, p.given = l, 0
	p.lefts, p.rights = p.lefts[:0], p.rights[:0]
}

func (p *pairs) add(left, right int32) {
	p.lefts, p.rights = append(p.lefts, left), append(p.rights, right)
}

// left is the number of pairs that are to be given one by one.
func (p *pairs) left() int {
	if p == nil {
		return 0
	}
	return len(p.lefts) - p.given
}

// narrow drops the pairs that the rest of the condition does not let through, of an
// outer join what they have of the right side. It reports false where the condition
// cannot be evaluated as a whole: the pairs are to be given one by one.
func (p *pairs) narrow(outer bool) bool {
	if p.rest != nil {
		p.matched = p.matched[:0]
		for i, r := range p.rights {
			if r >= 0 {
				p.matched = append(p.matched, int32(i))
			}
		}
		rows, ok := p.rest.Narrow(p.out, p.matched)
		switch {
		case !ok:
			return false
		case outer:
			p.keep(rows)
		default:
			p.out.Rows = append(p.out.Rows[:0], rows...)
		}
	}
	p.given = len(p.lefts)
	return true
}

// keep leaves some pairs, and of a left row that has none of them one without a right
// row.
func (p *pairs) keep(rows []int32) {
	n := 0
	for i, left := range p.lefts {
		right := int32(-1)
		if len(rows) > 0 && rows[0] == int32(i) {
			right, rows = p.rights[i], rows[1:]
		}
		another := n > 0 && p.lefts[n-1] == left
		switch {
		case another && right < 0:
			continue
		case another && p.rights[n-1] < 0:
			n--
		}
		p.lefts[n], p.rights[n] = left, right
		n++
	}
	p.lefts, p.rights = p.lefts[:n], p.rights[:n]
	p.out.Start(n)
}
