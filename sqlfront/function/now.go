package function

import (
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// The clock (https://dev.mysql.com/doc/refman/5.7/en/date-and-time-functions.html).
// All but SYSDATE give when the statement began.
func init() {
	register(map[string]*Function{
		"NOW":           clock(value.DateTime, (*Env).Now),
		"SYSDATE":       clock(value.DateTime, (*Env).sysdate),
		"UTC_TIMESTAMP": clock(value.DateTime, (*Env).utc),
		"CURTIME":       clock(value.Time, (*Env).Now),
		"UTC_TIME":      clock(value.Time, (*Env).utc),
		"CURDATE":       today((*Env).Now),
		"UTC_DATE":      today((*Env).utc),
	})
	functions["SYSDATE"].Volatile = true
	alias(map[string]string{
		"CURRENT_TIMESTAMP": "NOW", "LOCALTIME": "NOW", "LOCALTIMESTAMP": "NOW",
		"CURRENT_TIME": "CURTIME", "CURRENT_DATE": "CURDATE",
	})
}

func (env *Env) Now() time.Time {
	if s := env.Info(); !s.Now.IsZero() {
		return s.Now
	}
	return env.Clock()
}

// Clock is the present time, which goes on during a statement.
func (env *Env) Clock() time.Time {
	if s := env.Session; s != nil && s.Clock != nil {
		return s.Clock()
	}
	return time.Now()
}

func (env *Env) utc() time.Time { return env.Now().UTC() }

func (env *Env) sysdate() time.Time { return env.Clock().In(env.Now().Location()) }

// clock is a function with the number of digits of the second's fraction as
// its argument.
func clock(kind value.Kind, at func(*Env) time.Time) *Function {
	return &Function{
		Max: 1, Session: true, Numbers: 1, Check: checkDigits,
		Type: func(a Args) value.Type { return value.Type{Kind: kind, Decimals: digitsArg(a)} },
		Eval: func(env *Env, args []value.Value) (value.Value, error) {
			digits := 0
			if len(args) == 1 {
				digits = int(args[0].AsInt())
			}
			return clockValue(kind, at(env), digits), nil
		},
	}
}

// checkDigits wants a constant from 0 to 6.
func checkDigits(a Args) error {
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

func digitsArg(a Args) int {
	if len(a.Types) == 0 {
		return 0
	}
	v, _ := a.Of.Literal(0)
	return int(min(max(v.AsInt(), 0), 6))
}

// clockValue cuts off the digits that are not asked for.
func clockValue(kind value.Kind, t time.Time, digits int) value.Value {
	f := value.FieldsOf(t)
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

func today(at func(*Env) time.Time) *Function {
	return &Function{Session: true, Type: fixed(value.Date), Eval: func(env *Env, _ []value.Value) (value.Value, error) {
		return value.NewDate(value.FieldsOf(at(env))), nil
	}}
}
