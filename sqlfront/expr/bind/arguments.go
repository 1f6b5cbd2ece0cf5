package bind

import (
	"context"
	"math"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/arithmetic"
)

// NewArguments returns Arguments that refer to the values until the plan is made; session may be nil.
func NewArguments(values []value.Value, session *function.Session) *Arguments {
	return &Arguments{values: values, session: session}
}

// NewLiterals is for a text with these numbers of placeholders and literals.
func NewLiterals(params, count int) *Literals {
	return &Literals{First: params, Carried: make([]bool, count)}
}

// Carry says that values includes the text's literals.
func (a *Arguments) Carry(l *Literals) { a.literals = l }

// Fold makes expressions that read only arguments further arguments after the given ones: the plan is then as
// good as that of a text with their values. It must be run with the arguments that Taken and Hold return.
func (a *Arguments) Fold() { a.folds = true }

// Taken ends the planning: it returns the assumptions and the arguments to run the plan with, as Hold returns
// them, and drops the values.
func (a *Arguments) Taken() (*Assumptions, []value.Value) {
	values := a.values
	a.values, a.session, a.known = nil, nil, nil
	return &a.assumed, values
}

// Informed is a session from which expressions read.
type Informed interface{ Info() *function.Session }

// Hold reports whether other values and the variables of a session give the same plan, and returns the
// arguments to run it with: the values, followed by those of the folded expressions.
func (a *Assumptions) Hold(ctx context.Context, values []value.Value, session Informed) (all []value.Value, ok bool) {
	for _, k := range a.kinds {
		if int(k.index) >= len(values) || values[k.index].Kind() != k.kind {
			return nil, false
		}
	}
	if len(a.folds) > 0 {
		if values, ok = a.fold(ctx, values); !ok {
			return nil, false
		}
	}
	for _, q := range a.answers {
		if answer, ok := answerFor(q.of, q.question, values); !ok || answer != q.answer {
			return nil, false
		}
	}
	for _, v := range a.values {
		if !value.Identical(values[v.index], v.value) {
			return nil, false
		}
	}
	return values, len(a.variables) == 0 || a.holdIn(session.Info())
}

// holdIn reports whether the variables of a session give the same plan.
func (a *Assumptions) holdIn(session *function.Session) bool {
	for _, v := range a.variables {
		if now := variableOf(session, v.scope, v.name, v.system); now.Kind() != v.kind || now.Collation() != v.by {
			return false
		}
	}
	return true
}

// literal is the node for a literal of the text: an argument, if the plan may carry it, or the constant.
func (a *Arguments) literal(slot int, c *expr.Const) expr.Node {
	if a == nil || a.literals == nil || slot < 0 || !a.carries(slot, c) {
		return c
	}
	p := a.param(a.literals.First + slot)
	p.Literal, p.Hex = true, c.Hex
	switch c.V.Kind() {
	case value.Decimal, value.Time, value.DateTime:
		p.T = c.Type()
		a.Answer(p, askScale)
		if c.V.Kind() == value.Decimal {
			a.Answer(p, function.Whole)
		}
	}
	return p
}

// Number is a number as an argument; ok is false if it remains a constant.
func (a *Arguments) Number(n *ast.Number) (index int, ok bool) {
	node, err := bindNumber(n)
	if err != nil {
		return 0, false
	}
	p, ok := a.literal(n.Slot, node.(*expr.Const)).(*expr.Param)
	if !ok {
		return 0, false
	}
	return p.Index, true
}

// carries decides, for the first plan, whether a literal is an argument. The token's own value must be the
// tree's: adjacent strings are one.
func (a *Arguments) carries(slot int, c *expr.Const) bool {
	l := a.literals
	if !l.Known && value.Identical(a.values[l.First+slot], c.V) {
		l.Carried[slot] = true
	}
	return l.Carried[slot]
}

