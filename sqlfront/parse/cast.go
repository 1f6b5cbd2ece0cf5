package parse

import "strconv"

// castForm reads CAST(x AS type).
func (p *parser) castForm() (shape, bool) {
	if !p.called() {
		return shape{}, false
	}
	p.pos += 2
	start := p.out.len()
	s := p.expr()
	p.expect("AS")
	p.castTo(start, "cast(", "as")
	p.expectOp(")")
	return p.above(classValue, s), true
}

// convertForm reads CONVERT(x, type) and CONVERT(x USING charset).
func (p *parser) convertForm() (shape, bool) {
	p.pos++
	p.expectOp("(")
	start := p.out.len()
	s := p.expr()
	if p.accept("USING") {
		p.out.insert(start, "convert(")
		p.out.write("using")
		p.out.ident(p.wordOrString("the name of a character set"))
		p.out.write(")")
	} else {
		p.expectOp(",")
		p.castTo(start, "convert(", ",")
	}
	p.expectOp(")")
	return p.above(classValue, s), true
}

// castTo reads the type and writes the cast around the operand at start. Types
// that sqlparser lacks become calls.
func (p *parser) castTo(start int, open, between string) {
	t := p.cur()
	call := ""
	switch p.acceptAny("DOUBLE", "REAL", "FLOAT", "YEAR") {
	case "DOUBLE":
		p.accept("PRECISION")
		call = FuncCastDouble
	case "REAL":
		call = FuncCastDouble
	case "FLOAT":
		call = p.floatCast()
	case "YEAR":
		call = FuncCastYear
	default:
		p.out.insert(start, open)
		p.out.write(between)
		p.castType(t)
		p.out.write(")")
		return
	}
	p.out.wrap(start, "`"+call+"`(")
}

// floatCast reads FLOAT[(p)]: above 24 bits it is a DOUBLE.
func (p *parser) floatCast() string {
	if !p.acceptOp("(") {
		return FuncCastFloat
	}
	bits := p.intValue("a precision")
	p.expectOp(")")
	if bits > 24 {
		return FuncCastDouble
	}
	return FuncCastFloat
}

// castType reads a type that sqlparser has too.
func (p *parser) castType(t *token) {
	switch k := p.acceptAny("BINARY", "CHAR", "CHARACTER", "NCHAR", "DATE", "DATETIME", "TIME", "DECIMAL", "DEC",
		"JSON", "SIGNED", "UNSIGNED"); k {
	case "BINARY", "DATETIME", "TIME":
		p.out.write(k)
		p.castLength(1)
	case "CHAR", "CHARACTER":
		p.out.write("char")
		p.castLength(1)
		p.castCharset()
	case "NCHAR":
		p.out.write("nchar")
		p.castLength(1)
	case "DECIMAL", "DEC":
		p.out.write("decimal")
		p.castLength(2)
	case "SIGNED", "UNSIGNED":
		p.out.write(k)
		p.acceptAny("INTEGER", "INT")
	case "DATE", "JSON":
		p.out.write(k)
	default:
		p.failAt(t.start, "a type of CAST")
	}
}

// castLength reads (n) or, where most is 2, (n, m).
func (p *parser) castLength(most int) {
	if !p.acceptOp("(") {
		return
	}
	p.out.write("(")
	p.out.write(strconv.Itoa(p.intValue("a length")))
	if most == 2 && p.acceptOp(",") {
		p.out.write(",")
		p.out.write(strconv.Itoa(p.intValue("a number of decimals")))
	}
	p.expectOp(")")
	p.out.write(")")
}

func (p *parser) castCharset() {
	switch {
	case p.accept("CHARACTER", "SET"), p.accept("CHARSET"), p.accept("CHAR", "SET"):
		p.out.write("character set")
		p.out.ident(p.wordOrString("the name of a character set"))
	case p.accept("BINARY"):
		p.out.write("character set binary")
	default:
		if p.acceptAny("ASCII", "UNICODE") == "ASCII" {
			p.out.write("character set latin1")
		}
	}
}
