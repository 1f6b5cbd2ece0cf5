package constrain

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/collation"
	"github.com/hbasekv/hbasekv/sqlfront/constrain/interval"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// comparison is a way to compare text.
type comparison uint8

const (
	// generalCI ignores case, accents and trailing spaces.
	generalCI comparison = iota
	// byCode compares bytes, with the shorter text padded with spaces.
	byCode
	// ownWeights is generalCI for text without letters that are equal to other letters.
	ownWeights
)

// comparisonBy is the comparison of a collation; ok is false for collations whose equal texts are not
// known here.
func comparisonBy(c collation.Collation) (_ comparison, ok bool) {
	if c.IsBinary() {
		return byCode, true
	}
	return generalCI, c == collation.General
}

// with is the comparison of text with a value.
func (c comparison) with(v value.Value) (_ comparison, ok bool) {
	by, ok := comparisonBy(v.Collation())
	if by == byCode || v.Kind() == value.Bytes {
		c = byCode
	}
	return c, ok
}

// maxSpellings bounds the strings that are tried for a text that has equal spellings.
const maxSpellings = 64

// texts are spans with all texts for which `text op b` holds; ok is false if these are most of all texts.
func (c comparison) texts(op expr.CompareOp, b []byte, most int) (s interval.Texts, ok bool) {
	if c == ownWeights {
		b, c = collation.General.AppendKey(nil, b), byCode
	}
	if len(b) > maxKey {
		return nil, false
	}
	b = bytes.TrimRight(b, " ")
	switch {
	case op == expr.Ne:
		return nil, false
	case op == expr.Eq || op == expr.NullSafeEq:
		return interval.Normalize(padded(c.spelled(b, most))), true
	}
	head := b[:c.plain(b)]
	if len(head) == len(b) {
		if op == expr.Lt || op == expr.Le {
			return interval.Below(interval.BeforeText(append(slices.Clip(head), ' '+1))), true
		}
		return interval.Above(interval.BeforeText(head)), true
	}
	return c.besides(op, bytes.TrimRight(head, " "), b), true
}

// plain is the number of leading bytes of b that are ordered as bytes, whatever bytes another text has in
// their place.
func (c comparison) plain(b []byte) int {
	n := slices.IndexFunc(b, func(x byte) bool { return x < ' ' || c == generalCI && x >= 'A' })
	if n < 0 {
		return len(b)
	}
	return n
}

// besides are texts judged by the bytes before the first that is not plain, and by that byte if it weighs
// more than a space.
func (c comparison) besides(op expr.CompareOp, head, b []byte) interval.Texts {
	next := b[len(head):]
	upTo := op == expr.Lt || op == expr.Le
	if next[0] <= ' ' {
		if upTo {
			return interval.Below(interval.Successor(head))
		}
		return interval.Above(interval.BeforeText(head))
	}
	weight, _ := collation.NextWeight(next)
	var spans []interval.TextSpan
	if upTo {
		spans = append(spans, interval.TextSpan{Hi: interval.BeforeText(append(slices.Clip(head), ' '+1))})
	} else {
		spans = append(spans, interval.TextSpan{Lo: interval.Successor(head), Hi: interval.Text{End: true}})
	}
	for x := range utf8.RuneSelf {
		w, _ := collation.NextWeight([]byte{byte(x)})
		if upTo && w <= weight || !upTo && w >= weight {
			spans = append(spans, beginning(append(slices.Clip(head), byte(x))))
		}
	}
	return interval.Normalize(append(spans, notASCII(head)))
}

// notASCII is the span of the strings that begin with head and continue with a byte that is not ASCII.
func notASCII(head []byte) interval.TextSpan {
	other := append(slices.Clip(head), firstNotASCII)
	return interval.TextSpan{Lo: interval.BeforeText(other), Hi: interval.Successor(head)}
}

// spelling is a text, or the beginning of several.
type spelling struct {
	head  []byte
	whole bool
	// others says that a character that is not ASCII follows the head.
	others bool
}

// spelled are the texts that equal b, character by character, or their beginnings. At most about this many
// are followed to their ends.
func (c comparison) spelled(b []byte, most int) (out []spelling) {
	if c == byCode {
		return []spelling{{head: b, whole: true}}
	}
	heads := [][]byte{{}}
	for len(b) > 0 {
		weight, size := collation.NextWeight(b)
		alike, others := charactersOf(weight)
		if len(heads)*len(alike) > most {
			break
		}
		b = b[size:]
		var longer [][]byte
		for _, head := range heads {
			if others {
				out = append(out, spelling{head: head, others: true})
			}
			for _, c := range alike {
				longer = append(longer, append(slices.Clip(head), c...))
			}
		}
		if heads = longer; len(heads) == 0 {
			return out
		}
	}
	for _, head := range heads {
		out = append(out, spelling{head: head, whole: len(b) == 0})
	}
	return out
}

// charactersOf are the characters with a weight; others says that there are more, which are not ASCII.
func charactersOf(weight rune) (alike [][]byte, others bool) {
	list := collation.SameWeight(weight)
	if weight >= utf8.RuneSelf && len(list) > 0 && len(list) <= 4 {
		for _, r := range list {
			alike = append(alike, utf8.AppendRune(nil, r))
		}
		return alike, false
	}
	for _, r := range list {
		if r < utf8.RuneSelf {
			alike = append(alike, []byte{byte(r)})
		} else {
			others = true
		}
	}
	return alike, others || len(list) == 0
}

// padded are the spans of the texts, with any number of trailing spaces.
func padded(list []spelling) (out []interval.TextSpan) {
	for _, s := range list {
		if s.whole {
			out = append(out, only(s.head), beginning(append(slices.Clip(s.head), ' ')))
		} else {
			out = append(out, s.more())
		}
	}
	return out
}

// more is the span of the texts that begin with the spelling.
func (s *spelling) more() interval.TextSpan {
	if s.others {
		return notASCII(s.head)
	}
	return beginning(s.head)
}

// like are spans with all texts that equal head or begin with a text that equals it.
func (c comparison) like(head []byte, exact bool, most int) interval.Texts {
	if c == ownWeights {
		// Not AppendKey, which drops trailing spaces: no text has any.
		head, c = weightsOf(head), byCode
	}
	var out []interval.TextSpan
	for _, s := range c.spelled(head, most) {
		if s.whole && exact {
			out = append(out, only(s.head))
		} else {
			out = append(out, s.more())
		}
	}
	return interval.Normalize(out)
}

// weightsOf are the weights of a text, its trailing spaces included.
func weightsOf(b []byte) []byte {
	trimmed := bytes.TrimRight(b, " ")
	return append(collation.General.AppendKey(nil, trimmed), b[len(trimmed):]...)
}
