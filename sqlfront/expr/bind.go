package expr

import (
	"context"
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/steps"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// SubqueryKind is how a subquery is used.
type SubqueryKind uint8

// The uses of a subquery.
const (
	SubqueryScalar  SubqueryKind = iota // (SELECT ..) as a value
	SubqueryExists                      // EXISTS (SELECT ..)
	SubqueryIn                          // Left [NOT] IN (SELECT ..)
	SubqueryAny                         // Left Op ANY (SELECT ..)
	SubqueryAll                         // Left Op ALL (SELECT ..)
	SubqueryRow                         // Left Op (SELECT a, b): Left is a Tuple
	SubqueryOperand                     // (SELECT a, b) on the left: a Tuple where it has several columns
)

// SubqueryUse is the expression around a subquery.
type SubqueryUse struct {
	Kind SubqueryKind
	Left Node // of SubqueryIn, SubqueryAny, SubqueryAll and SubqueryRow
	Op   CompareOp
	Not  bool // of SubqueryIn
}

// Binder makes nodes of syntax trees. Its functions may be nil, and what needs
// them is an error then.
type Binder struct {
	Scope Scope
	// Arguments give placeholders and variables their types; nil makes them NULL.
	Arguments *Arguments
	// Carries makes arguments of literals: what they are shows in nothing but
	// values.
	Carries bool
	// Agg takes a bound aggregate and gives what stands for its result; nil
	// makes aggregates 1111.
	Agg func(*Aggregate) (Node, error)
	// Window binds a call over a window and gives what stands for its result; nil
	// makes them 3593.
	Window func(*parse.Over) (Node, error)
	// Grouping takes the arguments of GROUPING() and gives what stands for its result;
	// nil makes it 1111.
	Grouping func(args []Node) (Node, error)
	// Args finds the names in aggregates' arguments; nil is Scope.
	Args Scope
	// Subquery binds a subquery; nil makes subqueries 1235.
	Subquery func(q *sqlparser.Subquery, use SubqueryUse) (Node, error)
	// Values is VALUES(column) in ON DUPLICATE KEY UPDATE.
	Values func(column string) (Node, error)
	// Default is DEFAULT and DEFAULT(column); column is empty for the first.
	Default func(column string) (Node, error)
	// Meter counts the work and holds the context that ends it; it may be nil.
	Meter *steps.Meter

	inAggregate bool
	plain       bool // expressions of literals stay what they are
}

// Bind makes a node of e: columns found, functions looked up, arguments
// counted, constants folded.
func (b *Binder) Bind(e sqlparser.Expr) (Node, error) {
	n, err := b.bind(e)
	if err != nil {
		return nil, err
	}
	if t, ok := n.(*Tuple); ok {
		return nil, operandColumnsOf(t)
	}
	return n, nil
}

func operandColumnsOf(*Tuple) error { return operandColumns(1) }

// bind also lets Tuples through.
func (b *Binder) bind(e sqlparser.Expr) (Node, error) {
	if err := b.Meter.Step(bindUnits); err != nil {
		return nil, err
	}
	n, err := b.bindTree(e)
	if err != nil {
		return nil, err
	}
	return b.simplify(n)
}

// bindUnits is about what binding a node costs, with what planning does to it.
const bindUnits = 256

func (b *Binder) bindTree(e sqlparser.Expr) (Node, error) {
	switch e := e.(type) {
	case *sqlparser.ParenExpr:
		return b.bind(e.Expr)
	case *parse.Param:
		return b.Arguments.param(e.Index), nil
	case *parse.Literal:
		if e.Kind == parse.LitString && !keepsBytes(e) {
			return introduced(e)
		}
		n, err := bindLiteral(e)
		return b.carried(e.Slot, n), err
	case *parse.Number:
		n, err := bindNumber(e)
		return b.carried(e.Slot, n), err
	case *sqlparser.NullVal:
		return &Const{}, nil
	case sqlparser.BoolVal:
		return &Const{V: value.NewBool(bool(e)), T: boolType()}, nil
	case *sqlparser.ColName:
		return b.bindColumn(e)
	case sqlparser.ValTuple:
		return b.bindTuple(e)
	case *sqlparser.AndExpr, *sqlparser.OrExpr, *sqlparser.NotExpr:
		return b.bindLogic(e)
	case *parse.Xor:
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

// carried is a literal as an argument, where the binder carries them.
func (b *Binder) carried(slot int, n Node) Node {
	if c, ok := n.(*Const); ok && b.Carries {
		return b.Arguments.literal(slot, c)
	}
	return n
}

// bindSpecial binds calls and what has a syntax of its own.
func (b *Binder) bindSpecial(e sqlparser.Expr) (Node, error) {
	switch e := e.(type) {
	case *sqlparser.FuncExpr:
		return b.bindFunc(e)
	case *parse.GroupConcat:
		return b.bindGroupConcat(e)
	case *parse.Over:
		return b.bindOver(e)
	case *parse.MemberOf:
		return b.bindSyntax(function.MemberOf, e.ValTuple...)
	case *parse.JSONValue:
		return b.bindJSONValue(e)
	case *parse.Trim:
		return b.bindSyntax(trimFunctions[e.Side], e.ValTuple...)
	case *parse.UserVar:
		return b.bindVariable(function.UserVariable, "", e.Name)
	case *parse.SetUserVar:
		return b.bindAssignment(e)
	case *parse.SystemVar:
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
		return b.bindSubquery(e, SubqueryUse{Kind: SubqueryScalar})
	case *sqlparser.ExistsExpr:
		return b.bindSubquery(e.Subquery, SubqueryUse{Kind: SubqueryExists})
	case *sqlparser.IntervalExpr:
		return nil, mysqlerr.Unsupported("INTERVAL outside date arithmetic")
	}
	return nil, mysqlerr.Unsupported(sqlparser.String(e))
}

func (b *Binder) bindSubquery(q *sqlparser.Subquery, use SubqueryUse) (Node, error) {
	if b.Subquery == nil {
		return nil, mysqlerr.Unsupported("subquery")
	}
	return b.Subquery(q, use)
}

// QualifierOf is what stands in front of a column's name: a table, a database and a table with a
// point between them, or nothing.
func QualifierOf(e *sqlparser.ColName) string {
	if q := e.Qualifier.Qualifier.String(); q != "" {
		return q + "." + e.Qualifier.Name.String()
	}
	return e.Qualifier.Name.String()
}

func (b *Binder) bindColumn(e *sqlparser.ColName) (Node, error) {
	table := QualifierOf(e)
	if b.Scope == nil {
		return nil, mysqlerr.New(mysqlerr.BadField, "Unknown column '%s' in 'field list'", strings.TrimPrefix(table+"."+e.Name.String(), "."))
	}
	return b.Scope.Resolve(table, e.Name.String())
}

func (b *Binder) bindTuple(t sqlparser.ValTuple) (Node, error) {
	items, err := b.bindRows(sqlparser.Exprs(t))
	if err != nil {
		return nil, err
	}
	if len(items) == 1 {
		return items[0], nil
	}
	return &Tuple{items}, nil
}

// bindAll binds scalars.
func (b *Binder) bindAll(exprs ...sqlparser.Expr) ([]Node, error) {
	out := make([]Node, len(exprs))
	for i, e := range exprs {
		n, err := b.Bind(e)
		if err != nil {
			return nil, err
		}
		out[i] = n
	}
	return out, nil
}

// bindRows binds scalars or Tuples.
func (b *Binder) bindRows(exprs []sqlparser.Expr) ([]Node, error) {
	out := make([]Node, len(exprs))
	for i, e := range exprs {
		n, err := b.bind(e)
		if err != nil {
			return nil, err
		}
		out[i] = n
	}
	return out, nil
}

// simplify folds an expression of literals into its value; what fails, warns,
// asks the session or is long stays.
func (b *Binder) simplify(n Node) (Node, error) {
	p, ok := n.(Parent)
	if !ok || !foldable(n) || b.plain {
		return n, nil
	}
	if _, ok := n.(*Tuple); ok {
		return n, nil
	}
	of, ok := readsArguments(p.Children())
	if !ok || of != nil && (!of.folds || !b.Carries) {
		return n, nil
	}
	var ctx context.Context
	if b.Meter != nil {
		ctx = b.Meter.Ctx
	}
	if of != nil {
		return of.fold(ctx, n)
	}
	v, has := foldedValue(ctx, n, nil)
	switch {
	case !has && ctx != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case !has:
		return n, nil
	}
	return &Const{V: v, T: n.Type()}, nil
}

func foldable(n Node) bool {
	c, ok := n.(*Call)
	return !ok || !c.fn.Volatile && !c.fn.Session
}
