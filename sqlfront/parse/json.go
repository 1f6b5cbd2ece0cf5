package parse

import (
	"github.com/xwb1989/sqlparser"
)

// MemberOf is value MEMBER OF (array), its operands.
type MemberOf struct{ sqlparser.ValTuple }

// Format prints the operands.
func (m *MemberOf) Format(buf *sqlparser.TrackedBuffer) {
	buf.Myprintf("%v member of(%v)", m.ValTuple[0], m.ValTuple[1])
}

// JSONResponse is what JSON_VALUE does where there is no value, or none of its type.
type JSONResponse uint8

// The responses.
const (
	JSONNull JSONResponse = iota
	JSONError
	JSONDefault
)

// JSONValue is JSON_VALUE(document, path [RETURNING type] [response ON EMPTY] [response ON
// ERROR]). Its operands are the document, the path, and the values behind DEFAULT in that order.
type JSONValue struct {
	sqlparser.ValTuple
	Returning        *sqlparser.ConvertType // nil where none is given
	OnEmpty, OnError JSONResponse
}

// Format prints the call.
func (v *JSONValue) Format(buf *sqlparser.TrackedBuffer) {
	buf.Myprintf("json_value(%v, %v", v.ValTuple[0], v.ValTuple[1])
	if v.Returning != nil {
		buf.Myprintf(" returning %v", v.Returning)
	}
	defaults := v.ValTuple[2:]
	for _, r := range []struct {
		response JSONResponse
		on       string
	}{{v.OnEmpty, "empty"}, {v.OnError, "error"}} {
		switch r.response {
		case JSONNull:
			continue
		case JSONError:
			buf.WriteString(" error on " + r.on)
		case JSONDefault:
			buf.Myprintf(" default %v on "+r.on, defaults[0])
			defaults = defaults[1:]
		}
	}
	buf.WriteString(")")
}

// jsonValueForm reads JSON_VALUE.
func (p *parser) jsonValueForm() expression {
	p.pos += 2
	doc := p.expr()
	p.expectOp(",")
	path := p.expr()
	operands := []expression{doc, path}
	v := &JSONValue{}
	if p.accept("RETURNING") {
		v.Returning = p.castType()
	}
	for _, on := range []struct {
		word     string
		response *JSONResponse
	}{{"EMPTY", &v.OnEmpty}, {"ERROR", &v.OnError}} {
		if value, ok := p.jsonResponse(on.word, on.response); ok {
			operands = append(operands, value)
		}
	}
	p.expectOp(")")
	for _, o := range operands {
		v.ValTuple = append(v.ValTuple, o.Expr)
	}
	return p.above(v, operands...)
}

// jsonResponse reads {NULL | ERROR | DEFAULT value} ON word, if it is there; ok is true of a
// value.
func (p *parser) jsonResponse(word string, r *JSONResponse) (value expression, ok bool) {
	start := p.pos
	switch p.acceptAny("NULL", "ERROR", "DEFAULT") {
	case "":
		return value, false
	case "ERROR":
		*r = JSONError
	case "DEFAULT":
		*r = JSONDefault
		value, ok = asValue(p.simpleExpr()), true
	}
	p.expect("ON")
	if p.accept(word) {
		return value, ok
	}
	if *r = JSONNull; word != "EMPTY" {
		p.expected(word)
	}
	p.pos = start
	return value, false
}
