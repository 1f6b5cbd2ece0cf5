package parse

import (
	"strconv"
	"strings"
)

// In the conditions of SELECT, UPDATE and DELETE those literals are lifted that
// stand directly beside a column:
//
//	column = 'x'    column BETWEEN 'a' AND 'b'    column IN ('a', 'b')    column LIKE 'x%'
//
// and those of SET column = 'x'. Integers are lifted beside T and G alone, which
// are integers themselves: a string column compares with a number in another
// way than with a string, and plans know of it. X'61' is lifted beside K, Q and V
// alone: beside an integer it is a number. All other text stays as it is.
//
// The tokens are looked at one by one, without a grammar. What was lifted too
// much, such as the 1 of SET V = 1 + 1 would be, is found by Shareable in the
// tree of the text.

const (
	// maxKeyItems is the longest IN list of a key's column that is lifted: its
	// items become spans.
	maxKeyItems = 256
	// maxItems is that of other columns: constants become a set, placeholders are
	// compared one by one.
	maxItems = 8
)

// conditions lifts what is behind WHERE, and behind the SET of UPDATE. It is
// false where there is nothing to lift.
func (l *lifter) conditions() bool {
	region := "WHERE"
	if l.wordAt(0, "UPDATE") {
		region = "SET"
	}
	copied, inside, setting, depth := l.lex.toks[0].start, false, false, 0
	for l.at = 1; l.lex.toks[l.at].kind != tokEOF; l.at++ {
		switch t := l.cur(); {
		case t.kind == tokBad:
			return false
		case l.op('('):
			depth++
		case l.op(')'):
			depth--
		case t.kind == tokWord && (l.word("SELECT") || l.word("UNION")):
			return false
		case t.kind == tokWord && depth == 0 && l.word(region):
			inside, setting = true, region == "SET"
		case t.kind == tokWord && depth == 0 && l.word("WHERE"):
			setting = false
		case inside && t.kind == tokWord && depth == 0 && l.endsConditions(l.at):
			inside = false
		}
		if !inside {
			continue
		}
		if first, end := l.literals(setting); end > 0 {
			copied = l.replace(copied, first, end)
			l.at = end - 1
		}
	}
	l.text = append(l.text, l.lex.sql[copied:]...)
	return len(l.values) > 0
}

// endsConditions is true of the clauses behind WHERE.
func (l *lifter) endsConditions(i int) bool {
	for _, word := range []string{"ORDER", "LIMIT", "GROUP", "HAVING", "FOR", "LOCK", "INTO"} {
		if l.wordAt(i, word) {
			return true
		}
	}
	return false
}

// literals are the tokens from the first literal to the last of what the
// operator at hand compares a column with; end is 0 where it is no operator, or
// where anything else stands there.
func (l *lifter) literals(setting bool) (first, end int) {
	t := l.cur()
	column := l.at - 1
	switch {
	case t.kind == tokOp && l.compares():
		kinds := l.beside(column)
		kinds.integers = kinds.integers || setting && l.op('=')
		first, end = l.at+1, l.literalEnd(l.at+1, kinds)
	case t.kind != tokWord:
		return 0, 0
	case l.word("LIKE"):
		column = l.beforeNot(column)
		first, end = l.at+1, l.literalEnd(l.at+1, literalKinds{})
	case l.word("BETWEEN"):
		column = l.beforeNot(column)
		first, end = l.at+1, l.rangeEnd(l.beside(column))
	case l.word("IN"):
		column = l.beforeNot(column)
		first, end = l.at+2, l.listEnd(column)
		if end > 0 && !l.endsCondition(end+1) {
			end = 0
		}
		if !l.isColumn(column) {
			end = 0
		}
		return first, end
	default:
		return 0, 0
	}
	if end == 0 || !l.isColumn(column) || !l.endsCondition(end) {
		return 0, 0
	}
	return first, end
}

// compares is true of =, <, >, <=, >=, <> and !=.
func (l *lifter) compares() bool {
	t := l.cur()
	switch l.lex.sql[t.start:t.end] {
	case "=", "<", ">", "<=", ">=", "<>", "!=":
		return true
	}
	return false
}

func (l *lifter) beforeNot(i int) int {
	if i > 0 && l.wordAt(i, "NOT") {
		return i - 1
	}
	return i
}

func (l *lifter) wordAt(i int, what string) bool {
	t := &l.lex.toks[i]
	return t.kind == tokWord && wordIs(l.lex.sql[t.start:t.end], what)
}

