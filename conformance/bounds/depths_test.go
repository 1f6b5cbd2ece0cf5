package bounds

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// atDepth are statements by a depth, with the maximum that runs and the error of
// one that is deeper: 0 is NULL, for a text that is not a document.
var atDepth = map[string]struct {
	text    func(n int) string
	deepest int
	fails   uint16
}{
	"a document": {func(n int) string { return "SELECT JSON_DEPTH('" + brackets(n) + "')" }, 100, 0},
	"a document of objects": {func(n int) string {
		return "SELECT JSON_LENGTH('" + wrapped(n-1, `{"a":`, "{}", "}") + "')"
	}, 100, 0},
	"a document that is joined": {func(n int) string {
		return fmt.Sprintf("SELECT JSON_DEPTH(CONCAT(REPEAT('[', %d), REPEAT(']', %d)))", n, n)
	}, 100, 0},
	"a stored document": {func(n int) string {
		return fmt.Sprintf("SELECT JSON_DEPTH(V) FROM docs WHERE T = %d", n)
	}, 100, 0},
	"a cast":           {func(n int) string { return "SELECT CAST('" + brackets(n) + "' AS JSON)" }, 100, 0},
	"an array around":  {func(n int) string { return "SELECT JSON_ARRAY(" + document(n-1) + ")" }, 100, 3157},
	"an object around": {func(n int) string { return "SELECT JSON_OBJECT('a', " + document(n-1) + ")" }, 100, 3157},
	"a document set": {func(n int) string {
		return "SELECT JSON_SET('[[]]', '$[0][0]', " + document(n-2) + ")"
	}, 100, 3157},
	"a document appended": {func(n int) string {
		return "SELECT JSON_ARRAY_APPEND('[]', '$', " + document(n-1) + ")"
	}, 100, 3157},
	"documents merged": {func(n int) string {
		return "SELECT JSON_MERGE_PRESERVE('{\"a\": 1}', '" + wrapped(n-2, `{"a":`, "{}", "}") + "')"
	}, 100, 3157},
	"documents patched": {func(n int) string {
		return "SELECT JSON_MERGE_PATCH('{\"a\": 1}', JSON_OBJECT('a', JSON_OBJECT('b', " + document(n-2) + ")))"
	}, 100, 3157},
	"an aggregate": {func(n int) string { return "SELECT JSON_ARRAYAGG(" + document(n-1) + ") FROM t" }, 100, 3157},
	"an object's aggregate": {func(n int) string {
		return "SELECT JSON_OBJECTAGG(K, " + document(n-1) + ") FROM t"
	}, 100, 3157},
	"a path": {func(n int) string {
		return "SELECT JSON_EXTRACT('1', '$" + strings.Repeat("[0]", n) + "')"
	}, 100, 3157},
	"a path to edit": {func(n int) string {
		return "SELECT JSON_SET('[]', '$" + strings.Repeat("[0]", n) + "', 1)"
	}, 100, 3157},
	"a pattern": {func(n int) string { return "SELECT 'a' REGEXP '" + wrapped(n, "(", "a", ")") + "'" }, 999, 1139},
	"tables":    {func(n int) string { return "SELECT 1 FROM " + harness.Series(n, "t AS t%", ", ") }, 61, 1116},
	"joins":     {func(n int) string { return "SELECT 1 FROM " + harness.Series(n, "t AS t%", " JOIN ") }, 61, 1116},
	"queries":   {func(n int) string { return "SELECT " + wrapped(n-1, "(SELECT ", "1", ")") }, 67, 1064},
	"derived tables": {func(n int) string {
		return "SELECT * FROM " + wrapped(n-1, "(SELECT * FROM ", "t", ") AS d")
	}, 67, 1064},
	"a UNION":     {func(n int) string { return harness.Series(n, "SELECT 1", " UNION ALL ") }, 10_001, 1064},
	"parentheses": {func(n int) string { return "SELECT " + wrapped(n, "(", "1", ")") }, 198, 1064},
	"a chain":     {func(n int) string { return "SELECT 1" + strings.Repeat(" + 1", n) }, 65_536, 1064},
}

func brackets(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

func document(n int) string { return "CAST('" + brackets(n) + "' AS JSON)" }

// TestDepthsAreBounded runs what is as deep as allowed, and one deeper: the
// limits on which recursion relies.
func TestDepthsAreBounded(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable, "INSERT INTO t VALUES ('a', 'q', 1, 'v')", "CREATE TABLE docs "+harness.PlainTable)
	for n := 99; n < 103; n++ {
		harness.Must(t, db, fmt.Sprintf("INSERT INTO docs VALUES ('a', 'q', %d, '%s')", n, brackets(n)))
	}
	db.SetMaxOpenConns(1)
	harness.Must(t, db, "SET hbasekv_versions = 'all'")
	for name, c := range atDepth {
		_, err := harness.TryLines(db, c.text(c.deepest))
		assert.NoError(t, err, name)
		got, err := harness.TryLines(db, c.text(c.deepest+1))
		assert.Equal(t, c.fails, harness.NumberOf(err), "%s: %v", name, err)
		if c.fails == 0 {
			assert.Equal(t, []string{"NULL"}, got, name)
		}
	}
}
