package bind

import (
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/charset"
	"github.com/hbasekv/hbasekv/sqlfront/collation"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// newCollate refuses unknown collations (1273) and those of another character set
// (1253).
func newCollate(x expr.Node, name string) (expr.Node, error) {
	set := charset.Default
	if charset.SetOf(name) == charset.UTF8 {
		set = charset.UTF8 // whose texts are those of utf8mb4 here
	}
	if x.Type().Kind == value.Bytes {
		set = charset.Binary
	}
	if err := charset.Check(name, set); err != nil {
		return nil, err
	}
	by, _ := collation.Named(name)
	named := value.Collated{Collation: by, Derivation: value.Explicit}
	return &expr.Collate{X: x, By: named, Binary: set == charset.Binary}, nil
}

// collated gives strings that are compared, or that make a text, one collation. Without COLLATE, a binary
// string makes the others binary, and the default is left as it is. Otherwise the collation of the strongest
// derivation applies to all, including binary strings
// (https://dev.mysql.com/doc/refman/8.4/en/charset-collation-coercibility.html); the error is 1267 if there
// are two. Rows are compared item by item.
func collated(operation string, nodes []expr.Node) ([]expr.Node, error) {
	if len(nodes) > 0 {
		if t, ok := nodes[0].(*expr.Tuple); ok {
			return collatedRows(operation, t, nodes)
		}
	}
	by, types, ok := jointCollation(nodes)
	switch {
	case !ok || by.Derivation == value.Undecided:
		return nil, illegalMix(operation, types)
	case by.Collation == collation.Bin0900 && slices.ContainsFunc(nodes, expr.IsBytes):
		return nodes, nil // the bytes compared are the same
	}
	return allCollated(nodes, by), nil
}

// Collated returns two operands, which may be rows, in the form in which they are compared. The error is
// 1267, 1270 or 1271 if they have no common collation.
func Collated(operation string, left, right expr.Node) ([]expr.Node, error) {
	return collated(operation, []expr.Node{left, right})
}

// Equality is the condition that two operands are equal. The error is that of Collated, or 1241 for
// rows of different lengths.
func Equality(left, right expr.Node) (expr.Node, error) { return newCompare(expr.Eq, left, right) }

// joined is collated for strings that make a text, which may have different collations if none of them is
// named by COLLATE.
func joined(operation string, nodes []expr.Node) ([]expr.Node, error) {
	by, types, ok := jointCollation(nodes)
	if !ok {
		return nil, illegalMix(operation, types)
	}
	return allCollated(nodes, by), nil
}

func allCollated(nodes []expr.Node, by value.Collated) []expr.Node {
	if by.Collation == collation.General && by.Derivation != value.Explicit || by.Derivation == value.Undecided {
		return nodes
	}
	out := slices.Clone(nodes)
	for i, n := range nodes {
		out[i] = collatedAs(n, by)
	}
	return out
}

// collatedRows is collated for rows, item by item. Rows of another length than the first are left to the
// comparison.
func collatedRows(operation string, first *expr.Tuple, nodes []expr.Node) ([]expr.Node, error) {
	out := make([]expr.Node, len(nodes))
	for i, n := range nodes {
		t, ok := n.(*expr.Tuple)
		if !ok || len(t.Items) != len(first.Items) {
			return nodes, nil
		}
		out[i] = &expr.Tuple{Items: slices.Clone(t.Items)}
	}
	column := make([]expr.Node, len(nodes))
	for at := range first.Items {
		for i := range out {
			column[i] = out[i].(*expr.Tuple).Items[at]
		}
		same, err := collated(operation, column)
		if err != nil {
			return nil, err
		}
		for i := range out {
			out[i].(*expr.Tuple).Items[at] = same[i]
		}
	}
	return out, nil
}

// jointCollation is the collation of the strings among the nodes, whose own collations are types; the default
// if bytes are compared. ok is false if COLLATE names two.
func jointCollation(nodes []expr.Node) (joint value.Collated, types []value.Collated, ok bool) {
	binary, clash := false, false
	for _, n := range nodes {
		if givesTruth(n) {
			continue
		}
		switch t := n.Type(); t.Kind {
		case value.Text:
			types = append(types, t.Collated)
			ok := true
			joint, ok = joint.With(t.Collated)
			clash = clash || !ok
		case value.Bytes:
			binary = true
			clash = clash || t.Derivation == value.Explicit
		}
	}
	if joint.Derivation != value.Explicit {
		if binary {
			joint = value.Collated{}
		}
		clash = false
	}
	return joint, types, !clash
}

// givesTruth reports whether n is a condition; asking for its type would visit everything below it.
func givesTruth(n expr.Node) bool {
	switch n.(type) {
	case *expr.Compare, *expr.In, *expr.Between, *expr.Like, *expr.Regexp, *expr.And, *expr.Or, *expr.Not,
		*expr.Xor, *expr.IsNull, *expr.IsTruth:
		return true
	}
	return false
}

// illegalMix is error 1267 for two collations, 1270 for three, and 1271 for more.
func illegalMix(operation string, types []value.Collated) error {
	each := make([]string, len(types))
	for i, t := range types {
		each[i] = "(" + t.Collation.String() + "," + t.Derivation.String() + ")"
	}
	switch len(each) {
	case 1: // next to binary strings
		return mysqlerr.New(mysqlerr.IllegalMix, "Illegal mix of collations (binary,EXPLICIT) and %s for operation '%s'",
			each[0], operation)
	case 2:
		return mysqlerr.New(mysqlerr.IllegalMix, "Illegal mix of collations %s and %s for operation '%s'",
			each[0], each[1], operation)
	case 3:
		return mysqlerr.New(mysqlerr.IllegalMixOf3, "Illegal mix of collations %s, %s, %s for operation '%s'",
			each[0], each[1], each[2], operation)
	}
	return mysqlerr.New(mysqlerr.IllegalMixOfMany, "Illegal mix of collations for operation '%s'", operation)
}

// collatedAs is n as a string with a collation; other nodes stay as they are.
func collatedAs(n expr.Node, by value.Collated) expr.Node {
	t := n.Type()
	if !t.Kind.IsString() || t.Kind == value.Text && t.Collation == by.Collation {
		return n
	}
	out := &expr.Collate{X: n, By: by, Implied: true}
	if c, ok := n.(*expr.Const); ok && !c.V.IsNull() {
		v, _ := out.Eval(nil) // n is a string
		return &expr.Const{V: v, T: out.Type()}
	}
	return out
}

// collatedArgs is collated for the arguments of a function.
func collatedArgs(name string, args []expr.Node) ([]expr.Node, error) {
	makes, found := expr.TakesCollation(name)
	operation := strings.ToLower(name)
	switch {
	case !found:
		return args, nil
	case makes && name != "GREATEST" && name != "LEAST":
		return joined(operation, args)
	}
	return collated(operation, args)
}

// collatedCase is a CASE with one collation for its comparisons, and one for its results.
func collatedCase(operation string, x expr.Node, whens []expr.When, otherwise expr.Node) (expr.Node, error) {
	var compared, results []expr.Node
	for _, w := range whens {
		compared, results = append(compared, w.Cond), append(results, w.Then)
	}
	if otherwise != nil {
		results = append(results, otherwise)
	}
	var err error
	if x != nil {
		if compared, err = collated(operation, append([]expr.Node{x}, compared...)); err != nil {
			return nil, err
		}
		x, compared = compared[0], compared[1:]
	}
	if results, err = joined(operation, results); err != nil {
		return nil, err
	}
	for i := range whens {
		whens[i] = expr.When{Cond: compared[i], Then: results[i]}
	}
	if otherwise != nil {
		otherwise = results[len(whens)]
	}
	return expr.NewCase(x, whens, otherwise), nil
}

// CollatedTypes is the collation of a column of a union from those of its queries. The error is 1267 if they
// have none in common.
func CollatedTypes(a, b value.Type) (value.Collated, error) {
	by, types, ok := jointCollation([]expr.Node{&expr.Column{T: a}, &expr.Column{T: b}})
	if !ok || by.Derivation == value.Undecided {
		return by, illegalMix("UNION", types)
	}
	return by, nil
}
