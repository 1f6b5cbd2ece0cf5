package exec

import (
	"bytes"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// backlog is what the states of groups in memory have not seen yet: rows of the
// group's number, the aggregate's, and its arguments.
type backlog struct {
	rows *spill.Sorter
	row  []value.Value
	next []value.Value // read ahead
}

func newBacklog(x *frame) *backlog {
	return &backlog{rows: x.stmt.space.NewSorter(spill.ByNumber)}
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
		row, ok, err := agg.AppendArgs(env, append(l.row[:0], value.NewInt(int64(g)), value.NewInt(int64(i))))
		l.row = row
		if err == nil && ok {
			err = l.rows.Add(row)
		}
		if err != nil {
			return err
		}
	}
	return nil
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

// restGroups aggregates the rows of groups for which there is no memory. Its
// rows are the group's key, their place in the order of arrival, the values of
// the grouping expressions, the captured columns, and for each aggregate
// whether the row counts and then its arguments. They are sorted by the key,
// and the groups made of them by the place of their first row.
type restGroups struct {
	*groups
	rows  *spill.Sorter
	count int64
	row   []value.Value

	grouped *spill.Sorter // nil until the groups are made
	key     []byte        // of the group being made
	started bool
	head    spill.RowBuffer // its place, values and captured columns
	states  []expr.AggState
}

func (h *hashGroups) newRest() *restGroups {
	out := &restGroups{groups: &h.groups}
	if h.sorted {
		out.rows = h.x.stmt.space.NewSorterBy(keysFrom(restKeys, len(h.keys)))
	} else {
		out.rows = h.x.stmt.space.NewSorter(spill.ByBytes)
	}
	return out
}

// restKeys is the column of its rows in which the values of the grouping expressions begin.
const restKeys = 2

// keysFrom sorts by some columns from one on.
func keysFrom(first, count int) spill.Keys {
	out := make(spill.Keys, count)
	for i := range out {
		out[i].Column = first + i
	}
	return out
}

// add takes the present row.
func (r *restGroups) add(key []byte) error {
	r.count++
	row := append(r.row[:0], value.NewBytes(key), value.NewInt(r.count))
	row = r.capture(append(row, r.keys...))
	for _, a := range r.Aggs {
		mark := len(row)
		var ok bool
		var err error
		if row, ok, err = a.Agg.AppendArgs(r.child.env(), append(row, value.NewBool(true))); err != nil {
			return err
		}
		if !ok {
			row = append(row[:mark], value.NewBool(false))
		}
	}
	r.row = row
	return r.rows.Add(row)
}

// next puts the next group into the frame.
func (r *restGroups) next() (bool, error) {
	if r.grouped == nil {
		r.grouped = r.x.stmt.space.NewSorter(spill.ByNumber)
		if err := r.group(); err != nil {
			return false, err
		}
	}
	row, err := r.grouped.Next()
	if row == nil || err != nil {
		return false, err
	}
	k := 1 + len(r.keys)
	c := k + len(r.Captured)
	r.place(row[1:k], row[k:c])
	for i, a := range r.Aggs {
		r.out.Row[a.Slot] = row[c+i]
	}
	return true, nil
}

// group makes the groups.
func (r *restGroups) group() error {
	err := spill.Each(r.rows.Next, func(row []value.Value) error {
		if !r.started || !bytes.Equal(r.key, row[0].Raw()) {
			if err := r.finish(); err != nil {
				return err
			}
			r.begin(row)
		}
		return r.addArgs(row)
	})
	if err == nil {
		err = r.finish()
	}
	if err == nil {
		err = r.rows.Close()
	}
	if err != nil {
		return err
	}
	return r.grouped.Sort()
}

func (r *restGroups) begin(row []value.Value) {
	r.started = true
	r.key = append(r.key[:0], row[0].Raw()...)
	r.head.Set(row[1 : 2+len(r.keys)+len(r.Captured)])
	r.states = r.newStates()
}

// argsOf are the columns of a row with arguments.
func (r *restGroups) argsOf(row []value.Value) []value.Value {
	return row[restKeys+len(r.keys)+len(r.Captured):]
}

// addArgs adds a row's arguments to the states.
func (r *restGroups) addArgs(row []value.Value) error {
	return r.eachArgs(row, func(i int, args []value.Value) error { return r.states[i].AddArgs(r.child.env(), args) })
}

// eachArgs gives the arguments of the aggregates for which a row counts.
func (r *restGroups) eachArgs(row []value.Value, give func(i int, args []value.Value) error) error {
	row = r.argsOf(row)
	for i, a := range r.Aggs {
		counts := row[0].Int() == 1
		row = row[1:]
		if !counts {
			continue
		}
		n := len(a.Agg.Args) + len(a.Agg.Order)
		if err := give(i, row[:n:n]); err != nil {
			return err
		}
		row = row[n:]
	}
	return nil
}

// finish keeps the group that was made.
func (r *restGroups) finish() error {
	if !r.started {
		return nil
	}
	row := append(r.row[:0], r.head.Row...)
	for _, s := range r.states {
		v, err := s.Result()
		if err != nil {
			return err
		}
		row = append(row, v)
	}
	r.row = row
	return r.grouped.Add(row)
}

func (r *restGroups) close() error {
	err := firstError(closeStates(r.states), r.rows.Close())
	if r.grouped != nil {
		err = firstError(err, r.grouped.Close())
	}
	return err
}
