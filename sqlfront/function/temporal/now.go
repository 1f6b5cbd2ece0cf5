package temporal

import (
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
)

// The clock (https://dev.mysql.com/doc/refman/5.7/en/date-and-time-functions.html).
// All except SYSDATE return the time at which the statement began.
func init() {
	sysdate := clock(value.DateTime, sysdate)
	sysdate.Volatile = true
	function.Register(map[string]*function.Function{
		"NOW":           clock(value.DateTime, (*function.Env).Now),
		"SYSDATE":       sysdate,
		"UTC_TIMESTAMP": clock(value.DateTime, utc),
		"CURTIME":       clock(value.Time, (*function.Env).Now),
		"UTC_TIME":      clock(value.Time, utc),
		"CURDATE":       today((*function.Env).Now),
		"UTC_DATE":      today(utc),
	})
	function.Alias(map[string]string{
		"CURRENT_TIMESTAMP": "NOW", "LOCALTIME": "NOW", "LOCALTIMESTAMP": "NOW",
		"CURRENT_TIME": "CURTIME", "CURRENT_DATE": "CURDATE",
	})
}

func utc(env *function.Env) time.Time { return env.Now().UTC() }

func sysdate(env *function.Env) time.Time { return env.Clock().In(env.Now().Location()) }

// clock is a function whose argument is the number of fractional digits.
func clock(kind value.Kind, at func(*function.Env) time.Time) *function.Function {
	return &function.Function{
		Max: 1, Session: true, Numbers: 1, Check: checkDigits,
		Type: func(a function.Args) value.Type { return value.Type{Kind: kind, Decimals: digitsArg(a)} },
		Eval: func(env *function.Env, args []value.Value) (value.Value, error) {
			digits := 0
			if len(args) == 1 {
				digits = int(args[0].AsInt())
			}
			return clockValue(kind, at(env), digits), nil
		},
	}
}

// checkDigits requires a constant from 0 to 6.
func checkDigits(a function.Args) error {
	if len(a.Types) == 0 {
		return nil
	}
	v, ok := a.Of.Literal(0)
	if !ok || v.Kind() != value.Int || v.Int() < 0 {
		return mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to NOW")
	}
	if v.Int() > 6 {
		return mysqlerr.New(mysqlerr.TooBigPrecision, "Too big precision %d specified for 'now'. Maximum is 6", v.Int())
	}
	return nil
}

func digitsArg(a function.Args) int {
	if len(a.Types) == 0 {
		return 0
	}
	v, _ := a.Of.Literal(0)
	return int(min(max(v.AsInt(), 0), 6))
}

// clockValue cuts off the further digits.
func clockValue(kind value.Kind, t time.Time, digits int) value.Value {
	f := calendar.FieldsOf(t)
	unit := 1
	for range 6 - digits {
		unit *= 10
	}
	f.Micro -= f.Micro % unit
	if kind == value.Time {
		return value.NewTime(f.DayMicros(), digits)
	}
	return value.NewDateTime(f, digits)
}

func today(at func(*function.Env) time.Time) *function.Function {
	return &function.Function{Session: true, Type: function.Fixed(value.Date), Eval: func(env *function.Env, _ []value.Value) (value.Value, error) {
		return value.NewDate(calendar.FieldsOf(at(env))), nil
	}}
}
