package exec

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// backlog is what the states of groups in memory have not seen yet: rows of the
// group's number, the aggregate's, and its arguments.
type backlog struct {
	rows *spill.Sorter
	row  []value.Value
	args []value.Value
	next []value.Value // read ahead
}

func newBacklog(x *frame) *backlog {
	return &backlog{rows: x.stmt.space.NewSorter(spill.ByFirst)}
}

// add adds the present row to the group, in part later.
func (l *backlog) add(t *groupTable, g int32, aggs []AggSlot, env *expr.Env) error {
	for i, c := range t.states {
		agg := aggs[i].Agg
		if !agg.Grows() {
			if err := c.Add(env, g); err != nil {
				return err
			}
			continue
		}
		args, ok, err := agg.AppendArgs(env, l.args[:0])
		l.args = args
		if err == nil && ok {
			err = l.addArgs(g, i, args)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addArgs adds arguments of an aggregate.
func (l *backlog) addArgs(g int32, agg int, args []value.Value) error {
	l.row = append(append(l.row[:0], value.NewInt(int64(g)), value.NewInt(int64(agg))), args...)
	return l.rows.Add(l.row)
}

// addTo gives the group's states what they have not seen. Groups come in the
// order of their numbers.
func (l *backlog) addTo(t *groupTable, g int32, env *expr.Env) error {
	for {
		if l.next == nil {
			var err error
			if l.next, err = l.rows.Next(); l.next == nil || err != nil {
				return err
			}
		}
		if l.next[0].Int() != int64(g) {
			return nil
		}
		if err := t.states[l.next[1].Int()].AddArgs(env, g, l.next[2:]); err != nil {
			return err
		}
		l.next = nil
	}
}
