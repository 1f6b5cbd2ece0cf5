package expr

import (
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Answers answer what the planning of a statement asks of the values of its placeholders. A plan
// is good for all values that give the same answers.
type Answers interface {
	// Answer is the answer to a question for the value of n, which reads placeholders and
	// constants only; ok is false where it has none.
	Answer(n Node, q *function.Question) (answer int, ok bool)
}

// Param is a placeholder, from 0.
type Param struct {
	Index int
	// T is the type that a literal in its place would have.
	T value.Type
	// Of answers what is asked of its value; nil where nothing is known before it is evaluated.
	Of Answers
	// Literal is true where it stands for a literal of the text, Hex as of Const.
	Literal, Hex bool
}

// Eval is the argument.
func (p *Param) Eval(env *Env) (value.Value, error) {
	if p.Index >= len(env.Params) {
		return value.Value{}, mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to EXECUTE: placeholder %d has no value", p.Index+1)
	}
	return env.Params[p.Index], nil
}

// Type is that of the argument that the plan is made for.
func (p *Param) Type() value.Type { return p.T }

// AppendTo appends a question mark.
func (p *Param) AppendTo(dst []byte) []byte { return append(dst, '?') }
