package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestQuotientsAreOneWhereTheyPrintAlike: groups and DISTINCT take quotients with the digits
// that they print, as MariaDB's temporary tables do; sums take the further ones, too.
func TestQuotientsAreOneWhereTheyPrintAlike(t *testing.T) {
	db := openDB(t, ":memory:?versions=all")
	must(t, db, oracleTable("o", "none"), `INSERT INTO o (K, Q, T, V) VALUES ('a', 'q', 1, '1'), ('a', 'q', 2, '2'),
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
		require.Equal(t, want, lines(t, db, query), query)
	}
}
