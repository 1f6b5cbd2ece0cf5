package arguments

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/generate"
	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
)

// otherLiteral is a literal of the same kind of token, usually another one.
func otherLiteral(r *rand.Rand, text string) string {
	switch c := text[0]; {
	case r.IntN(3) == 0:
		return text
	case c == '\'':
		return harness.Pick(r, []string{"'a'", "'b'", "''", "'q'", "'user1'", "'10'", "'ab'", "'1.5'", "'a%'", "'2020-01-31'", "'it''s'"})
	case c == 'X' || c == 'x':
		return harness.Pick(r, []string{"X'61'", "X''", "X'6100'", "X'FF'", "X'3130'"})
	case strings.HasPrefix(text, "0x"):
		return harness.Pick(r, []string{"0x61", "0x01", "0xFF"})
	case c >= '0' && c <= '9' && strings.Trim(text, "0123456789") == "":
		return harness.Pick(r, []string{"0", "1", "2", "100", "5", "1700000000000", "9223372036854775807", "9223372036854775808", "18446744073709551615"})
	case strings.ContainsAny(text, "eE") && c >= '0' && c <= '9':
		return harness.Pick(r, []string{"1e0", "2.5e0", "1e3"})
	case c >= '0' && c <= '9':
		return harness.Pick(r, []string{"1.5", "2.5", "0.25", "2.0", "99.0"})
	}
	return text
}

// withOthers is a text of the same shape, with one or several literals
// replaced.
func withOthers(r *rand.Rand, text string) string {
	var b strings.Builder
	from, literals := 0, generate.LiteralsOf(text)
	only := r.IntN(2*len(literals) + 1)
	for i, l := range literals {
		if i != only && only < len(literals) {
			continue
		}
		b.WriteString(text[from:l.Start] + otherLiteral(r, l.Text))
		from = l.End
	}
	return b.String() + text[from:]
}

// TestTextsOfOneShape: texts that differ only in their literals have the same
// answers with plans that they share as with their own plans, which a comment
// gives them. Half of them also have placeholders.
func TestTextsOfOneShape(t *testing.T) {
	r := rand.New(rand.NewPCG(*argumentsFrom, 6))
	next := selectsOf(r)
	conn := harness.Conn(t, oracle.OpenTables(t, "key"))
	for i := range *argumentsN {
		text, ordered, _ := next()
		var args []any
		if r.IntN(2) == 0 {
			v := generate.VariantOf(r, text, ordered, generate.LiteralsOf(text), func(int) bool { return r.IntN(2) == 0 })
			text, args = v.Prepared, v.Args
		}
		for j := range 4 {
			own := tell(t, conn, fmt.Sprintf("/* %d %d */ %s", i, j, text), ordered, args...)
			shared := tell(t, conn, text, ordered, args...)
			own.SQL = shared.SQL
			require.Empty(t, sameTold(own, shared), "%s\n%v %s\n%v %s", text, own.Types, own.Print(), shared.Types, shared.Print())
			text = withOthers(r, text)
		}
	}
}

// TestWritesOfOneShape is TestTextsOfOneShape for statements that write.
func TestWritesOfOneShape(t *testing.T) {
	r := rand.New(rand.NewPCG(*argumentsFrom, 7))
	g := generate.NewWriteGen(r)
	own, shared := oracle.OpenTables(t, "key"), oracle.OpenTables(t, "key")
	harness.Must(t, own, oracle.CreateTable("w", "key"))
	harness.Must(t, shared, oracle.CreateTable("w", "key"))
	for i := range *argumentsN / 4 {
		text := g.Statement()
		for j := range 4 {
			reset := i%oracle.Episode == 0 && j == 0
			a := oracle.Write(t, own, fmt.Sprintf("/* %d %d */ %s", i, j, text), reset, oracle.EmptyOwn)
			b := oracle.Write(t, shared, text, reset, oracle.EmptyOwn)
			a.SQL = b.SQL
			require.Equal(t, withoutClock(a), withoutClock(b), text)
			text = withOthers(r, text)
		}
	}
}

// withoutClock prints what was written, without times of the clock, which
// differ between two stores.
func withoutClock(w oracle.Written) string {
	return clockMoment.ReplaceAllString(fmt.Sprintf("%+v", w), "CLOCK")
}

var clockMoment = regexp.MustCompile(`\b1[789]\d{11}\b`)
