package grouping

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Backlog holds the rows that the states of a table's groups have not seen yet: the numbers of the
// group and of the aggregate, and the arguments.
type Backlog struct {
	table *Table
	rows  *spill.Sorter
	row   []value.Value
	args  []value.Value
	next  []value.Value // read ahead
}

// NewBacklog returns the empty backlog of a table.
func NewBacklog(space *spill.Space, t *Table) *Backlog {
	return &Backlog{table: t, rows: space.NewSorter(rowmem.ByFirst)}
}

// Add adds the current row of env to a group; growing states get their arguments later, by AddTo. The
// error is that of evaluating arguments, of a state, or of package spill.
func (l *Backlog) Add(env *expr.Env, group int32) error {
	for i, agg := range l.table.shape.Aggs {
		if !agg.Grows() {
			if err := l.table.States[i].Add(env, group); err != nil {
				return err
			}
			continue
		}
		args, ok, err := agg.AppendArgs(env, l.args[:0])
		l.args = args
		if err == nil && ok {
			err = l.addArgs(group, i, args)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *Backlog) addArgs(group int32, agg int, args []value.Value) error {
	l.row = append(append(l.row[:0], value.NewInt(int64(group)), value.NewInt(int64(agg))), args...)
	return l.rows.Add(l.row)
}

// End ends the adding. The error is one of package spill.
func (l *Backlog) End() error { return l.rows.Sort() }

// AddTo gives a group's states the arguments that they have not seen. Call it in the order of the group
// numbers. The error is that of a state, or of package spill.
func (l *Backlog) AddTo(env *expr.Env, group int32) error {
	for {
		if l.next == nil {
			var err error
			if l.next, err = l.rows.Next(); l.next == nil || err != nil {
				return err
			}
		}
		if l.next[0].Int() != int64(group) {
			return nil
		}
		if err := l.table.States[l.next[1].Int()].AddArgs(env, group, l.next[2:]); err != nil {
			return err
		}
		l.next = nil
	}
}

// Close frees the rows. The error is one of package spill.
func (l *Backlog) Close() error { return l.rows.Close() }
