package value

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/value/ascii"
)

// jsonRank is the type of a part of a document, in MySQL's order of types
// (https://dev.mysql.com/doc/refman/5.7/en/json.html#json-comparison).
type jsonRank byte

const (
	rankNull jsonRank = iota
	rankNumber
	rankString
	rankObject
	rankArray
	rankBool
	rankEnd // end of an object or an array, in a key
)

// jsonPart is a scalar: the digits of a number, the bytes of a string, or true or false. For an object or
// array it is only the rank.
type jsonPart struct {
	rank jsonRank
	text []byte
}

// compareJSON orders values at least one of which is a document; another value is taken as a JSON scalar.
// They are ordered by type; numbers by their digits, so that a large integer and its neighbours differ from a
// double near them; strings by their bytes; arrays by their items; objects by the number of their members,
// and then by these in their order.
func compareJSON(a, b Value) int {
	x, y := jsonWalk{of: a}, jsonWalk{of: b}
	return x.compare(&y)
}

// JSONString is the text of a JSON string for a value that is not a number. Bytes that are not UTF-8 become
// base64, as in MySQL. It refers to the bytes of the value, or of dst.
func JSONString(dst []byte, v Value) []byte {
	switch v.kind {
	case DateTime:
		return NewDateTime(v.Fields(), maxFraction).AppendText(dst)
	case Time:
		return NewTime(v.Micros(), maxFraction).AppendText(dst)
	case Text, Bytes:
		if b := v.Raw(); utf8.Valid(b) {
			return b
		}
		return base64.StdEncoding.AppendEncode([]byte("base64:type15:"), v.Raw())
	}
	return v.AppendText(dst)
}

// maxFraction is the number of fractional digits of a second that a time has in a document.
const maxFraction = 6

// jsonWalk walks through the text of a document, or is at an SQL scalar. An invalid document ends where it
// becomes invalid.
type jsonWalk struct {
	of Value
	at int
}

// part steps over a scalar, or over the beginning of an object or array.
func (w *jsonWalk) part() jsonPart {
	if w.of.kind != JSON {
		return sqlPart(w.of)
	}
	c := w.peek()
	switch c {
	case '"':
		return jsonPart{rankString, w.string()}
	case '{', '[':
		w.at++
		if c == '{' {
			return jsonPart{rank: rankObject}
		}
		return jsonPart{rank: rankArray}
	}
	word := w.word()
	switch c {
	case 't', 'f':
		return jsonPart{rankBool, word}
	case 'n', 0:
		return jsonPart{rank: rankNull}
	}
	return jsonPart{rankNumber, word}
}

func sqlPart(v Value) jsonPart {
	switch v.kind {
	case Null:
		return jsonPart{rank: rankNull}
	case Float:
		return jsonPart{rankNumber, AppendFloat(nil, v.Float())}
	case Int, Uint, Decimal:
		return jsonPart{rankNumber, v.AppendText(nil)}
	}
	return jsonPart{rankString, JSONString(nil, v)}
}

// compare steps over the values of both and orders them.
func (w *jsonWalk) compare(o *jsonWalk) int {
	x, y := w.part(), o.part()
	switch {
	case x.rank != y.rank:
		w.leave(x)
		o.leave(y)
		return cmp.Compare(x.rank, y.rank)
	case x.rank == rankArray || x.rank == rankObject:
		return w.compareItems(o, x.rank == rankObject)
	case x.rank == rankNumber:
		return numberIn(x.text).compare(numberIn(y.text))
	}
	return bytes.Compare(x.text, y.text) // false is before true
}

// compareItems steps over the rest of two arrays or objects. The first items that differ determine the order
// of arrays, and of objects with equally many members.
func (w *jsonWalk) compareItems(o *jsonWalk, members bool) (order int) {
	for {
		more, others := w.more(), o.more()
		switch {
		case more && others && order == 0:
			order = w.compareItem(o, members)
		case more && others:
			w.pass(members)
			o.pass(members)
		case more:
			w.passAll(more, members)
			return longer(1, order, members)
		case others:
			o.passAll(others, members)
			return longer(-1, order, members)
		default:
			return order
		}
	}
}

// longer is the order of two arrays or objects of different length; order is that of the first items that
// differ.
func longer(by, order int, members bool) int {
	if members {
		return by
	}
	return cmp.Or(order, by)
}

// compareItem steps over one item, or one member, in both; members are ordered by their names first.
func (w *jsonWalk) compareItem(o *jsonWalk, members bool) int {
	if members {
		x, y := w.name(), o.name()
		if order := cmp.Or(cmp.Compare(len(x), len(y)), bytes.Compare(x, y)); order != 0 {
			w.pass(false)
			o.pass(false)
			return order
		}
	}
	return w.compare(o)
}

// more steps over the separator of items, or over the end of an array or object and is then false.
func (w *jsonWalk) more() bool {
	switch w.peek() {
	case ']', '}':
		w.at++
		return false
	case ',':
		w.at++
	case 0:
		return false
	}
	return true
}

// name steps over a member's name.
func (w *jsonWalk) name() (name []byte) {
	if w.peek() == '"' {
		name = w.string()
	}
	if w.peek() == ':' {
		w.at++
	}
	return name
}

