package bind

import (
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/function/text"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// The coercibility of an expression's collation: the lowest number has the highest precedence
// (https://dev.mysql.com/doc/refman/5.7/en/charset-collation-coercibility.html).
const (
	explicitCollation = 0
	implicitCollation = 2 // columns, variables, CAST
	systemCollation   = 3 // USER() and similar functions
	literalCollation  = 4
	noCollation       = 5 // numbers and times
	nullCollation     = 6
)

// bindCoercibility uses its argument as it is written, before any of it is folded.
func (b *Binder) bindCoercibility(f *sqlparser.FuncExpr) (expr.Node, error) {
	asWritten := *b
	asWritten.plain = true
	args, err := asWritten.argsOf(f, 1)
	if err != nil {
		return nil, err
	}
	return &expr.Const{V: value.NewInt(int64(coercibility(args[0]))), T: value.Type{Kind: value.Int, Name: "INT"}}, nil
}

func coercibility(n expr.Node) int {
	switch kind := n.Type().Kind; {
	case kind == value.Null && isNullConst(n):
		return nullCollation
	case kind.IsNumber() || kind.IsTemporal():
		return noCollation
	}
	switch n := n.(type) {
	case *expr.Collate:
		return explicitCollation
	case *expr.Const, *expr.Param:
		return literalCollation
	case *expr.Case:
		return leastCoercibility(resultsOf(n))
	case *expr.Call:
		return callCoercibility(n)
	}
	return implicitCollation
}

func isNullConst(n expr.Node) bool {
	switch n := n.(type) {
	case *expr.Const:
		return n.V.IsNull()
	case *expr.Param:
		return true
	}
	return false
}

// resultsOf are the possible results of a CASE.
func resultsOf(c *expr.Case) (out []expr.Node) {
	for _, w := range c.Whens {
		out = append(out, w.Then)
	}
	if c.Else != nil {
		out = append(out, c.Else)
	}
	return out
}

func leastCoercibility(nodes []expr.Node) int {
	least := nullCollation
	for _, n := range nodes {
		least = min(least, coercibility(n))
	}
	if least == noCollation { // a number as a string
		return literalCollation
	}
	return least
}

func callCoercibility(c *expr.Call) int {
	switch c.Name {
	case text.CharsetText, text.CharsetBytes, function.UserVariable, function.SetUserVariable:
		return implicitCollation
	case function.SystemVariable, "VERSION", "DATABASE", "USER", "CURRENT_USER":
		return systemCollation
	}
	switch {
	case c.Type().Kind == value.JSON:
		return implicitCollation
	case cutsStrings[c.Name]:
		return leastCoercibility(c.Args)
	}
	return literalCollation
}

// cutsStrings are the functions whose strings are made from those of their arguments, with their collation.
var cutsStrings = func() map[string]bool {
	set := map[string]bool{function.TrimBoth: true, function.TrimLeading: true, function.TrimTrailing: true}
	for _, name := range strings.Fields(`ANY_VALUE COALESCE CONCAT CONCAT_WS ELT EXPORT_SET GREATEST IFNULL INSERT LEAST
		LEFT LOWER LPAD LTRIM MAKE_SET NULLIF QUOTE REGEXP_REPLACE REGEXP_SUBSTR REPEAT REPLACE REVERSE RIGHT RPAD RTRIM
		SOUNDEX SUBSTRING SUBSTRING_INDEX TRIM UPPER`) {
		set[name] = true
	}
	return set
}()
