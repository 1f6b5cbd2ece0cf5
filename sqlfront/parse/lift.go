package parse

import (
	"strconv"
	"strings"
	"sync"
)

// Lifted is a statement with placeholders for literals, and their values: what
// a client has written into the text that it could have passed beside it. Texts
// that differ in their values alone have one Text.
type Lifted struct {
	Text   string
	Values []LiftedValue
	// Rows is true of INSERT and REPLACE, whose literals are those of VALUES and
	// mean the same as placeholders. Of other statements Shareable tells.
	Rows bool
}

// LiftedValue is a literal: an integer where IsInt, else text, or with Binary a
// binary string.
type LiftedValue struct {
	Int    int64
	Bytes  []byte
	IsInt  bool
	Binary bool
}

// lifters have the memory of the last texts.
var lifters = sync.Pool{New: func() any { return &lifter{} }}

// maxLifterTokens bounds the memory that is kept for the next text.
const maxLifterTokens = 16 << 10

type lifter struct {
	lex    lexer
	text   []byte
	bytes  []byte // room for the strings
	values []LiftedValue
	at     int // a token
}

// Lift is false of every statement but these, and of one that has placeholders
// already or that the lexer refuses: INSERT or REPLACE ... VALUES with nothing
// but strings, integers, NULL and DEFAULT in the rows; SELECT, UPDATE and DELETE
// without a subquery that compare a column with a literal or set it to one.
func Lift(sql string) (Lifted, bool) {
	rows, ok := liftable(sql)
	if !ok {
		return Lifted{}, false
	}
	l := lifters.Get().(*lifter)
	defer l.release()
	l.lex = lexer{sql: sql, toks: l.lex.toks[:0], open: l.lex.open[:0]}
	l.lex.run()
	if l.lex.params > 0 || len(l.lex.versions) > 0 {
		return Lifted{}, false
	}
	l.bytes, l.values, l.text, l.at = nil, nil, l.text[:0], 0
	if rows {
		ok = l.insert()
	} else {
		ok = l.conditions()
	}
	if !ok {
		return Lifted{}, false
	}
	return Lifted{Text: string(l.text), Values: l.values, Rows: rows}, true
}

// liftable looks at the first word; rows is true of INSERT and REPLACE.
func liftable(sql string) (rows, ok bool) {
	sql = strings.TrimLeft(sql, " \t\r\n")
	if len(sql) <= 8 {
		return false, false
	}
	word := sql[:6]
	switch sql[0] {
	case 'I', 'i':
		return true, strings.EqualFold(word, "INSERT") && isSpace(sql[6])
	case 'R', 'r':
		return true, strings.EqualFold(sql[:7], "REPLACE") && isSpace(sql[7])
	case 'S', 's':
		ok = strings.EqualFold(word, "SELECT")
	case 'U', 'u':
		ok = strings.EqualFold(word, "UPDATE")
	case 'D', 'd':
		ok = strings.EqualFold(word, "DELETE")
	}
	return false, ok
}

// insert lifts the rows of INSERT and REPLACE.
func (l *lifter) insert() bool {
	if !l.findValues() || !l.rows() {
		return false
	}
	if rest := l.lex.sql[l.cur().start:]; rest != "" {
		l.text = append(append(l.text, ' '), rest...)
	}
	return true
}

func (l *lifter) release() {
	if cap(l.lex.toks) > maxLifterTokens {
		l.lex.toks = nil
	}
	l.lex.sql, l.bytes, l.values = "", nil, nil
	lifters.Put(l)
}

func (l *lifter) cur() *token { return &l.lex.toks[l.at] }

func (l *lifter) op(what byte) bool { return l.opAt(l.at, what) }

func (l *lifter) word(what string) bool { return l.wordAt(l.at, what) }

// findValues takes over what stands before the rows.
func (l *lifter) findValues() bool {
	for depth := 0; l.cur().kind != tokEOF && l.cur().kind != tokBad; l.at++ {
		switch {
		case l.op('('):
			depth++
		case l.op(')'):
			depth--
		case depth == 0 && l.at > 0 && (l.word("VALUES") || l.word("VALUE")):
			l.at++
			l.text = append(l.text, l.lex.sql[l.lex.toks[0].start:l.lex.toks[l.at-1].end]...)
			return l.op('(')
		case depth == 0 && (l.word("SELECT") || l.word("SET")):
			return false
		}
	}
	return false
}

// rows lifts the literals of all rows.
func (l *lifter) rows() bool {
	for {
		if !l.row() {
			return false
		}
		if !l.op(',') {
			return true
		}
		l.text = append(l.text, ',')
		if l.at++; !l.op('(') {
			return false
		}
	}
}

func (l *lifter) row() bool {
	l.text = append(l.text, '(')
	for {
		l.at++
		if !l.item() {
			return false
		}
		switch {
		case l.op(','):
			l.text = append(l.text, ',')
		case l.op(')'):
			l.at++
			l.text = append(l.text, ')')
			return true
		default:
			return false
		}
	}
}

// item lifts a literal, and takes NULL and DEFAULT over.
func (l *lifter) item() bool {
	switch t := l.cur(); {
	case l.word("NULL"), l.word("DEFAULT"):
		l.text = append(l.text, l.lex.sql[t.start:t.end]...)
		l.at++
		return true
	case t.kind == tokString:
		l.lift(LiftedValue{Bytes: l.unquoted(l.lex.sql[t.start:t.end])})
		return true
	case t.kind == tokIntro && l.lex.sql[t.n] == '\'' &&
		strings.EqualFold(l.lex.sql[t.start:min(t.end, t.start+len(binary))], binary):
		l.lift(LiftedValue{Bytes: l.unquoted(l.lex.sql[t.n:t.end]), Binary: true})
		return true
	}
	return l.integer()
}

const binary = "_binary"

// integer lifts one that is surely not too large, with its sign.
func (l *lifter) integer() bool {
	start := l.cur().start
	if l.op('-') {
		if l.at++; l.cur().start != start+1 {
			return false
		}
	}
	t := l.cur()
	n, err := strconv.ParseInt(l.lex.sql[start:t.end], 10, 64)
	if t.kind != tokInt || err != nil {
		return false
	}
	l.lift(LiftedValue{Int: n, IsInt: true})
	return true
}

func (l *lifter) lift(v LiftedValue) {
	l.values = append(l.values, v)
	l.text = append(l.text, '?')
	l.at++
}

// unquoted is unquote in the room for strings.
func (l *lifter) unquoted(text string) []byte {
	if l.bytes == nil {
		l.bytes = make([]byte, 0, len(l.lex.sql)) // more than all strings need: it is not moved
	}
	start := len(l.bytes)
	if body := text[1 : len(text)-1]; strings.IndexByte(body, '\\') < 0 && strings.IndexByte(body, text[0]) < 0 {
		l.bytes = append(l.bytes, body...)
	} else {
		l.bytes = append(l.bytes, unquote(text)...)
	}
	return l.bytes[start:len(l.bytes):len(l.bytes)]
}
