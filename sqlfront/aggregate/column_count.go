package aggregate

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// countColumn is COUNT.
type countColumn struct {
	argReader
	counts []int64
}

func (c *countColumn) Grow()     { c.counts = append(c.counts, 0) }
func (c *countColumn) Size() int { return 16 }

func (c *countColumn) Add(env *expr.Env, group int32) error { return c.AddTimes(env, group, 1) }

func (c *countColumn) AddTimes(env *expr.Env, group int32, n int64) error {
	_, ok, err := c.read(env)
	if ok {
		c.counts[group] += n
	}
	return err
}

func (c *countColumn) AddArgs(_ *expr.Env, group int32, _ []value.Value) error {
	c.counts[group]++
	return nil
}

func (c *countColumn) AddVectors(_ *expr.Env, args []*value.Vector, rows *GroupedRows) error {
	group, one := rows.One()
	switch {
	case one && len(args) <= 1:
		c.counts[group] += countKnown(args, rows.Rows)
	case one || len(args) > 0:
		return rows.eachRow(func(i, group int32) error {
			if !anyNull(args, i) {
				c.counts[group]++
			}
			return nil
		})
	default:
		for _, group := range rows.Groups {
			c.counts[group]++
		}
	}
	return nil
}

func (c *countColumn) Combine(group int32, other Column, of int32) error {
	c.counts[group] += other.(*countColumn).counts[of]
	return nil
}

func (c *countColumn) Result(group int32) (value.Value, error) {
	return value.NewInt(c.counts[group]), nil
}

func (c *countColumn) State(group int32) *State {
	s := c.state()
	s.acc.(*countAcc).n = c.counts[group]
	return s
}

func (c *countColumn) Close(int32) error { return nil }
