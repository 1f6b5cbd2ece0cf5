package kernel

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Pairs are the rows of a batch of a join: rows of a left batch, and the numbers of the right rows
// that join them, or -1. The pairs of a left row are consecutive.
type Pairs struct {
	// Out is the batch of the pairs, with the columns of both sides.
	Out *Batch
	// Above reads Out. It is asked before the first pairs; nil stands for a reader of all columns.
	Above         Reader
	lefts, rights []int32
	l             *Batch
	matched       []int32
	rest          Filter // nil if there is no further condition
	given         int
}

// RightRows has the right rows by their numbers.
type RightRows interface {
	// Column returns the values of a column of the schema, NULL at -1: either in own, a vector of
	// that kind, or in the memory of the rows.
	Column(at int, rows []int32, own *value.Vector) *value.Vector
}

// NewPairs makes pairs of rows with the columns of two sides, of which those remain for which the
// rest of the join's condition is true. It is nil if that must be evaluated row by row.
func NewPairs(left, right Schema, rows RightRows, rest expr.Node, env *expr.Env) *Pairs {
	p := &Pairs{}
	schema := append(left[:len(left):len(left)], right...)
	own := make([]value.Vector, len(schema))
	p.Out = NewBatch(schema, func(at int, v *value.Vector) {
		own[at].Kind = schema[at].Kind
		if at < len(left) {
			*v = *RowsOf(p.l.Column(at), p.lefts, &own[at])
		} else {
			*v = *rows.Column(at-len(left), p.rights, &own[at])
		}
	})
	if rest != nil {
		c := &Compiler{Schema: schema, Env: env}
		if p.rest = c.Condition(rest); p.rest == nil {
			return nil
		}
	}
	return p
}

// RowsOf returns the values of a vector at some rows, NULL at -1. Consecutive rows are not copied
// and keep their codes; others are gathered in own.
func RowsOf(of *value.Vector, rows []int32, own *value.Vector) *value.Vector {
	if len(rows) > 0 && follow(rows) {
		view := of.Slice(rows[0], len(rows))
		return &view
	}
	own.Start(own.Kind, len(rows))
	own.Gather(0, of, rows)
	return own
}

// follow reports whether the numbers are those of rows, each one more than the one before.
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

// Start begins the pairs of a left batch.
func (p *Pairs) Start(l *Batch) {
	if p.Above != nil {
		p.Out.LeaveOutUnread(p.Above.ColumnsRead())
		p.Above = nil
	}
	p.l, p.given = l, 0
	p.lefts, p.rights = p.lefts[:0], p.rights[:0]
}

// Add adds a pair of a left row and a right one, or -1.
func (p *Pairs) Add(left, right int32) {
	p.lefts, p.rights = append(p.lefts, left), append(p.rights, right)
}

// AddAll adds a pair for each index of lefts and rights.
func (p *Pairs) AddAll(lefts, rights []int32) {
	p.lefts, p.rights = append(p.lefts, lefts...), append(p.rights, rights...)
}

// Len returns the number of pairs.
func (p *Pairs) Len() int { return len(p.lefts) }

// End makes Out the batch of the added pairs.
func (p *Pairs) End() { p.Out.Start(len(p.lefts)) }

// Left returns the number of pairs that must be given one by one. p may be nil.
func (p *Pairs) Left() int {
	if p == nil {
		return 0
	}
	return len(p.lefts) - p.given
}

// Load copies the next such pair into a frame, and reports whether it has a right row.
func (p *Pairs) Load(frame []value.Value) (matched bool) {
	i := p.given
	p.given++
	p.Out.Load(int32(i), frame)
	return p.rights[i] >= 0
}

// Narrow drops the pairs for which the rest of the condition is not true; an outer join keeps their
// left rows. It reports false if the condition cannot be evaluated as a whole: the pairs must then
// be given one by one.
func (p *Pairs) Narrow(outer bool) bool {
	if p.rest != nil {
		p.matched = p.matched[:0]
		for i, r := range p.rights {
			if r >= 0 {
				p.matched = append(p.matched, int32(i))
			}
		}
		rows, ok := p.rest.Narrow(p.Out, p.matched)
		switch {
		case !ok:
			return false
		case outer:
			p.keep(rows)
		default:
			p.Out.Rows = append(p.Out.Rows[:0], rows...)
		}
	}
	p.given = len(p.lefts)
	return true
}

// keep keeps the pairs of rows, and for a left row that has none of them one pair without a right
// row.
func (p *Pairs) keep(rows []int32) {
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
	p.Out.Start(n)
}
