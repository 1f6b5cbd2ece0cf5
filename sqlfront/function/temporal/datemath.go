package temporal

import (
	"math"
	"time"

	"github.com/shopspring/decimal"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
)

// Functions that calculate with dates and times.
func init() {
	function.Register(map[string]*function.Function{
		"DATEDIFF":       {Min: 2, Max: 2, Type: function.MaybeSmall, Eval: evalDateDiff},
		"TIMESTAMPDIFF":  {Min: 3, Max: 3, Type: function.Maybe(value.Int), Eval: evalTimestampDiff},
		"ADDTIME":        {Min: 2, Max: 2, Type: addTimeType, Eval: evalAddTime(1)},
		"SUBTIME":        {Min: 2, Max: 2, Type: addTimeType, Eval: evalAddTime(-1)},
		"TIMEDIFF":       {Min: 2, Max: 2, Type: function.Maybe(value.Time), Eval: evalTimeDiff},
		"SEC_TO_TIME":    {Min: 1, Max: 1, Type: secToTimeType, Eval: evalSecToTime, Numbers: 1},
		"MAKEDATE":       {Min: 2, Max: 2, Type: function.Maybe(value.Date), Eval: function.OfIntegers(makeDate), Numbers: function.AllArgs},
		"MAKETIME":       {Min: 3, Max: 3, Type: function.Maybe(value.Time), Eval: evalMakeTime, Numbers: function.AllArgs},
		"FROM_DAYS":      {Min: 1, Max: 1, Type: function.Maybe(value.Date), Eval: evalFromDays, Numbers: 1},
		"PERIOD_ADD":     {Min: 2, Max: 2, Type: function.Small, Eval: function.OfIntegers(periodAdd), Numbers: function.AllArgs},
		"PERIOD_DIFF":    {Min: 2, Max: 2, Type: function.Small, Eval: function.OfIntegers(periodDiff), Numbers: function.AllArgs},
		"UNIX_TIMESTAMP": {Max: 1, Type: unixType, Eval: evalUnixTimestamp, Session: true},
		"FROM_UNIXTIME":  {Min: 1, Max: 2, Type: fromUnixType, Eval: evalFromUnixtime, Session: true, Numbers: 1},
		"CONVERT_TZ":     {Min: 3, Max: 3, Type: convertTZType, Eval: evalConvertTZ},
	})
}

// twoDates reads both arguments as dates.
func twoDates(env *function.Env, a, b value.Value) (x, y value.Value, ok bool, err error) {
	x, ok, err = DateTimeOf(env, a)
	if !ok || err != nil {
		return x, y, false, err
	}
	y, ok, err = DateTimeOf(env, b)
	return x, y, ok && err == nil, err
}

func evalDateDiff(env *function.Env, args []value.Value) (value.Value, error) {
	x, y, ok, err := twoDates(env, args[0], args[1])
	if !ok {
		return value.Value{}, err
	}
	return value.NewInt(x.Fields().Days() - y.Fields().Days()), nil
}

// evalTimestampDiff is the number of whole units between two dates.
func evalTimestampDiff(env *function.Env, args []value.Value) (value.Value, error) {
	u, known := units[string(args[0].AsBytes())]
	if !known || u.parts != nil {
		return value.Value{}, mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to TIMESTAMPDIFF")
	}
	x, y, ok, err := twoDates(env, args[1], args[2])
	if !ok {
		return value.Value{}, err
	}
	if u.months > 0 {
		return value.NewInt(monthsBetween(x.Fields(), y.Fields()) / u.months), nil
	}
	return value.NewInt((y.Fields().Micros() - x.Fields().Micros()) / u.micros), nil
}

// monthsBetween counts whole months from a to b, negative if b is earlier.
func monthsBetween(a, b calendar.Fields) int64 {
	if a.Micros() > b.Micros() {
		return -monthsBetween(b, a)
	}
	months := int64(b.Year-a.Year)*12 + int64(b.Month-a.Month)
	if b.Day < a.Day || b.Day == a.Day && b.DayMicros() < a.DayMicros() {
		months--
	}
	return months
}

func addTimeType(a function.Args) value.Type {
	t := a.Types[0]
	switch t.Kind {
	case value.Time:
		return value.Type{Kind: value.Time, Nullable: true, Decimals: t.Decimals}
	case value.Date, value.DateTime:
		return value.Type{Kind: value.DateTime, Nullable: true, Decimals: t.Decimals}
	}
	return value.Type{Kind: value.Text, Nullable: true}
}

func evalAddTime(sign int64) function.Eval {
	return func(env *function.Env, args []value.Value) (value.Value, error) {
		t, ok, err := spanTime(env, args[1])
		if !ok || err != nil {
			return value.Value{}, err
		}
		out, err := addTime(env, args[0], t, sign)
		if err != nil || out.IsNull() || args[0].Kind().IsTemporal() {
			return out, err
		}
		return value.NewText(out.AsBytes()), nil
	}
}

