package value

import (
	"math"

	"github.com/hbasekv/hbasekv/sqlfront/value/ascii"
	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
)

// ParseTime reads a value as a time of day or a span; from a date with time, the time. It is limited to
// 838:59:59.
func ParseTime(v Value) (t Value, ok bool) {
	t, _, ok = ReadTime(v)
	return t, ok
}

// ReadTime is ParseTime that also reports whether all of a string was read and the time was in range.
func ReadTime(v Value) (t Value, whole, ok bool) {
	t, whole, ok = readLongTime(v)
	t, whole = clipTime(t, whole)
	return t, whole, ok
}

// readLongTime is ReadTime without a limit: longer times are longer than 838:59:59, though perhaps not as long as
// the value says.
func readLongTime(v Value) (t Value, whole, ok bool) {
	switch v.kind {
	case Time:
		return v, true, true
	case Date:
		return NewTime(0, 0), true, true
	case DateTime:
		return NewTime(v.Fields().DayMicros(), v.Scale()), true, true
	case Text, Bytes, JSON:
		return parseTimeText(v.Raw())
	case Int, Uint, Float, Decimal:
		return numberToTime(v)
	}
	return Value{}, false, false
}

// ReadClock is ReadTime for a string without a day; with a day it returns the DateTime.
func ReadClock(v Value) (t Value, whole, ok bool) {
	if d, whole, ok := parseDateText(v.Raw()); ok && d.kind == DateTime && len(v.Raw()) >= leastDated {
		return d, whole, true
	}
	return ReadTime(v)
}

// IsDated reports whether a string is long enough to be read as a date with time when a time is wanted.
func IsDated(b []byte) bool { return len(b)-ascii.SkipSpace(b) >= leastDated }

const leastDated = 12

// maxClock is the longest TIME as a number hhmmss.
const maxClock = 8385959

func numberToTime(v Value) (t Value, whole, ok bool) {
	exact := v.AsDecimal()
	n, fits := bigToInt(exact.Truncate(0).BigInt())
	if !fits {
		return tooLong(int64(exact.Sign()), v), false, true
	}
	micros := exact.Sub(exact.Truncate(0)).Shift(6).IntPart()
	sign, n := splitSign(max(n, -math.MaxInt64))
	if n >= 10000000000 {
		if d, ok := numberToDateTime(v); ok {
			return ReadTime(d)
		}
	}
	if n > maxClock {
		return tooLong(sign, v), false, true
	}
	if n/100%100 >= 60 || n%100 >= 60 {
		return Value{}, false, false
	}
	seconds := n/10000*3600 + n/100%100*60 + n%100
	return NewTime(sign*seconds*1e6+micros, min(6, v.Scale())), true, true
}

// tooLong is a time beyond the longest, for a number.
func tooLong(sign int64, number Value) Value {
	return NewTime(sign*(calendar.MaxTime+1), min(6, number.Scale()))
}

// clipTime limits a time to 838:59:59, and tells that it then is not all of what was read.
func clipTime(t Value, whole bool) (Value, bool) {
	if sign, magnitude := splitSign(t.Micros()); magnitude > calendar.MaxTime {
		return NewTime(sign*calendar.MaxTime, t.Scale()), false
	}
	return t, whole
}

// parseTimeText reads [-][D ]hh:mm[:ss[.ffffff]], [-]hhmmss, or a date with
// time.
func parseTimeText(b []byte) (t Value, whole, ok bool) {
	if IsDated(b) {
		if d, w, ok := parseDateText(b); ok && d.kind == DateTime {
			t, _, ok := ReadTime(d)
			return t, w, ok
		}
	}
	micros, digits, _, whole, ok := calendar.ParseSpan(b)
	if !ok {
		return Value{}, false, false
	}
	return NewTime(micros, digits), whole, ok
}

// ReadSpan is ReadTime for a text without a day. rest says that the digits after the microseconds are at
// least half a microsecond.
func ReadSpan(b []byte) (t Value, rest, whole, ok bool) {
	micros, digits, rest, whole, ok := calendar.ParseSpan(b)
	if !ok {
		return Value{}, false, false, false
	}
	t, whole = clipTime(NewTime(micros, digits), whole)
	return t, rest, whole, ok
}