// pass steps over an item or member.
func (w *jsonWalk) pass(member bool) {
	if member {
		w.name()
	}
	w.leave(w.part())
}

// leave steps over the rest of what a part has begun.
func (w *jsonWalk) leave(p jsonPart) {
	if p.rank == rankArray || p.rank == rankObject {
		w.passAll(w.more(), p.rank == rankObject)
	}
}

// passAll steps over the rest of an array or object; more says whether there is an item next.
func (w *jsonWalk) passAll(more, members bool) {
	for ; more; more = w.more() {
		w.pass(members)
	}
}

// peek skips white space and returns the next byte, 0 at the end.
func (w *jsonWalk) peek() byte {
	text := w.of.Raw()
	for w.at < len(text) && ascii.IsSpace(text[w.at]) {
		w.at++
	}
	if w.at == len(text) {
		return 0
	}
	return text[w.at]
}

// word steps over a number, true, false or null: at least one byte.
func (w *jsonWalk) word() []byte {
	text, start := w.of.Raw(), w.at
	for w.at < len(text) && (w.at == start || bytes.IndexByte([]byte(" \t\n\r,:]}"), text[w.at]) < 0) {
		w.at++
	}
	return text[start:w.at]
}

// string steps over a string and returns its bytes.
func (w *jsonWalk) string() []byte {
	text, start, escaped := w.of.Raw(), w.at, false
	for w.at++; w.at < len(text) && text[w.at] != '"'; w.at++ {
		if text[w.at] == '\\' {
			escaped = true
			w.at++
		}
	}
	w.at = min(w.at+1, len(text))
	if escaped {
		var s string
		if json.Unmarshal(text[start:w.at], &s) == nil {
			return []byte(s)
		}
	}
	return text[start+1 : max(w.at-1, start+1)]
}

// exactNumber is 0.d * 10^exponent with a sign, where d are the digits of whole and of fraction without zeros
// at either end; without digits it is 0.
type exactNumber struct {
	sign            int
	exponent        int
	whole, fraction []byte
}

// maxExponent is larger than the exponents of all numbers in documents.
const maxExponent = 1 << 30

// numberIn reads the number in a text.
func numberIn(text []byte) exactNumber {
	n := exactNumber{sign: 1}
	if text[0] == '-' {
		n.sign, text = -1, text[1:]
	}
	if i := bytes.IndexAny(text, "eE"); i >= 0 {
		exponent, _ := strconv.Atoi(string(text[i+1:]))
		n.exponent, text = max(min(exponent, maxExponent), -maxExponent), text[:i]
	}
	n.whole, n.fraction, _ = bytes.Cut(text, []byte{'.'})
	n.exponent += len(n.whole)
	n.trim()
	if len(n.whole)+len(n.fraction) == 0 {
		return exactNumber{}
	}
	return n
}

func (n *exactNumber) trim() {
	zeros := func(b []byte) int { return len(b) - len(bytes.TrimLeft(b, "0")) }
	lead := zeros(n.whole)
	if n.whole = n.whole[lead:]; len(n.whole) == 0 {
		more := zeros(n.fraction)
		n.fraction, lead = n.fraction[more:], lead+more
	}
	n.exponent -= lead
	if n.fraction = bytes.TrimRight(n.fraction, "0"); len(n.fraction) == 0 {
		n.whole = bytes.TrimRight(n.whole, "0")
	}
}

func (n exactNumber) compare(o exactNumber) int {
	if n.sign != o.sign {
		return cmp.Compare(n.sign, o.sign)
	}
	if n.exponent != o.exponent {
		return n.sign * cmp.Compare(n.exponent, o.exponent)
	}
	for i := range min(n.length(), o.length()) {
		if x, y := n.digit(i), o.digit(i); x != y {
			return n.sign * cmp.Compare(x, y)
		}
	}
	return n.sign * cmp.Compare(n.length(), o.length())
}

func (n exactNumber) length() int { return len(n.whole) + len(n.fraction) }

func (n exactNumber) digit(i int) byte {
	if i < len(n.whole) {
		return n.whole[i]
	}
	return n.fraction[i-len(n.whole)]
}

// appendJSONKey appends bytes that are the same for documents that compare equal.
func appendJSONKey(dst []byte, v Value) []byte {
	w := jsonWalk{of: v}
	return w.appendKey(dst)
}

func (w *jsonWalk) appendKey(dst []byte) []byte {
	p := w.part()
	dst = append(dst, byte(p.rank))
	switch p.rank {
	case rankNumber:
		return numberIn(p.text).appendKey(dst)
	case rankString, rankBool:
		return appendStringKey(dst, p.text)
	case rankArray, rankObject:
		for w.more() {
			if p.rank == rankObject {
				dst = appendStringKey(append(dst, byte(rankString)), w.name())
			}
			dst = w.appendKey(dst)
		}
		return append(dst, byte(rankEnd))
	}
	return dst
}

func (n exactNumber) appendKey(dst []byte) []byte {
	dst = binary.AppendVarint(append(dst, byte(n.sign+1)), int64(n.exponent))
	dst = binary.AppendUvarint(dst, uint64(n.length()))
	return append(append(dst, n.whole...), n.fraction...)
}
