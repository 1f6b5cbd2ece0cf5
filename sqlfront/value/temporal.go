package value

import (
	"cmp"

	"github.com/shopspring/decimal"

	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
)

// NewDate makes a date; the time of day in f is dropped.
func NewDate(f calendar.Fields) Value {
	return Value{head: head{kind: Date}, n: calendar.Fields{Year: f.Year, Month: f.Month, Day: f.Day}.Pack()}
}

// NewDateTime makes a date with time that prints digits of the second's
// fraction, 0 to 6.
func NewDateTime(f calendar.Fields, digits int) Value {
	return Value{head: head{kind: DateTime, aux: uint8(digits)}, n: f.Pack()}
}

// NewTime makes a time of day or a span, in microseconds.
func NewTime(micros int64, digits int) Value {
	return Value{head: head{kind: Time, aux: uint8(digits)}, n: uint64(micros)}
}

// Fields are the parts of a Date or DateTime.
func (v Value) Fields() calendar.Fields { return calendar.Unpack(v.n) }

// Micros is the span of a Time, in microseconds.
func (v Value) Micros() int64 { return int64(v.n) }

func (v Value) appendTemporal(dst []byte) []byte {
	switch v.kind {
	case Date:
		f := v.Fields()
		return appendDay(dst, &f)
	case DateTime:
		f := v.Fields()
		dst = appendClock(append(appendDay(dst, &f), ' '), uint64(f.Hour), uint64(f.Minute), uint64(f.Second))
		return appendFraction(dst, f.Micro, int(v.aux))
	}
	sign, micros := splitSign(v.Micros())
	if sign < 0 {
		dst = append(dst, '-')
	}
	seconds := uint64(micros / 1e6)
	dst = appendClock(dst, seconds/3600, seconds/60%60, seconds%60)
	return appendFraction(dst, int(micros%1e6), int(v.aux))
}

func splitSign(i int64) (sign, magnitude int64) {
	if i < 0 {
		return -1, -i
	}
	return 1, i
}

func appendFraction(dst []byte, micros, digits int) []byte {
	if digits == 0 {
		return dst
	}
	dst = appendPadded(append(dst, '.'), uint64(micros), 6)
	return dst[:len(dst)-6+digits]
}

// appendDay appends 2020-01-31.
func appendDay(dst []byte, f *calendar.Fields) []byte {
	dst = append(appendPadded(dst, uint64(f.Year), 4), '-')
	dst = append(appendPadded(dst, uint64(f.Month), 2), '-')
	return appendPadded(dst, uint64(f.Day), 2)
}

// appendClock appends 10:20:30.
func appendClock(dst []byte, hours, minutes, seconds uint64) []byte {
	dst = append(appendPadded(dst, hours, 2), ':')
	dst = append(appendPadded(dst, minutes, 2), ':')
	return appendPadded(dst, seconds, 2)
}

// temporalNumber is 20200131, 20200131102030 or 102030, with the fraction.
func (v Value) temporalNumber() Value {
	var whole, micros, sign int64
	switch v.kind {
	case Time:
		sign, micros = splitSign(v.Micros())
		s := micros / 1e6
		whole, micros = s/3600*10000+s/60%60*100+s%60, micros%1e6
	default:
		f := v.Fields()
		sign, whole, micros = 1, int64(f.Year*10000+f.Month*100+f.Day), int64(f.Micro)
		if v.kind == DateTime {
			whole = whole*1000000 + int64(f.Hour*10000+f.Minute*100+f.Second)
		}
	}
	if v.aux == 0 {
		return NewInt(sign * whole)
	}
	d := decimal.New(whole, 0).Add(decimal.New(micros, -6))
	if sign < 0 {
		d = d.Neg()
	}
	return NewDecimalScale(d, int(v.aux))
}

// compareTemporal orders values of which at least one is a date or time.
func compareTemporal(a, b Value) int {
	if a.kind.IsTemporal() && b.kind.IsTemporal() && (a.kind == Time) == (b.kind == Time) {
		return cmp.Compare(int64(a.n), int64(b.n))
	}
	if x, ok := asKindOf(a, b); ok {
		return cmp.Compare(int64(x.n), int64(b.n))
	}
	if y, ok := asKindOf(b, a); ok {
		return cmp.Compare(int64(a.n), int64(y.n))
	}
	return compareFloats(a, b)
}

// asKindOf reads the string or number v as a date or time like other.
func asKindOf(v, other Value) (Value, bool) {
	if v.kind.IsTemporal() || !other.kind.IsTemporal() {
		return Value{}, false
	}
	t, _, ok := ReadCompared(v, other.kind)
	return t, ok
}

// ReadCompared reads a string or a number as a date or time that is compared with one of the given kind. Days need
// not exist (2024-02-30, 2024-00-00), a time beyond 838:59:59 is longer than that, and a string that is no date is
// the zero date, as in MariaDB; ok is false for a number that is not one, which MySQL compares as a number. whole
// reports whether all of a string was read, and within the range.
func ReadCompared(v Value, with Kind) (t Value, whole, ok bool) {
	if with == Time {
		t, whole, ok = readLongTime(v)
		_, inRange := clipTime(t, whole)
		whole = ok && inRange
	} else if p, read := ReadDateParts(v); read && p.Fields.Comparable() {
		t, whole, ok = partsOf(p), p.Whole, true
	}
	switch {
	case ok || !v.IsString():
		return t, whole, ok
	case with == Time:
		return NewTime(0, 0), false, true
	}
	return NewDateTime(calendar.Fields{}, 0), false, true
}
