package regex

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hbasekv/hbasekv/sqlfront/function"
)

// drawSubject draws texts that nearly match: of few characters, with and without accents, of several sizes,
// and with invalid bytes.
func drawSubject(r *rapid.T, name string, most int) []byte {
	parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "A", "ä", "b", "ss", "ß", "é", "e", "\xc3", "\xff", "😀",
		"Ⱥ", "%", "_", "\\", " "}), 0, most).Draw(r, name)
	text := []byte(strings.Join(parts, ""))
	return bytes.Repeat(text, rapid.SampledFrom([]int{1, 1, 1, 7, 40}).Draw(r, name+" times"))
}

// TestRegexpsThroughTheReader checks that long texts match as short ones do.
func TestRegexpsThroughTheReader(t *testing.T) {
	patterns := []string{"b", "^b", "b$", "a+b", `\bb`, "(a|b)*c", "ä", "É", "ab{2,3}", "", "x*$", "[^a]", "ss",
		"ss.*e", `\Aa`, "^ss|e", "(^|a)b"}
	rapid.Check(t, func(r *rapid.T) {
		text, env := drawSubject(r, "text", 12), &function.Env{}
		pattern := rapid.SampledFrom(patterns).Draw(r, "pattern")
		c, err := regexpFor(env, []byte(pattern), rapid.Bool().Draw(r, "binary"), drawFlags(r))
		require.NoError(r, err)
		want, err := c.match(text, env.Meter())
		require.NoError(r, err)
		got, err := c.matchRead(text, env.Meter())
		require.NoError(r, err)
		require.Equal(r, want, got, "%q regexp %q", text, pattern)
	})
}

func drawFlags(r *rapid.T) string {
	return rapid.SampledFrom([]string{"", "i", "m", "s", "ims"}).Draw(r, "flags")
}

// TestMatchesThroughTheReader checks that the matches of long texts are found as those of short ones, the
// first one as by Go's package, and that none is missed.
func TestMatchesThroughTheReader(t *testing.T) {
	patterns := []string{"b", "^b", "b$", "a+b", `\bb`, `\b`, "(a|b)*c", "ä", "", "x*", "(a)?(b)?", "[^a]", "ss.*?e", `\Aa`, "^ss|e",
		"(^|a)b", "(?m)^.", "$", "a|ab", `\Qb`, "(?:a*b|a)"}
	rapid.Check(t, func(r *rapid.T) {
		text, env := drawSubject(r, "text", 12), &function.Env{}
		pattern := rapid.SampledFrom(patterns).Draw(r, "pattern")
		c, err := regexpFor(env, []byte(pattern), rapid.Bool().Draw(r, "binary"), drawFlags(r))
		require.NoError(r, err)
		slow := *c
		slow.size = wholeMatch + 1
		short, long := c.matches(text, 0, env.Meter()), slow.matches(text, 0, env.Meter())
		for first, end := true, 0; ; first = false {
			want, err := short.next()
			require.NoError(r, err)
			got, err := long.next()
			require.NoError(r, err)
			require.Equal(r, want, got, "%q regexp %q", text, pattern)
			if first && short.plain {
				require.Equal(r, c.re.FindSubmatchIndex(text), want, "%q regexp %q", text, pattern)
			}
			if want == nil {
				return
			}
			require.GreaterOrEqual(r, want[0], end)
			require.Greater(r, short.at, end-1)
			end = want[1]
		}
	})
}

// TestRegexpsKeptAreFew: the number of cached patterns of a statement does not grow with its rows, and
// recompiling one does not change its meaning.
func TestRegexpsKeptAreFew(t *testing.T) {
	env := &function.Env{}
	for round := range 2 {
		for i := range 1000 {
			c, err := regexpFor(env, fmt.Appendf(nil, "%d$", i), false, caseFlag)
			require.NoError(t, err)
			matches, err := c.match(fmt.Appendf(nil, "x%d", i), env.Meter())
			require.NoError(t, err)
			require.True(t, matches)
			require.LessOrEqual(t, patterns(env).size, keptProgram)
		}
		require.Equal(t, keptRegexps, patterns(env).kept.Len(), round)
	}
	for i := range 40 {
		_, err := regexpFor(env, []byte(fmt.Sprintf("%d%s", i, strings.Repeat("a{900}", 20))), true, "")
		require.NoError(t, err)
		require.LessOrEqual(t, patterns(env).size, keptProgram)
	}
	for _, large := range []string{strings.Repeat("a", maxPattern+1), strings.Repeat(`\pL`, maxClasses+1),
		strings.Repeat("a{900}", 200)} {
		_, err := regexpFor(env, []byte(large), true, "")
		require.ErrorContains(t, err, "expression too large")
	}
}
