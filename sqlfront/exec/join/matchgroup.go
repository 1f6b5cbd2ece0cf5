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

// MatchGroup has the right rows of a semi or anti join with one K. A left row with that K has a match if
// one of them has other equal keys, too, or meets a residual condition. The rows are kept as long as left
// rows have that K.
type MatchGroup struct {
	x     *op.Frame // of pairs, for the condition
	outer []expr.Node
	slots []int // for the values of outer
	// gives are the kept expressions of the right rows: columns that the condition reads or, without a
	// condition, keys that must equal outer.
	gives []expr.Node
	cond  expr.Node

	k    []byte
	at   bool // rows has the rows with k
	rows *spill.List
	n    int          // number of rows
	many *spill.Index // the keys, if there are many rows
	row  []value.Value
	key  []byte
}

// GroupAsking returns a group with a condition, which reads the values of outer in slots.
func GroupAsking(outer []expr.Node, slots []int, cond expr.Node) *MatchGroup {
	g := &MatchGroup{outer: outer, slots: slots, cond: cond}
	g.giveColumns()
	return g
}

// GroupOfKeys returns a group in which a left row looks for a row whose gives equal its outer values.
func GroupOfKeys(outer, gives []expr.Node) *MatchGroup {
	return &MatchGroup{outer: outer, gives: gives}
}

// giveColumns sets gives to the right rows' columns that the condition reads.
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

// Start returns a group for the frame of pairs, without rows.
func (g *MatchGroup) Start(x *op.Frame) *MatchGroup {
	return &MatchGroup{x: x, outer: g.outer, slots: g.slots, gives: g.gives, cond: g.cond, rows: x.Stmt.Space.NewList()}
}

// fewInGroup is the number of rows up to which keys are compared one by one.
const fewInGroup = 32

// asksOf makes the join use a group.
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

// read reads the group of the current right row.
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

// index puts the keys of many rows into an index.
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

// add keeps the current right row's gives.
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

// each calls fn for the rows until it returns true.
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

// holds reports whether the condition is true for some row.
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
