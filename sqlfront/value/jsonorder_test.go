package value

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
)

// TestJSONOrder has documents in MySQL's order; those of one line are equal.
func TestJSONOrder(t *testing.T) {
	lines := [][]string{
		{"null"},
		{"-1e400"}, {"-9223372036854775808", "-9223372036854775808.0"}, {"-1.5", "-15e-1"}, {"-1e-400"},
		{"0", "-0", "0.0", "-0.0", "0e5"}, {"1e-7", "0.0000001"}, {"0.1", "1e-1"}, {"2", "2.0", "20e-1"}, {"10", "1e1", "1E+1"},
		{"9007199254740992"}, {"9007199254740993"},
		{"9223372036854775805"}, {"9223372036854775806"}, {"9223372036854775807"},
		{"9223372036854776000", "9.223372036854776e18"}, {"9223372036854776001"}, {"18446744073709551615"}, {"1e300"},
		{`""`}, {`"10"`}, {`"2"`}, {`"A"`, `"\u0041"`}, {`"a"`}, {`"a "`}, {`"ab"`}, {`"é"`, `"\u00e9"`}, {`"😀"`, `"\ud83d\ude00"`},
		{`{}`, ` { } `}, {`{"b": 1}`}, {`{"b": 2}`}, {`{"aa": 0}`}, {`{"aa": [1]}`, `{"aa":[1.0]}`, `{"\u0061a":[1e0]}`}, {`{"a": 1, "b": 0}`}, {`{"a": 1, "b": "x"}`}, {`{"a": 2, "b": 0}`},
		{`[]`}, {`[null]`}, {`[1]`, `[1.0]`, `[ 1e0 ]`}, {`[1, 5]`}, {`[2]`}, {`[2, [0]]`}, {`[10]`}, {`["10"]`}, {`[{"a": [1, 2]}]`}, {`[{"a": [1, 3]}, 0]`}, {`[[]]`}, {`[[[]]]`}, {`[true]`},
		{"false"}, {"true", " true "},
	}
	for i, line := range lines {
		for j, other := range lines {
			for _, x := range line {
				for _, y := range other {
					a, b := NewJSON([]byte(x)), NewJSON([]byte(y))
					order, ok := Compare(a, b)
					require.True(t, ok)
					require.Equal(t, cmp.Compare(i, j), order, "%s %s", x, y)
					require.Equal(t, i == j, bytes.Equal(AppendKey(nil, a), AppendKey(nil, b)), "%s %s", x, y)
				}
			}
		}
	}
}

