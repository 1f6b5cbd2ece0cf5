package sqlfront

import (
	"context"

	"github.com/hbasekv/hbasekv/sqlfront/answers"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/statement"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// explain runs EXPLAIN: it plans the statement on the snapshot of the open transaction, or on one of
// its own.
func (s *Session) explain(ctx context.Context, p *ast.Parsed, st *ast.Explain, args []value.Value) (Rows, error) {
	return s.explainCarrying(ctx, p, st, args, nil)
}

// explainCarrying explains the plan that has parameters instead of literals, whose values are in the
// arguments; with nil literals it is explain.
func (s *Session) explainCarrying(ctx context.Context, p *ast.Parsed, st *ast.Explain, args []value.Value,
	carried *bind.Literals) (Rows, error) {
	tx, err := s.txns.Current(ctx, s.began)
	if err != nil {
		return nil, err
	}
	txn, end, err := s.reading(ctx, tx)
	if err != nil {
		return nil, err
	}
	defer end()
	target := *p
	target.Text, target.Stmt = st.TargetText, st.Target
	planner := s.planner(ctx, txn.Catalog(), args)
	planner.Access = s.access(true)
	if carried != nil {
		planner.Arguments.Carry(carried)
	}
	planned, args, err := statement.NewPlan(planner, &target)
	if err != nil {
		return nil, err
	}
	options := plan.ExplainOptions{Format: st.Format, Analyze: st.Analyze}
	reads := planned.Select
	if planned.Write != nil {
		reads = planned.Write.Reads()
		options.Statement, options.Table = statement.Verb(st.Target), planned.Write.Target()
		options.Exprs = planned.Write.Exprs()
	}
	c := s.context(ctx, txn, args)
	if planned.Dump {
		c.View = s.vars.Dump
	}
	e, err := plan.Explain(c, reads, options)
	if err != nil {
		return nil, err
	}
	return &answers.Table{Head: e.Columns, Body: e.Rows}, nil
}
