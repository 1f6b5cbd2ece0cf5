package temporal

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
)

// unit is a unit of intervals
// (https://dev.mysql.com/doc/refman/5.7/en/expressions.html#temporal-intervals).
type unit struct {
	// months and micros are the length of the unit: calendar units count in months.
	months, micros int64
	// parts are the lengths of the numbers of a composite unit, such as those of '1:30' in MINUTE_SECOND; nil
	// for a simple one.
	parts []int64
	// hasDays is true if EXTRACT needs a date; dateOnly if the unit does not affect the time of day.
	hasDays, dateOnly bool
	extract           func(calendar.Fields) int64
}

const (
	second = 1000000
	minute = 60 * second
	hour   = 60 * minute
	day    = 24 * hour
)

var units = map[string]unit{
	"MICROSECOND": {micros: 1, extract: func(f calendar.Fields) int64 { return int64(f.Micro) }},
	"SECOND":      {micros: second, extract: func(f calendar.Fields) int64 { return int64(f.Second) }},
	"MINUTE":      {micros: minute, extract: func(f calendar.Fields) int64 { return int64(f.Minute) }},
	"HOUR":        {micros: hour, extract: func(f calendar.Fields) int64 { return int64(f.Hour) }},
	"DAY":         {micros: day, hasDays: true, dateOnly: true, extract: func(f calendar.Fields) int64 { return int64(f.Day) }},
	"WEEK":        {micros: 7 * day, hasDays: true, dateOnly: true, extract: func(f calendar.Fields) int64 { w, _ := weekOf(f, 0); return w }},
	"MONTH":       {months: 1, hasDays: true, dateOnly: true, extract: func(f calendar.Fields) int64 { return int64(f.Month) }},
	"QUARTER":     {months: 3, hasDays: true, dateOnly: true, extract: func(f calendar.Fields) int64 { return int64(f.Month+2) / 3 }},
	"YEAR":        {months: 12, hasDays: true, dateOnly: true, extract: func(f calendar.Fields) int64 { return int64(f.Year) }},
	"YEAR_MONTH":  {months: 1, parts: []int64{12, 1}, hasDays: true, dateOnly: true, extract: func(f calendar.Fields) int64 { return int64(f.Year*100 + f.Month) }},

	"DAY_HOUR":      {parts: []int64{day, hour}, hasDays: true, extract: func(f calendar.Fields) int64 { return digits(f.Day, f.Hour) }},
	"DAY_MINUTE":    {parts: []int64{day, hour, minute}, hasDays: true, extract: func(f calendar.Fields) int64 { return digits(f.Day, f.Hour, f.Minute) }},
	"DAY_SECOND":    {parts: []int64{day, hour, minute, second}, hasDays: true, extract: func(f calendar.Fields) int64 { return digits(f.Day, f.Hour, f.Minute, f.Second) }},
	"HOUR_MINUTE":   {parts: []int64{hour, minute}, extract: func(f calendar.Fields) int64 { return digits(f.Hour, f.Minute) }},
	"HOUR_SECOND":   {parts: []int64{hour, minute, second}, extract: func(f calendar.Fields) int64 { return digits(f.Hour, f.Minute, f.Second) }},
	"MINUTE_SECOND": {parts: []int64{minute, second}, extract: func(f calendar.Fields) int64 { return digits(f.Minute, f.Second) }},
	"DAY_MICROSECOND": {parts: []int64{day, hour, minute, second, 1}, hasDays: true, extract: func(f calendar.Fields) int64 {
		return digits(f.Day, f.Hour, f.Minute, f.Second)*second + int64(f.Micro)
	}},

	"HOUR_MICROSECOND":   {parts: []int64{hour, minute, second, 1}, extract: func(f calendar.Fields) int64 { return digits(f.Hour, f.Minute, f.Second)*second + int64(f.Micro) }},
	"MINUTE_MICROSECOND": {parts: []int64{minute, second, 1}, extract: func(f calendar.Fields) int64 { return digits(f.Minute, f.Second)*second + int64(f.Micro) }},
	"SECOND_MICROSECOND": {parts: []int64{second, 1}, extract: func(f calendar.Fields) int64 { return int64(f.Second)*second + int64(f.Micro) }},
}

// digits concatenates numbers of two digits.
func digits(parts ...int) int64 {
	n := int64(0)
	for _, p := range parts {
		n = n*100 + int64(p)
	}
	return n
}

// span is an amount of a unit: months, and microseconds with this number of fractional digits.
type span struct {
	months, micros int64
	digits         int
}

// spanOf reads the amount of an INTERVAL.
func spanOf(env *function.Env, v value.Value, name string) (s span, err error) {
	u := units[name]
	if u.parts != nil {
		return compositeSpan(v.AsBytes(), u, name), nil
	}
	if name == "SECOND" {
		d, err := env.Exact(v)
		if err != nil {
			return s, err
		}
		s.micros, _ = value.NewDecimal(d.AsDecimal().Shift(6).Truncate(0)).ToInt()
		s.digits = secondDigits(v, s.micros)
		return s, nil
	}
	n, err := env.Integer(v)
	s.months, s.micros = times(n, u.months), times(n, u.micros)
	if name == "MICROSECOND" {
		s.digits = 6
	}
	return s, err
}

