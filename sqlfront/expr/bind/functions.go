package bind

import (
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	_ "github.com/hbasekv/hbasekv/sqlfront/function/crypt" // registers its functions, as the other packages do
	_ "github.com/hbasekv/hbasekv/sqlfront/function/jsondoc"
	_ "github.com/hbasekv/hbasekv/sqlfront/function/numeric"
	_ "github.com/hbasekv/hbasekv/sqlfront/function/regex"
	_ "github.com/hbasekv/hbasekv/sqlfront/function/rowkeys"
	_ "github.com/hbasekv/hbasekv/sqlfront/function/temporal"
	_ "github.com/hbasekv/hbasekv/sqlfront/function/text"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// NewCall binds a call of the named function over bound arguments. The error is 1305 if there is none, 1582
// for a wrong number of arguments.
func NewCall(name string, args ...expr.Node) (expr.Node, error) {
	f, err := expr.Lookup(name)
	if err != nil {
		return nil, err
	}
	if len(args) < f.Min || f.Max >= 0 && len(args) > f.Max {
		return nil, function.WrongCount(name)
	}
	for i := range args {
		if f.Numbers>>min(i, 63)&1 != 0 {
			args[i] = numeric(args[i])
		}
	}
	for i := range args {
		if f.Joins || f.Bytes>>min(i, 63)&1 != 0 && f.Name != "HEX" {
			args[i] = stringy(args[i])
		}
		if f.Bytes>>min(i, 63)&1 != 0 {
			args[i] = expr.Encoded(args[i])
		}
	}
	if args = expr.BesideBytes(args); f.Comparing {
		args = comparedArgs(args)
	}
	if args, err = collatedArgs(f.Name, args); err != nil {
		return nil, err
	}
	if f.Check != nil {
		for i := range args {
			args[i] = pinned(args[i])
		}
		if err := f.Check(expr.ArgsOf(args)); err != nil {
			return nil, err
		}
	}
	if f.Name == "NULLIF" {
		return newNullIf(f, args[0], args[1])
	}
	return expr.CallOf(f, args), nil
}

// comparedArgs are arguments that are compared with each other: next to numbers, hex literals are doubles, as
// other strings are.
func comparedArgs(args []expr.Node) []expr.Node {
	isNumber := func(n expr.Node) bool { return n.Type().Kind.IsNumber() }
	if !slices.ContainsFunc(args, isHex) || !slices.ContainsFunc(args, isNumber) {
		return args
	}
	out := slices.Clone(args)
	for i, n := range args {
		if isHex(n) {
			out[i] = &expr.Const{V: value.NewFloat(numeric(n).(*expr.Const).V.AsFloat())}
		}
	}
	return out
}

// Signature is a function's name, in upper case, and its numbers of arguments; Max is negative if there is no
// maximum.
type Signature struct {
	Name     string
	Min, Max int
}

// Functions are the functions that a statement can call by name, sorted by name, without aggregates.
func Functions() []Signature {
	out := []Signature{
		{"COERCIBILITY", 1, 1}, {"IF", 3, 3}, {"MOD", 2, 2}, {"TIMESTAMPADD", 3, 3},
	}
	for _, f := range expr.Lazy() {
		out = append(out, Signature{f.Name, f.Min, f.Max})
	}
	for name, f := range function.Table() {
		if name[0] != '$' {
			out = append(out, Signature{name, f.Min, f.Max})
		}
	}
	slices.SortFunc(out, func(a, b Signature) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// newNullIf is a CASE if x is converted for the comparison.
func newNullIf(f *function.Function, x, y expr.Node) (expr.Node, error) {
	n, err := newCompare(expr.Eq, x, y)
	if err != nil {
		return nil, err
	}
	if c := n.(*expr.Compare); !converted(x, c.L) {
		return expr.CallOf(f, []expr.Node{x, c.R}), nil
	}
	return expr.NewCase(nil, []expr.When{{Cond: n, Then: &expr.Const{}}}, x), nil
}
