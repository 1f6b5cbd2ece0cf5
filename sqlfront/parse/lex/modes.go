package lex

import "strings"

// Modes are those of sql_mode by which a text is read differently.
type Modes struct {
	ANSIQuotes         bool // "x" is a name
	PipesAsConcat      bool // a || b is CONCAT(a, b)
	NoBackslashEscapes bool // a backslash in a string is one
}

// Concat is the operator that stands for CONCAT in every mode, before ^ in precedence. In MySQL it is an error.
const Concat = "|||"

// Standard is a text that was written for the modes as it is written in none of them, so that it means
// the same wherever it is kept and read again, as in the definition of a view.
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
		l.toks, l.whys, l.open = append(l.toks[:0], t), l.whys[:0], l.open[:0] // the next may depend on the last
	}
	return out.String() + text[copied:]
}

// standard is a token as it is written where there are no modes; ok is false where that is no other way.
func (m Modes) standard(t *Token, piece string) (text string, ok bool) {
	switch t.Kind {
	case Op:
		return Concat, m.PipesAsConcat && piece == "||"
	case Bad: // an empty name, or one that does not end, is an error again
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
