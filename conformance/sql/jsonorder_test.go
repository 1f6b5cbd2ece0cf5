package sql

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// TestJSONComparisons compares documents with documents and with SQL values.
func TestJSONComparisons(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable, `INSERT INTO t VALUES ('a', 'q', 10, '{"n": "10", "i": 10, "b": true, "s": "Abc", "d": "2024-01-01"}')`)
	for _, c := range []struct{ x, want string }{
		{`JSON_EXTRACT('{"n":"10"}', '$.n') = 10`, "0"},
		{`CAST('[1]' AS JSON) = CAST('[1.0]' AS JSON)`, "1"},
		{`CAST('[2]' AS JSON) > CAST('[10]' AS JSON)`, "0"},
		{`CAST('true' AS JSON) > 5`, "1"},
		{`V->'$.n' = 10, V->'$.n' = '10', V->'$.i' = 10, V->'$.i' = '10', V->'$.i' = 10.0, V->'$.i' = 1e1, V->'$.i' = T`, "0 1 1 0 1 1 1"},
		{`V->'$.b' = true, true = V->'$.b', V->'$.b' = 1, V->'$.b' = (1 = 1), V->'$.b' IN (true), V->'$.b' IN (1), TRUE IN (V->'$.b'), V->'$.b' <> false`, "1 1 0 1 1 0 1 1"},
		{`V->'$.s' = 'Abc', V->'$.s' = 'abc', V->'$.s' = 'Abc ', V->'$.s' IN ('x', 'Abc'), V->>'$.s' = 'Abc'`, "1 0 0 1 1"},
		{`V->'$.d' = '2024-01-01', V->'$.d' = DATE '2024-01-01'`, "1 1"},
		{`V->'$.nope' = 1, V->'$.nope' <=> NULL, CAST('null' AS JSON) = 0, CAST('null' AS JSON) <=> NULL, CAST('null' AS JSON) < 0`, "NULL 1 0 0 1"},
		{`V->'$.i' BETWEEN 9 AND 11, V->'$.i' BETWEEN '9' AND '99', V->'$.n' BETWEEN '0' AND '2', V->'$.i' NOT BETWEEN 1 AND 2`, "1 0 1 1"},
		{`CASE V->'$.i' WHEN '10' THEN 1 WHEN 10 THEN 2 END, CASE V->'$.b' WHEN 1 THEN 1 WHEN true THEN 2 END, NULLIF(V->'$.i', 10)`, "2 2 NULL"},
		{`(V->'$.i', V->'$.b') = (10, true), (V->'$.i', V->'$.b') IN ((10, 1), (10, true)), (V->'$.i', 1) < (10, 2)`, "1 1 1"},
		{`V->'$.i' = ANY (SELECT T FROM t), V->'$.n' = ANY (SELECT T FROM t), V->'$.i' IN (SELECT T FROM t), V->'$.n' NOT IN (SELECT T FROM t)`, "1 0 1 1"},
		{`CAST('[1]' AS JSON) = '[1]', CAST('{"a": 1}' AS JSON) = '{"a": 1}', JSON_ARRAY(1) = CAST('[1]' AS JSON), JSON_OBJECT('b', 1, 'a', 2) = CAST('{"a": 2.0, "b": 1}' AS JSON)`, "0 0 1 1"},
		{`CAST(9007199254740993 AS JSON) = 9007199254740992, CAST(9007199254740993 AS JSON) > 9007199254740992e0, CAST('9.223372036854776e18' AS JSON) > 9223372036854775807`, "0 1 1"},
		{`CAST('10' AS JSON) IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10), CAST('"10"' AS JSON) IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)`, "1 0"},
		{`CAST('"j"' AS JSON) IN ('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'), CAST('"J"' AS JSON) IN ('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j')`, "1 0"},
		{`K = CAST('"a"' AS JSON), T < CAST('11' AS JSON), T = CAST('"10"' AS JSON), T < CAST('[]' AS JSON), T <= CAST('10.0' AS JSON)`, "1 1 0 1 1"},
	} {
		require.Equal(t, []string{c.want}, harness.Lines(t, db, "SELECT "+c.x+" FROM t"), c.x)
	}
	for where, want := range map[string]string{`K = CAST('"a"' AS JSON)`: "1", `T < CAST('[]' AS JSON)`: "1", `T = CAST('"10"' AS JSON)`: "0", `T > CAST('9.5' AS JSON)`: "1",
		`V->'$.b' = true`: "1", `V->'$.i' IN (10, 11)`: "1", `V->'$.n' IN (10, 11)`: "0", `T = V->'$.i'`: "1", `T = V->'$.n'`: "0"} {
		require.Equal(t, want, harness.Single(t, db, "SELECT COUNT(*) FROM t WHERE "+where), where)
	}
}

