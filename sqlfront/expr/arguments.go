package expr

import (
	"math"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Arguments are what a statement is planned for: the values of its placeholders
// and the session's variables. A plan takes from them types, and seldom more. What
// it asks is kept as Assumptions: the plan is good wherever they hold.
type Arguments struct {
	values  []value.Value
	session *SessionInfo
	asked   Assumptions
	known   []bool // by placeholder: its kind is asked for
}

// NewArguments refers to the values until the plan is made; session may be nil.
func NewArguments(values []value.Value, session *SessionInfo) *Arguments {
	return &Arguments{values: values, session: session}
}

// Assumptions are what a plan takes for granted of arguments.
type Assumptions struct {
	kinds     []assumedKind
	answers   []assumedAnswer
	variables []assumedVariable
}

// assumedKind: the value of a placeholder is of this kind.
type assumedKind struct {
	index int32
	kind  value.Kind
}

// assumedAnswer: of the value of a placeholder, or of an expression that reads
// nothing else, a question has this answer.
type assumedAnswer struct {
	of       Node
	question question
	answer   int
}

// assumedVariable: the value of a variable of the session is of this kind.
type assumedVariable struct {
	scope, name string
	system      bool
	kind        value.Kind
}

// Taken ends the planning: it gives what was asked for, and lets go of the
// values.
func (a *Arguments) Taken() *Assumptions {
	a.values, a.session, a.known = nil, nil, nil
	return &a.asked
}

// Hold reports whether other values give the same plan.
func (a *Assumptions) Hold(values []value.Value) bool {
	for _, k := range a.kinds {
		if int(k.index) >= len(values) || values[k.index].Kind() != k.kind {
			return false
		}
	}
	for _, q := range a.answers {
		if answer, ok := answerFor(q.of, q.question, values); !ok || answer != q.answer {
			return false
		}
	}
	return true
}

// OfVariables reports whether there are any that HoldIn looks at.
func (a *Assumptions) OfVariables() bool { return len(a.variables) > 0 }

// HoldIn reports whether the variables of a session give the same plan.
func (a *Assumptions) HoldIn(session *SessionInfo) bool {
	for _, v := range a.variables {
		if session.variable(v.scope, v.name, v.system).Kind() != v.kind {
			return false
		}
	}
	return true
}

// param is a placeholder with the type that a literal of its value would have.
func (a *Arguments) param(i int) *Param {
	if a == nil || i >= len(a.values) {
		return &Param{Index: i, T: value.Type{Nullable: true}}
	}
	kind := a.values[i].Kind()
	if a.known == nil {
		a.known = make([]bool, len(a.values))
	}
	if !a.known[i] {
		a.known[i] = true
		a.asked.kinds = append(a.asked.kinds, assumedKind{int32(i), kind})
	}
	return &Param{Index: i, T: value.Type{Kind: kind, Nullable: kind == value.Null}, of: a}
}

// Position is the value of a placeholder as the position of a column; ok is false
// where it is no integer.
func (a *Arguments) Position(i int) (n int, ok bool) {
	p := a.param(i)
	if p.T.Kind != value.Int && p.T.Kind != value.Uint {
		return 0, false
	}
	return ask(p, askPosition)
}

// variable is the type of a variable of the session.
func (a *Arguments) variable(scope, name string, system bool) value.Type {
	if a == nil || a.session == nil {
		return value.Type{Nullable: true}
	}
	v := assumedVariable{scope, name, system, a.session.variable(scope, name, system).Kind()}
	a.asked.variables = append(a.asked.variables, v)
	return value.Type{Kind: v.kind, Nullable: true}
}

// variable is @name, or @@scope.name; NULL where there is none.
func (s *SessionInfo) variable(scope, name string, system bool) (v value.Value) {
	switch {
	case system && s.Variable != nil:
		v, _ = s.Variable(scope, name)
	case !system && s.UserVariable != nil:
		v = s.UserVariable(name)
	}
	return v
}

// question is what types ask of a value, beside its kind.
type question uint8

const (
	askPlaces   question = iota // of ROUND
	askParts                    // of a format of STR_TO_DATE
	askFraction                 // the digits of the seconds in a date or time
	askNegative                 // whether its negative is no BIGINT
	askPosition                 // the number itself
	askDigits                   // those before the point
)

var questions = [...]func(value.Value) int{askPlaces: places, askParts: partsOf, askFraction: fractionOf, askNegative: tooLargeToNegate,
	askPosition: positionOf, askDigits: digitsOf}

// positionOf is an integer as the position of a column; no column has that of one
// that is negative or too large.
func positionOf(v value.Value) int {
	if v.Kind() == value.Int && v.Int() <= math.MaxInt32 {
		return int(max(v.Int(), 0))
	}
	return 0
}

// ask is the answer for the value that n has in the plan; ok is false where that is
// not known before the plan runs.
func ask(n Node, q question) (answer int, ok bool) {
	if c, ok := n.(*Const); ok {
		return questions[q](c.V), true
	}
	if a := argumentsOf(n); a != nil {
		return a.answer(n, q)
	}
	return 0, false
}

// argumentsOf are those of an expression that reads placeholders and nothing
// else.
func argumentsOf(n Node) (a *Arguments) {
	only := true
	Walk(n, func(n Node) bool {
		if p, ok := n.(*Param); ok {
			a = p.of
		}
		only = only && constHere(n) && foldable(n)
		return only
	})
	if !only {
		return nil
	}
	return a
}

// answer asks the value while the plan is made, and what was kept then later.
func (a *Arguments) answer(n Node, q question) (int, bool) {
	for _, kept := range a.asked.answers {
		if kept.of == n && kept.question == q {
			return kept.answer, true
		}
	}
	answer, ok := answerFor(n, q, a.values)
	if ok && a.values != nil {
		a.asked.answers = append(a.asked.answers, assumedAnswer{n, q, answer})
	}
	return answer, ok
}

// answerFor is false where the value cannot be had.
func answerFor(n Node, q question, values []value.Value) (int, bool) {
	v, err := n.Eval(&Env{Params: values, Strict: true, folding: true})
	if err != nil {
		return 0, false
	}
	return questions[q](v), true
}
