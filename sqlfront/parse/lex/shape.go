package lex

import (
	"context"
	"strings"
	"sync"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
)

// Text is the text of a statement, cut into tokens. These determine its shape, and are parsed.
type Text struct {
	// Recode, if not nil, converts strings in expressions to the bytes of another character set than the
	// text's: introduced tells those with an introducer from others.
	Recode func(text []byte, introduced bool) []byte

	lex   lexer
	key   []byte
	slots []Slot
}

// Shape is a text as its tokens without the values of its literals: texts of one shape are parsed alike
// except for those.
type Shape struct {
	// Key is the text with marks for its literals.
	Key []byte
	// Slots are the literals, by their number in the text.
	Slots []Slot
}

// Slot is a literal of a text.
type Slot struct {
	// Text is the literal as written.
	Text string
	kind Kind
	n    int // start of the string after an introducer
}

// texts reuses the memory of released texts: with new memory, texts that differ in their literals take a
// quarter longer.
var texts = sync.Pool{New: func() any { return &Text{} }}

// Lex cuts a text into tokens. It returns the context's error when that is done; syntax errors are left to
// Parse. For a text of more than TokenRoom tokens it asks reserve, unless nil, for memory as it reads, and
// returns its error.
func Lex(ctx context.Context, sql string, reserve func(bytes int) error) (*Text, error) {
	t := texts.Get().(*Text)
	t.lex = lexer{sql: sql, toks: t.lex.toks[:0], open: t.lex.open[:0], meter: cancelcheck.Meter{Ctx: ctx},
		room:    TokenRoom,
		reserve: reserve}
	t.lex.run()
	if err := t.lex.err; err != nil {
		t.Release()
		return nil, err
	}
	return t, nil
}

// Release returns the memory, and that of the Shape, for the next text.
func (t *Text) Release() {
	if cap(t.lex.toks) > TokenRoom {
		t.lex.toks, t.lex.open, t.key, t.slots = nil, nil, nil, nil
	}
	clear(t.slots)
	t.lex.sql, t.lex.meter, t.lex.reserve, t.Recode = "", cancelcheck.Meter{}, nil, nil
	texts.Put(t)
}

// Params is the number of placeholders.
func (t *Text) Params() int { return t.lex.params }

// literalMark stands for a literal in a key; the byte after it is the literal's kind.
const literalMark = 0

// Shape is valid until Release. ok is false for a text without literals and for one that the lexer refuses.
func (t *Text) Shape() (s Shape, ok bool) {
	if t.lex.literals == 0 || len(t.lex.versions) > 0 || strings.IndexByte(t.lex.sql, literalMark) >= 0 {
		return Shape{}, false
	}
	t.key, t.slots = t.key[:0], t.slots[:0]
	sql, from := t.lex.sql, 0
	for i := range t.lex.toks {
		tok := &t.lex.toks[i]
		switch {
		case tok.Kind == Bad:
			return Shape{}, false
		case tok.Kind.hasSlot():
			t.key = append(append(t.key, sql[from:tok.Start]...), literalMark, byte(tok.Kind))
			if tok.Kind == Introduced {
				t.key = append(t.key, sql[tok.Start:tok.N]...)
			}
			t.slots = append(t.slots, tok.literal(sql))
			from = tok.End
		}
	}
	t.key = append(t.key, sql[from:]...)
	return Shape{Key: t.key, Slots: t.slots}, true
}

// IsNumber reports whether the literal is a Number, which has no sign here; otherwise it is a Literal.
func (s *Slot) IsNumber() bool { return s.kind == Int || s.kind == Float }
