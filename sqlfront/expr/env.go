package expr

import (
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// made accounts for a value of which nothing else is needed any more.
func (env *Env) made(v value.Value, mark int) error {
	if n := len(v.Raw()); env.Held != nil || n > function.SmallValue {
		return env.Made(n, mark)
	}
	return nil
}

// drop takes the arguments of a call off the stack.
func (env *Env) drop(base int) {
	clear(env.stack[base:])
	env.stack = env.stack[:base]
}

// Env is what an expression is evaluated in.
type Env struct {
	Row    []value.Value
	Params []value.Value
	// Subqueries runs the subqueries of expressions; it may be nil where there
	// can be none.
	Subqueries Subqueries
	// Lists keeps the sets of IN lists; where it is nil their items are compared one
	// by one.
	Lists *Lists
	function.Env

	stack []value.Value        // arguments of the calls under way
	rands map[Node]*seededRand // of the calls of RAND
}

// Subqueries runs the subqueries of a statement, and keeps the results of those
// that are the same for each row.
type Subqueries interface {
	// Subquery is the value of a subquery for the present row of env.
	Subquery(n Node, env *Env) (value.Value, error)
}

// seededRand is MySQL's generator for RAND(seed): a constant seed starts a
// sequence that goes on from row to row.
type seededRand struct{ a, b uint64 }
