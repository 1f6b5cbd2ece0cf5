package lex

import "strings"

// Modes are the values of sql_mode that change how a text is read.
type Modes struct {
	ANSIQuotes         bool // "x" is a name
	PipesAsConcat      bool // a || b is CONCAT(a, b)
	NoBackslashEscapes bool // a backslash in a string is an ordinary character
}

// Concat is the operator for CONCAT in every mode, with a precedence above ^. In MySQL it is an error.
const Concat = "|||"

// Standard rewrites a text that was written for the modes for none of them, so that it means the same
// wherever it is stored and read again, as in the definition of a view.
func (m Modes) Standard(text string) string {
	if m == (Modes{}) {
		return text
	}
	l := newLexer(text)
	l.modes = m
	var out strings.Builder
	copied := 0
	for l.next() {
		if len(l.toks) == 0 {
			continue
		}
		t := l.toks[len(l.toks)-1]
		if again, ok := m.standard(&t, text[t.Start:t.End]); ok && t.Start >= copied {
			out.WriteString(text[copied:t.Start])
			out.WriteString(again)
			copied = t.End
		}
		l.toks, l.whys, l.open = append(l.toks[:0], t), l.whys[:0], l.open[:0] // the next may depend on this one
	}
	return out.String() + text[copied:]
}

// standard rewrites a token for no modes; ok is false if it stays the same.
func (m Modes) standard(t *Token, piece string) (text string, ok bool) {
	switch t.Kind {
	case Op:
		return Concat, m.PipesAsConcat && piece == "||"
	case Bad: // an empty or unterminated name stays an error
		return "`", m.ANSIQuotes && strings.HasPrefix(piece, `"`)
	case Quoted:
		if piece[0] != '"' {
			return "", false
		}
		name := strings.ReplaceAll(piece[1:len(piece)-1], `""`, `"`)
		return "`" + strings.ReplaceAll(name, "`", "``") + "`", true
	case String, Introduced, UserVar:
		return strings.ReplaceAll(piece, `\`, `\\`), m.NoBackslashEscapes && strings.Contains(piece, `\`)
	}
	return "", false
}
