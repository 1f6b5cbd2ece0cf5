package window

import (
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// offsetCall computes LAG and LEAD.
type offsetCall struct {
	run         *Run
	t           value.Type
	offset      int64
	of          int // the place of the value in a kept row
	otherwise   int // that of the default, or -1
	there, here *rowCursor
}

func (r *Run) newOffset(c *Call) (running, error) {
	n, ok, err := c.Count(r.env)
	if err != nil {
		return nil, err
	}
	if !ok {
		n = 1
	}
	if c.Name == "LAG" {
		n = -n
	}
	r.lookAhead()
	o := &offsetCall{run: r, t: c.Type(), offset: n, of: r.layout.Place(c.Args[0]), otherwise: -1,
		there: r.rows.cursor(), here: r.rows.cursor()}
	if len(c.Args) > 2 {
		o.otherwise = r.layout.Place(c.Args[2])
	}
	return o, nil
}

func (o *offsetCall) result(at int64) (value.Value, error) {
	if to := plus(at, o.offset); to >= 0 {
		ok, err := o.run.rows.has(to)
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
	v, err := o.run.rows.value(c, at, place)
	return value.Coerce(v, o.t), err
}

func (o *offsetCall) keeps(at int64) int64 { return max(at+1+min(o.offset, 0), 0) }
func (o *offsetCall) restart() error       { return nil }
func (o *offsetCall) close() error         { return nil }
