package aggregate

import "github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"

// NewColumn returns a column without groups, whose states remember rows in m.
func NewColumn(a *setfunc.Aggregate, m *Memory) Column {
	r := argReader{a, m}
	switch {
	case a.Distinct:
	case a.Name == "COUNT":
		return &countColumn{argReader: r}
	case a.SumsIntegers():
		return &sumColumn{argReader: r}
	case a.Extreme() != 0:
		return &extremeColumn{argReader: r, sign: a.Extreme()}
	}
	return &stateColumn{agg: a, memory: m}
}
