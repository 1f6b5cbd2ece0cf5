package versions

import (
	"math"
	"strconv"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Choice is how a statement chooses a relation's view. The zero Choice leaves it
// to the session.
type Choice struct {
	// Period is FOR SYSTEM_TIME, which beats the hints.
	Period *clause.Period
	// Versions and Times are the hints VERSIONS and TIMERANGE.
	Versions *clause.VersionsHint
	Times    *clause.TimeRangeHint
}

// chosen reports whether the statement says anything about the view.
func (c Choice) chosen() bool {
	return c.Period != nil || c.Versions != nil || c.Times != nil
}

// Resolve is the view that the choice makes of the session's.
func (c Choice) Resolve(session View, params []value.Value) (View, error) {
	if !c.chosen() {
		return session, nil
	}
	if c.Period != nil {
		return periodView(c.Period, params)
	}
	v := session
	if h := c.Versions; h != nil {
		n, err := versions(h, params)
		if err != nil {
			return View{}, err
		}
		v.Versions = n
	}
	if h := c.Times; h != nil {
		return v.between("TIMERANGE", h.A, h.B, false, params)
	}
	return v, nil
}

func versions(h *clause.VersionsHint, params []value.Value) (int, error) {
	if h.All {
		return 0, nil
	}
	n, above, err := operand("VERSIONS", h.N, params)
	if err != nil {
		return 0, err
	}
	if n < 1 {
		return 0, mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to VERSIONS: at least 1 version is needed, "+
			"or ALL")
	}
	if above || n > math.MaxInt32 {
		n = math.MaxInt32
	}
	return int(n), nil
}

func periodView(p *clause.Period, params []value.Value) (View, error) {
	switch p.Kind {
	case clause.PeriodAll:
		return All(), nil
	case clause.PeriodAsOf:
		at, _, err := operand("FOR SYSTEM_TIME", p.A, params)
		return View{Versions: 1, Time: kv.TimeRange{Min: math.MinInt64, Max: at, Bounded: true}}, err
	}
	return All().between("FOR SYSTEM_TIME", p.A, p.B, p.Kind == clause.PeriodBetween, params)
}

// between restricts the view to a <= T < b, or a <= T <= b.
func (v View) between(what string, a, b clause.Operand, closed bool, params []value.Value) (View, error) {
	low, lowAbove, err := operand(what, a, params)
	if err != nil {
		return View{}, err
	}
	high, highAbove, err := operand(what, b, params)
	if err != nil {
		return View{}, err
	}
	if !closed && !highAbove {
		if high == math.MinInt64 {
			v.Nothing = true
			return v, nil
		}
		high--
	}
	if lowAbove || low > high {
		v.Nothing = true
		return v, nil
	}
	v.Time = kv.TimeRange{Min: low, Max: high, Bounded: true}
	return v, nil
}

// operand is an operand's integer; above is true where it is over the largest
// timestamp, which is then what is returned.
func operand(what string, o clause.Operand, params []value.Value) (n int64, above bool, err error) {
	if o.Param < 0 {
		return o.Const, false, nil
	}
	if o.Param >= len(params) {
		return 0, false, mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to %s: a placeholder has no value", what)
	}
	switch v := params[o.Param]; v.Kind() {
	case value.Int:
		return v.Int(), false, nil
	case value.Uint:
		if v.Uint() > math.MaxInt64 {
			return math.MaxInt64, true, nil
		}
		return int64(v.Uint()), false, nil
	case value.Text, value.Bytes:
		if n, err := strconv.ParseInt(string(v.Raw()), 10, 64); err == nil {
			return n, false, nil
		}
	}
	return 0, false, mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to %s: an integer is needed", what)
}
