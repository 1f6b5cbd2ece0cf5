package window

import (
	"github.com/hbasekv/hbasekv/sqlfront/aggregate"
	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// frameAggregate is an aggregate over the frame of each row. It has added the rows from field from to
// before field to.
type frameAggregate struct {
	run    *Run
	frame  *frameRows
	memory aggregate.Memory
	state  *aggregate.Frame
	first  int // of its arguments, among the kept ones
	from   int64
	to     int64
	in     *rowCursor
	out    *rowCursor
	known  bool
	v      value.Value
	values []value.Value // the arguments of one row
}

func (r *Run) newFrameAggregate(c *Call, frame *frameRows) running {
	a := &frameAggregate{run: r, frame: frame, first: r.layout.add(c.Agg), in: r.rows.cursor(), out: r.rows.cursor()}
	a.values = make([]value.Value, len(c.Agg.Args))
	a.memory.Account = r.space.Account()
	a.state = aggregate.NewFrame(c.Agg, &a.memory, frame.Start.moves())
	return a
}

func (a *frameAggregate) args(c *rowCursor, at int64) (_ []value.Value, err error) {
	first := a.run.layout.argument(a.first)
	for i := range a.values {
		if a.values[i], err = a.run.rows.value(c, at, first+i); err != nil {
			return nil, err
		}
	}
	return a.values, nil
}

func (a *frameAggregate) result(at int64) (value.Value, error) {
	start, end, err := a.frame.of(at)
	if err != nil || a.known && start == a.from && end == a.to {
		return a.v, err
	}
	if err := a.leave(start, end); err != nil {
		return value.Value{}, err
	}
	for ; a.to < end; a.to++ {
		args, err := a.args(a.in, a.to)
		if err != nil {
			return value.Value{}, err
		}
		held := a.run.env.Held
		mark := held.Mark()
		err = a.state.Add(a.run.env, args)
		if held.Release(mark); err != nil {
			return value.Value{}, err
		}
		if err := a.run.meter.Step(cancelcheck.Row); err != nil {
			return value.Value{}, err
		}
	}
	a.known = true
	a.v, err = a.state.Result()
	return a.v, err
}

// leave removes the rows before the frame from the aggregate.
func (a *frameAggregate) leave(start, end int64) error {
	switch {
	case start == a.from:
		return nil
	case start >= a.to || !a.state.Moves():
		a.state.Reset()
		a.from, a.to = start, start
		return nil
	}
	for ; a.from < start; a.from++ {
		args, err := a.args(a.out, a.from)
		if err != nil {
			return err
		}
		if err := a.state.Remove(args); err != nil {
			return err
		}
		if err := a.run.meter.Step(cancelcheck.Row); err != nil {
			return err
		}
	}
	if a.state.Lost() {
		a.state.Reset()
		a.to = a.from
	}
	return nil
}

// keeps returns the first row that must still be added or removed.
func (a *frameAggregate) keeps(int64) int64 {
	low := a.to
	if a.frame.Start.moves() {
		low = min(low, a.from)
	}
	return min(low, a.frame.keeps())
}

func (a *frameAggregate) restart() error {
	a.frame.restart()
	a.state.Reset()
	a.from, a.to, a.known = 0, 0, false
	return nil
}

func (a *frameAggregate) close() error {
	a.state.Reset()
	a.memory.Release()
	return nil
}
