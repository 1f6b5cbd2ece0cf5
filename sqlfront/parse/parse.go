package parse

import (
	"context"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// Parse reads exactly one statement, which may end with a semicolon. Text that
// holds no statement is 1065, a second statement 1064.
func Parse(sql string) (*ast.Parsed, error) { return ParseContext(context.Background(), sql) }

// ParseContext is Parse that ends with the context, with its error.
func ParseContext(ctx context.Context, sql string) (*ast.Parsed, error) {
	t, err := lex.Lex(ctx, sql, nil)
	if err != nil {
		return nil, err
	}
	defer t.Release()
	return ParseText(ctx, t)
}

// ParseText is Parse of a text that is cut into tokens. It ends with the context, with its error.
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

// atNothing is true where no statement is left.
func (p *parser) atNothing() bool {
	return p.Current().Kind == lex.EOF || p.AtOp(";") && p.Peek(1).Kind == lex.EOF
}

// nothing is what a text without a statement stands for: to MySQL a comment alone is
// one that does nothing.
func (p *parser) nothing() ast.Statement {
	if strings.Trim(p.SQL, " \t\n\v\f\r;") == "" {
		p.Fail(mysqlerr.New(mysqlerr.EmptyQuery, "Query was empty"))
	}
	return &ast.Nothing{}
}