func (l *lifter) opAt(i int, what byte) bool {
	t := &l.lex.toks[i]
	return t.kind == tokOp && t.end == t.start+1 && l.lex.sql[t.start] == what
}

// isColumn is true of what may be a column's name.
func (l *lifter) isColumn(i int) bool {
	t := &l.lex.toks[i]
	return t.kind == tokQuoted || t.kind == tokWord && !isReserved(l.lex.sql[t.start:t.end])
}

// name is that of the column, where it is one byte long, as a capital letter.
func (l *lifter) name(i int) byte {
	t := &l.lex.toks[i]
	text := strings.Trim(l.lex.sql[t.start:t.end], "`")
	if len(text) != 1 || t.kind != tokWord && t.kind != tokQuoted {
		return 0
	}
	return text[0] &^ ('a' - 'A')
}

// literalKinds are the kinds of literals that are lifted, beside strings.
type literalKinds struct{ integers, hex bool }

// beside are those that mean the same as a placeholder beside the column.
func (l *lifter) beside(column int) literalKinds {
	n := l.name(column)
	return literalKinds{integers: n == 'T' || n == 'G', hex: n == 'K' || n == 'Q' || n == 'V'}
}

// literalEnd is behind the literal that begins with token i, or 0.
func (l *lifter) literalEnd(i int, of literalKinds) int {
	switch kind := l.lex.toks[i].kind; {
	case kind == tokString, kind == tokHex && of.hex:
		return i + 1
	case !of.integers:
		return 0
	}
	if l.opAt(i, '-') && l.lex.toks[i+1].start == l.lex.toks[i].end {
		i++
	}
	t := &l.lex.toks[i]
	if t.kind != tokInt || t.end-t.start > maxSureDigits {
		return 0
	}
	return i + 1
}

// maxSureDigits is how many digits every BIGINT has room for.
const maxSureDigits = 18

// rangeEnd is behind the literals of a BETWEEN, or 0.
func (l *lifter) rangeEnd(of literalKinds) int {
	and := l.literalEnd(l.at+1, of)
	if and == 0 || !l.wordAt(and, "AND") {
		return 0
	}
	return l.literalEnd(and+1, of)
}

// listEnd is behind the last literal of an IN list, at its parenthesis, or 0.
func (l *lifter) listEnd(column int) int {
	if !l.opAt(l.at+1, '(') {
		return 0
	}
	most := maxItems
	if n := l.name(column); n == 'K' || n == 'Q' || n == 'T' || n == 'G' {
		most = maxKeyItems
	}
	of := l.beside(column)
	for i, items := l.at+2, 1; items <= most; items++ {
		end := l.literalEnd(i, of)
		switch {
		case end == 0:
			return 0
		case l.opAt(end, ')'):
			return end
		case !l.opAt(end, ','):
			return 0
		}
		i = end + 1
	}
	return 0
}

// endsCondition is true of what may follow a whole condition or assignment.
func (l *lifter) endsCondition(i int) bool {
	t := &l.lex.toks[i]
	switch t.kind {
	case tokEOF:
		return true
	case tokWord:
		return l.wordAt(i, "AND") || l.wordAt(i, "OR") || l.wordAt(i, "WHERE") || l.endsConditions(i)
	case tokOp:
		switch l.lex.sql[t.start:t.end] {
		case ")", ",", ";", "&&", "||":
			return true
		}
	}
	return false
}

// replace lifts the literals of the tokens from first to end, and takes over
// what is between them and from copied on. It gives the offset behind the last.
func (l *lifter) replace(copied, first, end int) int {
	for i := first; i < end; i++ {
		start := i
		if l.opAt(i, '-') {
			i++
		}
		t := &l.lex.toks[i]
		var v LiftedValue
		switch t.kind {
		case tokString:
			v.Bytes = l.unquoted(l.lex.sql[t.start:t.end])
		case tokHex:
			v.Bytes, v.Binary = decodeDigits(l.lex.sql[t.start:t.end]), true
		case tokInt:
			v.IsInt = true
			v.Int, _ = strconv.ParseInt(l.lex.sql[l.lex.toks[start].start:t.end], 10, 64) // of few digits
		default:
			continue // AND, a comma
		}
		l.values = append(l.values, v)
		l.text = append(append(l.text, l.lex.sql[copied:l.lex.toks[start].start]...), '?')
		copied = t.end
	}
	return copied
}
