package reports

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// jsonTable has rows of two qualifiers with values of that many bytes.
func jsonTable(t *testing.T, rows, size int) *sql.Conn {
	db := harness.Conn(t, harness.OpenDB(t, ":memory:?queryMemory=1MiB&maxAllowedPacket=4MiB"))
	harness.Must(t, db, "CREATE TABLE f (K varbinary(64), Q varbinary(64), T bigint, V varbinary(60000), PRIMARY KEY (K, Q, T))")
	value := strings.Repeat("x", size)
	for i := 0; i < rows; {
		var texts []string
		for ; i < rows && len(texts) < 1+1_000_000/(2*size); i++ {
			texts = append(texts, fmt.Sprintf("('k%06d', 'a', 1, '%[2]s'), ('k%06[1]d', 'b', 1, '%[1]d')", i, value))
		}
		harness.Must(t, db, "INSERT INTO f VALUES "+strings.Join(texts, ", "))
	}
	return db
}

// Documents of groups may exceed memory together, and one with few names may be
// made of more values than memory could hold.
func TestJSONAggregatesOfMuch(t *testing.T) {
	const rows, size = 8_000, 2_500
	db := jsonTable(t, rows, size)
	for _, processors := range []string{"1", "2"} {
		harness.Must(t, db, "SET hbasekv_parallelism = "+processors)
		for query, want := range map[string]int{
			"SELECT SUM(LENGTH(j)) FROM (SELECT K, JSON_OBJECTAGG(Q, V) j FROM f WHERE Q = 'a' GROUP BY K) d":            rows * (size + len(`{"a": ""}`)),
			"SELECT SUM(LENGTH(j)) FROM (SELECT K, JSON_ARRAYAGG(V) j FROM f WHERE Q = 'a' GROUP BY K) d":                rows * (size + len(`[""]`)),
			"SELECT SUM(LENGTH(JSON_OBJECT(Q, V))) FROM f WHERE Q = 'a'":                                                 rows * (size + len(`{"a": ""}`)),
			"SELECT LENGTH(JSON_OBJECTAGG(RIGHT(K, 1), V)) FROM f WHERE Q = 'a'":                                         10*(size+len(`"0": "", `)) - len(", ") + len("{}"),
			"SELECT SUM(LENGTH(j)) FROM (SELECT Q, JSON_OBJECTAGG(RIGHT(K, 1), V) j FROM f WHERE Q <> 'b' GROUP BY Q) d": 10*(size+len(`"0": "", `)) - len(", ") + len("{}"),
			"SELECT LENGTH(JSON_ARRAYAGG(LEFT(V, 10))) FROM f WHERE Q = 'a'":                                             rows * len(`"xxxxxxxxxx", `),
		} {
			require.Equal(t, fmt.Sprint(want), harness.Single(t, db, query), "%s, %s processors", query, processors)
		}
		for _, query := range []string{"SELECT JSON_ARRAYAGG(V) FROM f", "SELECT JSON_OBJECTAGG(K, V) FROM f WHERE Q = 'a'"} {
			_, err := harness.TryLines(db, query)
			harness.RequireErrorNumber(t, 1301, err)
		}
	}
}

// The last member of a name counts, in the order of the rows, however they are
// divided.
func TestJSONMembersOfOneName(t *testing.T) {
	const rows = 70_000
	db := jsonTable(t, rows, 10)
	const query = "SELECT CAST(JSON_OBJECTAGG(CASE MOD(CAST(V AS SIGNED), 3) WHEN 0 THEN 'zz' WHEN 1 THEN 'y' ELSE 'é\"' END, V) AS CHAR) FROM f WHERE Q = 'b'"
	for _, processors := range []string{"1", "2", "5"} {
		harness.Must(t, db, "SET hbasekv_parallelism = "+processors)
		require.Equal(t, `{"y": "69997", "zz": "69999", "é\"": "69998"}`, harness.Single(t, db, query), processors)
	}
	require.Equal(t, `{"base64:type15:/w==": null}`, harness.Single(t, db, "SELECT CAST(JSON_OBJECTAGG(x'ff', NULL) AS CHAR) FROM f"))
	_, err := harness.TryLines(db, "SELECT JSON_OBJECTAGG(NULLIF(K, 'k000007'), V) FROM f")
	harness.RequireErrorNumber(t, 3158, err)
}

// The document of a growing frame is computed repeatedly.
func TestJSONOfFrames(t *testing.T) {
	db := jsonTable(t, 3, 2)
	require.Equal(t, []string{`k000000 {"a": "xx", "b": "0"} ["xx"]`, `k000000 {"b": "0"} ["xx", "0"]`, `k000001 {"a": "xx", "b": "1"} ["xx"]`,
		`k000001 {"b": "1"} ["xx", "1"]`, `k000002 {"a": "xx", "b": "2"} ["xx"]`, `k000002 {"b": "2"} ["xx", "2"]`},
		harness.Lines(t, db, "SELECT K, JSON_OBJECTAGG(Q, V) OVER (PARTITION BY K ORDER BY Q DESC), JSON_ARRAYAGG(V) OVER (PARTITION BY K ORDER BY Q) FROM f ORDER BY K, Q"))
}
