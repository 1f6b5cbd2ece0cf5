package agg

import (
	"github.com/hbasekv/hbasekv/sqlfront/aggregate"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/grouping"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// orderedRows are rows in the order of a rollup's keys.
type orderedRows interface {
	// Step moves to the next row.
	Step() error
	// present returns the keys of the row, or nil after the last, and captured the columns that its
	// group keeps. Both are valid until the next step.
	present() []value.Value
	captured() []value.Value
	// add adds the row to the states of its group: to all, or to those in only.
	add(states []*aggregate.State, only []bool) error
}

// streamRows are rows that arrive in order.
type streamRows struct {
	*groups
}

func (r *streamRows) Step() error {
	ok, err := r.child.Row(op.AllRows)
	if r.ended = !ok; !ok || err != nil {
		return err
	}
	env := r.child.Env()
	env.Held.NewRow()
	return r.readKeys()
}

func (r *streamRows) present() []value.Value {
	if r.ended {
		return nil
	}
	return r.keys
}

func (r *streamRows) captured() []value.Value { return r.capturedNow() }

func (r *streamRows) add(states []*aggregate.State, only []bool) error {
	if only == nil {
		return r.groups.add(states)
	}
	for i := range states {
		if !only[i] {
			continue
		}
		if err := r.groups.add(states[i : i+1]); err != nil {
			return err
		}
	}
	return nil
}

// restRows are the rows of groups that did not fit in memory.
type restRows struct {
	*grouping.Overflow
	*grouping.Shape
	env *expr.Env
	row []value.Value // nil after the last
}

func (r *restRows) Step() (err error) {
	r.row, err = r.Next()
	return err
}

func (r *restRows) present() []value.Value {
	if r.row == nil {
		return nil
	}
	return r.KeysOf(r.row)
}

func (r *restRows) captured() []value.Value { return r.CapturedOf(r.row) }

func (r *restRows) add(states []*aggregate.State, only []bool) error {
	return r.EachArgs(r.row, func(i int, args []value.Value) error {
		if only != nil && !only[i] {
			return nil
		}
		return states[i].AddArgs(r.env, args)
	})
}
