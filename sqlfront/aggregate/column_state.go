package aggregate

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// stateColumn is a column of states.
type stateColumn struct {
	agg    *setfunc.Aggregate
	memory *Memory
	states []*State
}

func (c *stateColumn) Grow() { c.states = append(c.states, NewState(c.agg, c.memory)) }

func (c *stateColumn) Add(env *expr.Env, group int32) error { return c.states[group].Add(env) }

func (c *stateColumn) AddTimes(env *expr.Env, group int32, n int64) error {
	return c.states[group].AddTimes(env, n)
}

func (c *stateColumn) AddArgs(env *expr.Env, group int32, args []value.Value) error {
	return c.states[group].AddArgs(env, args)
}

func (c *stateColumn) AddVectors(env *expr.Env, args []*value.Vector, rows *GroupedRows) error {
	return rows.each(func(group int32, rows []int32) error { return c.states[group].AddVectors(env, args, rows) })
}

func (c *stateColumn) Combine(group int32, other Column, of int32) error {
	return c.states[group].Combine(other.(*stateColumn).states[of])
}

func (c *stateColumn) Result(group int32) (value.Value, error) { return c.states[group].Result() }

func (c *stateColumn) State(group int32) *State { return c.states[group] }

func (c *stateColumn) Close(group int32) error { return c.states[group].Close() }

// Size includes the state, the accumulator, and the references to both.
func (c *stateColumn) Size() int { return 160 }
