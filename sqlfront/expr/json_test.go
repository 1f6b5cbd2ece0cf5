package expr_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// TestJSONPathLegs: a path has at most 100 legs, whatever its source.
func TestJSONPathLegs(t *testing.T) {
	const most = 100
	for _, leg := range []string{"[0]", ".a", `."a"`, "[last-1]", " [ 0 ]"} {
		for _, call := range []string{
			"JSON_EXTRACT('1', %s)", "JSON_SET('1', %s, 1)", "JSON_INSERT('1', %s, 1)", "JSON_REPLACE('1', %s, 1)",
			"JSON_ARRAY_APPEND('1', %s, 1)", "JSON_REMOVE('1', %s)", "JSON_CONTAINS('1', '1', %s)",
			"JSON_CONTAINS_PATH('1', 'one', %s)", "JSON_KEYS('1', %s)", "JSON_LENGTH('1', %s)",
			"JSON_SEARCH('1', 'one', 'a', NULL, %s)",
		} {
			evaluate := func(legs int) error {
				path := fmt.Sprintf("CONCAT('$', REPEAT('%s', %d))", leg, legs)
				_, err := bound(t, fmt.Sprintf(call, path)).Eval(&expr.Env{Row: oracleValues()[0]})
				return err
			}
			require.NoError(t, evaluate(most), "%s %s", call, leg)
			require.True(t, mysqlerr.Is(evaluate(most+1), mysqlerr.JSONDocumentTooDeep), "%s %s", call, leg)
			require.True(t, mysqlerr.Is(evaluate(3_000_000), mysqlerr.JSONDocumentTooDeep), "%s %s", call, leg)
		}
	}
}

// TestJSONPathsWithManyWays: with several **, the number of ways to each part grows exponentially, but each
// part is found once.
func TestJSONPathsWithManyWays(t *testing.T) {
	env := &expr.Env{Row: oracleValues()[0]}
	doc := strings.Repeat("[", 90) + "1" + strings.Repeat("]", 90)
	v, err := bound(t, "JSON_LENGTH(JSON_EXTRACT('"+doc+"', CONCAT('$', REPEAT('**[0]', 40))))").Eval(env)
	require.NoError(t, err)
	require.Equal(t, "51", v.String())
	v, err = bound(t, "JSON_CONTAINS_PATH('"+doc+"', 'one', CONCAT('$', REPEAT('**[0]', 40), '.a'))").Eval(env)
	require.NoError(t, err)
	require.Equal(t, "0", v.String())
}

// TestJSONResultsHaveABound: a document with many copies of a part is refused if its text would be too long,
// without being made.
func TestJSONResultsHaveABound(t *testing.T) {
	env := &expr.Env{Row: oracleValues()[0]}
	nested := "CONCAT(REPEAT('[', 90), '\"', REPEAT('x', 1000000), '\"', REPEAT(']', 90))"
	_, err := bound(t, "JSON_EXTRACT("+nested+", '$**[0]')").Eval(env)
	require.True(t, mysqlerr.Is(err, mysqlerr.AllowedPacketOverflowed), "%v", err)
	for _, text := range []string{
		"JSON_ARRAY(CAST(CONCAT(REPEAT('[', 100), REPEAT(']', 100)) AS JSON))",
		"JSON_OBJECT('a', CAST(CONCAT(REPEAT('[', 100), REPEAT(']', 100)) AS JSON))",
		"JSON_SET('[1]', '$[0]', CAST(CONCAT(REPEAT('[', 100), REPEAT(']', 100)) AS JSON))",
		"JSON_EXTRACT(CONCAT(REPEAT('[', 100), REPEAT(']', 100)), '$', '$[0]')",
	} {
		_, err := bound(t, text).Eval(env)
		require.True(t, mysqlerr.Is(err, mysqlerr.JSONDocumentTooDeep), "%s: %v", text, err)
	}
}
