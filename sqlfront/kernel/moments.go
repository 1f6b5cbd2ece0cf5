package kernel

import (
	"math"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// moments are what FROM_UNIXTIME gives of an operand, in the session's zone.
type moments struct {
	x     Kernel // the operand
	each  int64  // of it in a second
	zone  *time.Location
	spans []zoneSpan
}

// zoneSpan is operands, to excluded, at which a zone keeps its offset, which is in units
// of the operand, too.
type zoneSpan struct{ from, to, offset int64 }

const (
	minute = 60 // seconds
	hour   = 60 * minute
	day    = 24 * hour

	microseconds = 1_000_000 // in a second

	lastSecond = 253402300799 // of the year 9999, of which FROM_UNIXTIME gives the start
)

// moments is FROM_UNIXTIME of an integer, or of one that an integer divides as far as
// microseconds; nil of anything else.
func (c *Compiler) moments(of expr.Node) *moments {
	of, each := c.divided(of, microseconds)
	x := c.node(of)
	if x.Kind() != value.Int {
		return nil
	}
	return &moments{x: x, each: each, zone: c.quietEnv().Now().Location()}
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

// find finds the span of an operand, or reports false where the moment is NULL.
func (k *moments) find(n int64) (*zoneSpan, bool) {
	if n < 0 || n > lastSecond*k.each {
		return nil, false
	}
	for i := range k.spans {
		if s := &k.spans[i]; n >= s.from && n < s.to {
			return s, true
		}
	}
	return k.addSpan(n), true
}

// maxSpans bounds what is known of a zone.
const maxSpans = 64

func (k *moments) addSpan(n int64) *zoneSpan {
	t := time.Unix(n/k.each, 0).In(k.zone)
	_, offset := t.Zone()
	span := zoneSpan{0, math.MaxInt64, int64(offset) * k.each}
	from, to := t.ZoneBounds()
	if !from.IsZero() {
		span.from = max(0, from.Unix()) * k.each
	}
	if !to.IsZero() {
		span.to = min(to.Unix(), lastSecond+1) * k.each
	}
	if len(k.spans) == maxSpans {
		k.spans = k.spans[:0]
	}
	k.spans = append(k.spans, span)
	return &k.spans[len(k.spans)-1]
}
