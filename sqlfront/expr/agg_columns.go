package expr

import (
	"sync"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// countColumn is COUNT.
type countColumn struct {
	argReader
	counts []int64
}

func (c *countColumn) Grow()     { c.counts = append(c.counts, 0) }
func (c *countColumn) Size() int { return 16 }

func (c *countColumn) Add(env *Env, group int32) error { return c.AddTimes(env, group, 1) }

func (c *countColumn) AddTimes(env *Env, group int32, n int64) error {
	_, ok, err := c.read(env)
	if ok {
		c.counts[group] += n
	}
	return err
}

func (c *countColumn) AddArgs(_ *Env, group int32, _ []value.Value) error {
	c.counts[group]++
	return nil
}

func (c *countColumn) AddVectors(_ *Env, args []*value.Vector, rows *GroupedRows) error {
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

func (c *countColumn) Combine(group int32, other AggColumn, of int32) error {
	c.counts[group] += other.(*countColumn).counts[of]
	return nil
}

func (c *countColumn) Result(group int32) (value.Value, error) {
	return value.NewInt(c.counts[group]), nil
}

func (c *countColumn) State(group int32) AggState {
	s := c.state()
	s.acc.(*countAcc).n = c.counts[group]
	return s
}

func (c *countColumn) Close(int32) error { return nil }

// sumColumn is SUM and AVG of integers.
type sumColumn struct {
	argReader
	sums []intSum
	// others are what else has come for a group, whose type does not tell, mixed that there
	// are some. mu is held by those who combine, who may be several.
	others map[int32]*sumAcc
	mixed  atomic.Bool
	mu     sync.Mutex
}

func (c *sumColumn) Grow()     { c.sums = append(c.sums, intSum{}) }
func (c *sumColumn) Size() int { return 48 }

func (c *sumColumn) Add(env *Env, group int32) error {
	args, ok, err := c.read(env)
	if !ok || err != nil {
		return err
	}
	return c.AddArgs(env, group, args)
}

func (c *sumColumn) AddTimes(env *Env, group int32, _ int64) error { return c.Add(env, group) }

func (c *sumColumn) AddArgs(env *Env, group int32, args []value.Value) error {
	if args[0].Kind() == value.Int {
		c.sums[group].addInt(args[0].Int())
		return nil
	}
	return c.other(group).add(env, args)
}

// other is what the values of a group that are no integers of 64 bits go to.
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

func (c *sumColumn) AddVectors(env *Env, args []*value.Vector, rows *GroupedRows) error {
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
		sum := c.sums[group]
		for _, i := range rows.Rows {
			sum.addInt(v.Ints[i])
		}
		c.sums[group] = sum
		return nil
	}
	for at, i := range rows.Rows {
		c.sums[rows.Groups[at]].addInt(v.Ints[i])
	}
	return nil
}

func (c *sumColumn) Combine(group int32, other AggColumn, of int32) error {
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
	sum := &c.sums[group]
	if sum.rows > 0 && c.others[group] == nil {
		return c.agg.ofTotal(value.NewManyDigits(sum.high, sum.low, 0, 0), sum.rows)
	}
	return c.State(group).Result()
}

func (c *sumColumn) State(group int32) AggState {
	s := c.state()
	var to *sumAcc
	switch acc := s.acc.(type) {
	case *sumAcc:
		to = acc
	case *avgAcc:
		to = &acc.sum
	}
	if other := c.others[group]; other != nil {
		*to = *other
	}
	to.exact, to.rows = to.exact.Add(c.sums[group].decimal(0)), to.rows+c.sums[group].rows
	return s
}

func (c *sumColumn) Close(int32) error { return nil }
