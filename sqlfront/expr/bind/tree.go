package bind

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/function/jsondoc"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// This file refers to all functions that bind some syntax, each of which binds its operands through a
// variable in bind.go, so that they need not refer to each other.
func init() { bindSyntaxTree = (*Binder).bindTree }

func (b *Binder) bindTree(e sqlparser.Expr) (expr.Node, error) {
	switch e := e.(type) {
	case *sqlparser.ParenExpr:
		return b.bind(e.Expr)
	case *ast.Param:
		return b.Arguments.param(e.Index), nil
	case *ast.Literal:
		if e.Kind == ast.LitString && !keepsBytes(e) {
			return introduced(e)
		}
		n, err := bindLiteral(e)
		return b.carried(e.Slot, n), err
	case *ast.Number:
		n, err := bindNumber(e)
		return b.carried(e.Slot, n), err
	case *sqlparser.NullVal:
		return &expr.Const{}, nil
	case sqlparser.BoolVal:
		return &expr.Const{V: value.NewBool(bool(e)), T: expr.BoolType()}, nil
	case *sqlparser.ColName:
		return b.bindColumn(e)
	case sqlparser.ValTuple:
		return b.bindTuple(e)
	case *sqlparser.AndExpr, *sqlparser.OrExpr, *sqlparser.NotExpr:
		return b.bindLogic(e)
	case *ast.Xor:
		return b.bindXor(e)
	case *sqlparser.IsExpr:
		return b.bindIs(e)
	case *sqlparser.ComparisonExpr:
		return b.bindComparison(e)
	case *sqlparser.RangeCond:
		return b.bindBetween(e)
	case *sqlparser.BinaryExpr:
		return b.bindBinary(e)
	case *sqlparser.UnaryExpr:
		return b.bindUnary(e)
	case *sqlparser.CaseExpr:
		return b.bindCase(e)
	}
	return b.bindSpecial(e)
}

// carried is a literal as an argument, if the binder carries literals.
func (b *Binder) carried(slot int, n expr.Node) expr.Node {
	if c, ok := n.(*expr.Const); ok && b.Carries {
		return b.Arguments.literal(slot, c)
	}
	return n
}

// bindSpecial binds calls, and expressions with a syntax of their own.
func (b *Binder) bindSpecial(e sqlparser.Expr) (expr.Node, error) {
	switch e := e.(type) {
	case *sqlparser.FuncExpr:
		return b.bindFunc(e)
	case *ast.GroupConcat:
		return b.bindGroupConcat(e)
	case *ast.Over:
		return b.bindOver(e)
	case *ast.MemberOf:
		return b.bindSyntax(jsondoc.MemberOf, e.ValTuple...)
	case *ast.JSONValue:
		return b.bindJSONValue(e)
	case *ast.Trim:
		return b.bindSyntax(trimFunctions[e.Side], e.ValTuple...)
	case *ast.UserVar:
		return b.bindVariable(function.UserVariable, "", e.Name)
	case *ast.SetUserVar:
		return b.bindAssignment(e)
	case *ast.SystemVar:
		return b.bindVariable(function.SystemVariable, e.Scope, e.Name)
	case *sqlparser.ConvertExpr:
		return b.bindConvert(e)
	case *sqlparser.ConvertUsingExpr:
		return b.bindConvertUsing(e)
	case *sqlparser.CollateExpr:
		return b.bindCollate(e)
	case *sqlparser.ValuesFuncExpr:
		if b.Values == nil {
			return nil, mysqlerr.Unsupported("VALUES() outside ON DUPLICATE KEY UPDATE")
		}
		return b.Values(e.Name.Name.String())
	case *sqlparser.Default:
		if b.Default == nil {
			return nil, mysqlerr.Unsupported("DEFAULT here")
		}
		return b.Default(e.ColName)
	case *sqlparser.Subquery:
		return b.bindSubquery(e, expr.SubqueryUse{Kind: expr.SubqueryScalar})
	case *sqlparser.ExistsExpr:
		return b.bindSubquery(e.Subquery, expr.SubqueryUse{Kind: expr.SubqueryExists})
	case *sqlparser.IntervalExpr:
		return nil, mysqlerr.Unsupported("INTERVAL outside date arithmetic")
	}
	return nil, mysqlerr.Unsupported(sqlparser.String(e))
}
