package expr_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// hotConditions are conditions that a scan checks for every cell.
var hotConditions = map[string]string{
	"bytes=const":     "K = 'a'",
	"bytes<const":     "K < 'b'",
	"int>const":       "T > 5",
	"int=text":        "T = '1'",
	"int=param":       "T = ?",
	"bytes=param":     "T = ? AND K = ?",
	"bytes=bytes":     "K = V",
	"range":           "K >= 'a' AND K < 'b'",
	"between":         "T BETWEEN 0 AND 10",
	"in":              "K IN ('x', 'y', 'z', 'a')",
	"row in":          "(K, T) IN (('x', 1), ('y', 2), ('a', 7))",
	"long in":         "K NOT IN (" + manyItems("'%06d'") + ")",
	"long row in":     "(K, T) NOT IN (" + manyItems("('%06d', 1)") + ")",
	"tuple":           "(K, T) > ('a', 0)",
	"like":            "V LIKE '%2'",
	"prefix":          "LEFT(K, 1) = 'a'",
	"null":            "V IS NOT NULL",
	"number of bytes": "V > 10",
	"or":              "K = 'b' OR T = 1",
}

// manyItems are the items of a list whose length must not matter.
func manyItems(format string) string {
	items := make([]string, 10_000)
	for i := range items {
		items[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(items, ",")
}

func hotEnv(t testing.TB) *expr.Env {
	env := &expr.Env{Row: oracleValues()[0], Params: []value.Value{value.NewInt(1), value.NewString("a")}}
	require.Equal(t, "a", env.Row[0].String())
	return env
}

func BenchmarkHolds(b *testing.B) {
	for name, text := range hotConditions {
		b.Run(name, func(b *testing.B) {
			node, err := bindText(text)
			require.NoError(b, err)
			env := hotEnv(b)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := expr.Holds(node.node, env); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEval(b *testing.B) {
	for _, text := range []string{"T + 1", "LENGTH(V)", "LEFT(K, 1)", "V + 1", "CASE WHEN K = 'a' THEN V END", "CONCAT(K, V)"} {
		b.Run(text, func(b *testing.B) {
			node, err := bindText(text)
			require.NoError(b, err)
			env := hotEnv(b)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := node.node.Eval(env); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestHotConditionsDoNotAllocate keeps scans free of garbage.
func TestHotConditionsDoNotAllocate(t *testing.T) {
	for name, text := range hotConditions {
		node, err := bindText(text)
		require.NoError(t, err)
		env := hotEnv(t)
		allocs := testing.AllocsPerRun(100, func() {
			if _, err := expr.Holds(node.node, env); err != nil {
				t.Fatal(err)
			}
		})
		require.Zero(t, allocs, name)
	}
}

// BenchmarkStrings are the functions that search strings, on strings as in cells.
func BenchmarkStrings(b *testing.B) {
	row := []value.Value{value.NewBytes([]byte("user:1000")), value.NewInt(1),
		value.NewBytes([]byte(strings.Repeat("a value of some words, ", 5) + "END")),
		value.NewString(strings.Repeat("ein Text mit Wörtern, ", 5) + "Ende"), value.NewInt(0), value.NewFloat(0)}
	for _, text := range []string{
		"V LIKE '%words%'", "V LIKE 'a value%'", "V LIKE '%END'", "S LIKE '%wörtern%'", "S LIKE '%ENDE'", "S LIKE 'ein%'",
		"K LIKE 'user:____'",
		"S LIKE '%m_t%'", "LOCATE('some', V)", "LOCATE('ENDE', S)", "INSTR(V, 'END')", "REPLACE(V, 'words', 'w')",
		"SUBSTRING_INDEX(V, ',', 2)",
		"FIND_IN_SET('b', 'a,b,c,d')", "V REGEXP 'some|none'", "S REGEXP 'wört'", "K REGEXP '^user:[0-9]+$'", "TRIM(S)",
		"UPPER(S)", "HEX(K)", "MD5(V)",
		"JSON_EXTRACT('{\"a\": [1, 2, {\"b\": \"c\"}], \"d\": null}', CONCAT('$', IF(T, '.a[2].b', '')))",
	} {
		b.Run(text, func(b *testing.B) {
			node, err := bindText(text)
			require.NoError(b, err)
			env := &expr.Env{Row: row}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := node.node.Eval(env); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
