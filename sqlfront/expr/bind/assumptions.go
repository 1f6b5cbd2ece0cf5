package bind

import (
	"github.com/hbasekv/hbasekv/sqlfront/collation"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Arguments are the arguments for which a statement is planned: the values of its placeholders and the
// session's variables. A plan uses their types, and seldom more. What it uses is recorded as Assumptions: the
// plan is valid whenever they hold.
type Arguments struct {
	values  []value.Value
	session *function.Session
	assumed Assumptions
	known   []bool // by placeholder: its kind is assumed
	// literals is set if the values include the text's literals.
	literals *Literals
	folds    bool
}

// Literals tell how a statement's plans use the literals of its text. Those that are only compared or stored
// are carried as arguments; the others are part of the text.
type Literals struct {
	First   int    // index of the first argument that is a literal; placeholders are before it
	Carried []bool // by slot
	// Known is true once a plan was made: later ones carry the same literals.
	Known bool
}

// Assumptions are what a plan assumes about arguments.
type Assumptions struct {
	folds     []assumedFold
	kinds     []assumedKind
	answers   []assumedAnswer
	values    []assumedValue
	variables []assumedVariable
}

// assumedValue means that a literal has this value.
type assumedValue struct {
	index int
	value value.Value
}

// assumedKind means that the value of a placeholder has this kind.
type assumedKind struct {
	index int32
	kind  value.Kind
}

// assumedAnswer means that a question has this answer for the value of a placeholder, or of an expression
// that reads only placeholders.
type assumedAnswer struct {
	of       expr.Node
	question *function.Question
	answer   int
}

// assumedVariable means that the value of a session's variable has this kind and collation.
type assumedVariable struct {
	scope, name string
	system      bool
	kind        value.Kind
	by          collation.Collation
}

// assumedFold means that an expression of arguments has a value of this kind, which follows the arguments and
// the values of earlier folds, or that it has no value that is the same in every session.
type assumedFold struct {
	of   expr.Node
	kind value.Kind
	has  bool
}
