package parse

import (
	"strconv"
	"strings"

	"github.com/xwb1989/sqlparser"
)

// castForm reads CAST(x AS type).
func (p *parser) castForm() expression {
	p.pos += 2
	e := p.expr()
	p.expect("AS")
	return p.castTo(e)
}

// convertForm reads CONVERT(x, type) and CONVERT(x USING charset).
func (p *parser) convertForm() expression {
	p.pos++
	p.expectOp("(")
	e := p.expr()
	if !p.accept("USING") {
		p.expectOp(",")
		return p.castTo(e)
	}
	using := &sqlparser.ConvertUsingExpr{Expr: e.Expr, Type: p.wordOrString("the name of a character set")}
	p.expectOp(")")
	return p.above(using, e)
}

// castTo reads the type and the end of the call.
func (p *parser) castTo(e expression) expression {
	to := p.castType()
	p.expectOp(")")
	return p.above(&sqlparser.ConvertExpr{Expr: e.Expr, Type: to}, e)
}

// plainCasts are the types of CAST that are one word, as the tree has them.
var plainCasts = map[string]string{"DATE": "date", "JSON": "json", "REAL": "double", "YEAR": "year"}

// castType reads a type of CAST; names of the same type are one.
func (p *parser) castType() *sqlparser.ConvertType {
	t := p.cur()
	word := p.acceptAny("BINARY", "CHAR", "CHARACTER", "NCHAR", "DATE", "DATETIME", "TIME", "DECIMAL", "DEC", "JSON",
		"SIGNED", "UNSIGNED", "DOUBLE", "REAL", "FLOAT", "YEAR")
	switch word {
	case "":
		p.failAt(t.start, "a type of CAST")
	case "BINARY", "DATETIME", "TIME", "NCHAR":
		return p.lengthType(strings.ToLower(word), 1)
	case "CHAR", "CHARACTER":
		return p.charType()
	case "DECIMAL", "DEC":
		return p.lengthType("decimal", 2)
	case "SIGNED", "UNSIGNED":
		p.acceptAny("INTEGER", "INT")
		return &sqlparser.ConvertType{Type: strings.ToLower(word)}
	case "DOUBLE":
		p.accept("PRECISION")
		return &sqlparser.ConvertType{Type: "double"}
	case "FLOAT":
		return &sqlparser.ConvertType{Type: p.floatType()}
	}
	return &sqlparser.ConvertType{Type: plainCasts[word]}
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
