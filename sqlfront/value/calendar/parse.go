package calendar

import (
	"math"

	"github.com/hbasekv/hbasekv/sqlfront/value/ascii"
)

// Parts is a date as a text or a number gives it, whether or not the day exists.
type Parts struct {
	Fields Fields
	// Digits is the number of fractional digits of the second, up to 6; Rest says that the ones after them
	// are at least half a microsecond.
	Digits int
	Rest   bool
	// Clock says that there is a time of day.
	Clock bool
	// Whole says that all of a string was read.
	Whole bool
}

// dateScanner steps over the numbers of a date.
type dateScanner struct {
	b  []byte
	at int
	// half says that the digits after a microsecond are at least half of one.
	half bool
}

// number reads up to most digits; ok is false if there are none.
func (s *dateScanner) number(most int) (n, digits int) {
	for digits < most && s.at < len(s.b) && ascii.IsDigit(s.b[s.at]) {
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

// fraction reads .123456 in microseconds, rounded to six digits, and the number of digits.
func (s *dateScanner) fraction() (micros, digits int) {
	if s.peek() != '.' {
		return 0, 0
	}
	s.at++
	micros, digits = s.number(6)
	for i := digits; i < 6; i++ {
		micros *= 10
	}
	if digits == 6 && ascii.IsDigit(s.peek()) {
		s.half = s.peek() >= '5'
		s.number(math.MaxInt)
	}
	return micros, digits
}

// ParseDate reads a date, with a time of day or without
// (https://dev.mysql.com/doc/refman/5.7/en/date-and-time-literals.html); ok is false if there is no date.
func ParseDate(b []byte) (p Parts, ok bool) {
	s := &dateScanner{b: b, at: ascii.SkipSpace(b)}
	run := ascii.SkipDigits(b, s.at) - s.at
	if run == 0 {
		return p, false
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

// compactDate reads YYYYMMDD, YYMMDD, and both followed by hhmmss.
func (s *dateScanner) compactDate(run int) (p Parts, ok bool) {
	width := 2
	if run == 8 || run >= 14 {
		width = 4
	}
	var f Fields
	year, _ := s.number(width)
	f.Year = fullYear(year, width)
	parts := []*int{&f.Month, &f.Day, &f.Hour, &f.Minute, &f.Second}
	read := 0
	for _, part := range parts {
		n, digits := s.number(2)
		if digits == 0 {
			break
		}
		*part = n
		read++
	}
	if read < 2 {
		return p, false
	}
	if read == 2 && (s.peek() == 'T' || s.peek() == ' ') {
		s.at++
		return s.timeOfDay(f)
	}
	return s.finish(f, read > 2)
}

// delimitedDate reads YYYY-MM-DD with any punctuation in between, and a time after a space or a T.
func (s *dateScanner) delimitedDate(width int) (p Parts, ok bool) {
	var f Fields
	year, _ := s.number(4)
	f.Year = fullYear(year, width)
	for _, part := range []*int{&f.Month, &f.Day} {
		if !isPunct(s.peek()) {
			return p, false
		}
		s.at++
		n, digits := s.number(2)
		if digits == 0 {
			return p, false
		}
		*part = n
	}
	if c := s.peek(); c == 'T' || ascii.IsSpace(c) {
		mark := s.at
		s.at++
		s.at += ascii.SkipSpace(s.rest())
		if ascii.IsDigit(s.peek()) {
			return s.timeOfDay(f)
		}
		s.at = mark
	}
	return s.finish(f, false)
}

// timeOfDay reads hh[:mm[:ss]] with any punctuation in between.
func (s *dateScanner) timeOfDay(f Fields) (p Parts, ok bool) {
	for i, part := range []*int{&f.Hour, &f.Minute, &f.Second} {
		if i > 0 {
			if !isPunct(s.peek()) || s.at+1 >= len(s.b) || !ascii.IsDigit(s.b[s.at+1]) {
				break
			}
			s.at++
		}
		n, digits := s.number(2)
		if digits == 0 {
			break
		}
		*part = n
	}
	return s.finish(f, true)
}

func (s *dateScanner) finish(f Fields, clock bool) (p Parts, ok bool) {
	p.Clock = clock
	if clock {
		f.Micro, p.Digits = s.fraction()
	}
	p.Fields, p.Rest, p.Whole = f, s.half, ascii.OnlySpace(s.rest())
	return p, true
}

func isPunct(c byte) bool {
	return c >= '!' && c <= '/' || c >= ':' && c <= '@' || c >= '[' && c <= '`' || c >= '{' && c <= '~'
}

// fullYear adds the century to a two-digit year: 70 is 1970, 69 is 2069.
func fullYear(year, width int) int {
	switch {
	case width != 2:
		return year
	case year < 70:
		return year + 2000
	}
	return year + 1900
}

// ParseSpan reads [-][D ]hh:mm[:ss[.ffffff]] or [-]hhmmss: its microseconds, which may exceed MaxTime, and
// its number of fractional digits. rest says that the digits after them are at least half a microsecond,
// whole that all of b was read.
func ParseSpan(b []byte) (micros int64, digits int, rest, whole, ok bool) {
	s := &dateScanner{b: b, at: ascii.SkipSpace(b)}
	sign := int64(1)
	if s.peek() == '-' {
		sign = -1
		s.at++
	}
	run := ascii.SkipDigits(b, s.at) - s.at
	if run == 0 || run > 12 {
		return 0, 0, false, false, false
	}
	seconds, ok := s.clock(run)
	if !ok {
		return 0, 0, false, false, false
	}
	fraction, digits := s.fraction()
	return sign * (seconds*1e6 + int64(fraction)), digits, s.half, ascii.OnlySpace(s.rest()), true
}

// clock reads the seconds of D hh:mm:ss, hh:mm:ss or hhmmss.
func (s *dateScanner) clock(run int) (int64, bool) {
	first, _ := s.number(run)
	days := int64(0)
	if ascii.IsSpace(s.peek()) && s.at+1 < len(s.b) && ascii.IsDigit(s.b[s.at+1]) {
		s.at++
		days = int64(first)
		first, _ = s.number(8)
	} else if s.peek() != ':' || s.at+1 >= len(s.b) || !ascii.IsDigit(s.b[s.at+1]) {
		return compactClock(int64(first))
	}
	hours, minutes, seconds := int64(first), 0, 0
	for _, p := range []*int{&minutes, &seconds} {
		if s.peek() != ':' {
			break
		}
		s.at++
		*p, _ = s.number(8)
	}
	if minutes >= 60 || seconds >= 60 {
		return 0, false
	}
	return (days*24+hours)*3600 + int64(minutes*60+seconds), true
}

func compactClock(n int64) (int64, bool) {
	if n/100%100 >= 60 || n%100 >= 60 {
		return 0, false
	}
	return n/10000*3600 + n/100%100*60 + n%100, true
}
