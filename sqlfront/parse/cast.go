package parse

import (
	"strconv"
	"strings"

	"github.com/xwb1989/sqlparser"
)

// castForm reads CAST(x AS type).
func (p *parser) castForm() expression {
	p.Pos += 2
	e := p.expr()
	p.Expect("AS")
	return p.castTo(e)
}

// convertForm reads CONVERT(x, type) and CONVERT(x USING charset).
func (p *parser) convertForm() expression {
	p.Pos++
	p.ExpectOp("(")
	e := p.expr()
	if !p.Accept("USING") {
		p.ExpectOp(",")
		return p.castTo(e)
	}
	using := &sqlparser.ConvertUsingExpr{Expr: e.Expr, Type: p.WordOrString("the name of a character set")}
	p.ExpectOp(")")
	return p.above(using, e)
}

// castTo reads the type and the end of the call.
func (p *parser) castTo(e expression) expression {
	to := p.castType()
	p.ExpectOp(")")
	return p.above(&sqlparser.ConvertExpr{Expr: e.Expr, Type: to}, e)
}

// plainCasts are the types of CAST that are one word, as the tree has them.
var plainCasts = map[string]string{"DATE": "date", "JSON": "json", "REAL": "double", "YEAR": "year"}

// castType reads a type of CAST; synonyms give the same type.
func (p *parser) castType() *sqlparser.ConvertType {
	t := p.Current()
	word := p.AcceptAny("BINARY", "CHAR", "CHARACTER", "NCHAR", "DATE", "DATETIME", "TIME", "DECIMAL", "DEC", "JSON",
		"SIGNED", "UNSIGNED", "DOUBLE", "REAL", "FLOAT", "YEAR")
	switch word {
	case "":
		p.FailAt(t.Start, "a type of CAST")
	case "BINARY", "DATETIME", "TIME", "NCHAR":
		return p.lengthType(strings.ToLower(word), 1)
	case "CHAR", "CHARACTER":
		return p.charType()
	case "DECIMAL", "DEC":
		return p.lengthType("decimal", 2)
	case "SIGNED", "UNSIGNED":
		p.AcceptAny("INTEGER", "INT")
		return &sqlparser.ConvertType{Type: strings.ToLower(word)}
	case "DOUBLE":
		p.Accept("PRECISION")
		return &sqlparser.ConvertType{Type: "double"}
	case "FLOAT":
		return &sqlparser.ConvertType{Type: p.floatType()}
	}
	return &sqlparser.ConvertType{Type: plainCasts[word]}
}

// floatType reads [(p)] of FLOAT: with more than 24 bits it is a DOUBLE.
func (p *parser) floatType() string {
	if !p.AcceptOp("(") {
		return "float"
	}
	bits := p.IntValue("a precision")
	p.ExpectOp(")")
	if bits > 24 {
		return "double"
	}
	return "float"
}

// lengthType reads (n) or, if most is 2, (n, m) after a type.
func (p *parser) lengthType(name string, most int) *sqlparser.ConvertType {
	to := &sqlparser.ConvertType{Type: name}
	if !p.AcceptOp("(") {
		return to
	}
	to.Length = p.length("a length")
	if most == 2 && p.AcceptOp(",") {
		to.Scale = p.length("a number of decimals")
	}
	p.ExpectOp(")")
	return to
}

func (p *parser) length(what string) *sqlparser.SQLVal {
	return sqlparser.NewIntVal([]byte(strconv.Itoa(p.IntValue(what))))
}

// charType reads [(n)] [charset] after CHAR.
func (p *parser) charType() *sqlparser.ConvertType {
	to := p.lengthType("char", 1)
	to.Operator = sqlparser.CharacterSetStr
	switch {
	case p.Accept("CHARACTER", "SET"), p.Accept("CHARSET"), p.Accept("CHAR", "SET"):
		to.Charset = p.WordOrString("the name of a character set")
	case p.Accept("BINARY"):
		to.Charset = "binary"
	default:
		if p.AcceptAny("ASCII", "UNICODE") == "ASCII" {
			to.Charset = "latin1"
		}
	}
	return to
}
