package aggregate

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
)

// newAccumulator starts a function in a group; GROUP_CONCAT and what makes documents use what
// one that is over has left in the memory.
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

// newRemover starts a frame whose rows go; nil for a function that has none.
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
