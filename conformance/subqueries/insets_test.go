package subqueries

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// notIn turns the answers of IN into those of NOT IN.
var notIn = strings.NewReplacer("0", "1", "1", "0")

// TestInSets looks up values among those of a subquery in cases that a set of them cannot decide:
// texts in other collations, other types, NULLs, in one column and in several.
func TestInSets(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	const columns = " (K varbinary(64), Q varbinary(64), T bigint, V varbinary(64), PRIMARY KEY (K, Q, T))"
	harness.Must(t, db, "CREATE TABLE a"+columns, "CREATE TABLE b"+columns,
		"INSERT INTO a VALUES ('1', 'q', 1, 'a'), ('2', 'q', 2, 'B'), ('3', 'q', 3, NULL), ('4', 'q', 4, '7')",
		"INSERT INTO b VALUES ('1', 'q', 1, 'A'), ('2', 'q', 2, 'B'), ('4', 'q', 4, '7.0')")
	for _, c := range []struct{ left, right, where, want string }{
		{"CONVERT(V USING utf8mb4)", "CONVERT(V USING utf8mb4)", "", "1 1 NULL 0"},
		{"CONVERT(V USING utf8mb4) COLLATE utf8mb4_bin", "CONVERT(V USING utf8mb4)", "", "0 1 NULL 0"},
		{"CONVERT(V USING utf8mb4)", "CONVERT(V USING utf8mb4) COLLATE utf8mb4_bin", "", "0 1 NULL 0"},
		{"(K, CONVERT(V USING utf8mb4))", "K, CONVERT(V USING utf8mb4) COLLATE utf8mb4_bin", "", "0 1 0 0"},
		{"(Q, CONVERT(V USING utf8mb4))", "Q, CONVERT(V USING utf8mb4)", "", "1 1 NULL 0"},
		{"V", "V", "", "0 1 NULL 0"},
		{"V", "V + 0", "WHERE K = '4'", "0 0 NULL 1"},
		{"V", "NULL", "", "NULL NULL NULL NULL"},
		{"V", "V", "WHERE K = '9'", "0 0 0 0"},
		{"(Q, V)", "Q, NULL", "", "NULL NULL NULL NULL"},
		{"(Q, V)", "'x', NULL", "", "0 0 0 0"},
		{"(V, V)", "V, V", "WHERE K = '9'", "0 0 0 0"},
		{"(V, V)", "V, IF(K = '1', NULL, V)", "", "0 1 NULL 0"},
	} {
		for not, word := range []string{"", "NOT "} {
			in := c.left + " " + word + "IN (SELECT " + c.right + " FROM b " + c.where + ")"
			statement := "SELECT GROUP_CONCAT(IFNULL(" + in + ", 'NULL') ORDER BY K SEPARATOR ' ') FROM a"
			want := c.want
			if not == 1 {
				want = notIn.Replace(want)
			}
			require.Equal(t, []string{want}, harness.Lines(t, db, statement), statement)
		}
	}
}
