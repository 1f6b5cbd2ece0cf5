package aggregate

import (
	"bytes"
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// extremeColumn is MIN (sign -1) and MAX (sign 1).
type extremeColumn struct {
	argReader
	sign int
	best []value.Value
	bufs [][]byte // memory for the bytes of each; nil until needed
}

func (c *extremeColumn) Grow() {
	c.best = append(c.best, value.Value{})
	if c.bufs != nil {
		c.bufs = append(c.bufs, nil)
	}
}

func (c *extremeColumn) Size() int { return 56 }

func (c *extremeColumn) Add(env *expr.Env, group int32) error {
	args, ok, err := c.read(env)
	if ok {
		c.take(group, args[0])
	}
	return err
}

func (c *extremeColumn) AddTimes(env *expr.Env, group int32, _ int64) error { return c.Add(env, group) }

func (c *extremeColumn) AddArgs(_ *expr.Env, group int32, args []value.Value) error {
	c.take(group, args[0])
	return nil
}

func (c *extremeColumn) take(group int32, v value.Value) {
	best := &c.best[group]
	switch {
	case !beats(c.sign, v, *best):
	case len(v.Raw()) == 0:
		*best = v
	default:
		*best, _ = v.AppendClone(c.buf(group, len(v.Raw())))
	}
}

// buf returns memory for n bytes of a group.
func (c *extremeColumn) buf(group int32, n int) []byte {
	if c.bufs == nil {
		c.bufs = make([][]byte, len(c.best), cap(c.best))
	}
	buf := &c.bufs[group]
	if before := cap(*buf); before < n {
		if *buf = c.memory.short(n); *buf == nil {
			*buf = make([]byte, 0, n)
		}
		c.memory.Grow(cap(*buf) - before)
	}
	return *buf
}

func (c *extremeColumn) AddVectors(_ *expr.Env, args []*value.Vector, rows *GroupedRows) error {
	v := args[0]
	if group, ok := rows.One(); ok {
		if best := bestOf(c.sign, v, rows.Rows); best >= 0 {
			c.take(group, v.At(best))
		}
		return nil
	}
	for at := 0; at < len(rows.Rows); {
		end := rows.runFrom(at)
		group, i := rows.Groups[at], rows.Rows[at]
		if end-at > 1 {
			i = bestOf(c.sign, v, rows.Rows[at:end])
		}
		if at = end; i >= 0 && !v.IsNull(i) && !c.stays(group, v, i) {
			c.take(group, v.At(i))
		}
	}
	return nil
}

// stays reports whether the best value so far is at least as good as a vector's value. It decides
// this only for integers and binary strings, most of which are not better.
func (c *extremeColumn) stays(group int32, v *value.Vector, i int32) bool {
	best := &c.best[group]
	switch {
	case best.Kind() != v.Kind:
		return false
	case v.Kind == value.Int:
		return cmp.Compare(v.Ints[i], best.Int())*c.sign <= 0
	case v.Kind == value.Bytes:
		return bytes.Compare(v.Bytes[i], best.Raw())*c.sign <= 0
	}
	return false
}

// Combine takes over the better value and its memory, which the other column still accounts for.
func (c *extremeColumn) Combine(group int32, other Column, of int32) error {
	if best := other.(*extremeColumn).best[of]; !best.IsNull() && beats(c.sign, best, c.best[group]) {
		c.best[group] = best
	}
	return nil
}

func (c *extremeColumn) Result(group int32) (value.Value, error) { return c.best[group].Clone(), nil }

func (c *extremeColumn) State(group int32) *State {
	s := c.state()
	s.acc.(*minMaxAcc).best = c.best[group]
	return s
}

func (c *extremeColumn) Close(int32) error { return nil }
