package parse

import (
	"context"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// Parse reads exactly one statement, which may end with a semicolon. Its errors are 1065 for a text without a
// statement, 1064 for a syntax error or a second statement, and 1235 for what is not supported.
func Parse(sql string) (*ast.Parsed, error) { return ParseContext(context.Background(), sql) }

// ParseContext is Parse with a context, whose error it returns when it is done.
func ParseContext(ctx context.Context, sql string) (*ast.Parsed, error) {
	t, err := lex.Lex(ctx, sql, nil)
	if err != nil {
		return nil, err
	}
	defer t.Release()
	return ParseText(ctx, t)
}

// ParseText is Parse for a text that is cut into tokens. It returns the context's error when that is done.
func ParseText(ctx context.Context, t *lex.Text) (*ast.Parsed, error) {
	p := &parser{Cursor: t.Cursor(ctx), recode: t.Recode}
	p.res = &ast.Parsed{Text: p.SQL, Tokens: len(p.Tokens)}
	err := p.Run(func() {
		if p.atNothing() {
			p.res.Stmt = p.nothing()
			return
		}
		p.res.Stmt = p.statement()
		p.End()
	})
	if err != nil {
		return nil, err
	}
	return p.res, nil
}

// atNothing reports whether no statement is left.
func (p *parser) atNothing() bool {
	return p.Current().Kind == lex.EOF || p.AtOp(";") && p.Peek(1).Kind == lex.EOF
}

// nothing is the statement for a text without one. In MySQL, a comment alone is a statement that does
// nothing.
func (p *parser) nothing() ast.Statement {
	if strings.Trim(p.SQL, " \t\n\v\f\r;") == "" {
		p.Fail(mysqlerr.New(mysqlerr.EmptyQuery, "Query was empty"))
	}
	return &ast.Nothing{}
}
