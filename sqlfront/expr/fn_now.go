package expr

import (
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// The clock (https://dev.mysql.com/doc/refman/5.7/en/date-and-time-functions.html).
// All but SYSDATE give when the statement began.
func init() {
	register(map[string]*function{
		"NOW":           clock(value.DateTime, (*Env).now),
		"SYSDATE":       clock(value.DateTime, (*Env).sysdate),
		"UTC_TIMESTAMP": clock(value.DateTime, (*Env).utc),
		"CURTIME":       clock(value.Time, (*Env).now),
		"UTC_TIME":      clock(value.Time, (*Env).utc),
		"CURDATE":       today((*Env).now),
		"UTC_DATE":      today((*Env).utc),
	})
	functions["SYSDATE"].volatile = true
	alias(map[string]string{
		"CURRENT_TIMESTAMP": "NOW", "LOCALTIME": "NOW", "LOCALTIMESTAMP": "NOW",
		"CURRENT_TIME": "CURTIME", "CURRENT_DATE": "CURDATE",
	})
}

func (env *Env) now() time.Time {
	if s := env.session(); !s.Now.IsZero() {
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

func (env *Env) utc() time.Time { return env.now().UTC() }

func (env *Env) sysdate() time.Time { return env.Clock().In(env.now().Location()) }

// clock is a function with the number of digits of the second's fraction as
// its argument.
func clock(kind value.Kind, at func(*Env) time.Time) *function {
	return &function{
		max: 1, session: true, numbers: 1, check: checkDigits,
		typ: func(args []Node) value.Type { return value.Type{Kind: kind, Decimals: digitsArg(args)} },
		eval: func(env *Env, args []value.Value) (value.Value, error) {
			digits := 0
			if len(args) == 1 {
				digits = int(args[0].AsInt())
			}
			return clockValue(kind, at(env), digits), nil
		},
	}
}

// checkDigits wants a constant from 0 to 6.
func checkDigits(args []Node) error {
	if len(args) == 0 {
		return nil
	}
	c, ok := args[0].(*Const)
	if !ok || c.V.Kind() != value.Int || c.V.Int() < 0 {
		return mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to NOW")
	}
	if c.V.Int() > 6 {
		return mysqlerr.New(mysqlerr.TooBigPrecision, "Too big precision %d specified for 'now'. Maximum is 6", c.V.Int())
	}
	return nil
}

func digitsArg(args []Node) int {
	if len(args) == 0 {
		return 0
	}
	c, ok := args[0].(*Const)
	if !ok {
		return 0
	}
	return int(min(max(c.V.AsInt(), 0), 6))
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

func today(at func(*Env) time.Time) *function {
	return &function{session: true, typ: fixed(value.Date), eval: func(env *Env, _ []value.Value) (value.Value, error) {
		return value.NewDate(value.FieldsOf(at(env))), nil
	}}
}
