package value

import (
	"github.com/shopspring/decimal"

	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
)

// ParseDateTime reads a value as a date, or a date with time
// (https://dev.mysql.com/doc/refman/5.7/en/date-and-time-literals.html). A string without a time of day
// becomes a Date. ok is false if it is neither; a Time is neither, since it has no day.
func ParseDateTime(v Value) (d Value, ok bool) {
	d, _, ok = ReadDateTime(v)
	return d, ok
}

// ReadDateTime is ParseDateTime that also reports whether all of a string was read.
func ReadDateTime(v Value) (d Value, whole, ok bool) {
	switch v.kind {
	case Date, DateTime:
		return v, true, true
	case Text, Bytes, JSON:
		return parseDateText(v.Raw())
	case Int, Uint, Float, Decimal:
		d, ok = numberToDateTime(v)
		return d, true, ok
	}
	return Value{}, false, false
}

// ReadDateParts reads the parts of a date from a string or a number; ok is false if there are none. The
// number 0 is the zero date.
func ReadDateParts(v Value) (p calendar.Parts, ok bool) {
	switch v.kind {
	case Date, DateTime:
		return calendar.Parts{Fields: v.Fields(), Digits: v.Scale(), Clock: v.kind == DateTime, Whole: true}, true
	case Text, Bytes, JSON:
		return calendar.ParseDate(v.Raw())
	case Int, Uint, Float, Decimal:
		if p, ok = numberParts(v); !ok {
			truth, _ := Truth(v)
			return calendar.Parts{Whole: true}, !truth
		}
		return p, ok
	}
	return calendar.Parts{}, false
}

// dateOf is the date, or the date with time; ok is false if the day does not exist.
func dateOf(p calendar.Parts) (d Value, ok bool) {
	if !p.Fields.Valid() {
		return Value{}, false
	}
	return partsOf(p), true
}

func partsOf(p calendar.Parts) Value {
	if p.Clock {
		return NewDateTime(p.Fields, p.Digits)
	}
	return NewDate(p.Fields)
}

func parseDateText(b []byte) (d Value, whole, ok bool) {
	p, ok := calendar.ParseDate(b)
	if ok {
		d, ok = dateOf(p)
	}
	return d, ok && p.Whole, ok
}

// numberToDateTime reads YYYYMMDD and YYYYMMDDhhmmss, with or without century.
func numberToDateTime(v Value) (Value, bool) {
	p, ok := numberParts(v)
	if !ok {
		return Value{}, false
	}
	return dateOf(p)
}

func numberParts(v Value) (p calendar.Parts, ok bool) {
	exact := v.AsDecimal()
	whole := exact.Truncate(0)
	n, ok := bigToInt(whole.BigInt())
	if !ok || n < 101 {
		return p, false
	}
	rest := exact.Sub(whole).Shift(6)
	p.Fields.Micro = int(rest.IntPart())
	p.Rest = rest.Sub(rest.Truncate(0)).GreaterThanOrEqual(decimal.New(5, -1))
	n, withTime := completeNumber(n)
	if n < 0 {
		return p, false
	}
	date, clock, f := n/1000000, n%1000000, &p.Fields
	f.Year, f.Month, f.Day = int(date/10000), int(date/100%100), int(date%100)
	f.Hour, f.Minute, f.Second = int(clock/10000), int(clock/100%100), int(clock%100)
	p.Whole, p.Clock = true, withTime || f.Micro != 0
	if p.Clock {
		p.Digits = min(6, v.Scale())
	}
	return p, true
}

// completeNumber adds the century and the time of day to a date in digits; -1 if it is not a date.
func completeNumber(n int64) (full int64, withTime bool) {
	switch {
	case n <= 691231:
		return (n + 20000000) * 1000000, false
	case n < 700101:
		return -1, false
	case n <= 991231:
		return (n + 19000000) * 1000000, false
	case n < 10000101:
		return -1, false
	case n <= 99991231:
		return n * 1000000, false
	case n < 101000000:
		return -1, false
	case n <= 691231235959:
		return n + 20000000000000, true
	case n < 700101000000:
		return -1, false
	case n <= 991231235959:
		return n + 19000000000000, true
	case n > 99991231235959:
		return -1, false
	}
	return n, true
}
