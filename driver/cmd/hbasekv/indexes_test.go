package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestIndexesTravel: the indexes of typed tables and of families are exported as statements, copied and
// backed up, and rows that are loaded as cells are in the indexes. Each index entry then belongs to a row.
func TestIndexesTravel(t *testing.T) {
	dir := t.TempDir()
	hbasekv := func(args ...string) string {
		out, err := command(dir, args...).CombinedOutput()
		require.NoError(t, err, "%v: %s", args, out)
		return string(out)
	}
	const tables = `CREATE TABLE u (id bigint AUTO_INCREMENT PRIMARY KEY, email varchar(50), n int, UNIQUE (email), KEY (n, email(3)));
		CREATE TABLE g$f (K varbinary(9), Q varbinary(9), T bigint, V blob, PRIMARY KEY (K, Q, T));
		CREATE INDEX v ON g$f (V(4), Q);`
	hbasekv("sql", "store", "-e", tables+`INSERT INTO u (email, n) VALUES ('Ann', 1), ('bob', 1), (NULL, 2), (NULL, NULL);
		UPDATE u SET n = 3 WHERE email = 'bob'; DELETE FROM u WHERE n = 2;
		INSERT INTO g$f VALUES ('a', 'q', 1, 'one'), ('a', 'q', 2, 'two'), ('b', 'q', 1, 'two'), ('c', 'q', 1, NULL)`)
	hbasekv("export", "store", "--all", "all.sql")
	hbasekv("sql", "exported", "all.sql")
	hbasekv("copy", "store", "copied", "g")
	hbasekv("backup", "store", "backed")
	hbasekv("export", "store", "g", "g.csv")
	hbasekv("export", "store", "u$d", "u.csv")
	hbasekv("sql", "loaded", "-e", tables)
	hbasekv("load", "loaded", "g", "g.csv")
	hbasekv("load", "loaded", "u$d", "u.csv")
	for _, store := range []string{"store", "exported", "copied", "backed", "loaded"} {
		require.Equal(t, "K\na\nb\nK\nc\n", hbasekv("sql", store, "-e", `SELECT K FROM g$f FORCE INDEX (v) WHERE V = 'two' ORDER BY K;
			SELECT K FROM g$f FORCE INDEX (v) WHERE V IS NULL`), store)
		hbasekv("check", store)
		if store == "copied" {
			continue // typed tables are copied as statements
		}
		require.Equal(t, "id\n1\nid\n2\n", hbasekv("sql", store, "-e", `SELECT id FROM u FORCE INDEX (email) WHERE email = 'ann';
			SELECT id FROM u FORCE INDEX (n) WHERE n = 3`), store)
		out, err := command(dir, "sql", store, "-e", "INSERT INTO u (email) VALUES ('BOB')").CombinedOutput()
		require.Error(t, err, store)
		require.Contains(t, string(out), "1062", store)
	}
}