// spanTime reads the second argument of ADDTIME, SUBTIME and TIMESTAMP: a time without a date.
func spanTime(env *function.Env, v value.Value) (t value.Value, ok bool, err error) {
	if d, isDate := value.ParseDateTime(v); isDate && d.Kind() == value.DateTime {
		return value.Value{}, false, nil
	}
	return TimeOf(env, v)
}

// addTime adds t to a time, or to a date with time if x is one. In the result for a string, a fraction has
// all six digits, or none.
func addTime(env *function.Env, x, t value.Value, sign int64) (value.Value, error) {
	d, isDate := value.ParseDateTime(x)
	if isDate && d.Kind() == value.DateTime || x.Kind() == value.Date {
		f, ok := calendar.FieldsOfMicros(d.Fields().Micros() + sign*t.Micros())
		if !ok || f.Year == 0 {
			return value.Value{}, overflow(env)
		}
		return value.NewDateTime(f, sumDigits(x, d, t, int64(f.Micro))), nil
	}
	y, ok, err := TimeOf(env, x)
	if !ok || err != nil {
		return value.Value{}, err
	}
	micros := min(max(y.Micros()+sign*t.Micros(), -calendar.MaxTime), calendar.MaxTime)
	return value.NewTime(micros, sumDigits(x, y, t, micros)), nil
}

func sumDigits(x, parsed, t value.Value, micros int64) int {
	switch {
	case x.Kind().IsTemporal():
		return max(parsed.Scale(), t.Scale())
	case micros%second != 0:
		return 6
	}
	return 0
}

// evalTimeDiff accepts two dates with time or two times.
func evalTimeDiff(env *function.Env, args []value.Value) (value.Value, error) {
	x, xDate := momentOf(args[0])
	y, yDate := momentOf(args[1])
	if x.IsNull() || y.IsNull() || xDate != yDate {
		return value.Value{}, nil
	}
	digits := max(x.Scale(), y.Scale())
	micros := x.Micros() - y.Micros()
	if xDate {
		micros = x.Fields().Micros() - y.Fields().Micros()
	}
	return value.NewTime(min(max(micros, -calendar.MaxTime), calendar.MaxTime), digits), nil
}

func momentOf(v value.Value) (m value.Value, isDate bool) {
	if d, ok := value.ParseDateTime(v); ok && (d.Kind() == value.DateTime || v.Kind() == value.Date) {
		return d, true
	}
	t, _ := value.ParseTime(v)
	return t, false
}

func evalSecToTime(env *function.Env, args []value.Value) (value.Value, error) {
	v, err := env.Exact(args[0])
	if err != nil {
		return v, err
	}
	micros, _ := value.NewDecimal(v.AsDecimal().Shift(6).Truncate(0)).ToInt()
	digits := secondDigits(args[0], micros)
	if args[0].IsString() {
		digits = 6
	}
	if micros > calendar.MaxTime || micros < -calendar.MaxTime {
		micros = min(max(micros, -calendar.MaxTime), calendar.MaxTime)
		if err := env.Truncated("time", function.AsString(args[0])); err != nil {
			return v, err
		}
	}
	return value.NewTime(micros, digits), nil
}

func makeDate(n []int64) (value.Value, error) {
	if n[0] < 0 || n[0] > 9999 || n[1] < 1 || n[1] > 4000000 {
		return value.Value{}, nil
	}
	f, ok := calendar.DateOfDays(calendar.Fields{Year: int(fullYear(n[0])), Month: 1, Day: 1}.Days() + n[1] - 1)
	if !ok {
		return value.Value{}, nil
	}
	return value.NewDate(f), nil
}

func evalMakeTime(env *function.Env, args []value.Value) (value.Value, error) {
	n, err := env.Integers(args[:2])
	if err != nil {
		return value.Value{}, err
	}
	seconds, err := env.Exact(args[2])
	if err != nil {
		return value.Value{}, err
	}
	micros, _ := value.NewDecimal(seconds.AsDecimal().Shift(6).Truncate(0)).ToInt()
	if n[1] < 0 || n[1] > 59 || micros < 0 || micros >= minute {
		return value.Value{}, nil
	}
	sign := int64(1)
	if n[0] < 0 {
		sign = -1
	}
	const most = 839 // the longest TIME is shorter
	total := min(min(function.Abs(max(n[0], -most)), most)*hour+n[1]*minute+micros, calendar.MaxTime)
	return value.NewTime(sign*total, secondDigits(args[2], micros)), nil
}

