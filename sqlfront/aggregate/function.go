package aggregate

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
)

// newAccumulator returns an accumulator for a group; GROUP_CONCAT and the functions that make
// documents reuse the memory of a finished one.
func newAccumulator(a *setfunc.Aggregate, m *Memory) accumulator {
	switch a.Name {
	case "COUNT":
		return m.counts.Next()
	case "SUM", "AVG":
		sum := m.sums.Next()
		*sum = newSum(a)
		return sum
	case "MIN", "MAX":
		extreme := m.minMax.Next()
		extreme.sign = a.Extreme()
		return extreme
	case "BIT_AND", "BIT_OR", "BIT_XOR":
		return newBits(a)
	case "JSON_ARRAYAGG":
		return newJSONArray(a)
	case "JSON_OBJECTAGG":
		return newJSONObject(a, &m.objects)
	case "GROUP_CONCAT":
		return newConcat(a, &m.concats)
	}
	return newSpread(a)
}

// newRemover returns a remover for a frame, or nil if the function has none.
func newRemover(a *setfunc.Aggregate) remover {
	switch a.Name {
	case "COUNT":
		return &countAcc{}
	case "SUM", "AVG":
		return newMovingSum(a)
	case "MIN", "MAX":
		return &movingExtreme{sign: a.Extreme()}
	case "BIT_AND", "BIT_OR", "BIT_XOR":
		return newMovingBits(a)
	case "JSON_ARRAYAGG", "JSON_OBJECTAGG", "GROUP_CONCAT":
		return nil
	}
	return &movingSpread{spreadAcc: *newSpread(a)}
}
