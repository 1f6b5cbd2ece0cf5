package join

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// MatchGroup is the right rows of a semi or anti join that have one K. A left row with that K has a
// match if, beside K, other keys are equal or a residual condition holds for one of them. The rows
// are kept as long as left rows have that K.
type MatchGroup struct {
	x     *op.Frame // of pairs: what the condition reads
	outer []expr.Node
	slots []int // of what is outer
	// gives are what of the right rows is kept: columns that the condition reads, or where there
	// is none keys, which equal what is outer.
	gives []expr.Node
	cond  expr.Node

	k    []byte
	at   bool // there are rows with k
	rows *spill.List
	n    int          // how many
	many *spill.Index // the keys of many rows
	row  []value.Value
	key  []byte
}

// GroupAsking is a group of which a left row asks whether a condition holds, which reads what is outer in
// slots.
func GroupAsking(outer []expr.Node, slots []int, cond expr.Node) *MatchGroup {
	g := &MatchGroup{outer: outer, slots: slots, cond: cond}
	g.giveColumns()
	return g
}

// GroupOfKeys is a group of which a left row asks whether some row gives what is equal to its own.
func GroupOfKeys(outer, gives []expr.Node) *MatchGroup {
	return &MatchGroup{outer: outer, gives: gives}
}

// giveColumns has the right rows give what the condition reads of them.
func (g *MatchGroup) giveColumns() {
	expr.Walk(g.cond, func(n expr.Node) bool {
		c, ok := n.(*expr.Column)
		known := func(n expr.Node) bool { return op.IsAt(n, c.Index) }
		if ok && !slices.Contains(g.slots, c.Index) && !slices.ContainsFunc(g.gives, known) {
			g.gives = append(g.gives, c)
		}
		return true
	})
}

// Start makes the group ready for the frame of pairs.
func (g *MatchGroup) Start(x *op.Frame) *MatchGroup {
	return &MatchGroup{x: x, outer: g.outer, slots: g.slots, gives: g.gives, cond: g.cond, rows: x.Stmt.Space.NewList()}
}

// fewInGroup is up to how many rows' keys are compared with those of a left row.
const fewInGroup = 32

// asksOf has the join's left rows ask a group.
func (j *uniqueMerge) asksOf(g *MatchGroup) {
	if g != nil {
		j.group, j.l.residual, j.r.residual = g, g.outer, g.gives
	}
}

// meets is uniqueMerge.meets.
func (g *MatchGroup) meets(j *uniqueMerge) (met, behind bool, err error) {
	if !g.at || !bytes.Equal(g.k, j.l.bytes(0)) {
		c := j.compare()
		if c != 0 {
			return false, c > 0, nil
		}
		if err := g.read(j); err != nil {
			return false, false, err
		}
	}
	j.l.load(j.Env().Row)
	defer j.Env().Held.Release(j.Env().Held.Mark())
	if g.cond == nil {
		met, err = g.hasKeys(j.Env())
	} else {
		met, err = g.holds(j.Env())
	}
	return met, false, err
}

// read reads the group of the present right row.
func (g *MatchGroup) read(j *uniqueMerge) error {
	g.k, g.at, g.n = append(g.k[:0], j.r.bytes(0)...), true, 0
	if err := cmp.Or(g.rows.Reset(), g.closeIndex()); err != nil {
		return err
	}
	for {
		if err := g.add(j.r); err != nil {
			return err
		}
		j.r.Step()
		more, err := j.readyRight()
		if err != nil {
			return err
		}
		if !more || !bytes.Equal(j.r.bytes(0), g.k) {
			return g.index()
		}
	}
}

// index keeps the keys of many rows to be found.
func (g *MatchGroup) index() error {
	if g.cond != nil || g.n <= fewInGroup {
		return nil
	}
	g.many = g.x.Stmt.Space.NewIndex()
	_, err := g.each(func(row []value.Value) (bool, error) {
		if slices.ContainsFunc(row, value.Value.IsNull) {
			return false, nil
		}
		g.key = value.AppendKeys(g.key[:0], row)
		return false, g.many.Add(g.key, nil)
	})
	return cmp.Or(err, g.many.Seal())
}

func (g *MatchGroup) closeIndex() (err error) {
	if g.many != nil {
		err, g.many = g.many.Close(), nil
	}
	return err
}

// add keeps what the present right row gives.
func (g *MatchGroup) add(r *joinSide) error {
	env := r.in.Env()
	defer env.Held.Release(env.Held.Mark())
	r.load(env.Row)
	g.row = g.row[:0]
	for _, n := range g.gives {
		v, err := n.Eval(env)
		if err != nil {
			return err
		}
		g.row = append(g.row, v)
	}
	g.n++
	return g.rows.Add(g.row)
}

// each calls fn for the rows until it is true.
func (g *MatchGroup) each(fn func(row []value.Value) (bool, error)) (bool, error) {
	if err := g.rows.Rewind(); err != nil {
		return false, err
	}
	for {
		row, err := g.rows.Next()
		if row == nil || err != nil {
			return false, err
		}
		if ok, err := fn(row); ok || err != nil {
			return ok, err
		}
	}
}

// hasKeys reports whether some row has the left row's other keys.
func (g *MatchGroup) hasKeys(left *expr.Env) (bool, error) {
	var equals bool
	var err error
	if g.key, equals, err = op.AppendKeys(g.key[:0], g.outer, left); !equals || err != nil {
		return false, err
	}
	if g.many != nil {
		return g.many.Has(g.key)
	}
	var buf [64]byte
	return g.each(func(row []value.Value) (bool, error) {
		return !slices.ContainsFunc(row, value.Value.IsNull) && bytes.Equal(value.AppendKeys(buf[:0], row), g.key), nil
	})
}

// holds reports whether the condition holds for some row.
func (g *MatchGroup) holds(left *expr.Env) (bool, error) {
	env := &g.x.Env
	for i, n := range g.outer {
		v, err := n.Eval(left)
		if err != nil {
			return false, err
		}
		env.Row[g.slots[i]] = v
	}
	return g.each(func(row []value.Value) (bool, error) {
		for i, c := range g.gives {
			env.Row[c.(*expr.Column).Index] = row[i]
		}
		return expr.Holds(g.cond, env)
	})
}

func (g *MatchGroup) Close() error {
	if g == nil {
		return nil
	}
	return cmp.Or(g.rows.Close(), g.closeIndex())
}

func (g *MatchGroup) describe(s *explain.Step) {
	if g != nil && g.cond != nil {
		s.Add("asked", expr.Print(g.cond))
	}
}
