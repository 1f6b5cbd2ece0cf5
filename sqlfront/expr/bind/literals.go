package bind

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// LiteralValues are the values of a text's literals: of those that are carried, or of all if carried is nil.
// ok is false if one has no value, such as an invalid date. The strings are newly allocated.
func LiteralValues(slots []lex.Slot, readings []ast.Reading, carried []bool) (values []value.Value, ok bool) {
	size := 0
	for i := range slots {
		if !slots[i].IsNumber() {
			size += len(slots[i].Text)
		}
	}
	values, ok = make([]value.Value, len(slots)), true
	memory := make([]byte, 0, size)
	for i := range slots {
		if carried != nil && !carried[i] {
			continue
		}
		reading := ast.ReadPlain
		if i < len(readings) {
			reading = readings[i]
		}
		var good bool
		values[i], memory, good = literalValue(&slots[i], reading, memory)
		ok = ok && good
	}
	return values, ok
}

// literalValue returns a value whose string is appended to memory, and the longer memory.
func literalValue(s *lex.Slot, reading ast.Reading, memory []byte) (value.Value, []byte, bool) {
	if s.IsNumber() {
		text := s.Text
		if reading == ast.ReadNegative {
			text = "-" + text
		}
		v, err := numberValue(text)
		return v, memory, err == nil
	}
	start := len(memory)
	memory = s.Append(memory)
	text := memory[start:len(memory):len(memory)]
	switch {
	case reading != ast.ReadPlain:
		n, err := temporalLiteral(&ast.Literal{Kind: ast.LitDate + ast.LiteralKind(reading-ast.ReadDate), Bytes: text})
		if err != nil {
			return value.Value{}, memory, false
		}
		return n.(*expr.Const).V, memory, true
	case s.Kind() == ast.LitBytes:
		return value.NewBytes(text), memory, true
	}
	return value.NewText(text), memory, true
}
