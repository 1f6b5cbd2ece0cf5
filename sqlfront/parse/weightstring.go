package parse

import (
	"strconv"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

// weightStringForm reads WEIGHT_STRING(s [AS {CHAR | BINARY}(n)] [LEVEL levels]). The tree has what follows s
// as arguments: the number of characters, that of bytes, and the flags of LEVEL.
func (p *parser) weightStringForm() expression {
	f := p.beginCall()
	e := p.expr()
	f.Exprs = sqlparser.SelectExprs{&sqlparser.AliasedExpr{Expr: e.Expr}}
	var options [3]int
	if p.Accept("AS") {
		as := &options[0]
		if p.ExpectAny("CHAR", "BINARY") == "BINARY" {
			as = &options[1]
		}
		p.ExpectOp("(")
		if *as = p.IntValue("a length"); *as == 0 {
			p.Pos--
			p.Expected("a length of at least 1")
		}
		p.ExpectOp(")")
	}
	if p.Accept("LEVEL") {
		options[2] = p.weightLevels()
	}
	p.ExpectOp(")")
	if options != [3]int{} {
		for _, n := range options {
			number := &ast.Number{Text: strconv.Itoa(n), Int: true, Slot: -1}
			f.Exprs = append(f.Exprs, &sqlparser.AliasedExpr{Expr: number})
		}
	}
	return p.above(f, e)
}

// weightLevels reads a list of levels, each with [ASC | DESC] [REVERSE], or the first and the last one with -
// between them. There is only one level, so those of others are ignored: the result has bit 0 for DESC and
// bit 1 for REVERSE.
func (p *parser) weightLevels() (flags int) {
	first := p.IntValue("a level")
	if p.AcceptOp("-") {
		p.IntValue("a level")
		return 0
	}
	flags = p.weightOrder(first)
	for p.AcceptOp(",") {
		flags |= p.weightOrder(p.IntValue("a level"))
	}
	return flags
}

func (p *parser) weightOrder(level int) (flags int) {
	if p.AcceptAny("ASC", "DESC") == "DESC" {
		flags = 1
	}
	if p.Accept("REVERSE") {
		flags |= 2
	}
	if level > 1 {
		return 0
	}
	return flags
}
