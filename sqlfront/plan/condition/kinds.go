package condition

import (
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// mayHideDigits reports whether values of n may be DECIMALs with more digits than they print.
func mayHideDigits(n expr.Node) bool {
	cast, ok := n.(*expr.Cast)
	return n.Type().Kind == value.Decimal && !(ok && cast.To == expr.ToDecimal)
}

// GivesInteger reports whether all values of n are integers or NULL.
func GivesInteger(n expr.Node) bool {
	kind := n.Type().Kind
	return (kind == value.Int || kind == value.Uint) && givesNumber(n)
}

// givesDocument reports whether all values of n are JSON documents or NULL.
func givesDocument(n expr.Node) bool {
	if n.Type().Kind != value.JSON {
		return false
	}
	switch n := n.(type) {
	case *expr.Column, *expr.Cast:
		return true
	case *expr.Call:
		return strings.HasPrefix(strings.ToUpper(n.Name), "JSON_")
	}
	return false
}

// givesNumber reports whether all values of n are numbers or NULL.
func givesNumber(n expr.Node) bool {
	switch n := n.(type) {
	case *expr.Column, *expr.Const, *expr.Param:
		kind := n.Type().Kind
		return kind == value.Int || kind == value.Uint || kind == value.Decimal || kind == value.Float
	case *expr.Arith, *expr.Neg:
		return true
	case *expr.Cast:
		return n.To == expr.ToSigned || n.To == expr.ToUnsigned || n.To == expr.ToDecimal || n.To == expr.ToDouble
	}
	return false
}

// stringFunctions return a string or NULL, whatever their arguments.
var stringFunctions = map[string]bool{
	"SUBSTRING": true, "SUBSTR": true, "MID": true, "LEFT": true, "RIGHT": true, "SUBSTRING_INDEX": true, "CONCAT": true,
	"CONCAT_WS": true, "UPPER": true, "UCASE": true, "LOWER": true, "LCASE": true, "REPLACE": true, "REVERSE": true,
	"LPAD": true, "RPAD": true, "TRIM": true, "LTRIM": true, "RTRIM": true, "HEX": true, "UNHEX": true, "MD5": true,
	"SHA": true, "SHA1": true, "SHA2": true, "TO_BASE64": true, "FROM_BASE64": true,
}

// GivesString reports whether all values of n are strings or NULL.
func GivesString(n expr.Node) bool {
	switch n := n.(type) {
	case *expr.Column:
		return n.T.Kind.IsString()
	case *expr.Call:
		return stringFunctions[strings.ToUpper(n.Name)]
	case *expr.Cast:
		return n.To == expr.ToBinary || n.To == expr.ToChar
	}
	return false
}

// givesText reports whether all values of n are texts of the declared collation, or NULL.
func givesText(n expr.Node) bool {
	switch n := n.(type) {
	case *expr.Column:
		return n.T.Kind == value.Text
	case *expr.Collate:
		return n.Type().Kind == value.Text && givesDeclared(n.X)
	}
	return false
}

// givesDeclared reports whether the values of n are NULL or of the declared kind: n does not choose among
// values of several kinds.
func givesDeclared(n expr.Node) bool {
	switch n := n.(type) {
	case *expr.Column, *expr.Const, *expr.Param:
		return true
	case *expr.Cast:
		return GivesString(n)
	case *expr.Collate:
		return givesText(n)
	case *expr.Call:
		return GivesString(n) && strings.ToUpper(n.Name) != "CONCAT_WS" && // which leaves NULLs out
			!slices.ContainsFunc(n.Args, func(arg expr.Node) bool { return !givesDeclared(arg) })
	}
	return false
}

// Exact reports whether equal values of the type are identical: texts may differ in case, numbers in the
// digits that they print.
func Exact(t value.Type) bool {
	switch t.Kind {
	case value.Bytes, value.Int, value.Uint, value.Date:
		return true
	}
	return false
}
