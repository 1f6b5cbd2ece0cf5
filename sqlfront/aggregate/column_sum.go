package aggregate

import (
	"sync"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// sumColumn is SUM and AVG of integers.
type sumColumn struct {
	argReader
	sums []IntSum
	// others sum up the values of other types than the aggregate's, by groups; mixed is true if
	// there are any. mu is held while several goroutines combine states.
	others map[int32]*sumAcc
	mixed  atomic.Bool
	mu     sync.Mutex
}

func (c *sumColumn) Grow()     { c.sums = append(c.sums, IntSum{}) }
func (c *sumColumn) Size() int { return 48 }

func (c *sumColumn) Add(env *expr.Env, group int32) error {
	args, ok, err := c.read(env)
	if !ok || err != nil {
		return err
	}
	return c.AddArgs(env, group, args)
}

func (c *sumColumn) AddTimes(env *expr.Env, group int32, _ int64) error { return c.Add(env, group) }

func (c *sumColumn) AddArgs(env *expr.Env, group int32, args []value.Value) error {
	if args[0].Kind() == value.Int {
		c.sums[group].Add(args[0].Int())
		return nil
	}
	return c.other(group).add(env, args)
}

// other returns the sum for a group's values that are not 64-bit integers.
func (c *sumColumn) other(group int32) *sumAcc {
	if c.others == nil {
		c.others = map[int32]*sumAcc{}
		c.mixed.Store(true)
	}
	if c.others[group] == nil {
		sum := newSum(c.agg)
		c.others[group] = &sum
	}
	return c.others[group]
}

func (c *sumColumn) AddVectors(env *expr.Env, args []*value.Vector, rows *GroupedRows) error {
	v := args[0]
	if v.Kind != value.Int || v.Nulls != nil {
		return rows.eachRow(func(i, group int32) error {
			if v.IsNull(i) {
				return nil
			}
			return c.AddArgs(env, group, c.memory.argsAt(args, i))
		})
	}
	if group, ok := rows.One(); ok {
		c.sums[group].addVector(v, rows.Rows)
		return nil
	}
	for at, i := range rows.Rows {
		c.sums[rows.Groups[at]].Add(v.Ints[i])
	}
	return nil
}

func (c *sumColumn) Combine(group int32, other Column, of int32) error {
	o := other.(*sumColumn)
	c.sums[group].combine(&o.sums[of])
	if !o.mixed.Load() {
		return nil
	}
	o.mu.Lock()
	from := o.others[of]
	o.mu.Unlock()
	if from == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.other(group).combine(from)
}

func (c *sumColumn) Result(group int32) (value.Value, error) {
	if c.others[group] == nil {
		return c.sums[group].Result(c.agg)
	}
	return c.State(group).Result()
}

func (c *sumColumn) State(group int32) *State {
	s := c.state()
	to := s.acc.(*sumAcc)
	if other := c.others[group]; other != nil {
		*to = *other
	}
	to.IntSum.combine(&c.sums[group])
	return s
}

func (c *sumColumn) Close(int32) error { return nil }
