package expr

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// CallOf is a call of a function; the number of arguments must be one that it accepts.
func CallOf(f *function.Function, args []Node) *Call {
	known := ArgsOf(args)
	c := &Call{Name: f.Name, Args: args, fn: f, typ: f.Type(known), eval: f.Eval}
	if makes, _ := TakesCollation(f.Name); makes && c.typ.Kind == value.Text {
		c.typ.Collated = value.JointCollated(known.Types...)
	}
	if f.Typed != nil {
		c.eval = f.Typed(c.typ, known.Types)
	}
	if c.eval == nil {
		c.lazy = lazyFunctions[f.Name].lazy
	}
	return c
}

// ArgsOf is what is known of arguments before they are evaluated.
func ArgsOf(args []Node) function.Args {
	return function.Args{Types: TypesOf(args), Of: argNodes(args)}
}

// argNodes answers questions of functions about their arguments.
type argNodes []Node

// Ask implements function.Asker.
func (args argNodes) Ask(i int, q *function.Question) (int, bool) {
	if q == function.Whole {
		return wholeDigits(args[i]), true
	}
	return Ask(args[i], q)
}

// Literal implements function.Asker.
func (args argNodes) Literal(i int) (value.Value, bool) {
	c, ok := args[i].(*Const)
	if !ok {
		return value.Value{}, false
	}
	return c.V, true
}

// TakesCollation reports whether a function of strings compares them, or makes a text with their collation,
// which is then allowed to be undecided.
func TakesCollation(name string) (makes, found bool) {
	makes, found = collating[name]
	return makes, found
}

var collating = map[string]bool{
	"CONCAT": true, "CONCAT_WS": true, "UPPER": true, "LOWER": true, "LEFT": true, "RIGHT": true, "SUBSTRING": true,
	"SUBSTRING_INDEX": true, "REPLACE": true, "INSERT": true, "TRIM": true, "LTRIM": true, "RTRIM": true, "LPAD": true,
	"RPAD": true, "REPEAT": true, "REVERSE": true, "QUOTE": true, "SOUNDEX": true, "ELT": true, "MAKE_SET": true,
	function.TrimBoth: true, function.TrimLeading: true, function.TrimTrailing: true,
	"EXPORT_SET": true, "COALESCE": true, "IFNULL": true, "GREATEST": true, "LEAST": true, "ANY_VALUE": true,
	"STRCMP": false, "FIELD": false, "LOCATE": false, "INSTR": false, "FIND_IN_SET": false,
}

// Lookup is the function with a name, in upper or lower case; the error is 1305 if there is none.
func Lookup(name string) (*function.Function, error) {
	if f := lazyFunctions[strings.ToUpper(name)]; f != nil {
		return &f.Function, nil
	}
	return function.Lookup(name)
}
