package window

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Call is a call of a window function and its frame.
type Call struct {
	*setfunc.WindowCall
	Frame Frame
}

// hasFrame reports whether the call is computed over a frame; others are computed over the partition.
func (c *Call) hasFrame() bool {
	switch c.Name {
	case "FIRST_VALUE", "LAST_VALUE", "NTH_VALUE":
		return true
	}
	return c.Agg != nil
}

// MayWarn reports whether computing the call may warn, apart from its arguments.
func (c *Call) MayWarn() bool {
	return c.Agg != nil && !c.Agg.Quiet() || c.Frame.Start.Unit != "" || c.Frame.End.Unit != ""
}

// String returns the call as EXPLAIN shows it, with its frame if it has one.
func (c *Call) String() string {
	if !c.hasFrame() {
		return expr.Print(c.WindowCall)
	}
	return expr.Print(c.WindowCall) + " " + c.Frame.String()
}

// Add adds a call, before the first row is read. Its results go to the given slot of the frame. The
// error is that of a number of rows (1210), or of the frame (3586).
func (r *Run) Add(c *Call, slot int) error {
	made, err := r.newCall(c)
	if err == nil {
		r.calls, r.slots = append(r.calls, made), append(r.slots, slot)
	}
	return err
}

// needPeers keeps the keys of the order with each row.
func (r *Run) needPeers() {
	if r.peers.by != nil || len(r.Order) == 0 {
		return
	}
	for _, n := range r.Order {
		r.peers.by = append(r.peers.by, r.layout.Place(n))
	}
}

// lookAhead keeps rows, because calls read others than the current one.
func (r *Run) lookAhead() { r.rows.buffered = true }

func (r *Run) newCall(c *Call) (running, error) {
	if c.hasFrame() {
		return r.newFrameCall(c)
	}
	if c.Name == "LAG" || c.Name == "LEAD" {
		return r.newOffset(c)
	}
	if c.IsPercentile() {
		return r.newPercentile(c), nil
	}
	r.needPeers()
	p := partitionCall{run: r}
	switch c.Name {
	case "ROW_NUMBER":
		p.of = func(at int64) (value.Value, error) { return value.NewUint(uint64(at) + 1), nil }
	case "RANK":
		p.of = r.rank
	case "DENSE_RANK":
		p.of = r.denseRank
	case "PERCENT_RANK":
		r.lookAhead()
		p.of = r.percentRank
	case "CUME_DIST":
		r.lookAhead()
		p.of = r.cumulativeShare
	default:
		r.lookAhead()
		n, ok, err := c.Count(r.env)
		if err != nil {
			return nil, err
		}
		return &tileCall{partitionCall: p, n: n, ok: ok}, nil
	}
	return &p, nil
}

func (r *Run) newFrameCall(c *Call) (running, error) {
	frame, err := r.newFrame(&c.Frame)
	if err != nil {
		return nil, err
	}
	if c.Agg != nil {
		return r.newFrameAggregate(c, frame), nil
	}
	r.lookAhead()
	v := &frameValue{run: r, frame: frame, of: r.layout.Place(c.Args[0]), row: r.rows.cursor(), nth: 1, at: -1}
	v.last = c.Name == "LAST_VALUE"
	if n, ok, err := c.Count(r.env); ok || err != nil {
		v.nth = n
		return v, err
	}
	return v, nil
}
