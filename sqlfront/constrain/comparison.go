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

// comparison is how a text is compared.
type comparison uint8

const (
	// generalCI takes no notice of case, accents and trailing spaces.
	generalCI comparison = iota
	// byCode compares bytes, as if the shorter text went on with spaces.
	byCode
	// ownWeights is generalCI of text that has no letters that others are equal to.
	ownWeights
)

// comparisonBy is how a collation compares; ok is false of those whose equal texts are not
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

// maxSpellings is how many strings are tried for one text that has others equal to it.
const maxSpellings = 64

// texts are spans that hold the texts that compare with b by op; ok is false where these are
// all or most texts.
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

// plain is how many of the first bytes of b are ordered as their bytes are, whatever stands
// in their place in another text.
func (c comparison) plain(b []byte) int {
	n := slices.IndexFunc(b, func(x byte) bool { return x < ' ' || c == generalCI && x >= 'A' })
	if n < 0 {
		return len(b)
	}
	return n
}

// besides is texts by the bytes before the first that is not plain, and by that one where it
// weighs more than a space.
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

// notASCII is the strings that go on with a byte that is no ASCII.
func notASCII(head []byte) interval.TextSpan {
	other := append(slices.Clip(head), firstNotASCII)
	return interval.TextSpan{Lo: interval.BeforeText(other), Hi: interval.Successor(head)}
}

// spelling is the beginning of texts, or a whole one.
type spelling struct {
	head  []byte
	whole bool
	// others says that the head is followed by a character that is no ASCII.
	others bool
}

// spelled are the texts, or the beginnings of more, that are equal to b by their characters.
// Only so many are followed up to their ends.
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

// charactersOf are the characters of a weight; others tells that there are more, which are
// no ASCII.
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

// padded are the spans of texts with any spaces behind them.
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

// more is the span of what begins as the spelling says.
func (s *spelling) more() interval.TextSpan {
	if s.others {
		return notASCII(s.head)
	}
	return beginning(s.head)
}

// like are spans that hold the texts that are equal to head, or begin with what is.
func (c comparison) like(head []byte, exact bool, most int) interval.Texts {
	if c == ownWeights {
		// Not AppendKey, which leaves trailing spaces out: no text has any.
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

// weightsOf are the weights of a text with what spaces it has.
func weightsOf(b []byte) []byte {
	trimmed := bytes.TrimRight(b, " ")
	return append(collation.General.AppendKey(nil, trimmed), b[len(trimmed):]...)
}
