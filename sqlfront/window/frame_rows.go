package window

import (
	"math"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/function/temporal"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// frameRows computes the frame of each row of a partition. Both ends only move forward.
type frameRows struct {
	*Frame
	run   *Run
	start frameEnd
	end   frameEnd
}

// frameEnd is one end of the frame.
type frameEnd struct {
	*Bound
	rows int64       // of ROWS n
	by   value.Value // of RANGE n
	key  int         // the place of the order's key in a kept row
	desc bool
	at   int64 // of RANGE n: the row that the end has reached
	row  *rowCursor
	ask  *rowCursor // the current row
}

func (r *Run) newFrame(f *Frame) (*frameRows, error) {
	out := &frameRows{Frame: f, run: r}
	out.start.Bound, out.end.Bound = &f.Start, &f.End
	if f.streams() {
		return out, nil
	}
	r.rows.buffered = true
	if f.Range {
		r.needPeers()
	}
	for _, e := range []*frameEnd{&out.start, &out.end} {
		if err := out.bind(e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// bind evaluates the distance of an end. The error of an invalid one is 3586.
func (f *frameRows) bind(e *frameEnd) error {
	if e.N == nil {
		return nil
	}
	v, err := e.N.Eval(f.run.env)
	if err != nil {
		return err
	}
	v = v.Clone()
	if f.Range {
		e.by, e.key, e.desc = v, f.run.layout.Place(f.run.Order[0]), f.run.Desc
		e.row, e.ask = f.run.rows.cursor(), f.run.rows.cursor()
		if v.IsNull() || e.Unit == "" && (!v.Kind().IsNumber() || value.Order(v, value.NewInt(0)) < 0) {
			return f.illegal()
		}
		return nil
	}
	var ok bool
	if e.rows, ok = value.ExactInt(v); !ok || v.Kind() != value.Int && v.Kind() != value.Uint || e.rows < 0 {
		return f.illegal()
	}
	return nil
}

func (f *frameRows) restart() { f.start.at, f.end.at = 0, 0 }

// of returns the frame of a row, from start to before end. It is empty if they are equal.
func (f *frameRows) of(at int64) (start, end int64, err error) {
	if start, err = f.startOf(at); err != nil {
		return 0, 0, err
	}
	end, err = f.endOf(at)
	return start, max(start, end), err
}

// reach limits a row number to the end of the partition.
func (f *frameRows) reach(row int64) (int64, error) {
	if row < 0 {
		return 0, nil
	}
	if row > 0 {
		if _, err := f.run.rows.has(row - 1); err != nil {
			return 0, err
		}
	}
	return min(row, f.run.rows.count), nil
}

// plus adds row numbers without overflow; a must not be negative.
func plus(a, b int64) int64 {
	if b > math.MaxInt64-a {
		return math.MaxInt64
	}
	return a + b
}

func (f *frameRows) startOf(at int64) (int64, error) {
	e := &f.start
	switch {
	case e.Kind == clause.UnboundedPreceding:
		return 0, nil
	case e.Kind == clause.CurrentRow && !f.Range:
		return at, nil
	case e.Kind == clause.CurrentRow:
		first, _, err := f.run.peers.start(at)
		return first, err
	case !f.Range && e.Kind == clause.Preceding:
		return max(at-e.rows, 0), nil
	case !f.Range:
		return f.reach(plus(at, e.rows))
	}
	return f.advance(e, at, true)
}

func (f *frameRows) endOf(at int64) (int64, error) {
	e := &f.end
	switch {
	case e.Kind == clause.UnboundedFollowing:
		return f.run.rows.all()
	case e.Kind == clause.CurrentRow && !f.Range:
		return at + 1, nil
	case e.Kind == clause.CurrentRow:
		return f.run.peers.behind(at)
	case !f.Range && e.Kind == clause.Preceding:
		return max(at-e.rows+1, 0), nil
	case !f.Range:
		return f.reach(plus(plus(at, e.rows), 1))
	}
	return f.advance(e, at, false)
}

// advance moves an end of RANGE n to its place for the row. The frame of a row with NULL is its
// peers.
func (f *frameRows) advance(e *frameEnd, at int64, start bool) (int64, error) {
	key, err := f.run.rows.value(e.ask, at, e.key)
	switch {
	case err != nil:
		return 0, err
	case key.IsNull() && start:
		first, _, err := f.run.peers.start(at)
		return first, err
	case key.IsNull():
		return f.run.peers.behind(at)
	}
	limit, err := e.limit(key, f.run.env)
	if err != nil {
		return 0, err
	}
	for {
		ok, err := f.run.rows.has(e.at)
		if !ok || err != nil {
			return e.at, err
		}
		other, err := f.run.rows.value(e.row, e.at, e.key)
		if err != nil {
			return 0, err
		}
		if !e.before(other, limit, start) {
			return e.at, nil
		}
		e.at++
		if err := f.run.meter.Step(cancelcheck.Row); err != nil {
			return 0, err
		}
	}
}

// before reports whether a row with that key is before the end. A limit of NULL is beyond all rows.
func (e *frameEnd) before(key, limit value.Value, start bool) bool {
	switch {
	case key.IsNull():
		return !e.desc
	case limit.IsNull():
		return e.Kind == clause.Following
	}
	order, _ := value.Compare(key, limit)
	if e.desc {
		order = -order
	}
	return order < 0 || order == 0 && !start
}

// limit returns the key at the end's distance from the key of a row.
func (e *frameEnd) limit(key value.Value, env *expr.Env) (value.Value, error) {
	less := (e.Kind == clause.Preceding) != e.desc
	switch {
	case e.Unit != "":
		return temporal.AddInterval(&env.Env, key, e.by, e.Unit, less)
	case key.Kind() == value.Float || e.by.Kind() == value.Float:
		by := e.by.AsFloat()
		if less {
			by = -by
		}
		return value.NewFloat(key.AsFloat() + by), nil
	}
	by := e.by.AsDecimal()
	if less {
		by = by.Neg()
	}
	return value.NewDecimal(key.AsDecimal().Add(by)), nil
}

// keeps returns the first row that will be read again.
func (f *frameRows) keeps() int64 {
	low := int64(math.MaxInt64)
	for _, e := range []*frameEnd{&f.start, &f.end} {
		if e.row != nil {
			low = min(low, e.at)
		}
	}
	return low
}
