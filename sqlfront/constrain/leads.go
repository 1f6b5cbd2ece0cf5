package constrain

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// FunctionOf is the column of which the expression is a function such that each value restricts the column to
// few strings, as K = a and REVERSE(K) = a do; nil for other expressions. exact says that each value leads to
// one or two strings; text with equal spellings may lead to many.
func FunctionOf(n expr.Node) (column *expr.Column, exact bool) {
	expr.Columns(n, func(c *expr.Column) {
		if column == nil {
			column = c
		}
	})
	if column == nil {
		return nil, false
	}
	d := deriver{cols: Columns{K: column.Index, Q: -1, T: -1, V: -1, F: -1, G: -1}, env: &expr.Env{}}
	k, ok := d.key(n)
	if !ok || slices.ContainsFunc(k.steps, leadsFar) || k.number != nil && !k.number.whole {
		return nil, false
	}
	return column, !k.text || k.comparison != generalCI
}

// leadsFar reports whether a function has the same value for many strings.
func leadsFar(s step) bool {
	switch s.(type) {
	case firstBytes, firstParts, behindFirst, resized:
		return true
	}
	return false
}
