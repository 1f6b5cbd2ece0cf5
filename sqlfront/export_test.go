package sqlfront

import (
	"context"

	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
	"github.com/hbasekv/hbasekv/sqlfront/statement"
)

// ShareNothing makes the engine plan each SELECT, UPDATE and DELETE with its literals.
func (e *Engine) ShareNothing() { e.statements.Share(statement.ShareNothing) }

// ShareAtOnce makes it share plans from the first statement of a form on.
func (e *Engine) ShareAtOnce() { e.statements.Share(statement.ShareAtOnce) }

// CountNothing makes the engine count nothing of its statements.
func (e *Engine) CountNothing() { e.counts.none = true }

// ExplainShared is EXPLAIN of the plan that texts of one shape share.
func (s *Session) ExplainShared(ctx context.Context, sql string) (Rows, error) {
	p, err := parse.Parse(sql)
	if err != nil {
		return nil, err
	}
	text, err := lex.Lex(ctx, sql, nil)
	if err != nil {
		return nil, err
	}
	defer text.Release()
	shape, _ := text.Shape()
	values, _ := bind.LiteralValues(shape.Slots, p.Readings, nil)
	return s.explainCarrying(ctx, p, p.Stmt.(*ast.Explain), values, bind.NewLiterals(0, len(values)))
}

// HandledStatements are the types of statements that have a handler.
func HandledStatements() (names []string) {
	for t := range handlers {
		names = append(names, t.String())
	}
	return names
}
