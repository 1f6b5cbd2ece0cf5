package function

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Function is an entry of the table of functions.
type Function struct {
	Name     string // upper case; SUBSTRING whichever of its names was used, and so on
	Min, Max int    // arguments; Max < 0: any number
	Type     func(a Args) value.Type
	// Eval gets the arguments' values. Unless Nulls is set it is called only
	// where none is NULL, and the call is NULL else.
	Eval  Eval
	Nulls bool
	// Typed is set instead of Eval where that depends on types.
	Typed func(result value.Type, args []value.Type) Eval
	// Volatile functions give another value each time or act on the session.
	Volatile bool
	// Session functions are constant in a statement, but not over statements.
	Session bool
	// Numbers are the arguments (bit i for argument i, the last bit for all
	// that follow) where a hex literal counts as a number.
	Numbers uint64
	// Bytes are the arguments, as of Numbers, that are taken for their bytes: of a text these are
	// those that it has in its character set.
	Bytes uint64
	// Joins says that the arguments are put together as strings.
	Joins bool
	// Comparing says that the arguments are compared with each other.
	Comparing bool
	// Given is set where the type is not that of the arguments, but given.
	Given bool
	// Check refuses wrong arguments before anything runs.
	Check func(a Args) error
}

// Eval is a function of values.
type Eval func(env *Env, args []value.Value) (value.Value, error)

// Args is what is known of the arguments before they are evaluated.
type Args struct {
	Types []value.Type
	Of    Asker
}

// Asker knows the expressions that arguments are.
type Asker interface {
	// Ask is the answer for the value that argument i has in the plan; ok is
	// false where that is not known before the plan runs.
	Ask(i int, q *Question) (answer int, ok bool)
	// Literal is the value of argument i, where it is written as one.
	Literal(i int) (v value.Value, ok bool)
}

// Question is what types ask of a value, beside its kind.
type Question struct{ Of func(v value.Value) int }

// Whole asks how many digits a number has at most before its point.
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

// AllArgs is for Numbers.
const AllArgs = ^uint64(0)

// Functions is the table by upper-case name; each file adds its own.
var Functions = map[string]*Function{}

// Register adds functions to the table.
func Register(table map[string]*Function) {
	for name, f := range table {
		f.Name = strings.ToUpper(name)
		Functions[f.Name] = f
	}
}

// Alias gives functions further names. The names that they stand for are
// registered before.
func Alias(names map[string]string) {
	for name, of := range names {
		Functions[name] = Functions[of]
	}
}

// Table is the table of functions by name, in upper case. Those whose names begin
// with a $ have a syntax of their own. It must not be changed.
func Table() map[string]*Function { return Functions }

// unsupported are MySQL's that this driver has not.
var unsupported = func() map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(`DECODE DES_DECRYPT DES_ENCRYPT ENCODE ENCRYPT
		EXTRACTVALUE GTID_SUBSET GTID_SUBTRACT MASTER_POS_WAIT NAME_CONST OLD_PASSWORD PASSWORD
		STATEMENT_DIGEST UPDATEXML VALIDATE_PASSWORD_STRENGTH`) {
		set[name] = true
	}
	return set
}()

// Lookup is the function of that name: 1305 where there is none, 1235 where MySQL
// has one.
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

// WrongCount is 1582.
func WrongCount(name string) error {
	return mysqlerr.New(mysqlerr.WrongParamCountNative, "Incorrect parameter count in the call to native function '%s'", name)
}
