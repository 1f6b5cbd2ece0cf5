package function

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Function is an entry of the table of functions.
type Function struct {
	Name     string // upper case; for synonyms, one of them: SUBSTRING, and so on
	Min, Max int    // arguments; Max < 0: any number
	Type     func(a Args) value.Type
	// Eval gets the arguments' values. Unless Nulls is set, it is only called if none is NULL; otherwise the
	// call is NULL.
	Eval  Eval
	Nulls bool
	// Typed is set instead of Eval if that depends on types.
	Typed func(result value.Type, args []value.Type) Eval
	// Volatile functions return another value each time or change the session.
	Volatile bool
	// Session functions are constant within a statement, but not across statements.
	Session bool
	// Numbers are the arguments (bit i for argument i, the last bit for all that follow) in which a hex
	// literal is a number.
	Numbers uint64
	// Bytes are the arguments, in the form of Numbers, whose bytes are used: those of a text are in its
	// character set.
	Bytes uint64
	// Joins says that the arguments are concatenated as strings.
	Joins bool
	// Comparing says that the arguments are compared with each other.
	Comparing bool
	// Given is set if the type does not follow from the arguments, but is given.
	Given bool
	// Check refuses invalid arguments before anything runs.
	Check func(a Args) error
}

// Eval is a function of values.
type Eval func(env *Env, args []value.Value) (value.Value, error)

// Args is what is known of the arguments before evaluation.
type Args struct {
	Types []value.Type
	Of    Asker
}

// Asker knows the expressions of arguments.
type Asker interface {
	// Ask is the answer for the value that argument i has in the plan; ok is false if that is unknown before
	// the plan runs.
	Ask(i int, q *Question) (answer int, ok bool)
	// Literal is the value of argument i, if it is a literal.
	Literal(i int) (v value.Value, ok bool)
}

// Question is what types depend on besides a value's kind.
type Question struct{ Of func(v value.Value) int }

// Whole is the question how many digits a number has at most before its point.
var Whole = &Question{value.WholeDigits}

// Nullable reports whether an argument may be NULL.
func (a Args) Nullable() bool {
	for _, t := range a.Types {
		if t.Nullable {
			return true
		}
	}
	return false
}

// AllArgs is all arguments, for Numbers.
const AllArgs = ^uint64(0)

// Functions is the table by upper-case name; each file adds its functions.
var Functions = map[string]*Function{}

// Register adds functions to the table.
func Register(table map[string]*Function) {
	for name, f := range table {
		f.Name = strings.ToUpper(name)
		Functions[f.Name] = f
	}
}

// Alias gives functions further names. The functions must have been registered.
func Alias(names map[string]string) {
	for name, of := range names {
		Functions[name] = Functions[of]
	}
}

// Table is the table of functions by name, in upper case. Names that begin with a $ are those of functions
// with a syntax of their own. It must not be changed.
func Table() map[string]*Function { return Functions }

// unsupported are MySQL's functions that this driver does not have.
var unsupported = func() map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(`DECODE DES_DECRYPT DES_ENCRYPT ENCODE ENCRYPT
		EXTRACTVALUE GTID_SUBSET GTID_SUBTRACT MASTER_POS_WAIT NAME_CONST OLD_PASSWORD PASSWORD
		STATEMENT_DIGEST UPDATEXML VALIDATE_PASSWORD_STRENGTH`) {
		set[name] = true
	}
	return set
}()

// Lookup is the function of that name. The error is 1305 if there is none, 1235 if it is an unsupported one
// of MySQL.
func Lookup(name string) (*Function, error) {
	upper := strings.ToUpper(name)
	switch f, ok := Functions[upper]; {
	case ok:
		return f, nil
	case unsupported[upper]:
		return nil, mysqlerr.Unsupported(upper + "()")
	}
	return nil, mysqlerr.New(mysqlerr.SPDoesNotExist, "FUNCTION %s does not exist", name)
}

// WrongCount is error 1582.
func WrongCount(name string) error {
	return mysqlerr.New(mysqlerr.WrongParamCountNative, "Incorrect parameter count in the call to native function '%s'", name)
}
