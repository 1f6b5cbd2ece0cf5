package rowcodec

import (
	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
)

// appendMoment appends the text of a Date or DateTime.
func appendMoment(dst []byte, v value.Value) []byte {
	f := v.Fields()
	dst = appendDigits(appendDigits(dst, f.Year/100), f.Year%100)
	dst = appendDigits(append(dst, '-'), f.Month)
	dst = appendDigits(append(dst, '-'), f.Day)
	if v.Kind() == value.Date {
		return dst
	}
	dst = appendDigits(append(dst, ' '), f.Hour)
	dst = appendDigits(append(dst, ':'), f.Minute)
	dst = appendDigits(append(dst, ':'), f.Second)
	return appendFraction(dst, f.Micro, v.Scale())
}

func appendDigits(dst []byte, n int) []byte { return append(dst, '0'+byte(n/10), '0'+byte(n%10)) }

// The lengths of the texts that appendMoment writes.
const (
	dateLength   = len("2006-01-02")
	momentLength = len("2006-01-02 15:04:05")
)

// readMoment reads the text of a Date or DateTime. It accepts invalid days, which sql_mode may have allowed.
func readMoment(b []byte, t coltype.Type) (v value.Value, ok bool) {
	f, ok := fixedMoment(b)
	if !ok {
		p, found := value.ReadDateParts(value.NewText(b))
		if !found || !p.Whole {
			return v, false
		}
		f = p.Fields
	}
	return momentOf(f, t)
}

// momentOf is a value of the type; ok is false if a column cannot hold the fields.
func momentOf(f calendar.Fields, t coltype.Type) (v value.Value, ok bool) {
	ok = f.Year >= 0 && f.Year <= 9999 && f.Month <= 12 && f.Day <= 31 &&
		f.Hour < 24 && f.Minute < 60 && f.Second < 60 && f.Micro < 1e6
	if t.Base == coltype.Date {
		return value.NewDate(f), ok
	}
	f.Micro -= f.Micro % micros(t)
	return value.NewDateTime(f, t.Decimals), ok
}

// micros is the number of microseconds of the last digit of a type's fraction.
func micros(t coltype.Type) int {
	return [...]int{1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1}[t.Decimals]
}

// fixedMoment reads what appendMoment writes; ok is false for any other text.
func fixedMoment(b []byte) (f calendar.Fields, ok bool) {
	if len(b) != dateLength && len(b) < momentLength || b[4] != '-' || b[7] != '-' {
		return f, false
	}
	bad := 0
	f.Year = digits(b, 0, &bad)*100 + digits(b, 2, &bad)
	f.Month, f.Day = digits(b, 5, &bad), digits(b, 8, &bad)
	if len(b) == dateLength {
		return f, bad == 0
	}
	if b[10] != ' ' || b[13] != ':' || b[16] != ':' {
		return f, false
	}
	f.Hour, f.Minute, f.Second = digits(b, 11, &bad), digits(b, 14, &bad), digits(b, 17, &bad)
	fraction := b[momentLength:]
	if len(fraction) > 0 && (fraction[0] != '.' || len(fraction) == 1 || len(fraction) > 7) {
		return f, false
	}
	unit := 100000
	for i := 1; i < len(fraction); i++ {
		if fraction[i]-'0' > 9 {
			return f, false
		}
		f.Micro += int(fraction[i]-'0') * unit
		unit /= 10
	}
	return f, bad == 0
}

// digits is the number with two digits; it adds to bad if they are not digits.
func digits(b []byte, at int, bad *int) int {
	x, y := b[at]-'0', b[at+1]-'0'
	if x > 9 || y > 9 {
		*bad++
	}
	return int(x)*10 + int(y)
}

// appendClock appends the text of a Time.
func appendClock(dst []byte, v value.Value) []byte {
	micros := v.Micros()
	if micros < 0 {
		dst, micros = append(dst, '-'), -micros
	}
	seconds, fraction := int(micros/1e6), int(micros%1e6)
	hours := seconds / 3600
	if hours > 99 {
		dst = append(dst, '0'+byte(hours/100))
	}
	dst = appendDigits(append(appendDigits(dst, hours%100), ':'), seconds/60%60)
	return appendFraction(appendDigits(append(dst, ':'), seconds%60), fraction, v.Scale())
}

// appendFraction appends a point and the first digits of the microseconds, or nothing.
func appendFraction(dst []byte, micros, digits int) []byte {
	if digits == 0 {
		return dst
	}
	dst = append(dst, '.')
	end := len(dst) + digits
	return appendDigits(appendDigits(appendDigits(dst, micros/10000), micros/100%100), micros%100)[:end]
}

// readClock reads the text of a Time.
func readClock(b []byte, t coltype.Type) (v value.Value, ok bool) {
	if micros, ok := fixedClock(b); ok {
		return spanOf(micros, t), true
	}
	span, _, whole, ok := value.ReadSpan(b)
	if !ok || !whole {
		return v, false
	}
	return spanOf(span.Micros(), t), true
}

// fixedClock reads hh:mm:ss; ok is false for any other text.
func fixedClock(b []byte) (micros int64, ok bool) {
	if len(b) != len("15:04:05") || b[2] != ':' || b[5] != ':' {
		return 0, false
	}
	bad := 0
	hours, minutes, seconds := digits(b, 0, &bad), digits(b, 3, &bad), digits(b, 6, &bad)
	return int64(hours*3600+minutes*60+seconds) * 1e6, bad == 0 && minutes < 60 && seconds < 60
}

func spanOf(n int64, t coltype.Type) value.Value {
	return value.NewTime(n-n%int64(micros(t)), t.Decimals)
}

// The milliseconds since 1970 that Bytes and OrderedBytes have for dates and times.
const (
	microsPerMilli = 1000
	mostMilliFsp   = 3
)

var epoch = calendar.Fields{Year: 1970, Month: 1, Day: 1}.Micros()

// toMillis counts milliseconds since 1970 in UTC, for a Time those of its length; ok is false for invalid
// days.
func toMillis(v value.Value) (n int64, ok bool) {
	if v.Kind() == value.Time {
		return v.Micros() / microsPerMilli, true
	}
	f := v.Fields()
	return floorDiv(f.Micros()-epoch, microsPerMilli), f.Valid() && !(f.Year == 0 && f.Month == 2 && f.Day == 29)
}

// fromMillis is the inverse of toMillis.
func fromMillis(n int64, t coltype.Type) (v value.Value, ok bool) {
	const most = 1 << 50 // far after the last day
	if n > most || n < -most {
		return v, false
	}
	if t.Base == coltype.Time {
		n *= microsPerMilli
		return spanOf(n, t), n <= calendar.MaxTime && n >= -calendar.MaxTime
	}
	f, ok := calendar.FieldsOfMicros(n*microsPerMilli + epoch)
	if !ok {
		return v, false
	}
	return momentOf(f, t)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
