package parse

import (
	"math"
	"strconv"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
)

// uintValue passes an unsigned integer.
func (p *parser) uintValue(what string) uint64 {
	t := p.cur()
	if t.kind != tokInt {
		p.expected(what)
	}
	n, err := strconv.ParseUint(p.text(t), 10, 64)
	if err != nil {
		p.expected(what + " below 2^64")
	}
	p.pos++
	return n
}

// intValue passes an unsigned integer that fits an int32, as MySQL's counts and
// lengths do.
func (p *parser) intValue(what string) int {
	t := p.cur()
	n := p.uintValue(what)
	if n > math.MaxUint32 {
		p.failAt(t.start, what+" below 2^32")
	}
	return int(n)
}

// operand passes ? or an int64 with an optional sign.
func (p *parser) operand(what string) clause.Operand {
	if p.cur().kind == tokParam {
		return clause.Operand{Param: p.param()}
	}
	t, sign := p.cur(), ""
	if p.atOp("-") || p.atOp("+") {
		sign = p.text(p.advance())
	}
	if p.cur().kind != tokInt {
		p.expected(what)
	}
	n, err := strconv.ParseInt(sign+p.text(p.cur()), 10, 64)
	if err != nil {
		p.failAt(t.start, what+" between -2^63 and 2^63-1")
	}
	p.pos++
	return clause.Operand{Param: -1, Const: n}
}
