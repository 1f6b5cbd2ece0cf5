package sql

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
)

// TestQuotientsAreOneWhereTheyPrintAlike: groups and DISTINCT compare quotients by the
// digits that they print, as MariaDB's temporary tables do; sums use the further digits,
// too.
func TestQuotientsAreOneWhereTheyPrintAlike(t *testing.T) {
	db := harness.OpenDB(t, ":memory:?versions=all")
	harness.Must(t, db, oracle.CreateTable("o", "none"), `INSERT INTO o (K, Q, T, V) VALUES ('a', 'q', 1, '1'), ('a', 'q', 2, '2'),
		('a', 'q', 3, '3'), ('a', 'q', 4, '3'), ('b', 'q', -5, '3'), ('b', 'q', 70000, '3')`)
	for query, want := range map[string][]string{
		"SELECT DISTINCT T / 100000 FROM o ORDER BY 1":                               {"-0.0001", "0.0000", "0.7000"},
		"SELECT T / 100000 AS g, COUNT(*) FROM o GROUP BY g ORDER BY g":              {"-0.0001 1", "0.0000 4", "0.7000 1"},
		"SELECT COUNT(DISTINCT T / 100000), COUNT(DISTINCT T / 100000, V) FROM o":    {"3 5"},
		"SELECT SUM(T / 100000), AVG(T / 100000) FROM o":                             {"0.7001 0.11667500"},
		"SELECT SUM(DISTINCT T / 100000), AVG(DISTINCT T / 100000) FROM o":           {"0.6999 0.23330000"},
		"SELECT GROUP_CONCAT(DISTINCT T / 100000 ORDER BY T) FROM o":                 {"-0.0001,0.0000,0.7000"},
		"SELECT T / 100000 FROM o WHERE T < 4 UNION SELECT T / 100000 FROM o":        {"0.0000", "-0.0001", "0.7000"},
		"SELECT COUNT(*) FROM o a JOIN o b ON a.T / 100000 = b.T / 100000":           {"18"},
		"SELECT COUNT(*) FROM o WHERE T / 100000 IN (SELECT T / 50000 FROM o)":       {"5"},
		"SELECT COUNT(*), SUM(DISTINCT x) FROM (SELECT T / 100000 AS x FROM o) AS d": {"6 0.6999"},
	} {
		require.Equal(t, want, harness.Lines(t, db, query), query)
	}
}

// TestTextsNearIntegers: a text close to an integer does not equal that integer, in keys
// and in other conditions, although a comparison as DECIMAL would say so.
func TestTextsNearIntegers(t *testing.T) {
	for _, partitions := range []string{"", " PARTITION BY KEY(K) PARTITIONS 5"} {
		db := harness.OpenDB(t, "file::memory:?versions=all")
		harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable+partitions, "INSERT INTO t VALUES ('a', 'q', 0, '1e-39'), ('b', 'q', 1, '0')")
		for _, column := range []string{"T", "T + 0", "(T DIV 1)"} {
			for condition, want := range map[string][]string{
				" BETWEEN '1e-39' AND 1": {"1"}, " NOT BETWEEN '1e-39' AND 1": {"0"}, " BETWEEN '1e-39' AND 1.5": {"1"},
				" BETWEEN '1e-39' AND '1'": {"1"}, " BETWEEN -1 AND '-1e-39'": {}, " BETWEEN 0 AND '1e-39'": {"0"},
				" = '1e-39'": {}, " < '1e-39'": {"0"}, " >= '1e-39'": {"1"}, " IN ('1e-39', 5)": {}, " NOT IN ('-1e-39', 1)": {"0"},
				" <> '-1e-39'": {"0", "1"}, " IN ('1e-39', '2e-39', '3e-39', '4e-39', '5e-39', '6e-39', '7e-39', '8e-39', '9e-39', 1)": {"1"},
			} {
				require.Equal(t, want, harness.Lines(t, db, "SELECT T FROM t WHERE "+column+condition+" ORDER BY T"), column+condition)
				require.Equal(t, want, harness.Lines(t, db, "SELECT T FROM (SELECT T, "+column+condition+" AS x FROM t) z WHERE x ORDER BY T"), column+condition)
			}
		}
		require.Equal(t, []string{"a"}, harness.Lines(t, db, "SELECT K FROM t WHERE V BETWEEN 1e-40 AND 1 AND V <> 0"))
		require.Equal(t, []string{"0 0"}, harness.Lines(t, db, "SELECT a.T, b.V FROM t a JOIN t b ON b.V = a.T"))
		require.Equal(t, []string{"0 0"},
			harness.Lines(t, db, "SELECT a.T, b.V FROM t a JOIN t b ON a.T BETWEEN b.V AND b.V"))
		require.Equal(t, []string{"1"}, harness.Lines(t, db, "SELECT COUNT(*) FROM t WHERE T IN (SELECT V FROM t)"))
	}
}
