package parse

import (
	"strconv"

	"github.com/xwb1989/sqlparser"
)

// castForm reads CAST(x AS type).
func (p *parser) castForm() (expression, bool) {
	if !p.called() {
		return expression{}, false
	}
	p.pos += 2
	e := p.expr()
	p.expect("AS")
	return p.castTo(e), true
}

// convertForm reads CONVERT(x, type) and CONVERT(x USING charset).
func (p *parser) convertForm() (expression, bool) {
	p.pos++
	p.expectOp("(")
	e := p.expr()
	if !p.accept("USING") {
		p.expectOp(",")
		return p.castTo(e), true
	}
	using := &sqlparser.ConvertUsingExpr{Expr: e.Expr, Type: p.wordOrString("the name of a character set")}
	p.expectOp(")")
	return p.above(using, e), true
}

// castTo reads the type and the end of the call.
func (p *parser) castTo(e expression) expression {
	to := p.castType()
	p.expectOp(")")
	return p.above(&sqlparser.ConvertExpr{Expr: e.Expr, Type: to}, e)
}

// castType reads a type of CAST; names of the same type are one.
func (p *parser) castType() *sqlparser.ConvertType {
	t := p.cur()
	switch p.acceptAny("BINARY", "CHAR", "CHARACTER", "NCHAR", "DATE", "DATETIME", "TIME", "DECIMAL", "DEC", "JSON",
		"SIGNED", "UNSIGNED", "DOUBLE", "REAL", "FLOAT", "YEAR") {
	case "BINARY":
		return p.lengthType("binary", 1)
	case "DATETIME":
		return p.lengthType("datetime", 1)
	case "TIME":
		return p.lengthType("time", 1)
	case "NCHAR":
		return p.lengthType("nchar", 1)
	case "CHAR", "CHARACTER":
		return p.charType()
	case "DECIMAL", "DEC":
		return p.lengthType("decimal", 2)
	case "SIGNED":
		return p.integerType("signed")
	case "UNSIGNED":
		return p.integerType("unsigned")
	case "DATE":
		return &sqlparser.ConvertType{Type: "date"}
	case "JSON":
		return &sqlparser.ConvertType{Type: "json"}
	case "DOUBLE":
		p.accept("PRECISION")
		return &sqlparser.ConvertType{Type: "double"}
	case "REAL":
		return &sqlparser.ConvertType{Type: "double"}
	case "FLOAT":
		return &sqlparser.ConvertType{Type: p.floatType()}
	case "YEAR":
		return &sqlparser.ConvertType{Type: "year"}
	}
	p.failAt(t.start, "a type of CAST")
	return nil
}

func (p *parser) integerType(name string) *sqlparser.ConvertType {
	p.acceptAny("INTEGER", "INT")
	return &sqlparser.ConvertType{Type: name}
}

// floatType reads [(p)] of FLOAT: above 24 bits it is a DOUBLE.
func (p *parser) floatType() string {
	if !p.acceptOp("(") {
		return "float"
	}
	bits := p.intValue("a precision")
	p.expectOp(")")
	if bits > 24 {
		return "double"
	}
	return "float"
}

// lengthType reads (n) or, where most is 2, (n, m) behind a type.
func (p *parser) lengthType(name string, most int) *sqlparser.ConvertType {
	to := &sqlparser.ConvertType{Type: name}
	if !p.acceptOp("(") {
		return to
	}
	to.Length = p.length("a length")
	if most == 2 && p.acceptOp(",") {
		to.Scale = p.length("a number of decimals")
	}
	p.expectOp(")")
	return to
}

func (p *parser) length(what string) *sqlparser.SQLVal {
	return sqlparser.NewIntVal([]byte(strconv.Itoa(p.intValue(what))))
}

// charType reads [(n)] [charset] behind CHAR.
func (p *parser) charType() *sqlparser.ConvertType {
	to := p.lengthType("char", 1)
	to.Operator = sqlparser.CharacterSetStr
	switch {
	case p.accept("CHARACTER", "SET"), p.accept("CHARSET"), p.accept("CHAR", "SET"):
		to.Charset = p.wordOrString("the name of a character set")
	case p.accept("BINARY"):
		to.Charset = "binary"
	default:
		if p.acceptAny("ASCII", "UNICODE") == "ASCII" {
			to.Charset = "latin1"
		}
	}
	return to
}
