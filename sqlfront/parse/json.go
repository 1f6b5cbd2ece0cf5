package parse

import "github.com/hbasekv/hbasekv/sqlfront/parse/ast"

// jsonValueForm reads JSON_VALUE.
func (p *parser) jsonValueForm() expression {
	p.Pos += 2
	doc := p.expr()
	p.ExpectOp(",")
	path := p.expr()
	operands := []expression{doc, path}
	v := &ast.JSONValue{}
	if p.Accept("RETURNING") {
		v.Returning = p.castType()
	}
	for _, on := range []struct {
		word     string
		response *ast.JSONResponse
	}{{"EMPTY", &v.OnEmpty}, {"ERROR", &v.OnError}} {
		if value, ok := p.jsonResponse(on.word, on.response); ok {
			operands = append(operands, value)
		}
	}
	p.ExpectOp(")")
	for _, o := range operands {
		v.ValTuple = append(v.ValTuple, o.Expr)
	}
	return p.above(v, operands...)
}

// jsonResponse reads {NULL | ERROR | DEFAULT value} ON word, if it comes next; ok says that there is a value.
func (p *parser) jsonResponse(word string, r *ast.JSONResponse) (value expression, ok bool) {
	start := p.Pos
	switch p.AcceptAny("NULL", "ERROR", "DEFAULT") {
	case "":
		return value, false
	case "ERROR":
		*r = ast.JSONError
	case "DEFAULT":
		*r = ast.JSONDefault
		value, ok = asValue(p.simpleExpr()), true
	}
	p.Expect("ON")
	if p.Accept(word) {
		return value, ok
	}
	if *r = ast.JSONNull; word != "EMPTY" {
		p.Expected(word)
	}
	p.Pos = start
	return value, false
}
