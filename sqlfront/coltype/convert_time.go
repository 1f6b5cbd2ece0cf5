package coltype

import (
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
)

// date takes the day of a date with time, with a note if the time is not midnight.
func (c conversion) date(v value.Value) (value.Value, error) {
	p, ok, err := c.day(v, "date")
	if !ok || err != nil {
		return value.NewDate(calendar.Fields{}), err
	}
	out := value.NewDate(p.Fields)
	switch {
	case !p.Whole:
		return out, c.wrongTime("date", v)
	case p.Fields.DayMicros() != 0:
		return c.lost(out)
	}
	return out, nil
}

// dateTime rounds the second's fraction.
func (c conversion) dateTime(v value.Value) (value.Value, error) {
	p, ok, err := c.day(v, "datetime")
	if !ok || err != nil {
		return value.NewDateTime(calendar.Fields{}, c.Type.Decimals), err
	}
	out, ok := c.rounded(p)
	switch {
	case !ok:
		return c.beyond("datetime", v, out)
	case !p.Whole:
		return out, c.wrongTime("datetime", v)
	}
	return out, nil
}

// day reads a value as a date. ok is false, after a warning, if the column does not accept it.
func (c conversion) day(v value.Value, kind string) (p calendar.Parts, ok bool, err error) {
	if v.Kind() == value.Time {
		v = c.onDay(v)
	}
	if p, ok = value.ReadDateParts(v); !ok || !c.isTaken(p.Fields) {
		return p, false, c.wrongTime(kind, v)
	}
	return p, true, nil
}

// onDay is a time on the statement's day.
func (c conversion) onDay(v value.Value) value.Value {
	today := calendar.FieldsOf(c.w.Env.Now())
	day := calendar.Fields{Year: today.Year, Month: today.Month, Day: today.Day}
	f, _ := calendar.FieldsOfMicros(day.Micros() + v.Micros())
	return value.NewDateTime(f, v.Scale())
}

// isTaken reports whether the day exists, or sql_mode allows it.
func (c conversion) isTaken(f calendar.Fields) bool {
	switch d := c.w.Dates; {
	case f.Hour > 23 || f.Minute > 59 || f.Second > 59 || f.Year > 9999 || f.Month > 12 || f.Day > 31:
		return false
	case f == calendar.Fields{}:
		return d.Zero
	case f.Month == 0 || f.Day == 0:
		return d.ZeroIn
	case f.Year == 0 && f.Month == 2 && f.Day == 29: // not a leap year in MySQL
		return d.Invalid
	default:
		return d.Invalid || f.Day <= calendar.DaysInMonth(f.Year, f.Month)
	}
}

// wrongTime is error 1292 in strict mode, else a warning that the value was cut.
func (c conversion) wrongTime(kind string, v value.Value) error {
	if c.w.Env.Strict {
		return c.warn(mysqlerr.TruncatedWrongValue, "Incorrect "+kind+" value: '"+quoted(v)+"'")
	}
	return c.warn(mysqlerr.WarnDataTruncated, "Data truncated")
}

// beyond is error 1292 in strict mode, else warning 1264, with the nearest value that the column holds.
func (c conversion) beyond(kind string, v, nearest value.Value) (value.Value, error) {
	if c.w.Env.Strict {
		return nearest, c.wrongTime(kind, v)
	}
	return c.outOfRange(nearest)
}

// rounded is a date with time with the column's fractional digits; ok is false if that is after the last day,
// to which it is then limited.
func (c conversion) rounded(p calendar.Parts) (value.Value, bool) {
	if p.Rest {
		p.Fields.Micro++
	}
	return roundFields(p.Fields, c.Type.Decimals)
}

// roundFields rounds half up, possibly to the next day if there is one.
func roundFields(f calendar.Fields, digits int) (value.Value, bool) {
	unit := fractionUnit(digits)
	up := f.Micro%unit*2 >= unit
	cut := f
	cut.Micro = min(f.Micro, 1e6-1) / unit * unit
	if f.Micro = f.Micro / unit * unit; up {
		f.Micro += unit
	}
	if f.Micro < 1e6 {
		return value.NewDateTime(f, digits), true
	}
	next, ok := carried(f)
	if !ok {
		next = cut
	}
	return value.NewDateTime(next, digits), ok
}

// carried is a date with time whose microseconds are a second or more. An invalid day has no next one.
func carried(f calendar.Fields) (next calendar.Fields, ok bool) {
	if f.Valid() {
		return calendar.FieldsOfMicros(f.Micros())
	}
	clock := f.DayMicros()
	next, ok = calendar.FieldsOfMicros(calendar.Fields{Month: 1, Day: 1}.Micros() + clock)
	next.Year, next.Month, next.Day = f.Year, f.Month, f.Day
	return next, ok && clock < calendar.MicrosPerDay
}

// fractionUnit is the number of microseconds of the last of this many digits.
func fractionUnit(digits int) int {
	unit := 1
	for range maxFraction - digits {
		unit *= 10
	}
	return unit
}