// TestJSONAndScalars compares documents with values of SQL.
func TestJSONAndScalars(t *testing.T) {
	for _, c := range []struct {
		document string
		with     Value
		want     int
	}{
		{`"10"`, NewInt(10), 1}, {"10", NewInt(10), 0}, {"10.0", NewInt(10), 0}, {"10", NewString("10"), -1}, {`"10"`, NewString("10"), 0},
		{"1e1", NewUint(10), 0}, {"0.1", NewFloat(0.1), 0}, {"9007199254740993", NewFloat(9007199254740992), 1}, {"true", NewInt(1), 1}, {"true", NewInt(5), 1},
		{"[1]", NewInt(1), 1}, {"[1]", NewString("[1]"), 1}, {"{}", NewString("~"), 1}, {"null", NewInt(0), -1}, {"null", NewString("null"), -1},
		{`"a"`, NewString("A"), 1}, {`"a"`, NewBytes([]byte("a")), 0}, {`"base64:type15:/w=="`, NewBytes([]byte{0xff}), 0}, {`"a"`, NewString("a "), -1},
		{`"2020-01-31"`, NewDate(calendar.Fields{Year: 2020, Month: 1, Day: 31}), 0},
		{`"2020-01-31 00:00:00.000000"`, NewDateTime(calendar.Fields{Year: 2020, Month: 1, Day: 31}, 0), 0},
	} {
		order, ok := Compare(NewJSON([]byte(c.document)), c.with)
		require.True(t, ok)
		require.Equal(t, c.want, order, "%s %s", c.document, c.with)
		order, _ = Compare(c.with, NewJSON([]byte(c.document)))
		require.Equal(t, -c.want, order, "%s %s", c.document, c.with)
	}
	for _, text := range []string{"", "[", "{", `{"a`, `{"a"`, `{"a":`, "[1", `"`, `"\`, "]", "{]", "[}", ",", "x", "[1 2]", `{1: 2, "b" 3}`} { // no documents
		for _, other := range []string{"1", "[1, 2]", `{"a": 1}`, text} {
			a, b := NewJSON([]byte(text)), NewJSON([]byte(other))
			require.NotPanics(t, func() {
				Compare(a, b)
				Compare(b, a)
				AppendKey(nil, a)
			}, "%q %q", text, other)
		}
	}
}

// TestRandomJSONOrder compares random documents by a model of MySQL's order: it is an order, and
// keys are equal where documents are.
func TestRandomJSONOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	for range 20_000 {
		texts := []string{randomJSON(r, 3), randomJSON(r, 3), randomJSON(r, 3)}
		for range 2 {
			if r.IntN(2) == 0 {
				texts[r.IntN(3)] = spelled(r, texts[r.IntN(3)])
			}
		}
		slices.SortFunc(texts, func(x, y string) int { return order(x, y) })
		for _, pair := range [][2]int{{0, 1}, {1, 2}, {0, 2}, {1, 0}, {2, 0}} {
			x, y := texts[pair[0]], texts[pair[1]]
			want := modelOrder(decoded(x), decoded(y))
			require.Equal(t, want, order(x, y), "%s\n%s", x, y)
			require.Equal(t, want == 0, bytes.Equal(AppendKey(nil, NewJSON([]byte(x))), AppendKey(nil, NewJSON([]byte(y)))), "%s\n%s", x, y)
		}
	}
}

func order(x, y string) int {
	order, _ := Compare(NewJSON([]byte(x)), NewJSON([]byte(y)))
	return order
}

func randomJSON(r *rand.Rand, deep int) string {
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	n := 8
	if deep == 0 {
		n = 5
	}
	switch r.IntN(n) {
	case 0:
		return one("null", "true", "false")
	case 1, 2:
		return one("", "-") + one("0", "1", "2", "10", "9007199254740992", "9007199254740993", "9223372036854775807", "9223372036854776000", "12") +
			one("", "", ".0", ".5", ".50", ".05", ".000001") + one("", "", "", "e0", "e1", "E-1", "e+2", "e18", "e-20")
	case 3, 4:
		return `"` + one("", "a", "b", "A", "ab", "10", "é", `\u0061`, `\"`, `\\`, "[", ",", "😀", `\n`, "a ") + `"`
	case 5, 6:
		var items []string
		for range r.IntN(4) {
			items = append(items, randomJSON(r, deep-1))
		}
		return "[" + strings.Join(items, one(",", ", ", " , ")) + "]"
	}
	names := slices.DeleteFunc([]string{"", "a", "b", "aa", "é"}, func(string) bool { return r.IntN(2) == 0 })
	var members []string
	for _, name := range names {
		members = append(members, `"`+name+`": `+randomJSON(r, deep-1))
	}
	return "{" + strings.Join(members, ", ") + "}"
}

// spelled is a document with one part written differently, or changed; its members stay in order, as those of
// all values are.
func spelled(r *rand.Rand, text string) string {
	pairs := [][2]string{{"1", "1.0"}, {"a", `\u0061`}, {", ", " ,"}, {"[", "[ "}, {"10", "1e1"}, {"true", "false"}, {"0", "1"}, {".5", ".50"}}
	p := pairs[r.IntN(len(pairs))]
	if out := strings.Replace(text, p[0], p[1], 1); json.Valid([]byte(out)) && !hugeExponent.MatchString(out) && inOrder(json.NewDecoder(strings.NewReader(out))) {
		return out
	}
	return text
}

// inOrder reports whether the members of all objects in the next value are ordered by name, shorter names first.
func inOrder(d *json.Decoder) bool {
	begin, _ := d.Token()
	if begin != json.Delim('{') && begin != json.Delim('[') {
		return true
	}
	ordered, last := true, ""
	for first := true; d.More(); first = false {
		if begin == json.Delim('{') {
			name, _ := d.Token()
			ordered = ordered && (first || byLength(last, name.(string)) < 0)
			last = name.(string)
		}
		ordered = inOrder(d) && ordered
	}
	_, _ = d.Token()
	return ordered
}

func byLength(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

// hugeExponent is larger than big.Rat accepts.
var hugeExponent = regexp.MustCompile(`[eE][+-]?[0-9]{3}`)

func decoded(text string) any {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		panic(err)
	}
	return v
}

// modelOrder is the order in MySQL's manual: of the types BOOLEAN, ARRAY, OBJECT, STRING, INTEGER and DOUBLE,
// NULL, the first being the greatest.
func modelOrder(x, y any) int {
	rank := func(v any) int {
		switch v.(type) {
		case nil:
			return 0
		case json.Number:
			return 1
		case string:
			return 2
		case map[string]any:
			return 3
		case []any:
			return 4
		}
		return 5
	}
	if rank(x) != rank(y) {
		return cmp.Compare(rank(x), rank(y))
	}
	switch x := x.(type) {
	case json.Number:
		a, _ := new(big.Rat).SetString(x.String())
		b, _ := new(big.Rat).SetString(y.(json.Number).String())
		return a.Cmp(b)
	case string:
		return cmp.Compare(x, y.(string))
	case []any:
		return slices.CompareFunc(x, y.([]any), modelOrder)
	case map[string]any:
		return modelObjects(x, y.(map[string]any))
	case bool:
		if x == y.(bool) {
			return 0
		} else if x {
			return 1
		}
		return -1
	}
	return 0
}

// modelObjects orders objects, for which the manual only defines equality: by the number of members, then by
// these, shorter names first.
func modelObjects(x, y map[string]any) int {
	names := func(m map[string]any) (out []string) {
		for name := range m {
			out = append(out, name)
		}
		slices.SortFunc(out, byLength)
		return out
	}
	a, b := names(x), names(y)
	if len(a) != len(b) {
		return cmp.Compare(len(a), len(b))
	}
	for i := range a {
		order := cmp.Or(byLength(a[i], b[i]), modelOrder(x[a[i]], y[b[i]]))
		if order != 0 {
			return order
		}
	}
	return 0
}
