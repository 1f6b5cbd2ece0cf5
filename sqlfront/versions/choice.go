package versions

import (
	"math"
	"strconv"

	"github.com/shopspring/decimal"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Choice is how a statement chooses a relation's view. The zero Choice leaves it to the session.
type Choice struct {
	// Period is FOR SYSTEM_TIME, which has precedence over the hints; A and B are its operands if these are
	// expressions. They read no columns.
	Period *clause.Period
	A, B   expr.Node
	// Versions and Times are the hints VERSIONS and TIMERANGE.
	Versions *clause.VersionsHint
	Times    *clause.TimeRangeHint
}

// Says reports whether the statement chooses anything.
func (c *Choice) Says() bool { return c.Period != nil || c.Versions != nil || c.Times != nil }

// Resolve returns the view that the choice makes of the session's; env has the values of placeholders and
// what expressions need.
func (c Choice) Resolve(session View, env *expr.Env) (View, error) {
	if c.Period != nil {
		return c.periodView(env)
	}
	v := session
	if h := c.Versions; h != nil {
		n, err := versions(h, env.Params)
		if err != nil {
			return View{}, err
		}
		v.Versions = n
	}
	if h := c.Times; h != nil {
		reader := momentReader{what: "TIMERANGE", env: env}
		a, b, err := reader.both(h.A, h.B, Choice{})
		if err != nil {
			return View{}, err
		}
		return v.between(a, b, false), nil
	}
	return v, nil
}

func versions(h *clause.VersionsHint, params []value.Value) (int, error) {
	if h.All {
		return 0, nil
	}
	n, err := count(h.N, params)
	if err != nil {
		return 0, err
	}
	if n < 1 {
		return 0, mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to VERSIONS: at least 1 version is needed, "+
			"or ALL")
	}
	return int(min(n, math.MaxInt32)), nil
}

// count is the integer of VERSIONS.
func count(o clause.Operand, params []value.Value) (int64, error) {
	if o.Param < 0 {
		return o.Const, nil
	}
	v, err := argument("VERSIONS", o, params)
	if err != nil {
		return 0, err
	}
	switch v.Kind() {
	case value.Int, value.Uint:
		n, _ := v.ToInt() // the largest one if it is beyond
		return n, nil
	case value.Text, value.Bytes:
		if n, err := strconv.ParseInt(string(v.Raw()), 10, 64); err == nil {
			return n, nil
		}
	}
	return 0, mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to VERSIONS: an integer is needed")
}

func argument(what string, o clause.Operand, params []value.Value) (value.Value, error) {
	if o.Param >= len(params) {
		return value.Value{}, mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to %s: a placeholder has no value", what)
	}
	return params[o.Param], nil
}

func (c Choice) periodView(env *expr.Env) (View, error) {
	if c.Period.Kind == clause.PeriodAll {
		return All(), nil
	}
	reader := momentReader{what: "FOR SYSTEM_TIME", env: env}
	if c.Period.Kind == clause.PeriodAsOf {
		at, err := reader.moment(c.Period.A, c.A)
		if err != nil {
			return View{}, err
		}
		return Latest().within(value.NewInt(math.MinInt64), at.Floor()), nil
	}
	a, b, err := reader.both(c.Period.A, c.Period.B, c)
	if err != nil {
		return View{}, err
	}
	return All().between(a, b, c.Period.Kind == clause.PeriodBetween), nil
}

// between restricts the view to a <= T < b, or a <= T <= b.
func (v View) between(a, b value.Value, closed bool) View {
	if closed {
		return v.within(a.Ceil(), b.Floor())
	}
	return v.within(a.Ceil(), value.NewDecimal(b.Ceil().AsDecimal().Sub(decimal.NewFromInt(1))))
}

// within restricts the view to low <= T <= high, integers of any size.
func (v View) within(low, high value.Value) View {
	least, most := value.NewInt(math.MinInt64), value.NewInt(math.MaxInt64)
	if value.Order(low, least) < 0 {
		low = least
	}
	if value.Order(high, most) > 0 {
		high = most
	}
	if value.Order(low, high) > 0 {
		v.Nothing = true
		return v
	}
	from, _ := low.ToInt()
	to, _ := high.ToInt()
	v.Time = kv.TimeRange{Min: from, Max: to, Bounded: true}
	return v
}