// TestOneOrderOfJSON: =, ORDER BY, MIN, MAX, GROUP BY, DISTINCT, IN, joins and windows agree on the
// order of random documents, in memory and in temporary files.
func TestOneOrderOfJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	for range 4 {
		db := harness.OpenDB(t, ":memory:?tmp_table_size="+harness.Pick(r, []string{"1024", "16777216"}))
		docs := fillDocuments(t, db, r)
		less, equal := comparedDocuments(t, db, len(docs))
		requireOrder(t, docs, less, equal)
		requireOneOrder(t, db, docs, less, equal, func(v string) string { return "JSON_EXTRACT(" + v + ", '$')" })
	}
}

func fillDocuments(t *testing.T, db *sql.DB, r *rand.Rand) (docs []string) {
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable)
	for i := range 50 {
		doc := randomDocument(r, 2)
		if i > 0 && r.IntN(2) == 0 {
			if other := strings.ReplaceAll(harness.Pick(r, docs), "1", harness.Pick(r, []string{"1.0", "2", "1"})); json.Valid([]byte(other)) {
				doc = other
			}
		}
		docs = append(docs, doc)
		harness.Must(t, db, fmt.Sprintf("INSERT INTO t VALUES ('%02d', 'q', 1, '%s')", i, doc))
	}
	harness.Must(t, db, "CREATE VIEW d AS SELECT K, CAST(V AS JSON) AS J FROM t")
	return docs
}

