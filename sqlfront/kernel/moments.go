package kernel

import (
	"math"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// moments are what FROM_UNIXTIME gives, as microseconds since 1970-01-01 00:00 of the
// session's zone. NULL is what it gives NULL for.
type moments struct {
	unary
	each  int64 // of the operand in a second
	zone  *time.Location
	spans []zoneSpan
	last  int // of spans
}

// zoneSpan is seconds since 1970 UTC, to excluded, in which a zone keeps its offset.
type zoneSpan struct{ from, to, offset int64 }

const (
	microsecond = 1
	second      = 1_000_000 * microsecond
	minute      = 60 * second
	hour        = 60 * minute
	day         = 24 * hour

	lastSecond = 253402300799 // of the year 9999, of which FROM_UNIXTIME gives the start
)

// moments is FROM_UNIXTIME of an integer, or of one that an integer divides as far as
// microseconds; nil of anything else.
func (c *Compiler) moments(of expr.Node) *moments {
	of, each := c.divided(of, second)
	x := c.node(of)
	if x.Kind() != value.Int {
		return nil
	}
	return &moments{unary: unaryOf(x, value.Int), each: each, zone: c.quietEnv().Now().Location()}
}

// divided is what an expression divides by an integer up to most, and that; where it
// does not, the expression and 1.
func (c *Compiler) divided(n expr.Node, most int64) (expr.Node, int64) {
	if a, ok := n.(*expr.Arith); ok && a.Op == expr.Divide {
		if by, ok := c.constant(a.R); ok && by.Kind() == value.Int && by.Int() >= 1 && by.Int() <= most {
			return a.L, by.Int()
		}
	}
	return n, 1
}

func (k *moments) Eval(b *Batch, rows []int32) (*value.Vector, bool) {
	x, ok := k.start(b, rows)
	if !ok {
		return nil, false
	}
	for _, i := range rows {
		n := x.Ints[i]
		seconds, rest := n/k.each, n%k.each*second/k.each
		if n < 0 || seconds > lastSecond || seconds == lastSecond && rest > 0 || x.Nulls != nil && x.Nulls[i] {
			k.out.SetNull(i)
			continue
		}
		k.out.Ints[i] = (seconds+k.offset(seconds))*second + rest
	}
	return &k.out, true
}

// offset is the zone's at a second, in seconds.
func (k *moments) offset(at int64) int64 {
	if len(k.spans) > 0 {
		if s := &k.spans[k.last]; at >= s.from && at < s.to {
			return s.offset
		}
	}
	for i := range k.spans {
		if s := &k.spans[i]; at >= s.from && at < s.to {
			k.last = i
			return s.offset
		}
	}
	return k.findOffset(at)
}

// maxSpans bounds what is known of a zone.
const maxSpans = 64

func (k *moments) findOffset(at int64) int64 {
	t := time.Unix(at, 0).In(k.zone)
	_, offset := t.Zone()
	span := zoneSpan{math.MinInt64, math.MaxInt64, int64(offset)}
	from, to := t.ZoneBounds()
	if !from.IsZero() {
		span.from = from.Unix()
	}
	if !to.IsZero() {
		span.to = to.Unix()
	}
	if len(k.spans) == maxSpans {
		k.spans = k.spans[:0]
	}
	k.spans, k.last = append(k.spans, span), len(k.spans)
	return span.offset
}
