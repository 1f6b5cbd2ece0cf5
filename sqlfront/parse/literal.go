package parse

import (
	"encoding/hex"
	"slices"
	"strings"
)

// isLiteral is true for tokens that decodeLiteral reads.
func (k tokenKind) isLiteral() bool {
	return k == tokString || k == tokIntro || k == tokHex || k == tokBit
}

// hasSlot is true for literals, numbers too.
func (k tokenKind) hasSlot() bool { return tokString <= k && k <= tokFloat }

// decodeLiteral reads a string, hex or bit token; the bytes are new.
func decodeLiteral(sql string, t *token) Literal {
	slot := t.literal(sql)
	return Literal{Kind: slot.Kind(), Bytes: slot.Append([]byte{}), Hex: t.kind == tokHex || t.kind == tokBit,
		Slot: int(t.slot), Charset: slot.charset()}
}

// isText is true of a literal that is written as a string, and not in digits.
func (t *token) isText(sql string) bool {
	return t.kind == tokString || t.kind == tokIntro && sql[t.n] == sql[t.end-1]
}

// literal is what a literal token says.
func (t *token) literal(sql string) Slot {
	return Slot{Text: sql[t.start:t.end], kind: t.kind, n: t.n - t.start}
}

// Kind is LitString or LitBytes, of one that is no Number.
func (s *Slot) Kind() LiteralKind {
	binary := s.kind == tokIntro && strings.HasPrefix(strings.ToLower(s.Text[:s.n]), "_binary")
	if binary || s.kind == tokHex || s.kind == tokBit {
		return LitBytes
	}
	return LitString
}

// charset is what an introducer names.
func (s *Slot) charset() string {
	if s.kind != tokIntro || s.Text[0] != '_' {
		return ""
	}
	return strings.ToLower(strings.TrimSpace(s.Text[1:s.n]))
}

// Append adds the bytes that the literal says by itself, of one that is no Number.
func (s *Slot) Append(out []byte) []byte {
	text := s.Text
	if s.kind == tokIntro {
		text = text[s.n:]
	}
	if text[0] == '\'' || text[0] == '"' {
		return appendUnquoted(out, text)
	}
	return appendDigits(out, text)
}

// appendDigits adds X'00', 0x0, b'1' and 0b1. An odd 0x0 and bits that fill no
// byte are padded with zeros on the left, as in MySQL.
func appendDigits(out []byte, text string) []byte {
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

// unquoteName reads a `quoted` name, or one that is a name without quotes.
func unquoteName(text string) string {
	if text[0] != '`' {
		return text
	}
	return strings.ReplaceAll(text[1:len(text)-1], "``", "`")
}

// variableName reads @name, @`name` and @'name'.
func variableName(text string) string {
	switch text[1] {
	case '`':
		return unquoteName(text[1:])
	case '\'', '"':
		return string(unquote(text[1:]))
	}
	return text[1:]
}
