package parse

import (
	"strings"
	"sync"
)

// Shape is a text as its tokens without the values of its literals: texts of one
// shape are parsed alike but for those.
type Shape struct {
	// Key is the text with marks for its literals.
	Key string
	// Slots are the literals, by their number in the text.
	Slots []Slot
}

// Slot is a literal of a text.
type Slot struct {
	// Text is the literal as written.
	Text string
	kind tokenKind
	n    int // where the string behind an introducer begins
}

// shapers have the memory of the last texts.
var shapers = sync.Pool{New: func() any { return &shaper{} }}

// maxShaperTokens bounds the memory that is kept for the next text.
const maxShaperTokens = 16 << 10

type shaper struct {
	lex lexer
	key []byte
}

// literalMark stands for a literal in a key; the byte behind it says of which kind.
const literalMark = 0

// ShapeOf is false of a text without literals, of one with placeholders, which is
// written to come again as it is, and of what the lexer refuses.
func ShapeOf(sql string) (Shape, bool) {
	s := shapers.Get().(*shaper)
	defer s.release()
	s.lex = lexer{sql: sql, toks: s.lex.toks[:0], open: s.lex.open[:0]}
	s.lex.run()
	if s.lex.literals == 0 || s.lex.params > 0 || len(s.lex.versions) > 0 {
		return Shape{}, false
	}
	slots, ok := s.read()
	if !ok {
		return Shape{}, false
	}
	return Shape{Key: string(s.key), Slots: slots}, true
}

// read takes the literals out.
func (s *shaper) read() (slots []Slot, ok bool) {
	s.key, slots = s.key[:0], make([]Slot, 0, s.lex.literals)
	sql, from := s.lex.sql, 0
	for i := range s.lex.toks {
		t := &s.lex.toks[i]
		switch {
		case t.kind == tokBad:
			return nil, false
		case t.kind.isLiteral() || t.kind == tokInt || t.kind == tokFloat:
			s.key = append(append(s.key, sql[from:t.start]...), literalMark, byte(t.kind))
			if t.kind == tokIntro {
				s.key = append(s.key, sql[t.start:t.n]...)
			}
			slots = append(slots, Slot{Text: sql[t.start:t.end], kind: t.kind, n: t.n - t.start})
			from = t.end
		}
	}
	s.key = append(s.key, sql[from:]...)
	return slots, strings.IndexByte(sql, literalMark) < 0
}

func (s *shaper) release() {
	if cap(s.lex.toks) > maxShaperTokens {
		s.lex.toks, s.key = nil, nil
	}
	s.lex.sql = ""
	shapers.Put(s)
}

// IsNumber reports whether the literal is a Number, which has no sign here; else
// it is a Literal.
func (s *Slot) IsNumber() bool { return s.kind == tokInt || s.kind == tokFloat }

// Literal is what the literal says by itself.
func (s *Slot) Literal() Literal {
	return decodeLiteral(s.Text, &token{kind: s.kind, end: len(s.Text), n: s.n})
}
