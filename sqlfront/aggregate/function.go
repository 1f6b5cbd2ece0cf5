package aggregate

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// adder is what an aggregate does with the arguments of each row that counts; the values of an
// ORDER BY stand behind the arguments. Their bytes are the row's; what is kept is cloned.
type adder interface {
	add(env *expr.Env, args []value.Value) error
	result() (value.Value, error)
}

// accumulator is an adder of the rows of a group. combine takes the rows of another one, which
// come behind these, and leaves it as it is.
type accumulator interface {
	adder
	combine(other accumulator) error
}

// newAccumulator starts a function in a group; GROUP_CONCAT and what makes documents use what
// one that is over has left in the memory.
func newAccumulator(a *expr.Aggregate, m *Memory) accumulator {
	switch a.Name {
	case "COUNT":
		return m.counts.Next()
	case "SUM", "AVG":
		return m.sum(a)
	case "MIN", "MAX":
		return m.extreme(a.Extreme())
	case "BIT_AND", "BIT_OR", "BIT_XOR":
		return newBits(a)
	case "JSON_ARRAYAGG":
		return newJSONArray(a)
	case "JSON_OBJECTAGG":
		return newJSONObject(a, m)
	case "GROUP_CONCAT":
		return newConcat(a, m)
	}
	return newSpread(a)
}

// remover is an adder of the rows of a frame. remove takes away the first row
// that is left, with the arguments that it was added with.
type remover interface {
	adder
	remove(args []value.Value) error
}

// newRemover starts a frame whose rows go; nil for a function that has none.
func newRemover(a *expr.Aggregate) remover {
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

// keeper is an adder that remembers rows.
type keeper interface {
	keepIn(m *held)
}

// leaver is a keeper that leaves its memory to the next state, once it is over. The result of a
// frame is asked for again.
type leaver interface {
	leave()
}

// vectorAdder is an accumulator that takes many rows at a time; taken is false where it has
// to be given each by itself.
type vectorAdder interface {
	addVectors(args []*value.Vector, rows []int32) (taken bool)
}
