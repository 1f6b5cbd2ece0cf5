package value

import (
	"math"

	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
)

// ParseDateTime reads a value as a date, or a date with time
// (https://dev.mysql.com/doc/refman/5.7/en/date-and-time-literals.html). A
// string without a time of day gives a Date. ok is false where it is none; a
// Time is none, since it has no day.
func ParseDateTime(v Value) (d Value, ok bool) {
	d, _, ok = ReadDateTime(v)
	return d, ok
}

// ReadDateTime is ParseDateTime that also says whether all of a string was
// read.
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

// dateScanner steps over the numbers of a date.
type dateScanner struct {
	b  []byte
	at int
}

// number reads up to most digits; ok is false where there is none.
func (s *dateScanner) number(most int) (n, digits int) {
	for digits < most && s.at < len(s.b) && isDigit(s.b[s.at]) {
		n = n*10 + int(s.b[s.at]-'0')
		s.at++
		digits++
	}
	return n, digits
}

func (s *dateScanner) peek() byte {
	if s.at < len(s.b) {
		return s.b[s.at]
	}
	return 0
}

func (s *dateScanner) rest() []byte { return s.b[s.at:] }

// fraction reads .123456 in microseconds and how many digits it has, rounded
// to six.
func (s *dateScanner) fraction() (micros, digits int) {
	if s.peek() != '.' {
		return 0, 0
	}
	s.at++
	micros, digits = s.number(6)
	for i := digits; i < 6; i++ {
		micros *= 10
	}
	if digits == 6 && isDigit(s.peek()) {
		s.number(math.MaxInt)
	}
	return micros, digits
}

func parseDateText(b []byte) (d Value, whole, ok bool) {
	s := &dateScanner{b: b, at: skipSpace(b)}
	run := skipDigits(b, s.at) - s.at
	if run == 0 {
		return Value{}, false, false
	}
	next := byte(0)
	if s.at+run < len(b) {
		next = b[s.at+run]
	}
	if run >= 6 || next == 0 && run > 4 {
		return s.compactDate(run)
	}
	return s.delimitedDate(run)
}

// compactDate reads YYYYMMDD, YYMMDD, and both with hhmmss behind.
func (s *dateScanner) compactDate(run int) (d Value, whole, ok bool) {
	width := 2
	if run == 8 || run >= 14 {
		width = 4
	}
	var f calendar.Fields
	year, _ := s.number(width)
	f.Year = fullYear(year, width)
	parts := []*int{&f.Month, &f.Day, &f.Hour, &f.Minute, &f.Second}
	read := 0
	for _, p := range parts {
		n, digits := s.number(2)
		if digits == 0 {
			break
		}
		*p = n
		read++
	}
	if read < 2 {
		return Value{}, false, false
	}
	if read == 2 && (s.peek() == 'T' || s.peek() == ' ') {
		s.at++
		return s.timeOfDay(f)
	}
	return s.finish(f, read > 2)
}

// delimitedDate reads YYYY-MM-DD with any punctuation between, and a time
// behind a space or a T.
func (s *dateScanner) delimitedDate(width int) (d Value, whole, ok bool) {
	var f calendar.Fields
	year, _ := s.number(4)
	f.Year = fullYear(year, width)
	for _, p := range []*int{&f.Month, &f.Day} {
		if !isPunct(s.peek()) {
			return Value{}, false, false
		}
		s.at++
		n, digits := s.number(2)
		if digits == 0 {
			return Value{}, false, false
		}
		*p = n
	}
	if c := s.peek(); c == 'T' || isSpace(c) {
		mark := s.at
		s.at++
		s.at += skipSpace(s.rest())
		if isDigit(s.peek()) {
			return s.timeOfDay(f)
		}
		s.at = mark
	}
	return s.finish(f, false)
}

// timeOfDay reads hh[:mm[:ss]] with any punctuation between.
func (s *dateScanner) timeOfDay(f calendar.Fields) (d Value, whole, ok bool) {
	for i, p := range []*int{&f.Hour, &f.Minute, &f.Second} {
		if i > 0 {
			if !isPunct(s.peek()) || s.at+1 >= len(s.b) || !isDigit(s.b[s.at+1]) {
				break
			}
			s.at++
		}
		n, digits := s.number(2)
		if digits == 0 {
			break
		}
		*p = n
	}
	return s.finish(f, true)
}

func (s *dateScanner) finish(f calendar.Fields, withTime bool) (d Value, whole, ok bool) {
	digits := 0
	if withTime {
		f.Micro, digits = s.fraction()
	}
	if !f.Valid() {
		return Value{}, false, false
	}
	whole = onlySpace(s.rest())
	if !withTime {
		return NewDate(f), whole, true
	}
	return NewDateTime(f, digits), whole, true
}

func isPunct(c byte) bool {
	return c >= '!' && c <= '/' || c >= ':' && c <= '@' || c >= '[' && c <= '`' || c >= '{' && c <= '~'
}

// fullYear adds the century to a year of two digits: 70 is 1970, 69 is 2069.
func fullYear(year, width int) int {
	switch {
	case width != 2:
		return year
	case year < 70:
		return year + 2000
	}
	return year + 1900
}

// numberToDateTime reads YYYYMMDD and YYYYMMDDhhmmss, with or without century.
func numberToDateTime(v Value) (Value, bool) {
	exact := v.AsDecimal()
	whole := exact.Truncate(0)
	n, ok := bigToInt(whole.BigInt())
	if !ok || n < 101 {
		return Value{}, false
	}
	micros := int(exact.Sub(whole).Shift(6).IntPart())
	n, withTime := completeNumber(n)
	date, clock := n/1000000, n%1000000
	f := calendar.Fields{
		Year: int(date / 10000), Month: int(date / 100 % 100), Day: int(date % 100),
		Hour: int(clock / 10000), Minute: int(clock / 100 % 100), Second: int(clock % 100), Micro: micros,
	}
	if n < 0 || !f.Valid() {
		return Value{}, false
	}
	if !withTime && micros == 0 {
		return NewDate(f), true
	}
	return NewDateTime(f, min(6, v.Scale())), true
}

// completeNumber adds the century and the time of day to a date in digits; -1
// where it is none.
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
