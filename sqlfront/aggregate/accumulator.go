package aggregate

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// adder is what an aggregate does with the arguments of each row that counts, which the values of
// its ORDER BY follow. Their bytes belong to the row; an adder clones what it keeps.
type adder interface {
	add(env *expr.Env, args []value.Value) error
	result() (value.Value, error)
}

// accumulator is an adder of the rows of a group. combine adds the rows of another one, which
// follow these, and does not change the other.
type accumulator interface {
	adder
	combine(other accumulator) error
}

// remover is an adder of the rows of a frame. remove takes away the first remaining row, with the
// arguments that it was added with.
type remover interface {
	adder
	remove(args []value.Value) error
}

// keeper is an adder that remembers rows.
type keeper interface {
	keepIn(m *held)
}

// leaver is a keeper that leaves its memory to the next state when it is done. Frames do not use
// it, because their result is read repeatedly.
type leaver interface {
	leave()
}

// vectorAdder is an accumulator that adds many rows at a time; if taken is false, each row must be
// added by itself.
type vectorAdder interface {
	addVectors(args []*value.Vector, rows []int32) (taken bool)
}
