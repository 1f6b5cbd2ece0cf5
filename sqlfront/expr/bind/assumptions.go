package bind

import (
	"github.com/hbasekv/hbasekv/sqlfront/collation"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Arguments are what a statement is planned for: the values of its placeholders
// and the session's variables. A plan takes from them types, and seldom more. What
// it asks is kept as Assumptions: the plan is good wherever they hold.
type Arguments struct {
	values  []value.Value
	session *function.Session
	assumed Assumptions
	known   []bool // by placeholder: its kind is asked for
	// literals are set where the values are those of the text's literals.
	literals *Literals
	folds    bool
}

// Literals tell what a statement's plans do with the literals of its text. Those
// that they carry to where they are compared or stored are arguments; what else
// looks at one takes it for a part of the text.
type Literals struct {
	First   int    // of the arguments that are literals; placeholders are before them
	Carried []bool // by slot
	// Known is true once a plan was made: later ones carry no others.
	Known bool
}

// Assumptions are what a plan takes for granted of arguments.
type Assumptions struct {
	folds     []assumedFold
	kinds     []assumedKind
	answers   []assumedAnswer
	values    []assumedValue
	variables []assumedVariable
}

// assumedValue: a literal has this value.
type assumedValue struct {
	index int
	value value.Value
}

// assumedKind: the value of a placeholder is of this kind.
type assumedKind struct {
	index int32
	kind  value.Kind
}

// assumedAnswer: of the value of a placeholder, or of an expression that reads
// nothing else, a question has this answer.
type assumedAnswer struct {
	of       expr.Node
	question *function.Question
	answer   int
}

// assumedVariable: the value of a variable of the session is of this kind, and of this collation.
type assumedVariable struct {
	scope, name string
	system      bool
	kind        value.Kind
	by          collation.Collation
}

// assumedFold: an expression of arguments has a value of this kind, which stands behind the
// arguments and those of the folds before, or none that it had for every session.
type assumedFold struct {
	of   expr.Node
	kind value.Kind
	has  bool
}