func evalFromDays(env *function.Env, args []value.Value) (value.Value, error) {
	n, err := env.Integer(args[0])
	if err != nil {
		return value.Value{}, err
	}
	f, ok := calendar.DateOfDays(n)
	if !ok || n < 366 {
		return value.NewDate(calendar.Fields{}), nil
	}
	return value.NewDate(f), nil
}

// periodMonths converts YYMM or YYYYMM to months; periodOf is its inverse.
func periodMonths(p int64) int64 {
	return fullYear(p/100)*12 + p%100 - 1
}

// fullYear adds the century to a two-digit year.
func fullYear(year int64) int64 {
	switch {
	case year < 70:
		return year + 2000
	case year < 100:
		return year + 1900
	}
	return year
}

func periodOf(months int64) int64 { return months/12*100 + months%12 + 1 }

func periodAdd(n []int64) (value.Value, error) {
	if n[0] == 0 {
		return value.NewInt(0), nil
	}
	if n[0] < 0 || n[0]%100 < 1 || n[0]%100 > 12 || n[0] > 1<<40 {
		return value.Value{}, mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to period_add")
	}
	return value.NewInt(periodOf(int64(uint32(int32(periodMonths(n[0])) + int32(n[1]))))), nil
}

func periodDiff(n []int64) (value.Value, error) {
	for _, p := range n {
		if p < 0 || p%100 < 1 || p%100 > 12 {
			return value.Value{}, mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to period_diff")
		}
	}
	return value.NewInt(periodMonths(n[0]) - periodMonths(n[1])), nil
}

func convertTZType(a function.Args) value.Type {
	return timestampType(function.Args{Types: a.Types[:1], Of: a.Of})
}

func unixType(a function.Args) value.Type {
	if len(a.Types) == 0 {
		return value.Type{Kind: value.Int}
	}
	out := value.Type{Kind: value.Int, Nullable: true, Decimals: secondDecimals(a, 0)}
	if out.Decimals > 0 {
		out = out.WithDigits(16)
		out.Kind = value.Decimal
	}
	return out
}

// evalUnixTimestamp is the number of seconds since 1970-01-01 UTC of a time in the session's zone; NULL
// before.
func evalUnixTimestamp(env *function.Env, args []value.Value) (value.Value, error) {
	if len(args) == 0 {
		return value.NewInt(env.Now().Unix()), nil
	}
	d, ok, err := DateTimeOf(env, args[0])
	if !ok || err != nil {
		return value.Value{}, err
	}
	f := d.Fields()
	t := f.In(env.Now().Location())
	if t.Unix() < 0 || t.Unix() > math.MaxInt32 { // the end of MySQL 5.7's TIMESTAMP
		t = time.Unix(0, 0)
	}
	if d.Scale() == 0 {
		return value.NewInt(t.Unix()), nil
	}
	return value.NewDecimalScale(decimal.New(t.UnixMicro(), -6), d.Scale()), nil
}

func fromUnixType(a function.Args) value.Type {
	if len(a.Types) == 2 {
		return value.Type{Kind: value.Text, Nullable: true}
	}
	t := a.Types[0]
	if t.Kind == value.Float || t.Kind.IsString() {
		t.Decimals = 6
	}
	return value.Type{Kind: value.DateTime, Nullable: true, Decimals: min(t.Decimals, 6)}
}

func evalFromUnixtime(env *function.Env, args []value.Value) (value.Value, error) {
	v, err := env.Exact(args[0])
	if err != nil {
		return v, err
	}
	micros, ok := v.Shifted(6)
	if !ok || micros < 0 || micros > 253402300799*second {
		return value.Value{}, nil
	}
	f := calendar.FieldsOf(time.UnixMicro(micros).In(env.Now().Location()))
	out := value.NewDateTime(f, secondDigits(args[0], micros))
	if len(args) == 1 {
		return out, nil
	}
	return formatDate(env, out, args[1].AsBytes())
}

// maxTimestamp is the last second of MySQL's TIMESTAMP. CONVERT_TZ does not convert times out of its range.
const maxTimestamp = 1<<31 - 1

func evalConvertTZ(env *function.Env, args []value.Value) (value.Value, error) {
	from, okFrom := zoneOf(args[1].AsBytes())
	to, okTo := zoneOf(args[2].AsBytes())
	d, ok, err := DateTimeOf(env, args[0])
	if !ok || !okFrom || !okTo || err != nil {
		return value.Value{}, err
	}
	t := d.Fields().In(from).In(to)
	if t.Unix() < 1 || t.Unix() > maxTimestamp {
		return value.NewDateTime(d.Fields(), d.Scale()), nil
	}
	return value.NewDateTime(calendar.FieldsOf(t), d.Scale()), nil
}

// zoneOf is the time zone of that name, false if there is none.
func zoneOf(name []byte) (*time.Location, bool) {
	zone, _, err := calendar.LoadZone(string(name))
	return zone, err == nil
}
