package parse

import (
	"github.com/hbasekv/hbasekv/sqlfront/parse/account"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// parser reads one statement into res.
type parser struct {
	lex.Cursor
	res     *ast.Parsed
	query   queryState
	windows int // SELECTs with windows
	// view is the CREATE VIEW whose SELECT is being read, or nil.
	view   *ast.CreateView
	recode func(text []byte, introduced bool) []byte
}

// accounts reads account clauses at the parser's position.
func (p *parser) accounts() account.Reader { return account.Reader{Cursor: &p.Cursor} }

// recoded is a literal as an expression has it, in the bytes of the client's character set. A view keeps the
// text, which is UTF-8.
func (p *parser) recoded() *ast.Literal {
	first := *p.Current()
	lit := p.Literal()
	if p.recode != nil && p.view == nil && first.IsText(p.SQL) {
		lit.Bytes = p.recode(lit.Bytes, first.Kind == lex.Introduced)
	}
	return lit
}

// reads notes how the literal of a slot is read.
func (p *parser) reads(slot int, as ast.Reading) {
	for len(p.res.Readings) <= slot {
		p.res.Readings = append(p.res.Readings, ast.ReadPlain)
	}
	p.res.Readings[slot] = as
}

// param notes a placeholder.
func (p *parser) param() int {
	n := p.Advance().N
	p.res.NumParams = max(p.res.NumParams, n+1)
	return n
}
