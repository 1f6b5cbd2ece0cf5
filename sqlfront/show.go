package sqlfront

import (
	"context"

	"github.com/hbasekv/hbasekv/sqlfront/answers"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
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
		return s.showWarnings(st, args)
	case ast.ShowGrants, ast.ShowCreateUser:
		return s.showAccount(ctx, st)
	}
	c := s.context(ctx, nil, args)
	return answers.InMemory(s.information(c, st.Table).Show(c, s.database, st))
}

// showWarnings is SHOW WARNINGS, SHOW ERRORS and SHOW COUNT(*) of them.
func (s *Session) showWarnings(st *ast.Show, args []value.Value) (Rows, error) {
	out := &answers.Table{Head: []Column{
		{Name: "Level", Type: value.Type{Kind: value.Text, Length: 7}},
		{Name: "Code", Type: value.Type{Kind: value.Int, Name: "UNSIGNED INT"}},
		{Name: "Message", Type: value.Type{Kind: value.Text, Length: 512}},
	}}
	if st.Count {
		return s.countWarnings(st.Kind), nil
	}
	for _, w := range s.warnings.Kept {
		if st.Kind == ast.ShowWarnings || w.Level == "Error" {
			out.Body = append(out.Body, []value.Value{value.NewString(w.Level), value.NewInt(int64(w.Code)), value.NewString(w.Message)})
		}
	}
	limit, err := plan.NewLimit(st.Limit, nil)
	if err != nil {
		return nil, err
	}
	offset, count, err := limit.Values(args)
	if err != nil {
		return nil, err
	}
	n := int64(len(out.Body))
	offset = min(offset, n)
	out.Body = out.Body[offset : offset+min(count, n-offset)]
	return out, nil
}

// countWarnings is SHOW COUNT(*) WARNINGS and SHOW COUNT(*) ERRORS.
func (s *Session) countWarnings(kind ast.ShowKind) Rows {
	name, n := "@@session.warning_count", s.warnings.All
	if kind == ast.ShowErrors {
		name, n = "@@session.error_count", s.warnings.Errors
	}
	return &answers.Table{Head: []Column{{Name: name, Type: value.Type{Kind: value.Int}}}, Body: [][]value.Value{{value.NewInt(int64(n))}}}
}

// do is DO: the expressions are evaluated and forgotten.
func (s *Session) do(ctx context.Context, p *ast.Parsed, st *ast.Do, args []value.Value) error {
	for _, e := range st.Exprs {
		if _, err := s.evaluate(ctx, p, e, args); err != nil {
			return err
		}
	}
	return ctx.Err()
}
