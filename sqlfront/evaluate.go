package sqlfront

import (
	"context"
	"io"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/transaction"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// evaluate is the value of an expression of SET, DO or KILL, which names no
// columns. Its subqueries read the transaction's snapshot, or one of their own.
func (s *Session) evaluate(ctx context.Context, p *parse.Parsed, e sqlparser.Expr,
	args []value.Value) (value.Value, error) {
	if hasSubquery(e) {
		return s.evaluateOver(ctx, p, e, args)
	}
	node, err := s.planner(ctx, nil, args).RowExprs(p, parse.Hints{}, plan.NoColumns()).Binder(nil).Bind(e)
	if err != nil {
		return value.Value{}, err
	}
	held := function.Held{Limit: s.vars.Held, Claims: &s.claims}
	return node.Eval(&expr.Env{Params: args, Env: function.Env{Session: s.info(), Ctx: ctx, Held: &held}})
}

func hasSubquery(e sqlparser.SQLNode) (found bool) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		_, ok := n.(*sqlparser.Subquery)
		found = found || ok
		return !found, nil
	}, e)
	return found
}

// evaluateOver is evaluate of an expression that reads tables.
func (s *Session) evaluateOver(ctx context.Context, p *parse.Parsed, e sqlparser.Expr,
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
	node, err := s.planner(ctx, txn.Catalog(), args).RowExprs(p, parse.Hints{}, plan.NoColumns()).Binder(nil).Bind(e)
	if err != nil {
		return value.Value{}, err
	}
	env, done := s.context(ctx, txn, args).RowEnv()
	if v, err = node.Eval(&env); err == nil {
		v = v.Clone()
	}
	if doneErr := done(); err == nil {
		err = doneErr
	}
	return v, err
}

// reading is the transaction to read in: the open one, or one of its own that
// end ends.
func (s *Session) reading(ctx context.Context, tx *transaction.Txn) (txn kv.Txn, end func(), err error) {
	if tx != nil {
		return tx.Txn, func() {}, nil
	}
	if txn, err = s.txns.BeginTxn(ctx, TxOptions{ReadOnly: true}); err != nil {
		return nil, nil, err
	}
	return txn, txn.Rollback, nil
}

// selectInto is SELECT ... INTO. Of no row INTO @a, @b sets nothing and warns, a
// second one is 1172
// (https://dev.mysql.com/doc/refman/5.7/en/select-into.html).
func (s *Session) selectInto(ctx context.Context, st *Statement, into *parse.Into, args []value.Value) (Result, error) {
	if into.Variables == nil {
		return s.selectIntoFile(ctx, st, into, args)
	}
	names := into.Variables
	rows, err := s.query(ctx, st, args)
	if err != nil {
		return Result{}, err
	}
	values, err := onlyRow(rows, len(names))
	if closing := rows.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return Result{}, err
	}
	if values == nil {
		s.warn(uint16(mysqlerr.NoData), "No data - zero rows fetched, selected, or processed")
		return Result{}, nil
	}
	for i, name := range names {
		if err := s.user.Set(name, values[i]); err != nil {
			return Result{}, err
		}
	}
	return Result{RowsAffected: 1}, nil
}

// onlyRow is the one row of a result with so many columns, nil for none.
func onlyRow(rows Rows, columns int) ([]value.Value, error) {
	if len(rows.Columns()) != columns {
		return nil, mysqlerr.New(mysqlerr.WrongNumberOfColumns, "The used SELECT statements have a different number of "+
			"columns")
	}
	row, err := rows.Next()
	if err == io.EOF {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	values := make([]value.Value, len(row))
	for i, v := range row {
		values[i] = v.Clone()
	}
	switch _, err = rows.Next(); err {
	case io.EOF:
		return values, nil
	case nil:
		return nil, mysqlerr.New(mysqlerr.TooManyRows, "Result consisted of more than one row")
	}
	return nil, err
}
