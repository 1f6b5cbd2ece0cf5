package declare

import (
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// MaxKey is the maximum length of a row or qualifier, in bytes.
const MaxKey = 65535

// IsMagnitude reports whether the expression of a family's generated column is ABS(T).
func IsMagnitude(e sqlparser.Expr) bool {
	call := callOver(e, "T")
	return call != nil && call.Name == "ABS"
}

// callOver is a call whose first argument is the column, or nil.
func callOver(e sqlparser.Expr, column string) *expr.Call {
	node, err := (&bind.Binder{Scope: onlyKT{}}).Bind(e)
	call, ok := node.(*expr.Call)
	if err != nil || !ok || len(call.Args) == 0 {
		return nil
	}
	if c, ok := call.Args[0].(*expr.Column); !ok || c.Name != column {
		return nil
	}
	return call
}

// PrefixLength is n if the expression of a family's generated column is substring(K, 1, n) or left(K, n).
func PrefixLength(e sqlparser.Expr) (int, bool) {
	call := callOver(e, "K")
	if call == nil {
		return 0, false
	}
	switch {
	case call.Name == "LEFT":
		return positive(call.Args[1])
	case call.Name == "SUBSTRING" && len(call.Args) == 3:
		if first, ok := positive(call.Args[1]); ok && first == 1 {
			return positive(call.Args[2])
		}
	}
	return 0, false
}

// positive is an integer constant of at least 1.
func positive(n expr.Node) (int, bool) {
	c, ok := n.(*expr.Const)
	if !ok || c.V.Kind() != value.Int || c.V.Int() < 1 || c.V.Int() > MaxKey {
		return 0, false
	}
	return int(c.V.Int()), true
}

// onlyKT is the scope of generated columns.
type onlyKT struct{}

func (onlyKT) Resolve(table, column string) (expr.Node, error) {
	switch {
	case strings.EqualFold(column, "K"):
		return &expr.Column{Name: "K", T: value.Type{Kind: value.Bytes}}, nil
	case strings.EqualFold(column, "T"):
		return &expr.Column{Name: "T", T: value.Type{Kind: value.Int}}, nil
	}
	return nil, mysqlerr.New(mysqlerr.BadField, "Unknown column '%s' in 'field list'", column)
}
