package lex

import (
	"encoding/hex"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

// IsLiteral reports whether Token.Literal reads tokens of this kind.
func (k Kind) IsLiteral() bool {
	return k == String || k == Introduced || k == Hex || k == Bit
}

// hasSlot reports whether it is a literal, numbers included.
func (k Kind) hasSlot() bool { return String <= k && k <= Float }

// Literal reads a string, hex or bit token of a text; the bytes are new.
func (t *Token) Literal(sql string) ast.Literal {
	slot := t.literal(sql)
	return ast.Literal{Kind: slot.Kind(), Bytes: slot.Append([]byte{}), Hex: t.Kind == Hex || t.Kind == Bit,
		Slot: int(t.Slot), Charset: slot.charset()}
}

// IsText reports whether a literal is written as a string, not in digits.
func (t *Token) IsText(sql string) bool {
	return t.Kind == String || t.Kind == Introduced && sql[t.N] == sql[t.End-1]
}

// literal is the Slot of a literal token.
func (t *Token) literal(sql string) Slot {
	return Slot{Text: sql[t.Start:t.End], kind: t.Kind, n: t.N - t.Start}
}

// Kind is LitString or LitBytes. The literal must not be a Number.
func (s *Slot) Kind() ast.LiteralKind {
	binary := s.kind == Introduced && strings.HasPrefix(strings.ToLower(s.Text[:s.n]), "_binary")
	if binary || s.kind == Hex || s.kind == Bit {
		return ast.LitBytes
	}
	return ast.LitString
}

// charset is the character set that an introducer names.
func (s *Slot) charset() string {
	if s.kind != Introduced || s.Text[0] != '_' {
		return ""
	}
	return strings.ToLower(strings.TrimSpace(s.Text[1:s.n]))
}

// Append appends the bytes of the literal, which must not be a Number.
func (s *Slot) Append(out []byte) []byte {
	text := s.Text
	if s.kind == Introduced {
		text = text[s.n:]
	}
	if text[0] == '\'' || text[0] == '"' {
		return appendUnquoted(out, text)
	}
	return AppendDigits(out, text)
}

// AppendDigits appends the bytes of X'00', 0x0, b'1' or 0b1. An odd 0x0 and bits that do not fill a byte are
// padded with zeros on the left, as in MySQL.
func AppendDigits(out []byte, text string) []byte {
	digits := strings.TrimSuffix(text[2:], "'")
	if text[0] == 'x' || text[0] == 'X' || text[1] == 'x' {
		if len(digits)%2 == 1 {
			digits = "0" + digits
		}
		out, err := hex.AppendDecode(out, []byte(digits))
		if err != nil {
			panic(err) // the lexer has looked at each digit
		}
		return out
	}
	out = append(out, make([]byte, (len(digits)+7)/8)...)
	for i := range len(digits) {
		bit := len(digits) - 1 - i
		out[len(out)-1-bit/8] |= (digits[i] - '0') << (bit % 8)
	}
	return out
}

func unquote(text string) []byte { return appendUnquoted([]byte{}, text) }

// appendUnquoted resolves the escapes of a string in its quotes
// (https://dev.mysql.com/doc/refman/5.7/en/string-literals.html).
func appendUnquoted(out []byte, text string) []byte {
	q, body := text[0], text[1:len(text)-1]
	if strings.IndexByte(body, '\\') < 0 && strings.IndexByte(body, q) < 0 {
		return append(out, body...)
	}
	out = slices.Grow(out, len(body))
	for i := 0; i < len(body); i++ {
		switch c := body[i]; c {
		case '\\':
			i++
			out = appendEscape(out, body[i])
		case q:
			i++
			out = append(out, q)
		default:
			out = append(out, c)
		}
	}
	return out
}

func appendEscape(out []byte, c byte) []byte {
	switch c {
	case '0':
		return append(out, 0)
	case 'b':
		return append(out, '\b')
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'Z':
		return append(out, 26)
	case '%', '_':
		return append(out, '\\', c)
	}
	return append(out, c)
}

// unquoteName returns the name in a `quoted` name, or an unquoted name as it is.
func unquoteName(text string) string {
	if text[0] != '`' {
		return text
	}
	return strings.ReplaceAll(text[1:len(text)-1], "``", "`")
}

// VariableName returns the name in @name, @`name` or @'name'.
func VariableName(text string) string {
	switch text[1] {
	case '`':
		return unquoteName(text[1:])
	case '\'', '"':
		return string(unquote(text[1:]))
	}
	return text[1:]
}
