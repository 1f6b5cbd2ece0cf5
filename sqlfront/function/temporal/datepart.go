package temporal

import (
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
)

// Functions that return parts of dates and times.
func init() {
	function.Register(map[string]*function.Function{
		"YEAR":        datePart(func(f calendar.Fields) int64 { return int64(f.Year) }),
		"MONTH":       datePart(func(f calendar.Fields) int64 { return int64(f.Month) }),
		"DAYOFMONTH":  datePart(func(f calendar.Fields) int64 { return int64(f.Day) }),
		"QUARTER":     datePart(func(f calendar.Fields) int64 { return int64(f.Month+2) / 3 }),
		"DAYOFWEEK":   datePart(func(f calendar.Fields) int64 { return int64(weekday(f)+1)%7 + 1 }),
		"WEEKDAY":     datePart(func(f calendar.Fields) int64 { return int64(weekday(f)) }),
		"DAYOFYEAR":   datePart(dayOfYear),
		"TO_DAYS":     datePart(calendar.Fields.Days),
		"TO_SECONDS":  datePart(func(f calendar.Fields) int64 { return f.Micros() / 1e6 }),
		"WEEKOFYEAR":  datePart(func(f calendar.Fields) int64 { w, _ := weekOf(f, 3); return w }),
		"HOUR":        timePart(func(micros int64) int64 { return function.Abs(micros) / 3600e6 }),
		"MINUTE":      timePart(func(micros int64) int64 { return function.Abs(micros) / 60e6 % 60 }),
		"SECOND":      timePart(func(micros int64) int64 { return function.Abs(micros) / 1e6 % 60 }),
		"MICROSECOND": timePart(func(micros int64) int64 { return function.Abs(micros) % 1e6 }),
		"WEEK":        {Min: 1, Max: 2, Type: function.MaybeSmall, Eval: evalWeek, Numbers: 2, Nulls: true},
		"YEARWEEK":    {Min: 1, Max: 2, Type: function.MaybeSmall, Eval: evalYearWeek, Numbers: 2, Nulls: true},
		"DAYNAME":     dateText(func(f calendar.Fields) string { return dayNames[weekday(f)] }),
		"MONTHNAME":   dateText(func(f calendar.Fields) string { return time.Month(f.Month).String() }),
		"DATE":        {Min: 1, Max: 1, Type: function.Maybe(value.Date), Eval: ofDate(dateOf)},
		"LAST_DAY":    {Min: 1, Max: 1, Type: function.Maybe(value.Date), Eval: ofDate(lastDay)},
		"TIME":        {Min: 1, Max: 1, Type: timeType, Eval: ofTime(func(t value.Value) value.Value { return t })},
		"TIMESTAMP":   {Min: 1, Max: 2, Type: timestampType, Eval: evalTimestamp},
		"TIME_TO_SEC": timePart(func(micros int64) int64 { return micros / 1e6 }),
		"EXTRACT":     {Min: 2, Max: 2, Type: function.MaybeSmall, Eval: evalExtract},
	})
	function.Alias(map[string]string{"DAY": "DAYOFMONTH"})
}

var dayNames = [...]string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

// datePart is a function of a date that returns an integer.
func datePart(part func(calendar.Fields) int64) *function.Function {
	return &function.Function{Min: 1, Max: 1, Type: function.MaybeSmall,
		Eval: ofDate(func(d value.Value) value.Value { return value.NewInt(part(d.Fields())) })}
}

func dateText(text func(calendar.Fields) string) *function.Function {
	return &function.Function{Min: 1, Max: 1, Type: function.Maybe(value.Text),
		Eval: ofDate(func(d value.Value) value.Value { return value.NewString(text(d.Fields())) })}
}

// timePart is a function of a time that returns an integer.
func timePart(part func(micros int64) int64) *function.Function {
	return &function.Function{Min: 1, Max: 1, Type: function.MaybeSmall,
		Eval: ofTime(func(t value.Value) value.Value { return value.NewInt(part(t.Micros())) })}
}

// weekday counts from Monday, 0.
func weekday(f calendar.Fields) int { return int((f.Days() + 5) % 7) }

func dayOfYear(f calendar.Fields) int64 {
	return f.Days() - calendar.Fields{Year: f.Year, Month: 1, Day: 1}.Days() + 1
}

func evalWeek(env *function.Env, args []value.Value) (value.Value, error) {
	return weekFunction(env, args, 0, func(week, _ int64) int64 { return week })
}

func evalYearWeek(env *function.Env, args []value.Value) (value.Value, error) {
	return weekFunction(env, args, 2, func(week, year int64) int64 { return year*100 + week })
}

func weekFunction(env *function.Env, args []value.Value, force int64, result func(week, year int64) int64) (value.Value, error) {
	if args[0].IsNull() {
		return value.Value{}, nil
	}
	d, ok, err := DateTimeOf(env, args[0])
	if !ok || err != nil {
		return value.Value{}, err
	}
	mode := int64(0)
	if len(args) == 2 && !args[1].IsNull() { // NULL means mode 0
		if mode, err = env.Integer(args[1]); err != nil {
			return value.Value{}, err
		}
	}
	return value.NewInt(result(weekOf(d.Fields(), mode|force))), nil
}

