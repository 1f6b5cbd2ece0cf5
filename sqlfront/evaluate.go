package sqlfront

import (
	"context"

	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/transaction"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// evaluate evaluates an expression of SET, DO or KILL, which names no columns. Its subqueries read the
// snapshot of the open transaction, or one of their own.
func (s *Session) evaluate(ctx context.Context, p *ast.Parsed, e sqlparser.Expr,
	args []value.Value) (value.Value, error) {
	if bind.HasSubquery(e) {
		return s.evaluateOver(ctx, p, e, args)
	}
	node, err := s.planner(ctx, nil, args).RowExprs(p, ast.Hints{}, relation.NoColumns()).Binder(nil).Bind(e)
	if err != nil {
		return value.Value{}, err
	}
	held := function.Held{Limit: s.vars.Held, Claims: &s.claims}
	return node.Eval(&expr.Env{Params: args, Env: function.Env{Session: s.info(), Ctx: ctx, Held: &held}})
}

// evaluateOver is evaluate for an expression with subqueries that read tables.
func (s *Session) evaluateOver(ctx context.Context, p *ast.Parsed, e sqlparser.Expr,
	args []value.Value) (v value.Value, err error) {
	tx, err := s.txns.Current(ctx, s.began)
	if err != nil {
		return value.Value{}, err
	}
	if tx != nil {
		defer func() { tx.AbortIf(err) }()
		if _, err = tx.Next(ctx); err != nil {
			return value.Value{}, err
		}
	}
	txn, end, err := s.reading(ctx, tx)
	if err != nil {
		return value.Value{}, err
	}
	defer end()
	node, err := s.planner(ctx, txn.Catalog(), args).RowExprs(p, ast.Hints{}, relation.NoColumns()).Binder(nil).Bind(e)
	if err != nil {
		return value.Value{}, err
	}
	env, done := exec.RowEnv(s.context(ctx, txn, args))
	if v, err = node.Eval(&env); err == nil {
		v = v.Clone()
	}
	if doneErr := done(); err == nil {
		err = doneErr
	}
	return v, err
}

// reading returns the transaction to read in: the open one, or a new one that end rolls back.
func (s *Session) reading(ctx context.Context, tx *transaction.Txn) (txn kv.Txn, end func(), err error) {
	if tx != nil {
		return tx.Txn, func() {}, nil
	}
	if txn, err = s.txns.BeginTxn(ctx, TxOptions{ReadOnly: true}, kv.TxnOptions{}); err != nil {
		return nil, nil, err
	}
	return txn, txn.Rollback, nil
}
