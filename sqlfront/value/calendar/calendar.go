package calendar

import "time"

// DaysInMonth is the length of a month, which counts from 1.
func DaysInMonth(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// Valid reports whether the date and time of day exist, with neither month nor day 0, in the years 0 to 9999.
func (f Fields) Valid() bool {
	return f.Comparable() && f.Month >= 1 && f.Day >= 1 && f.Day <= DaysInMonth(f.Year, f.Month)
}

// Comparable reports whether a date and time can be compared with others: each part is in its range, but the month
// and the day may be 0, and the day need not exist in its month.
func (f Fields) Comparable() bool {
	return f.Year >= 0 && f.Year <= 9999 && f.Month >= 0 && f.Month <= 12 && f.Day >= 0 && f.Day <= 31 &&
		f.Hour >= 0 && f.Hour < 24 && f.Minute >= 0 && f.Minute < 60 && f.Second >= 0 && f.Second < 60
}

// Days counts days from the year 0 on, as TO_DAYS does: the first day of that year, which is not a leap year
// here, is 1.
func (f Fields) Days() int64 {
	y, m := int64(f.Year), int64(f.Month)
	if y == 0 && m <= 2 {
		return 31*(m-1) + int64(f.Day)
	}
	if m <= 2 {
		y--
		m += 12
	}
	// Years start in March here, so that the leap day is their last.
	era := floorDiv(y, 400)
	inEra := y - era*400
	days := (153*(m-3)+2)/5 + int64(f.Day) - 1
	return era*146097 + inEra*365 + inEra/4 - inEra/100 + days + 60
}

// DateOfDays is the inverse of Days; ok is false outside the years 0 to 9999.
func DateOfDays(days int64) (f Fields, ok bool) {
	if days < 1 || days > 3652424 {
		return f, false
	}
	if days < 60 {
		return Fields{Month: 1 + int(days-1)/31, Day: 1 + int(days-1)%31}, true
	}
	d := days - 60
	era := floorDiv(d, 146097)
	inEra := d - era*146097
	year := (inEra - inEra/1460 + inEra/36524 - inEra/146096) / 365
	day := inEra - (365*year + year/4 - year/100)
	month := (5*day + 2) / 153
	f.Day = int(day - (153*month+2)/5 + 1)
	f.Month = int(month + 3)
	f.Year = int(year + era*400)
	if f.Month > 12 {
		f.Month -= 12
		f.Year++
	}
	return f, true
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// DayMicros is the time of day in microseconds.
func (f Fields) DayMicros() int64 {
	return int64(f.Hour*3600+f.Minute*60+f.Second)*1e6 + int64(f.Micro)
}

// MicrosPerDay is the number of microseconds in a day.
const MicrosPerDay = 86400 * 1000000

// Micros counts microseconds from the year 0 on.
func (f Fields) Micros() int64 { return f.Days()*MicrosPerDay + f.DayMicros() }

// FieldsOfMicros is the inverse of Micros; ok is false outside the years 0 to 9999.
func FieldsOfMicros(micros int64) (Fields, bool) {
	days := floorDiv(micros, MicrosPerDay)
	f, ok := DateOfDays(days)
	rest := micros - days*MicrosPerDay
	f.Micro = int(rest % 1e6)
	s := int(rest / 1e6)
	f.Hour, f.Minute, f.Second = s/3600, s/60%60, s%60
	return f, ok
}

// MaxTime is the longest TIME, 838:59:59, in microseconds.
const MaxTime = (838*3600 + 59*60 + 59) * 1000000

// Fields are the parts of a date and time. Month and Day may be 0, as in
// MySQL's zero dates.
type Fields struct {
	Year, Month, Day, Hour, Minute, Second, Micro int
}

// Pack is the fields as a number, which has the same order.
func (f Fields) Pack() uint64 {
	return uint64(f.Year)<<monthBits | uint64(f.Month)<<dayBits | uint64(f.Day)<<hourBits |
		uint64(f.Hour)<<minuteBits | uint64(f.Minute)<<secondBits | uint64(f.Second)<<microBits | uint64(f.Micro)
}

// Unpack is the inverse of Pack.
func Unpack(n uint64) Fields {
	part := func(low, high int) int { return int(n >> low & (1<<(high-low) - 1)) }
	return Fields{
		Year: int(n >> monthBits), Month: part(dayBits, monthBits), Day: part(hourBits, dayBits),
		Hour: part(minuteBits, hourBits), Minute: part(secondBits, minuteBits),
		Second: part(microBits, secondBits), Micro: part(0, microBits),
	}
}

// FieldsOf are the parts of t in its location.
func FieldsOf(t time.Time) Fields {
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	return Fields{year, int(month), day, hour, minute, second, t.Nanosecond() / 1000}
}

// A Date and a DateTime pack their fields so that they order as integers: year, month 4 bits, day 5, hour 5,
// minute 6, second 6, microsecond 20.
const (
	microBits  = 20
	secondBits = microBits + 6
	minuteBits = secondBits + 6
	hourBits   = minuteBits + 5
	dayBits    = hourBits + 5
	monthBits  = dayBits + 4
)
