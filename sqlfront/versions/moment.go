package versions

import (
	"github.com/shopspring/decimal"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// momentReader reads the operands of FOR SYSTEM_TIME or of TIMERANGE; what names the one it is.
type momentReader struct {
	what string
	env  *expr.Env
}

func (r *momentReader) both(a, b clause.Operand, c Choice) (low, high value.Value, err error) {
	if low, err = r.moment(a, c.A); err == nil {
		high, err = r.moment(b, c.B)
	}
	return low, high, err
}

// moment is an operand's exact number of milliseconds; n is its expression, if it is one.
func (r *momentReader) moment(o clause.Operand, n expr.Node) (value.Value, error) {
	switch {
	case n != nil:
		strict := *r.env
		strict.Strict = true // a warning would mean another moment, and another answer
		v, err := n.Eval(&strict)
		if err != nil {
			return v, err
		}
		return r.milliseconds(v)
	case o.Param < 0:
		return value.NewInt(o.Const), nil
	}
	v, err := argument(r.what, o, r.env.Params)
	if err != nil {
		return v, err
	}
	return r.milliseconds(v)
}

// milliseconds returns the milliseconds since 1970-01-01 UTC: a number is these, even if it is written as
// text; a date is the moment at which the session's clocks show it.
func (r *momentReader) milliseconds(v value.Value) (value.Value, error) {
	switch v.Kind() {
	case value.Int, value.Uint, value.Decimal:
		return v, nil
	case value.Float:
		return value.NewDecimal(v.AsDecimal()), nil
	case value.Text, value.Bytes:
		if d, whole := value.ParseDecimal(v.Raw()); whole {
			return value.NewDecimal(d), nil
		}
	case value.Date, value.DateTime:
	default:
		return v, mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to %s: a number of milliseconds or a time is needed",
			r.what)
	}
	d, whole, ok := value.ReadDateTime(v)
	f := d.Fields()
	if !whole || !ok || f.Month == 0 || f.Day == 0 {
		return v, mysqlerr.New(mysqlerr.WrongValue, "Incorrect TIMESTAMP value: '%s'", v.ShortString())
	}
	return value.NewDecimal(decimal.New(f.In(r.env.Now().Location()).UnixMicro(), -3)), nil
}
