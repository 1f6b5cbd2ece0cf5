package expr

import (
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// made accounts for a value when nothing else that was made for it is needed any more.
func (env *Env) made(v value.Value, mark int) error {
	if n := len(v.Raw()); env.Held != nil || n > function.SmallValue {
		return env.Made(n, mark)
	}
	return nil
}

// drop removes the arguments of a call from the stack.
func (env *Env) drop(base int) {
	clear(env.stack[base:])
	env.stack = env.stack[:base]
}

// Env is the environment in which an expression is evaluated.
type Env struct {
	Row    []value.Value
	Params []value.Value
	// Subqueries runs the subqueries of expressions; it may be nil if there are none.
	Subqueries Subqueries
	// Lists keeps the sets of IN lists; if it is nil, their items are compared one by one.
	Lists *Lists
	function.Env

	stack []value.Value        // arguments of the running calls
	rands map[Node]*seededRand // by calls of RAND
}

// Subqueries runs the subqueries of a statement, and keeps the results of those that are the same for each
// row.
type Subqueries interface {
	// Subquery is the value of a subquery for the current row of env.
	Subquery(n Node, env *Env) (value.Value, error)
}

// seededRand is MySQL's generator for RAND(seed): a constant seed starts a sequence that continues from row
// to row.
type seededRand struct{ a, b uint64 }
