package lookup

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/member"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

// sequence is the order of an index's entries in terms of the table's columns: the columns of the index,
// followed by those of the table's key.
type sequence struct {
	*Reader
	key     *typed.IndexKey
	columns []int  // of the index, by their positions in the table
	fixed   []bool // which of these are the same in all entries read
	// indexed and keyed count the columns of the index and of the key matched so far.
	indexed, keyed    int
	directed, reverse bool
}

// sequenceOf returns the order of the entries that meet conditions, which are over an entry.
func (r *Reader) sequenceOf(w *Way, where []expr.Node, x *op.Frame) sequence {
	s := sequence{Reader: r, key: w.Key, columns: w.Key.Columns()}
	s.fixed = make([]bool, len(s.columns))
	for _, n := range where {
		if part, ok := settles(n, x); ok {
			s.fixed[part] = true
		}
	}
	return s
}

// settles returns the part of an index that a condition limits to one value, or false.
func settles(n expr.Node, x *op.Frame) (part int, ok bool) {
	switch n := n.(type) {
	case *expr.Compare:
		p, of := equated(n)
		if p == nil {
			return 0, false
		}
		env := quiet(x)
		v, err := of.Eval(env)
		if err != nil || v.IsNull() {
			return 0, false
		}
		_, ok := p.Exactly(func() *function.Env { return &env.Env }, v)
		return p.Part, ok
	case *expr.IsNull:
		p, ok := n.X.(*typed.Part)
		if !ok || n.Not {
			return 0, false
		}
		return p.Part, true
	}
	return 0, false
}

// equated returns the column of an index that an equality compares with a constant, or nil.
func equated(n *expr.Compare) (*typed.Part, expr.Node) {
	if n.Op != expr.Eq && n.Op != expr.NullSafeEq {
		return nil, nil
	}
	p, of := n.L, n.R
	if expr.IsConst(p) {
		p, of = of, p
	}
	part, ok := p.(*typed.Part)
	if !ok || !expr.IsConst(of) {
		return nil, nil
	}
	return part, of
}

// quiet returns the statement's environment without its row and its warnings: what would warn fails.
func quiet(x *op.Frame) *expr.Env {
	out := &expr.Env{Params: x.Env.Params, Env: function.Env{Ctx: x.Env.Ctx, Strict: true}}
	if x.Env.Session != nil {
		session := *x.Env.Session
		session.AddWarning = nil
		out.Session = &session
	}
	return out
}

// serves reports whether the entries, or their reverse, are in the order of keys.
func (s *sequence) serves(keys []ordering.Key) bool {
	for _, k := range keys {
		n, numbers := member.Column(k.Expr)
		column, ok := s.columnOf(n)
		if !ok || !s.step(column, numbers, k.Desc) {
			return false
		}
	}
	return true
}

// notNull returns the condition that a key, if it is a column of the index, is not NULL.
func (s *sequence) notNull(k ordering.Key) []expr.Node {
	n, _ := member.Column(k.Expr)
	column, ok := s.columnOf(n)
	part := s.key.PartAt(column)
	if !ok || part < 0 {
		return nil
	}
	return []expr.Node{&expr.IsNull{X: s.key.PartOf(&expr.Column{Name: "K"}, part), Not: true}}
}

// columnOf returns the position in the table of a column.
func (s *sequence) columnOf(n expr.Node) (int, bool) {
	c, ok := n.(*expr.Column)
	if !ok {
		return 0, false
	}
	at := c.Index - s.First
	return at, at >= 0 && at < len(s.Face.Columns)
}

// step matches the next key of an order: a column, or its number.
func (s *sequence) step(column int, numbers, desc bool) bool {
	if s.settled(column) {
		return true
	}
	s.skipFixed()
	switch {
	case s.indexed < len(s.columns):
		if s.columns[s.indexed] != column || !s.key.Sorts(s.indexed, numbers) || !s.turns(desc) {
			return false
		}
		s.indexed++
		return true
	case s.Face.Key[s.keyed] != column || !s.Face.PartOf(nil, s.keyed).Sorts(numbers) || !s.turns(desc):
		return false
	}
	s.keyed++
	return true
}

// settled reports whether a column is the same in all rows with equal values of the columns matched so far.
func (s *sequence) settled(column int) bool {
	if s.keyed == len(s.Face.Key) || slices.Contains(s.Face.Key[:s.keyed], column) {
		return true
	}
	at := slices.Index(s.columns, column)
	return at >= 0 && s.key.Whole(at) && (at < s.indexed || s.fixed[at])
}

func (s *sequence) skipFixed() {
	for s.indexed < len(s.columns) && s.fixed[s.indexed] {
		s.indexed++
	}
}

// turns reports whether a key can have the direction of those before it.
func (s *sequence) turns(desc bool) bool {
	if s.directed && desc != s.reverse {
		return false
	}
	s.directed, s.reverse = true, desc
	return true
}

// gathers reports whether rows with equal values of some expressions are consecutive.
func (s *sequence) gathers(nodes []expr.Node) bool {
	var left []int
	for _, n := range nodes {
		column, ok := s.columnOf(n)
		if !ok {
			return false
		}
		left = append(left, column)
	}
	for {
		s.skipFixed()
		left = slices.DeleteFunc(left, s.settled)
		if len(left) == 0 {
			return true
		}
		if s.indexed < len(s.columns) {
			if !s.key.Whole(s.indexed) || !slices.Contains(left, s.columns[s.indexed]) {
				return false
			}
			s.indexed++
			continue
		}
		if !slices.Contains(left, s.Face.Key[s.keyed]) {
			return false
		}
		s.keyed++
	}
}