// weekOf is the week of the year and the year to which it belongs, by MySQL's modes
// (https://dev.mysql.com/doc/refman/5.7/en/date-and-time-functions.html#function_week): 1 starts weeks on
// Monday, 2 has no week 0, 4 makes week 1 the first that begins in the year if weeks start on Monday, and the
// first with four days in it if they start on Sunday.
func weekOf(f calendar.Fields, mode int64) (week, year int64) {
	monday, noZero := mode&1 != 0, mode&2 != 0
	whole := (mode&4 != 0) == monday
	start := firstWeek(f.Year, monday, whole)
	day := f.Days()
	year = int64(f.Year)
	switch {
	case day < start && !noZero:
		return 0, year
	case day < start:
		year--
		start = firstWeek(f.Year-1, monday, whole)
	case noZero && day >= firstWeek(f.Year+1, monday, whole):
		return 1, year + 1
	}
	return (day-start)/7 + 1, year
}

// firstWeek is the day on which week 1 of a year begins.
func firstWeek(year int, monday, whole bool) int64 {
	first := calendar.Fields{Year: year, Month: 1, Day: 1}
	into := int64(weekday(first))
	if !monday {
		into = (into + 1) % 7
	}
	start := first.Days() - into
	if whole && into > 0 || !whole && into > 3 {
		start += 7
	}
	return start
}

func dateOf(d value.Value) value.Value { return value.NewDate(d.Fields()) }

func lastDay(d value.Value) value.Value {
	f := d.Fields()
	f.Day = calendar.DaysInMonth(f.Year, f.Month)
	return value.NewDate(f)
}

func timeType(a function.Args) value.Type {
	return value.Type{Kind: value.Time, Nullable: true, Decimals: secondDecimals(a, 0)}
}

// secToTimeType has the fractional digits of a number of seconds.
func secToTimeType(a function.Args) value.Type {
	return value.Type{Kind: value.Time, Nullable: true, Decimals: min(a.Types[0].Decimals, 6)}
}

// timestampType has the fractional digits of the arguments: six for a string that is not constant.
func timestampType(a function.Args) value.Type {
	t := value.Type{Kind: value.DateTime, Nullable: true}
	for i := range a.Types {
		t.Decimals = max(t.Decimals, secondDecimals(a, i))
	}
	return t
}

// secondDecimals is the number of fractional digits of argument i, six for a text that is unknown.
func secondDecimals(a function.Args, i int) int {
	if t := a.Types[i]; !t.Kind.IsString() {
		return min(t.Decimals, 6)
	}
	if digits, ok := a.Of.Ask(i, Fraction); ok {
		return digits
	}
	return 6
}

func fractionOf(v value.Value) int {
	if d, ok := value.ParseDateTime(v); ok {
		return d.Scale()
	}
	d, _ := value.ParseTime(v)
	return d.Scale()
}

func evalTimestamp(env *function.Env, args []value.Value) (value.Value, error) {
	d, ok, err := DateTimeOf(env, args[0])
	if !ok || err != nil {
		return value.Value{}, err
	}
	f, digits := d.Fields(), d.Scale()
	if len(args) == 2 {
		t, ok, err := spanTime(env, args[1])
		if !ok || err != nil {
			return value.Value{}, err
		}
		if f, ok = calendar.FieldsOfMicros(f.Micros() + t.Micros()); !ok || f.Year == 0 {
			return value.Value{}, overflow(env)
		}
		digits = max(digits, t.Scale())
	}
	return value.NewDateTime(f, digits), nil
}

// overflow warns about a date outside the years 0 to 9999; the result is NULL.
func overflow(env *function.Env) error {
	return env.Warn(mysqlerr.DatetimeFunctionOverflow, "Datetime function: datetime field overflow")
}

// evalExtract is EXTRACT(unit FROM x).
func evalExtract(env *function.Env, args []value.Value) (value.Value, error) {
	u, ok := units[string(args[0].AsBytes())]
	if !ok {
		return value.Value{}, mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to EXTRACT")
	}
	if !u.hasDays {
		t, ok, err := TimeOf(env, args[1])
		if !ok || err != nil {
			return value.Value{}, err
		}
		sign := int64(1)
		if t.Micros() < 0 {
			sign = -1
		}
		f, _ := calendar.FieldsOfMicros(function.Abs(t.Micros()) + calendar.MicrosPerDay)
		f.Hour = int(function.Abs(t.Micros()) / 3600e6)
		return value.NewInt(sign * u.extract(f)), nil
	}
	d, ok, err := DateTimeOf(env, args[1])
	if !ok || err != nil {
		return value.Value{}, err
	}
	return value.NewInt(u.extract(d.Fields())), nil
}

// Fraction is the question how many fractional digits a date or time has.
var Fraction = &function.Question{Of: fractionOf}
