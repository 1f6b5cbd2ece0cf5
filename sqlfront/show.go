package sqlfront

import (
	"context"

	"github.com/hbasekv/hbasekv/sqlfront/answers"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// describeTable runs DESCRIBE.
func (s *Session) describeTable(ctx context.Context, _ *ast.Parsed, st *ast.Describe, args []value.Value) (Rows, error) {
	c := s.context(ctx, nil, args)
	return answers.InMemory(s.information(c, st.Table).Describe(c, s.database, st))
}

// show runs SHOW.
func (s *Session) show(ctx context.Context, _ *ast.Parsed, st *ast.Show, args []value.Value) (Rows, error) {
	switch st.Kind {
	case ast.ShowWarnings, ast.ShowErrors:
		return answers.InMemory(s.warnings.Show(st, args))
	case ast.ShowGrants, ast.ShowCreateUser:
		return s.showAccount(ctx, st)
	}
	c := s.context(ctx, nil, args)
	return answers.InMemory(s.information(c, st.Table).Show(c, s.database, st))
}

// do runs DO: it evaluates the expressions and drops their values.
func (s *Session) do(ctx context.Context, p *ast.Parsed, st *ast.Do, args []value.Value) error {
	for _, e := range st.Exprs {
		if _, err := s.evaluate(ctx, p, e, args); err != nil {
			return err
		}
	}
	return ctx.Err()
}