func randomDocument(r *rand.Rand, deep int) string {
	kinds := 4
	if deep > 0 {
		kinds = 7
	}
	switch r.IntN(kinds) {
	case 0:
		return harness.Pick(r, []string{"null", "true", "false"})
	case 1, 2:
		return harness.Pick(r, []string{"0", "1", "-1", "1.5", "10", "1e1", "9007199254740992", "9007199254740993", "9007199254740992.0", "9223372036854775807", "9.223372036854776e18", "18446744073709551615"})
	case 3:
		return `"` + harness.Pick(r, []string{"", "1", "10", "a", "A", "a ", "é", "2024-01-01"}) + `"`
	case 4, 5:
		var items []string
		for range r.IntN(3) {
			items = append(items, randomDocument(r, deep-1))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return fmt.Sprintf(`{"%s": %s, "b": %s}`, harness.Pick(r, []string{"a", "c", "aa"}), randomDocument(r, deep-1), randomDocument(r, deep-1))
}

// comparedDocuments evaluates < and = for each pair.
func comparedDocuments(t *testing.T, db *sql.DB, n int) (less, equal [][]bool) {
	for range n {
		less, equal = append(less, make([]bool, n)), append(equal, make([]bool, n))
	}
	for _, line := range harness.Lines(t, db, "SELECT CAST(a.K AS SIGNED), CAST(b.K AS SIGNED), a.J < b.J, a.J = b.J, a.J <=> b.J, a.J > b.J, a.J <> b.J FROM d a STRAIGHT_JOIN d b") {
		var i, j, lt, eq, safe, gt, ne int
		_, err := fmt.Sscan(line, &i, &j, &lt, &eq, &safe, &gt, &ne)
		require.NoError(t, err)
		less[i][j], equal[i][j] = lt == 1, eq == 1
		require.Equal(t, []int{1, 1, 1}, []int{lt + eq + gt, eq + ne, safe + ne}, line)
	}
	return less, equal
}

// requireOrder: each two documents are ordered, and each three consistently.
func requireOrder(t *testing.T, docs []string, less, equal [][]bool) {
	for i := range docs {
		require.True(t, equal[i][i])
		for j := range docs {
			require.Equal(t, less[i][j], !less[j][i] && !equal[i][j], "%s %s", docs[i], docs[j])
			for k := range docs {
				if !less[j][i] && !less[k][j] {
					require.False(t, less[k][i], "%s %s %s", docs[i], docs[j], docs[k])
				}
			}
		}
	}
}

// requireOneOrder: the view d has the values of the table t; of returns the document for a V.
func requireOneOrder(t *testing.T, db *sql.DB, docs []string, less, equal [][]bool, of func(v string) string) {
	values := strings.NewReplacer("X(a.V)", of("a.V"), "X(b.V)", of("b.V"), "X(V)", of("V"))
	order := make([]int, len(docs))
	pairs, groups := 0, 0
	for i := range order {
		order[i] = i
		first := slices.Index(equal[i], true)
		if first == i {
			groups++
		}
		for j := range docs {
			if equal[i][j] {
				pairs++
			}
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case less[i][j]:
			return -1
		case less[j][i]:
			return 1
		}
		return 0
	})
	var sorted []string
	for _, i := range order {
		sorted = append(sorted, fmt.Sprintf("%02d", i))
	}
	require.Equal(t, sorted, harness.Lines(t, db, "SELECT K FROM d ORDER BY J, K"))
	least, greatest := order[0], order[len(order)-1]
	for query, want := range map[string]int{
		"SELECT COUNT(DISTINCT J) FROM d":                                                                         groups,
		"SELECT COUNT(*) FROM (SELECT DISTINCT J FROM d) x":                                                       groups,
		"SELECT COUNT(*) FROM (SELECT J FROM d GROUP BY J) x":                                                     groups,
		"SELECT COUNT(*) FROM (SELECT J FROM d UNION SELECT J FROM d) x":                                          groups,
		"SELECT SUM(n * n) FROM (SELECT COUNT(*) AS n FROM d GROUP BY J) x":                                       pairs,
		"SELECT MAX(n) FROM (SELECT DENSE_RANK() OVER (ORDER BY J) AS n FROM d) x":                                groups,
		"SELECT COUNT(*) FROM d a JOIN d b ON a.J = b.J":                                                          pairs,
		"SELECT COUNT(*) FROM d a JOIN d b ON a.J <=> b.J":                                                        pairs,
		"SELECT COUNT(*) FROM t a JOIN t b ON X(a.V) = X(b.V)":                                                    pairs,
		"SELECT COUNT(*) FROM t a JOIN d b ON X(a.V) = b.J":                                                       pairs,
		"SELECT COUNT(*) FROM d a LEFT JOIN d b ON a.J = b.J AND a.K <> b.K":                                      pairs - len(docs) + alone(equal),
		"SELECT COUNT(*) FROM d WHERE J IN (SELECT J FROM d b WHERE b.K <> d.K)":                                  len(docs) - alone(equal),
		"SELECT COUNT(*) FROM d WHERE EXISTS (SELECT 1 FROM d b WHERE b.K <> d.K AND b.J = d.J)":                  len(docs) - alone(equal),
		"SELECT COUNT(*) FROM d WHERE J IN (SELECT X(V) FROM t)":                                                  len(docs),
		"SELECT COUNT(*) FROM d WHERE J = (SELECT MIN(J) FROM d)":                                                 count(equal[least]),
		"SELECT COUNT(*) FROM d WHERE J = (SELECT MAX(J) FROM d)":                                                 count(equal[greatest]),
		"SELECT COUNT(*) FROM d WHERE (J, 1) IN (SELECT J, 1 FROM d ORDER BY J LIMIT 1000)":                       len(docs),
		"SELECT COUNT(*) FROM (SELECT J FROM d EXCEPT SELECT X(V) FROM t) x":                                      0,
		"SELECT COUNT(*) FROM (SELECT J FROM d INTERSECT SELECT X(V) FROM t) x":                                   groups,
		"SELECT LENGTH(GROUP_CONCAT(DISTINCT J ORDER BY J SEPARATOR '')) > 0 FROM d":                              1,
		"SELECT COUNT(*) FROM d JOIN (SELECT MIN(J) AS m FROM d) x ON d.J = x.m OR d.J < x.m":                     count(equal[least]),
		"SELECT COUNT(*) FROM d JOIN (SELECT J AS m FROM d ORDER BY J DESC LIMIT 1) x ON d.J >= x.m":              count(equal[greatest]),
		"SELECT COUNT(*) FROM (SELECT FIRST_VALUE(K) OVER (PARTITION BY J ORDER BY K) = K AS f FROM d) x WHERE f": groups,
	} {
		require.Equal(t, fmt.Sprint(want), harness.Single(t, db, values.Replace(query)), query)
	}
}

// alone counts the documents that equal no other.
func alone(equal [][]bool) (n int) {
	for _, row := range equal {
		if count(row) == 1 {
			n++
		}
	}
	return n
}

func count(of []bool) (n int) {
	for _, b := range of {
		if b {
			n++
		}
	}
	return n
}
