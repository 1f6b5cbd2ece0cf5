package sqlfront

import (
	"context"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// explained adds the plan to the error of a statement that a guard has stopped (a full scan, or too many
// cells); other errors stay as they are.
func (s *Session) explained(ctx context.Context, st *Statement, args []value.Value, err error) error {
	if err == nil || !op.IsGuarded(err) {
		return err
	}
	return op.GuardError(err, s.planText(ctx, st, args))
}

// planText is the result of EXPLAIN FORMAT=TREE, or the statement itself if it cannot be explained.
func (s *Session) planText(ctx context.Context, st *Statement, args []value.Value) string {
	text := st.Text
	if analyzed, ok := st.Parsed.Stmt.(*ast.Explain); ok {
		text = analyzed.TargetText
	}
	p, err := parse.ParseContext(ctx, "EXPLAIN FORMAT=TREE "+text)
	if err != nil {
		return text
	}
	explain, ok := p.Stmt.(*ast.Explain)
	if !ok {
		return text
	}
	rows, err := s.explain(ctx, p, explain, args)
	if err != nil {
		return err.Error()
	}
	defer rows.Close()
	row, err := rows.Next()
	if err != nil {
		return err.Error()
	}
	return row[0].String()
}