// roundTemporal rounds any date or time to fractional digits.
func roundTemporal(v value.Value, digits int, rest bool) (value.Value, bool) {
	switch v.Kind() {
	case value.DateTime:
		return roundFields(v.Fields(), digits)
	case value.Time:
		return roundSpan(v.Micros(), digits, rest)
	}
	return v, true
}

// roundSpan rounds half away from zero; rest says that there is at least half a microsecond more. ok is false
// beyond the longest TIME.
func roundSpan(micros int64, digits int, rest bool) (t value.Value, ok bool) {
	sign := int64(1)
	if micros < 0 {
		sign, micros = -1, -micros
	}
	if rest {
		micros++
	}
	unit := int64(fractionUnit(digits))
	micros = (micros + unit/2) / unit * unit
	if micros > calendar.MaxTime {
		return value.NewTime(sign*calendar.MaxTime, digits), false
	}
	return value.NewTime(sign*micros, digits), true
}

// time rounds the second's fraction. From a date with time it takes the time; from a text this adds a note.
func (c conversion) time(v value.Value) (value.Value, error) {
	switch v.Kind() {
	case value.Text, value.Bytes, value.JSON:
		return c.textTime(v)
	case value.Date:
		return c.lost(value.NewTime(0, c.Type.Decimals))
	case value.DateTime:
		f, ok := roundFields(v.Fields(), c.Type.Decimals)
		return c.span(v, value.NewTime(f.Fields().DayMicros(), 0), false, ok, true)
	case value.Decimal:
		if v.Scale() > maxFraction {
			v = v.Round(maxFraction)
		}
	}
	t, whole, ok := value.ReadTime(v)
	if !ok {
		return value.NewTime(0, c.Type.Decimals), c.wrongTime("time", v)
	}
	return c.span(v, t, false, whole, false)
}

func (c conversion) textTime(v value.Value) (value.Value, error) {
	p, ok := value.ReadDateParts(v)
	if ok = ok && p.Clock && value.IsDated(v.Raw()); ok {
		if !c.isTaken(p.Fields) {
			return value.NewTime(0, c.Type.Decimals), c.wrongTime("time", v)
		}
		f, fits := c.rounded(p)
		if t := value.NewTime(f.Fields().DayMicros(), c.Type.Decimals); !p.Whole {
			return t, c.wrongTime("time", v)
		}
		return c.span(v, value.NewTime(f.Fields().DayMicros(), 0), false, fits, true)
	}
	t, rest, whole, ok := value.ReadSpan(v.Raw())
	if !ok {
		return value.NewTime(0, c.Type.Decimals), c.wrongTime("time", v)
	}
	if !whole && !isLongest(t) {
		out, _ := roundSpan(t.Micros(), c.Type.Decimals, rest)
		return out, c.wrongTime("time", v)
	}
	return c.span(v, t, rest, whole, false)
}

// span is a time as the column holds it; fits is false if it was cut, dated is true if the value also had a
// day.
func (c conversion) span(given, t value.Value, rest, fits, dated bool) (value.Value, error) {
	out, ok := roundSpan(t.Micros(), c.Type.Decimals, rest)
	switch {
	case !ok || !fits:
		return c.beyond("time", given, out)
	case dated:
		return c.lost(out)
	}
	return out, nil
}

func isLongest(t value.Value) bool {
	return t.Micros() == calendar.MaxTime || t.Micros() == -calendar.MaxTime
}

// The seconds since 1970 that a TIMESTAMP holds.
const (
	firstTimestamp = 1
	lastTimestamp  = 1<<31 - 1
)

// timestamp is dateTime in the session's time zone, converted to UTC.
func (c conversion) timestamp(v value.Value) (value.Value, error) {
	zero := value.NewDateTime(calendar.Fields{}, c.Type.Decimals)
	p, ok, err := c.day(v, "datetime")
	if !ok || err != nil {
		return zero, err
	}
	local, ok := c.rounded(p)
	if ok && local.Fields() == (calendar.Fields{}) {
		if !p.Whole {
			return zero, c.wrongTime("datetime", v)
		}
		return zero, nil
	}
	switch {
	case !local.Fields().Valid():
		return zero, c.wrongTime("datetime", v)
	case !ok:
		return c.beyond("datetime", v, zero)
	}
	zone := c.w.Env.Now().Location()
	moment := local.Fields().In(zone)
	utc := value.NewDateTime(calendar.FieldsOf(moment.UTC()), c.Type.Decimals)
	switch {
	case moment.Unix() < firstTimestamp || moment.Unix() > lastTimestamp:
		return c.beyond("datetime", v, zero)
	case inZone(utc, zone).Fields() != local.Fields(): // the clocks skip that time
		return c.beyond("datetime", v, utc)
	case !p.Whole:
		return utc, c.wrongTime("datetime", v)
	}
	return utc, nil
}

// inZone is a moment in UTC as the clocks of a zone show it; the zero date is the same in all zones.
func inZone(v value.Value, zone *time.Location) value.Value {
	f := v.Fields()
	if f == (calendar.Fields{}) {
		return v
	}
	return value.NewDateTime(calendar.FieldsOf(f.In(time.UTC).In(zone)), v.Scale())
}
