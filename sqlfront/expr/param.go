package expr

import (
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Answers answers questions of planning about the values of placeholders. A plan is valid for all values that
// give the same answers.
type Answers interface {
	// Answer is the answer to a question about the value of n, which reads only placeholders and constants;
	// ok is false if it has none.
	Answer(n Node, q *function.Question) (answer int, ok bool)
}

// Param is a placeholder, numbered from 0.
type Param struct {
	Index int
	// T is the type of a literal with its value.
	T value.Type
	// Of answers questions about its value; nil if nothing is known before it is evaluated.
	Of Answers
	// Literal is true if it stands for a literal of the text; Hex is as in Const.
	Literal, Hex bool
}

// Eval is the argument.
func (p *Param) Eval(env *Env) (value.Value, error) {
	if p.Index >= len(env.Params) {
		return value.Value{}, mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to EXECUTE: placeholder %d has no value", p.Index+1)
	}
	return env.Params[p.Index], nil
}

// Type is the type of the argument for which the plan is made.
func (p *Param) Type() value.Type { return p.T }

// AppendTo appends a question mark.
func (p *Param) AppendTo(dst []byte) []byte { return append(dst, '?') }
