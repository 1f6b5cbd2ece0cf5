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

// remover is an adder of the rows of a frame. remove takes away the first row
// that is left, with the arguments that it was added with.
type remover interface {
	adder
	remove(args []value.Value) error
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