// pinned turns a literal that is an argument back into a constant, with its value.
func pinned(n expr.Node) expr.Node {
	p, ok := n.(*expr.Param)
	if !ok || !p.Literal {
		return n
	}
	of, ok := p.Of.(*Arguments)
	if !ok || of.values == nil {
		return n
	}
	v := of.values[p.Index].Clone()
	of.assumed.values = append(of.assumed.values, assumedValue{p.Index, v})
	return &expr.Const{V: v, Hex: p.Hex}
}

// param is a placeholder with the type of a literal of its value.
func (a *Arguments) param(i int) *expr.Param {
	if a == nil || i >= len(a.values) {
		return &expr.Param{Index: i, T: value.Type{Nullable: true}}
	}
	kind := a.values[i].Kind()
	if a.known == nil {
		a.known = make([]bool, len(a.values))
	}
	if !a.known[i] {
		a.known[i] = true
		a.assumed.kinds = append(a.assumed.kinds, assumedKind{int32(i), kind})
	}
	return &expr.Param{Index: i, T: value.Type{Kind: kind, Nullable: kind == value.Null}, Of: a}
}

// Position is the value of a placeholder as the position of a column; ok is false if it is not an integer.
func (a *Arguments) Position(i int) (n int, ok bool) {
	p := a.param(i)
	if p.T.Kind != value.Int && p.T.Kind != value.Uint {
		return 0, false
	}
	return expr.Ask(p, askPosition)
}

// variable is the type of a session's variable.
func (a *Arguments) variable(scope, name string, system bool) value.Type {
	if a == nil || a.session == nil {
		return value.Type{Nullable: true}
	}
	now := variableOf(a.session, scope, name, system)
	v := assumedVariable{scope, name, system, now.Kind(), now.Collation()}
	a.assumed.variables = append(a.assumed.variables, v)
	return value.Type{Kind: v.kind, Nullable: true, Collated: value.Collated{Collation: v.by, Derivation: value.Implicit}}
}

// variableOf is @name, or @@scope.name; NULL if there is none.
func variableOf(s *function.Session, scope, name string, system bool) (v value.Value) {
	switch {
	case system && s.Variable != nil:
		v, _ = s.Variable(scope, name)
	case !system && s.UserVariable != nil:
		v = s.UserVariable(name)
	}
	return v
}

// The questions besides those of functions.
var (
	askNegative = &function.Question{Of: tooLargeToNegate}  // whether its negative does not fit into a BIGINT
	askPosition = &function.Question{Of: positionOf}        // the number itself
	askScale    = &function.Question{Of: value.Value.Scale} // the number of digits after the point
)

// positionOf is an integer as the position of a column; a negative or too large one becomes that of no
// column.
func positionOf(v value.Value) int {
	if v.Kind() == value.Int && v.Int() <= math.MaxInt32 {
		return int(max(v.Int(), 0))
	}
	return 0
}

// Answer evaluates the question while the plan is made, and later returns the recorded answer.
func (a *Arguments) Answer(n expr.Node, q *function.Question) (int, bool) {
	for _, kept := range a.assumed.answers {
		if kept.of == n && kept.question == q {
			return kept.answer, true
		}
	}
	answer, ok := answerFor(n, q, a.values)
	if ok && a.values != nil {
		a.assumed.answers = append(a.assumed.answers, assumedAnswer{n, q, answer})
	}
	return answer, ok
}

// answerFor is false if the value cannot be computed.
func answerFor(n expr.Node, q *function.Question, values []value.Value) (int, bool) {
	v, err := n.Eval(&expr.Env{Params: values, Env: function.Env{Strict: true, Folding: true}})
	if err != nil {
		return 0, false
	}
	return q.Of(v), true
}

// tooLargeToNegate is 1 for an integer whose negative does not fit into a BIGINT.
func tooLargeToNegate(v value.Value) int {
	if _, err := arithmetic.Neg(v); err != nil {
		return 1
	}
	return 0
}