// secondDigits is the number of fractional digits of an amount of seconds.
func secondDigits(v value.Value, micros int64) int {
	switch {
	case v.Kind() == value.Decimal:
		return min(v.Scale(), 6)
	case v.IsString() && micros%second != 0 || v.Kind() == value.Float:
		return 6
	}
	return 0
}

// times multiplies, limited to distances that are possible between dates.
func times(n, unit int64) int64 {
	const limit = 1 << 60
	if unit != 0 && (n > limit/unit || n < -limit/unit) {
		if n < 0 {
			return -limit
		}
		return limit
	}
	return n * unit
}

// compositeSpan reads numbers separated by anything; if there are fewer than the unit has parts, they are the
// last ones.
func compositeSpan(text []byte, u unit, name string) span {
	negative := false
	var numbers []int64
	width := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c < '0' || c > '9' {
			negative = negative || c == '-' && len(numbers) == 0
			i++
			continue
		}
		n := int64(0)
		start := i
		for ; i < len(text) && text[i] >= '0' && text[i] <= '9'; i++ {
			n = min(n*10+int64(text[i]-'0'), 1<<40)
		}
		width = i - start
		if len(numbers) < len(u.parts) {
			numbers = append(numbers, n)
		}
	}
	return assembleSpan(numbers, width, negative, u, name)
}

func assembleSpan(numbers []int64, width int, negative bool, u unit, name string) (s span) {
	total := int64(0)
	skip := len(u.parts) - len(numbers)
	for i, n := range numbers {
		length := u.parts[skip+i]
		if length == 1 && name != "YEAR_MONTH" {
			for ; width < 6; width++ {
				n *= 10
			}
			s.digits = 6
		}
		total += times(n, length)
	}
	if negative {
		total = -total
	}
	if name == "YEAR_MONTH" {
		s.months = total
	} else {
		s.micros = total
	}
	return s
}

// IsUnit reports whether there is a unit of intervals of this name, in upper case.
func IsUnit(name string) bool {
	_, ok := units[name]
	return ok
}

// AddInterval is x + INTERVAL amount unit, or minus if sub is set: NULL, with a warning, if x is not a date.
// The error is the warning, in strict mode.
func AddInterval(env *function.Env, x, amount value.Value, unit string, sub bool) (value.Value, error) {
	s, err := spanOf(env, amount, unit)
	if err != nil {
		return value.Value{}, err
	}
	if sub {
		s.months, s.micros = -s.months, -s.micros
	}
	if x.Kind() == value.Time && s.months == 0 {
		return value.NewTime(min(max(x.Micros()+s.micros, -calendar.MaxTime), calendar.MaxTime), max(x.Scale(), s.digits)), nil
	}
	d, ok, err := DateTimeOf(env, x)
	if !ok || err != nil {
		return value.Value{}, err
	}
	f, ok := addSpan(d.Fields(), s)
	if !ok {
		return value.Value{}, overflow(env)
	}
	out := value.NewDate(f)
	if d.Kind() == value.DateTime || !units[unit].dateOnly {
		out = value.NewDateTime(f, max(d.Scale(), s.digits))
	}
	if !x.Kind().IsTemporal() {
		return value.NewText(out.AsBytes()), nil
	}
	return out, nil
}

// addSpan adds months first, limiting the day to the month's length.
func addSpan(f calendar.Fields, s span) (calendar.Fields, bool) {
	if s.months != 0 {
		months := int64(f.Year)*12 + int64(f.Month) - 1 + s.months
		if months < 0 || months >= 120000 {
			return f, false
		}
		f.Year, f.Month = int(months/12), int(months%12)+1
		f.Day = min(f.Day, calendar.DaysInMonth(f.Year, f.Month))
	}
	if s.micros == 0 {
		return f, true
	}
	f, ok := calendar.FieldsOfMicros(f.Micros() + s.micros)
	return f, ok && f.Year > 0
}

// IntervalType is the type of AddInterval: a date or time for dates and times, else
// a text.
func IntervalType(x, amount value.Type, unit string) value.Type {
	out := value.Type{Kind: value.DateTime, Nullable: true, Decimals: x.Decimals}
	if strings.HasSuffix(unit, "MICROSECOND") {
		out.Decimals = 6
	} else if strings.HasSuffix(unit, "SECOND") {
		out.Decimals = max(out.Decimals, min(amount.Decimals, 6))
	}
	switch {
	case x.Kind == value.Date && units[unit].dateOnly:
		out.Kind = value.Date
	case x.Kind == value.Time && units[unit].months == 0:
		out.Kind = value.Time
	case !x.Kind.IsTemporal():
		out.Kind = value.Text
	}
	return out
}
