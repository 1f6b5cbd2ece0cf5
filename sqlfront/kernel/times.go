package kernel

import (
	"bytes"
	"math"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// times is an expression that reads of a row only FROM_UNIXTIME(x), and of that only parts that
// stay the same throughout a day, an hour or a minute. It is evaluated as package expr does, but
// once for each of these: DATE_FORMAT of times with 1,440 different ones a day takes 8 ns a row
// instead of 393.
type times struct {
	eachRow
	moments *moments
	reads   parts
	known   map[int64]value.Value // by part
	recent  [numRecent]recentPart
	codes   []int32
	given   int32 // number of codes used in this batch
	batches int   // evaluated
}

// recentPart is a part that was read recently, and its value.
type recentPart struct {
	known bool
	part  int64
	v     value.Value
	batch int // the last one with it
	code  int32
}

// numRecent is a power of two: enough for a year of days, or a day of hours.
const numRecent = 1 << 9

// parts are the parts of a time that an expression reads.
type parts struct {
	date  bool
	clock int64 // the time of day in units of so many seconds, 0 if it is not read
	// utc says that the time is converted back to UTC.
	utc bool
}

// maxKnown limits the values that times remembers.
const maxKnown = 1 << 14

// times returns the kernel of such an expression, or nil for others.
func (c *Compiler) times(n expr.Node) Kernel {
	t := timeReader{c: c}
	if !t.read(n) || t.of == nil {
		return nil
	}
	m := c.moments(t.of)
	if m == nil {
		return nil
	}
	k := &times{eachRow: *c.eachRow(n), moments: m, reads: t.reads, known: map[int64]value.Value{}}
	if kind := n.Type().Kind; kind == value.Int || kind == value.Bytes {
		k.out.Kind = kind
	}
	return k
}

func (k *times) Eval(b *Batch, rows []int32) (*value.Vector, bool) {
	x, ok := k.moments.x.Eval(b, rows)
	if !ok {
		return nil, false
	}
	k.out.Start(k.out.Kind, b.N)
	k.startCodes(b.N)
	for _, i := range rows {
		part, ok := k.partOf(x, i)
		if !ok {
			if v, ok := k.one(b, i); !ok || !k.out.Set(i, v) {
				return nil, false
			}
			k.codes[i] = k.newCode()
			continue
		}
		r := &k.recent[part%numRecent]
		if (r.part != part || !r.known) && !k.find(r, part, b, i) || !k.out.Set(i, r.v) {
			return nil, false
		}
		if r.batch != k.batches {
			r.batch, r.code = k.batches, k.newCode()
		}
		k.codes[i] = r.code
	}
	k.out.Codes = k.codes
	return &k.out, true
}

// startCodes makes room for the codes of a batch.
func (k *times) startCodes(n int) {
	if cap(k.codes) < n {
		k.codes = make([]int32, n)
	}
	k.codes, k.given = k.codes[:n], 0
	k.batches++
}

func (k *times) newCode() int32 {
	k.given++
	return k.given - 1
}

// partOf returns a number for the parts of the time in row i, or false if it is NULL.
func (k *times) partOf(x *value.Vector, i int32) (int64, bool) {
	if x.Nulls != nil && x.Nulls[i] {
		return 0, false
	}
	span, ok := k.moments.find(x.Ints[i])
	if !ok || k.reads.utc && !k.keepsOffset(span, x.Ints[i]) {
		return 0, false
	}
	return k.reads.of(x.Ints[i]+span.offset, k.moments.each), true
}

// keepsOffset reports whether a moment's parts are also parts in UTC, for all moments with the same
// parts: the offset is a multiple of them, and does not change within a day.
func (k *times) keepsOffset(span *zoneSpan, n int64) bool {
	around := day * k.moments.each
	return span.offset%(k.reads.clock*k.moments.each) == 0 &&
		n-around >= span.from && n+around < min(span.to, math.MaxInt32*k.moments.each) // after that, UNIX_TIMESTAMP is 0
}

// of returns a number for the parts of a time with each units in a second. The local time may be
// before 1970.
func (p parts) of(at, each int64) int64 {
	at += day * each // no zone is farther behind UTC
	switch {
	case p.clock == 0:
		return at / (day * each)
	case !p.date:
		return at / (p.clock * each) % (day / p.clock)
	}
	return at / (p.clock * each)
}

func floorDiv(x, by int64) int64 {
	q := x / by
	if x%by < 0 {
		q--
	}
	return q
}

// find computes the value of a part, which row i has, into r.
func (k *times) find(r *recentPart, part int64, b *Batch, i int32) bool {
	v, ok := k.known[part]
	if !ok {
		if v, ok = k.one(b, i); !ok {
			return false
		}
		if len(k.known) == maxKnown {
			clear(k.known)
		}
		v = v.Clone()
		k.known[part] = v
	}
	*r = recentPart{known: true, part: part, v: v}
	return true
}

// timeReader finds out which parts of FROM_UNIXTIME(of) an expression reads.
type timeReader struct {
	c     *Compiler
	of    expr.Node
	reads parts
}

// readers are the functions that read a part of their first argument.
var readers = map[string]parts{
	"YEAR": {date: true}, "MONTH": {date: true}, "DAYOFMONTH": {date: true}, "QUARTER": {date: true}, "DAYOFWEEK": {date: true},
	"WEEKDAY": {date: true}, "DAYOFYEAR": {date: true}, "TO_DAYS": {date: true}, "WEEKOFYEAR": {date: true}, "WEEK": {date: true},
	"YEARWEEK": {date: true}, "DAYNAME": {date: true}, "MONTHNAME": {date: true}, "DATE": {date: true}, "LAST_DAY": {date: true},
	"HOUR": {clock: hour}, "MINUTE": {clock: minute},
}

// extracted are the units of EXTRACT that are such parts.
var extracted = map[string]parts{
	"DAY": {date: true}, "WEEK": {date: true}, "MONTH": {date: true}, "QUARTER": {date: true}, "YEAR": {date: true},
	"YEAR_MONTH": {date: true}, "HOUR": {clock: hour}, "MINUTE": {clock: minute}, "HOUR_MINUTE": {clock: minute},
	"DAY_HOUR": {date: true, clock: hour}, "DAY_MINUTE": {date: true, clock: minute},
}

// read adds the parts that an expression reads, or reports false if it reads something else.
func (t *timeReader) read(n expr.Node) bool {
	switch n := n.(type) {
	case *expr.Column:
		return t.c.Schema.find(n.Index) < 0
	case *expr.Cast:
		if n.To == expr.ToDate && t.unixtime(n.X, 1) {
			return t.add(parts{date: true})
		}
	case *expr.Arith:
		if p, ok := t.ofEpoch(n, expr.IntDivide); ok {
			return t.add(p)
		}
	case *expr.Call:
		if p, ok := t.partsOf(n); ok {
			return t.add(p)
		}
	}
	if parent, ok := n.(expr.Parent); ok {
		for _, child := range parent.Children() {
			if !t.read(child) {
				return false
			}
		}
	}
	return true
}

func (t *timeReader) add(p parts) bool {
	t.reads.date = t.reads.date || p.date
	t.reads.utc = t.reads.utc || p.utc
	if p.clock > 0 && (t.reads.clock == 0 || p.clock < t.reads.clock) {
		t.reads.clock = p.clock
	}
	return true
}

// partsOf returns the parts that a call reads of FROM_UNIXTIME, besides constants; false if it does
// something else.
func (t *timeReader) partsOf(n *expr.Call) (p parts, ok bool) {
	switch args := n.Args; {
	case n.Name == "FROM_UNIXTIME" && len(args) == 2:
		if p, ok = t.ofFormat(args[1]); ok {
			ok = t.unixtime(n, 2)
		}
	case n.Name == "DATE_FORMAT":
		if p, ok = t.ofFormat(args[1]); ok {
			ok = t.unixtime(args[0], 1)
		}
	case n.Name == "EXTRACT":
		if unit, known := t.c.constant(args[0]); known {
			if p, ok = extracted[string(unit.Raw())]; ok {
				ok = t.unixtime(args[1], 1)
			}
		}
	case n.Name == "DATEDIFF":
		p, ok = parts{date: true}, t.dateOf(args[0]) && t.dateOf(args[1])
	case n.Name == "FLOOR":
		if of, is := args[0].(*expr.Arith); is {
			p, ok = t.ofEpoch(of, expr.Divide)
		}
	case len(args) > 0:
		if p, ok = readers[n.Name]; ok {
			ok = t.unixtime(args[0], 1) && (len(args) == 1 || t.read(args[1]))
		}
	}
	return p, ok
}

// dateOf reports whether the operand of DATEDIFF is FROM_UNIXTIME, or can be read.
func (t *timeReader) dateOf(n expr.Node) bool { return t.unixtime(n, 1) || t.read(n) }

// ofEpoch returns the parts that UNIX_TIMESTAMP of a time, divided by a constant, reads; false if
// the divisor is not a number of minutes.
func (t *timeReader) ofEpoch(n *expr.Arith, op expr.ArithOp) (p parts, ok bool) {
	call, is := n.L.(*expr.Call)
	if !is || n.Op != op || call.Name != "UNIX_TIMESTAMP" || len(call.Args) != 1 {
		return p, false
	}
	by, known := t.c.constant(n.R)
	if !known || by.Kind() != value.Int || by.Int() <= 0 || by.Int()%minute != 0 {
		return p, false
	}
	p = parts{date: true, clock: minute, utc: true}
	if by.Int()%(hour/4) == 0 { // most zones' offsets are multiples of it
		p.clock = hour / 4
	}
	return p, t.unixtime(call.Args[0], 1)
}

// shifts are the parts that adding an INTERVAL of a unit to a time needs, besides those read of the
// sum.
var shifts = map[string]parts{
	"DAY": {date: true}, "WEEK": {date: true}, "MONTH": {date: true}, "QUARTER": {date: true}, "YEAR": {date: true},
	"HOUR": {date: true, clock: hour}, "MINUTE": {date: true, clock: minute},
}

// unixtime reports whether n is FROM_UNIXTIME of the expression's only operand, with so many
// arguments, or such a call plus an INTERVAL.
func (t *timeReader) unixtime(n expr.Node, args int) bool {
	for sum, is := n.(*expr.DateAdd); is; sum, is = n.(*expr.DateAdd) {
		p, known := shifts[sum.Unit]
		if !known || args != 1 || !t.read(sum.Amount) {
			return false
		}
		t.add(p)
		n = sum.X
	}
	call, ok := n.(*expr.Call)
	if !ok || call.Name != "FROM_UNIXTIME" || len(call.Args) != args {
		return false
	}
	if t.of == nil {
		t.of = call.Args[0]
	}
	return sameNumber(t.of, call.Args[0])
}

// sameNumber reports whether two expressions certainly have the same value: equal columns,
// constants, and arithmetic on them.
func sameNumber(a, b expr.Node) bool {
	switch x := a.(type) {
	case *expr.Column:
		y, ok := b.(*expr.Column)
		return ok && x.Index == y.Index
	case *expr.Const:
		y, ok := b.(*expr.Const)
		return ok && value.Identical(x.V, y.V)
	case *expr.Arith:
		y, ok := b.(*expr.Arith)
		return ok && x.Op == y.Op && sameNumber(x.L, y.L) && sameNumber(x.R, y.R)
	}
	return a == b
}

// clocks are the specifiers of DATE_FORMAT that read the time of day; those finer than minutes are
// 0.
var clocks = map[byte]int64{'H': hour, 'h': hour, 'I': hour, 'k': hour, 'l': hour, 'p': hour, 'i': minute, 'S': 0, 's': 0, 'r': 0, 'T': 0, 'f': 0}

const dateSpecifiers = "abcDdejMmUuVvWwXxYy"

// ofFormat returns the parts that DATE_FORMAT reads, or false if it reads seconds.
func (t *timeReader) ofFormat(n expr.Node) (p parts, ok bool) {
	format, ok := t.c.constant(n)
	if !ok || !format.IsString() {
		return p, false
	}
	text := format.Raw()
	for i := bytes.IndexByte(text, '%'); i >= 0 && i+1 < len(text); i = bytes.IndexByte(text, '%') {
		unit, clock := clocks[text[i+1]]
		switch {
		case clock && unit == 0:
			return p, false
		case clock && (p.clock == 0 || unit < p.clock):
			p.clock = unit
		case strings.IndexByte(dateSpecifiers, text[i+1]) >= 0:
			p.date = true
		}
		text = text[i+2:]
	}
	return p, true
}
