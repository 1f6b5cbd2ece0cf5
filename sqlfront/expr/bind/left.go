package bind

import (
	"regexp"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

// clauseOf matches the clause in the messages of 1054 and 1052.
var clauseOf = regexp.MustCompile(`in (?:'[^']*'$|[a-z ]* is ambiguous$)`)

// leftOf is the error of binding a left operand. On the left of a subquery in IN, ANY or ALL, MySQL names
// these as the clause, not the enclosing one.
func leftOf(ofSubquery bool, left sqlparser.Expr, err error) error {
	if !ofSubquery || HasSubquery(left) {
		return err
	}
	text := mysqlerr.Message(err)
	switch {
	case mysqlerr.Is(err, mysqlerr.BadField):
		return mysqlerr.New(mysqlerr.BadField, "%s", clauseOf.ReplaceAllString(text, "in 'IN/ALL/ANY subquery'"))
	case mysqlerr.Is(err, mysqlerr.NonUniq):
		return mysqlerr.New(mysqlerr.NonUniq, "%s", clauseOf.ReplaceAllString(text, "in IN/ALL/ANY subquery is ambiguous"))
	}
	return err
}

// isQuantified reports whether it is ANY (SELECT ..) or ALL (SELECT ..).
func isQuantified(right sqlparser.Expr) bool {
	_, ok := right.(*ast.Quantified)
	return ok
}

// HasSubquery reports whether a part of a statement has a subquery.
func HasSubquery(e sqlparser.SQLNode) (found bool) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		_, ok := n.(*sqlparser.Subquery)
		found = found || ok
		return !found, nil
	}, e)
	return found
}
