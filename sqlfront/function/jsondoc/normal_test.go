package jsondoc

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/sqlfront/function"
)

// TestNormal compares the text of random documents, many of them in the normal form and some invalid, with what
// is written after the document was read, as for all functions.
func TestNormal(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	kept := 0
	for range 50_000 {
		b := []byte(randomText(r, 3))
		want, valid := rewritten(t, b)
		got, ok := Normal(b)
		require.Equal(t, valid, ok, "%q", b)
		require.Equal(t, want, string(got), "%q", b)
		if ok && want == string(b) {
			require.Same(t, &b[0], &got[0], "%q", b)
			kept++
		}
	}
	require.Greater(t, kept, 10_000)
}

func rewritten(t *testing.T, b []byte) (string, bool) {
	env := &function.Env{}
	doc, ok, err := parseJSON(env, b)
	require.NoError(t, err)
	if !ok || !utf8.Valid(b) {
		return "", false
	}
	v, err := doc.Result(env, "json")
	require.NoError(t, err)
	return string(v.Raw()), true
}

// randomText is the text of a document; few parts are in another form than the normal one, or invalid.
func randomText(r *rand.Rand, deep int) string {
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	odd := func(normal string, of ...string) string {
		if r.IntN(40) > 0 {
			return normal
		}
		return one(of...)
	}
	name := func() string {
		return odd(one(`""`, `"a"`, `"b"`, `"ab"`, `"é"`, `"\n"`, `"\""`, `"\\u"`, `"\u001f"`), `"\u0061"`, `"\u001F"`, `"\u000a"`, `"\/"`, "\"\xff\"", "\"\t\"", `"\x"`, `"a`)
	}
	if deep == 0 || r.IntN(3) == 0 {
		return odd(one(name(), one("null", "true", "false"), randomNumber(r)), "nul", "", " 1", "True", "01", "+1", "1.", ".5", "-", "1e999", "--1", "1.2.3")
	}
	var parts []string
	for range r.IntN(4) {
		part := randomText(r, deep-1)
		if deep%2 == 0 {
			part = name() + odd(": ", ":", " : ", " ") + part
		}
		parts = append(parts, part)
	}
	text := strings.Join(parts, odd(", ", ",", " , ", ",,"))
	if deep%2 == 0 {
		return "{" + text + odd("}", " }", "]", "", ", }")
	}
	return "[" + text + odd("]", " ]", "}", "", "] ")
}

func randomNumber(r *rand.Rand) string {
	switch r.IntN(4) {
	case 0:
		return fmt.Sprint(r.Int64() >> r.IntN(64))
	case 1:
		return fmt.Sprintf("%.*f", r.IntN(20), float64(r.Int64()>>r.IntN(64))/1000)
	case 2:
		return doubleText(float64(r.Int64()>>r.IntN(64)) / float64(uint64(1)<<r.IntN(64)))
	}
	return []string{"0", "-0", "0.0", "-0.0", "0.5", "-0.5", "1e22", "1E5", "100.0", "1.50", "1e-20", "18446744073709551616"}[r.IntN(12)]
}

// BenchmarkNormal reads documents that are in the normal form, and beside that only sees that they are valid.
func BenchmarkNormal(b *testing.B) {
	for name, text := range map[string]string{
		"strings": `{"id": "a1b2c3d4", "name": "Anna-Maria Beispiel", "tags": ["first", "second", "third"], "email": "anna@example.com", "street": "Example Street 12", "note": "a text of some words, as in notes"}`,
		"numbers": `{"a": 1, "b": 22, "c": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], "lat": 52.520008, "lon": 13.404954, "sum": 12345.75, "time": 1764412345678, "list": [0.5, 1.25, -7, 100.0, 3.1415926, 42, 99, 1000, 12]}`,
		"escapes": `{"path": "C:\\dir\\file", "quote": "he said \"yes\", she said \"no\"", "lines": "one\ntwo\nthree\nfour", "tabs": "a\tb\tc\td", "more": "\"quoted\" and \\ and \n and \t and \r, and so on to the end"}`,
	} {
		normal, _ := Normal([]byte(text))
		b.Run(name+"/valid", func(b *testing.B) {
			for b.Loop() {
				gjson.ValidBytes(normal)
			}
		})
		b.Run(name+"/normal", func(b *testing.B) {
			for b.Loop() {
				if _, ok := Normal(normal); !ok {
					b.Fatal(text)
				}
			}
		})
	}
}
