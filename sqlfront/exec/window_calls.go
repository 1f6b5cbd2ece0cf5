package exec

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// hasFrame reports whether the call is of a frame; others are of the partition.
func hasFrame(c *expr.WindowCall) bool {
	switch c.Name {
	case "FIRST_VALUE", "LAST_VALUE", "NTH_VALUE":
		return true
	}
	return c.Agg != nil
}

// needPeers makes the places of the order's keys.
func (w *windowed) needPeers() {
	if w.peers.by != nil || len(w.Order) == 0 {
		return
	}
	for _, k := range w.Order {
		w.peers.by = append(w.peers.by, w.in.place(k.Expr))
	}
}

// lookAhead has rows kept for others than the present one.
func (w *windowed) lookAhead() { w.rows.buffered = true }

func (w *windowed) newCall(c *WindowCall) (windowCall, error) {
	if hasFrame(c.Call) {
		return w.newFrameCall(c)
	}
	if c.Call.Name == "LAG" || c.Call.Name == "LEAD" {
		return w.newOffset(c.Call)
	}
	w.needPeers()
	p := partitionCall{w: w}
	switch c.Call.Name {
	case "ROW_NUMBER":
		p.of = func(at int64) (value.Value, error) { return value.NewUint(uint64(at) + 1), nil }
	case "RANK":
		p.of = w.rank
	case "DENSE_RANK":
		p.of = w.denseRank
	case "PERCENT_RANK":
		w.lookAhead()
		p.of = w.percentRank
	case "CUME_DIST":
		w.lookAhead()
		p.of = w.cumulativeShare
	default:
		w.lookAhead()
		n, ok, err := c.Call.Count(&w.in.x.env)
		if err != nil {
			return nil, err
		}
		return &tileCall{partitionCall: p, n: n, ok: ok}, nil
	}
	return &p, nil
}

// offsetCall is LAG and LEAD.
type offsetCall struct {
	w           *windowed
	t           value.Type
	offset      int64
	of          int // the place of the value
	otherwise   int // that of the default, -1 for none
	there, here *rowCursor
}

func (w *windowed) newOffset(c *expr.WindowCall) (windowCall, error) {
	n, ok, err := c.Count(&w.in.x.env)
	if err != nil {
		return nil, err
	}
	if !ok {
		n = 1
	}
	if c.Name == "LAG" {
		n = -n
	}
	w.lookAhead()
	o := &offsetCall{w: w, t: c.Type(), offset: n, of: w.in.place(c.Args[0]), otherwise: -1,
		there: w.rows.cursor(), here: w.rows.cursor()}
	if len(c.Args) > 2 {
		o.otherwise = w.in.place(c.Args[2])
	}
	return o, nil
}

func (o *offsetCall) result(at int64) (value.Value, error) {
	if to := plus(at, o.offset); to >= 0 {
		ok, err := o.w.rows.has(to)
		if err != nil {
			return value.Value{}, err
		}
		if ok {
			return o.value(o.there, to, o.of)
		}
	}
	if o.otherwise < 0 {
		return value.Value{}, nil
	}
	return o.value(o.here, at, o.otherwise)
}

func (o *offsetCall) value(c *rowCursor, at int64, place int) (value.Value, error) {
	v, err := o.w.rows.value(c, at, place)
	return value.Coerce(v, o.t), err
}

func (o *offsetCall) keeps(at int64) int64 { return max(at+1+min(o.offset, 0), 0) }
func (o *offsetCall) restart() error       { return nil }
func (o *offsetCall) close() error         { return nil }

func (w *windowed) newFrameCall(c *WindowCall) (windowCall, error) {
	frame, err := w.newFrame(&c.Frame)
	if err != nil {
		return nil, err
	}
	if c.Call.Agg != nil {
		return w.newFrameAggregate(c.Call, frame), nil
	}
	w.lookAhead()
	v := &frameValue{w: w, frame: frame, of: w.in.place(c.Call.Args[0]), row: w.rows.cursor(), nth: 1, at: -1}
	v.last = c.Call.Name == "LAST_VALUE"
	if n, ok, err := c.Call.Count(&w.in.x.env); ok || err != nil {
		v.nth = n
		return v, err
	}
	return v, nil
}

// frameValue is FIRST_VALUE, LAST_VALUE and NTH_VALUE. It remembers the value, so
// that a frame that begins with the partition does not keep it.
type frameValue struct {
	w     *windowed
	frame *frameRows
	of    int
	last  bool
	nth   int64
	row   *rowCursor
	at    int64 // of the value, -1 for none
	next  int64 // the least row that may be asked for
	kept  spill.RowBuffer
}

func (f *frameValue) result(at int64) (value.Value, error) {
	start, end, err := f.frame.of(at)
	if err != nil {
		return value.Value{}, err
	}
	want := plus(start, f.nth-1)
	if f.last {
		want = end - 1
	}
	if start == end || want >= end {
		f.next = want
		return value.Value{}, nil
	}
	if f.at != want {
		if err := f.remember(want); err != nil {
			return value.Value{}, err
		}
	}
	f.next = want + 1
	return f.kept.Row[0], nil
}

func (f *frameValue) remember(at int64) error {
	v, err := f.w.rows.value(f.row, at, f.of)
	if f.w.rows.kept != nil {
		f.kept.Row = append(f.kept.Row[:0], v)
	} else if err == nil {
		f.kept.Set([]value.Value{v})
	}
	f.at = at
	return err
}

func (f *frameValue) keeps(int64) int64 { return min(max(f.next, 0), f.frame.keeps()) }

func (f *frameValue) restart() error {
	f.frame.restart()
	f.at, f.next = -1, 0
	return nil
}

func (f *frameValue) close() error { return nil }

// frameAggregate is an aggregate over the frame of each row. The rows from first to
// below behind are in it.
type frameAggregate struct {
	w      *windowed
	call   *expr.WindowCall
	frame  *frameRows
	memory expr.Memory
	state  *expr.FrameState
	first  int // the place of the first argument
	from   int64
	to     int64
	in     *rowCursor
	out    *rowCursor
	known  bool
	v      value.Value
	values []value.Value // the arguments for a row
}

func (w *windowed) newFrameAggregate(c *expr.WindowCall, frame *frameRows) windowCall {
	a := &frameAggregate{w: w, call: c, frame: frame, in: w.rows.cursor(), out: w.rows.cursor()}
	a.values = make([]value.Value, len(c.Agg.Args))
	a.memory = expr.Memory{Account: w.in.x.stmt.space.Account()}
	a.state = c.Agg.NewFrame(&a.memory, frame.Start.moves())
	return a
}

// moves reports whether the end of the frame is another one for other rows.
func (b *WindowBound) moves() bool { return b.Kind != 0 }

func (a *frameAggregate) args(c *rowCursor, at int64) (_ []value.Value, err error) {
	for i := range a.values {
		if a.values[i], err = a.w.rows.value(c, at, a.first+i); err != nil {
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
		if err := a.state.Add(&a.w.in.x.env, args); err != nil {
			return value.Value{}, err
		}
		if err := a.w.in.x.tick(); err != nil {
			return value.Value{}, err
		}
	}
	a.known = true
	a.v, err = a.state.Result()
	return a.v, err
}

// leave takes the rows in front of the frame away.
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
		if err := a.w.in.x.tick(); err != nil {
			return err
		}
	}
	return nil
}

// keeps is the first row that is to be added or taken away.
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
