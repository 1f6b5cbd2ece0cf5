package kernel

import (
	"cmp"
	"math"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
)

// moments are the results of FROM_UNIXTIME for an operand, in the session's time zone.
type moments struct {
	x     Kernel // the operand
	each  int64  // units of the operand in a second
	zone  *time.Location
	spans []zoneSpan
}

// zoneSpan is a range of operands, without to, in which a zone keeps its offset. The offset is in
// units of the operand, too.
type zoneSpan struct{ from, to, offset int64 }

const (
	minute = 60 // seconds
	hour   = 60 * minute
	day    = 24 * hour

	microseconds = 1_000_000 // in a second

	lastSecond = 253402300799 // of the year 9999; FROM_UNIXTIME accepts its start
)

// moments returns FROM_UNIXTIME of an integer, or of one divided by an integer of at most
// microseconds; nil for anything else.
func (c *Compiler) moments(of expr.Node) *moments {
	of, each := c.divided(of, microseconds)
	x := c.node(of)
	if x.Kind() != value.Int {
		return nil
	}
	return &moments{x: x, each: each, zone: c.quietEnv().Now().Location()}
}

// divided returns the dividend and the divisor if an expression divides by an integer of at most
// most; otherwise the expression and 1.
func (c *Compiler) divided(n expr.Node, most int64) (expr.Node, int64) {
	if a, ok := n.(*expr.Arith); ok && a.Op == expr.Divide {
		if by, ok := c.constant(a.R); ok && by.Kind() == value.Int && by.Int() >= 1 && by.Int() <= most {
			return a.L, by.Int()
		}
	}
	return n, 1
}

// find returns the span of an operand, or false if the moment is NULL.
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

// maxSpans limits the known spans of a zone.
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

// compareMoments compares FROM_UNIXTIME of a number with a constant time: 5 ns a row instead of
// 143. It returns nil for anything else.
func (c *Compiler) compareMoments(op expr.CompareOp, l, r expr.Node, v value.Value) Kernel {
	call, ok := l.(*expr.Call)
	if !ok || call.Name != "FROM_UNIXTIME" || len(call.Args) != 1 {
		return nil
	}
	with, ok := c.moment(r, v)
	m := c.moments(call.Args[0])
	if !ok || m == nil {
		return nil
	}
	return &compareMoments{unaryOf(m.x, value.Int), m, op, with}
}

// moment returns a constant as microseconds of a clock without time zone, or false if it is not a
// time or warns.
func (c *Compiler) moment(n expr.Node, v value.Value) (int64, bool) {
	d, ok := value.ParseDateTime(v)
	if !ok {
		return 0, false
	}
	f := d.Fields()
	c.warned = false
	_, err := (&expr.Compare{L: &expr.Const{V: value.NewDateTime(f, 0)}, R: n}).Eval(c.quietEnv())
	at := time.Date(f.Year, time.Month(f.Month), f.Day, f.Hour, f.Minute, f.Second, f.Micro*int(time.Microsecond), time.UTC)
	return at.UnixMicro(), err == nil && !c.warned && calendar.FieldsOf(at) == f
}

type compareMoments struct {
	unary
	moments *moments
	op      expr.CompareOp
	with    int64
}

func (k *compareMoments) Eval(b *Batch, rows []int32) (*value.Vector, bool) {
	x, ok := k.start(b, rows)
	if !ok {
		return nil, false
	}
	each := k.moments.each
	for _, i := range rows {
		span, ok := k.moments.find(x.Ints[i])
		if !ok || x.IsNull(i) {
			k.out.SetNull(i)
			continue
		}
		at := x.Ints[i] + span.offset
		second := floorDiv(at, each)
		micros := second*microseconds + (at-second*each)*microseconds/each
		set(k.out.Ints, i, k.op.Accepts(cmp.Compare(micros, k.with)))
	}
	return &k.out, true
}
