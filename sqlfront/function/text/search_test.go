package text

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/collation"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// drawText draws texts that nearly match: of few characters, with and without accents, of several sizes, and
// with invalid bytes.
func drawText(r *rapid.T, name string, most int) []byte {
	parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "A", "ä", "b", "ss", "ß", "é", "e", "\xc3", "\xff", "😀",
		"Ⱥ", "%", "_", "\\", " "}), 0, most).Draw(r, name)
	text := []byte(strings.Join(parts, ""))
	return bytes.Repeat(text, rapid.SampledFrom([]int{1, 1, 1, 7, 40}).Draw(r, name+" times"))
}

// findEverywhere compares at each position.
func findEverywhere(s *search, b []byte, from int) (start, end int) {
	for at := from; ; {
		if end, _, ok := s.compareAt(b, at); ok && (!s.sameSize || end-at == len(s.part)) {
			return at, end
		}
		if at >= len(b) {
			return -1, -1
		}
		_, size := s.next(b[at:])
		at += size
	}
}

func TestSearchFindsTheFirstPlace(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := drawText(r, "text", 30)
		s := search{part: drawText(r, "part", 6), sameSize: rapid.Bool().Draw(r, "same size"), meter: &cancelcheck.Meter{}}
		if len(text) > 0 && rapid.Bool().Draw(r, "cut out") {
			from := rapid.IntRange(0, len(text)-1).Draw(r, "from")
			s.part = text[from : from+rapid.IntRange(0, len(text)-from).Draw(r, "length")]
		}
		by := map[string]collation.Characters{"weights": collation.General.Characters(),
			"codes": collation.Bin.Characters(), "bytes": nextByte}
		s.next = by[rapid.SampledFrom([]string{"weights", "codes", "bytes"}).Draw(r, "by")]
		from := 0
		wantStart, wantEnd := findEverywhere(&s, text, from)
		start, end, err := s.find(text, from)
		require.NoError(r, err)
		require.Equal(r, []int{wantStart, wantEnd}, []int{start, end}, "%q in %q", s.part, text)
		start, end, err = s.findHashed(text, from)
		require.NoError(r, err)
		require.Equal(r, []int{wantStart, wantEnd}, []int{start, end}, "%q in %q, hashed", s.part, text)

		inBytes := search{part: s.part, meter: s.meter}
		start, _, err = inBytes.find(text, from)
		require.NoError(r, err)
		require.Equal(r, bytes.Index(text, s.part), start, "%q in %q, as bytes", s.part, text)
	})
}

// TestLikeMatchesAsARegularExpression compares LIKE of binary strings, and of texts by their codes, with an
// equivalent regular expression.
func TestLikeMatchesAsARegularExpression(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text, pattern := drawText(r, "text", 12), drawText(r, "pattern", 8)
		escape := rapid.SampledFrom([]rune{'\\', -1, 'a', '%', '_'}).Draw(r, "escape")
		re := regexp.MustCompile(likeExpression(Latin1(pattern), escape))
		got, err := LikeMatch(value.NewBytes(text), value.NewBytes(pattern), escape, &cancelcheck.Meter{})
		require.NoError(r, err)
		require.Equal(r, re.Match(Latin1(text)), got, "%q like %q escape %q", text, pattern, escape)
		if utf8.Valid(text) && utf8.Valid(pattern) {
			re = regexp.MustCompile(likeExpression(pattern, escape))
			got, err = LikeMatch(value.NewText(text).WithBinaryCollation(), value.NewText(pattern), escape,
				&cancelcheck.Meter{})
			require.NoError(r, err)
			require.Equal(r, re.Match(text), got, "%q like %q escape %q", text, pattern, escape)
		}
	})
}

// TestLikeOfEscapeAtTheEnd has an escape character at the pattern's end, which stands for itself.
func TestLikeOfEscapeAtTheEnd(t *testing.T) {
	for pattern, matches := range map[string]string{"_": "a", "a_": "ab", "%_": "xyz", "__": "_"} {
		got, err := LikeMatch(value.NewBytes([]byte(matches)), value.NewBytes([]byte(pattern)), '_', &cancelcheck.Meter{})
		require.NoError(t, err)
		require.True(t, got, "%q like %q escape '_'", matches, pattern)
	}
}

func likeExpression(pattern []byte, escape rune) string {
	out := "(?s)^"
	chars := []rune(string(pattern))
	for i := 0; i < len(chars); i++ {
		switch c := chars[i]; {
		case c == '%' && escape != '%':
			out += ".*"
		case c == escape && i+1 < len(chars):
			i++
			out += regexp.QuoteMeta(string(chars[i]))
		case c == '_':
			out += "."
		default:
			out += regexp.QuoteMeta(string(c))
		}
	}
	return out + "$"
}

// TestWeighedSearchFindsTheFirstPlace checks that parts are found by their weights where comparing at each
// position finds them.
func TestWeighedSearchFindsTheFirstPlace(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text, part := drawText(r, "text", 30), drawText(r, "part", 6)
		by := rapid.SampledFrom([]collation.Collation{collation.Unicode, collation.AccentsNot, collation.Accents,
			collation.AccentsCase}).Draw(r, "by")
		s := search{part: part, meter: &cancelcheck.Meter{}}
		at, err := s.findWeighed(by, text, 0)
		require.NoError(r, err)
		want := -1
		for from := 0; from+len(part) <= len(text) && want < 0; {
			if by.EqualUnpadded(text[from:from+len(part)], part) && atCharacter(text, from+len(part)) {
				want = from
			}
			if from == len(text) {
				break
			}
			_, size := utf8.DecodeRune(text[from:])
			from += size
		}
		require.Equal(r, want, at, "%q in %q by %s", part, text, by)
	})
}

// atCharacter reports whether a character of the text begins at a byte, or the text ends there.
func atCharacter(text []byte, at int) bool {
	for from := 0; from < at; {
		_, size := utf8.DecodeRune(text[from:])
		if from += size; from > at {
			return false
		}
	}
	return true
}
