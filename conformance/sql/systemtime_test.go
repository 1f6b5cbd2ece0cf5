package sql

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestSystemTimeAllIsTheHint runs generated statements once with the hint VERSIONS(ALL), which
// some clients treat as a comment, and once with FOR SYSTEM_TIME ALL after each of their
// tables: rows, counts, errors and the cells stored afterwards must be the same.
func TestSystemTimeAllIsTheHint(t *testing.T) {
	for _, view := range []string{"latest", "2", "all"} {
		seed := uint64(len(view))
		g := historyGen{rand.New(rand.NewPCG(seed, 37))}
		hinted, clause := historyStore(t, view), historyStore(t, view)
		var worked, changed, more int
		for i := range 600 {
			statement := g.statement()
			withHint, withClause := fill(statement, "/*+ VERSIONS(ALL) */", ""), fill(statement, "", " FOR SYSTEM_TIME ALL")
			if strings.HasPrefix(statement, "SELECT") || strings.HasPrefix(statement, "WITH") {
				want, wantErr := harness.TryLines(hinted, withHint)
				got, gotErr := harness.TryLines(clause, withClause)
				slices.Sort(want)
				slices.Sort(got)
				require.Equal(t, fmt.Sprint(want, wantErr), fmt.Sprint(got, gotErr), "%d: %s", i, withClause)
				if plain, err := harness.TryLines(hinted,
					fill(statement, "", "")); err == nil && len(plain) < len(want) {
					more++
				}
				worked += min(len(want), 1)
				continue
			}
			want, wantErr := tryAffected(hinted, withHint)
			got, gotErr := tryAffected(clause, withClause)
			require.Equal(t, fmt.Sprint(want, wantErr), fmt.Sprint(got, gotErr), "%d: %s", i, withClause)
			for _, table := range historyTables {
				const all = "SELECT HEX(K), HEX(Q), T, HEX(V) FROM %s FOR SYSTEM_TIME ALL ORDER BY K, Q, T"
				require.Equal(t, harness.Lines(t, hinted, fmt.Sprintf(all, table)), harness.Lines(t, clause, fmt.Sprintf(all, table)), "%d: %s", i, withClause)
			}
			changed += min(int(want), 1)
			if i%40 == 0 {
				for _, db := range []harness.Execer{hinted, clause} {
					harness.Must(t, db, fillHistory...)
				}
			}
		}
		require.Greater(t, worked, 150)
		require.Greater(t, changed, 100)
		require.True(t, more > 40 || view == "all", more)
	}
}

func tryAffected(db harness.Execer, statement string) (int64, error) {
	r, err := db.ExecContext(context.Background(), statement)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// fill puts a hint after each verb of a statement that accepts one, and a clause after each
// of its tables.
func fill(statement, hint, clause string) string {
	return strings.NewReplacer("{h}", hint, "{p}", clause).Replace(statement)
}

var historyTables = []string{"t$f", "t$g", "u"}

// fillHistory returns statements that give each cell one to five versions.
var fillHistory = func() (out []string) {
	for n, table := range historyTables {
		var rows []string
		for k, key := range []string{"a", "b", "ab", "c"} {
			for q, qualifier := range []string{"q", "r"} {
				for version := range (n+k+q)%5 + 1 {
					value := fmt.Sprintf("'%d'", (version*7+k)%10)
					if version == 1 {
						value = "NULL"
					}
					rows = append(rows, fmt.Sprintf("('%s', '%s', %d, %s)", key, qualifier, version+1, value))
				}
			}
		}
		out = append(out, "REPLACE INTO "+table+" (K, Q, T, V) VALUES "+strings.Join(rows, ", "))
	}
	return out
}()

func historyStore(t *testing.T, view string) harness.Execer {
	db := harness.OpenDB(t, "file::memory:?clock=2024-05-06T07:08:09Z&versions="+view)
	harness.Must(t, db, "CREATE TABLE t$f "+harness.PlainTable, "CREATE TABLE t$g "+harness.PlainTable,
		"CREATE TABLE u "+harness.PlainTable+" PARTITION BY KEY (K) PARTITIONS 3",
		"CREATE VIEW v AS SELECT K, Q, T, V FROM t$f WHERE Q = 'q'",
		"CREATE VIEW early AS SELECT /*+ TIMERANGE(1, 4) */ K, Q, T, V FROM u",
		"CREATE VIEW outer_view AS SELECT v.K, v.T, early.V FROM v JOIN early ON v.K = early.K AND v.T = early.T",
		"CREATE VIEW pivot AS SELECT K AS id, MAX(CASE WHEN Q = 'q' THEN V END) AS q, MAX(CASE WHEN Q = 'r' THEN T END) AS r FROM u GROUP BY K")
	harness.Must(t, db, fillHistory...)
	return db
}

// historyGen generates statements over versions, with {h} where a hint may stand and {p}
// where FOR SYSTEM_TIME may.
type historyGen struct{ r *rand.Rand }

func (g historyGen) one(of ...string) string { return harness.Pick(g.r, of) }

func (g historyGen) statement() string {
	switch g.r.IntN(12) {
	case 0, 1:
		return g.selects()
	case 2, 3, 4, 5:
		return g.queries()
	case 6, 7:
		return g.deletes()
	case 8, 9:
		return g.updates()
	case 10:
		return g.joined()
	}
	return g.inserts()
}

func (g historyGen) table() string { return g.one("t$f", "t$g", "u") }

// where returns a condition on a table's columns, with the qualifier of.
func (g historyGen) where(of string) string {
	c := g.one("{.}K = 'a'", "{.}K = 'ab' AND {.}Q = 'q'", "{.}T = 2", "{.}K = 'b' AND {.}Q = 'r' AND {.}T = 1", "{.}T BETWEEN 2 AND 3",
		"{.}V > '3'", "{.}V IS NULL", "{.}K LIKE 'a%'", "{.}K IN ('a', 'c') AND {.}T < 4", "{.}T > 1 OR {.}K = 'c'",
		"{.}K = 'a' AND {.}Q = 'q' AND {.}T IN (1, 3)", "{.}Q = 'q' AND {.}T >= 2", "{.}T < 2")
	return strings.ReplaceAll(c, "{.}", of)
}

func (g historyGen) selects() string {
	from := g.one("t$f{p}", "t$g{p}", "u{p}", "u PARTITION (p1){p}", "t{p}", "v{p}", "early{p}", "t$f{p} AS x", "t$f{p} x USE INDEX (PRIMARY)", "`default`.t$f{p}")
	columns := g.one("*", "K, T, V", "COUNT(*)", "K, COUNT(*), MAX(T)", "DISTINCT K", "K, Q, T, ROW_NUMBER() OVER (PARTITION BY K ORDER BY Q, T)")
	group := ""
	if strings.HasPrefix(columns, "K, COUNT") {
		group = " GROUP BY K"
	}
	return "SELECT {h} " + columns + " FROM " + from + " WHERE " + g.where("") + group + g.one("", "", " LIMIT 1000")
}

func (g historyGen) queries() string {
	a, b := g.table(), g.table()
	return g.one(
		"SELECT {h} a.K, a.T, b.V FROM "+a+"{p} a JOIN "+b+"{p} b ON a.K = b.K AND a.Q = b.Q AND a.T = b.T WHERE "+g.where("a."),
		"SELECT {h} a.K, a.T, b.T FROM "+a+"{p} a LEFT JOIN "+b+"{p} b ON a.K = b.K AND a.T < b.T WHERE "+g.where("a."),
		"SELECT {h} K, T FROM "+a+"{p} JOIN "+b+"{p} USING (K, Q, T)",
		"SELECT {h} a.K FROM "+a+"{p} a, v{p} b WHERE a.K = b.K AND a.T = b.T AND "+g.where("b."),
		"SELECT {h} K, T FROM "+a+"{p} WHERE T IN (SELECT T FROM "+b+"{p} WHERE "+g.where("")+")",
		"SELECT {h} K, T FROM "+a+"{p} o WHERE EXISTS (SELECT 1 FROM "+b+"{p} i WHERE i.K = o.K AND i.T > o.T AND "+g.where("i.")+")",
		"SELECT {h} K, (SELECT COUNT(*) FROM "+b+"{p} i WHERE i.K = o.K) FROM "+a+"{p} o WHERE "+g.where("o."),
		"SELECT {h} d.K, d.n FROM (SELECT K, COUNT(*) AS n FROM "+a+"{p} WHERE "+g.where("")+" GROUP BY K) d",
		"SELECT {h} K, T FROM "+a+"{p} WHERE "+g.where("")+g.one(" UNION ", " UNION ALL ", " EXCEPT ", " INTERSECT ")+"SELECT K, T FROM "+b+"{p}",
		"WITH c AS (SELECT K, Q, T FROM "+a+"{p} WHERE "+g.where("")+") SELECT {h} c.K, c.T FROM c JOIN "+b+"{p} b ON c.K = b.K",
		"SELECT {h} id, q, r FROM pivot{p}", "SELECT {h} * FROM outer_view{p}", "SELECT {h} F, K, T FROM t{p} WHERE "+g.where(""),
		"SELECT {h} MAX(T), MIN(T) FROM "+a+"{p} WHERE K = "+g.one("'a'", "'b'")+" AND Q = 'q'",
		"SELECT {h} K, Q, T, V FROM "+a+"{p} WHERE K = 'a' AND Q = 'q' ORDER BY T DESC LIMIT 2",
		"SELECT {h} a.id, b.T FROM pivot{p} a JOIN "+b+"{p} b ON a.id = b.K",
	)
}

func (g historyGen) deletes() string {
	tail := g.one("", "", "", " ORDER BY K, Q, T LIMIT 1", " ORDER BY T DESC, K, Q LIMIT 2")
	alias := g.one("", "", " AS d")
	return "DELETE {h} FROM " + g.one(g.table()+"{p}", "u PARTITION (p0, p1){p}") + alias + " WHERE " + g.where("") + tail
}

func (g historyGen) updates() string {
	set := g.one("V = 'x'", "V = CONCAT(V, '!')", "V = T", "T = T + 10", "Q = 'z'", "V = NULL", "K = 'k', V = 'moved'", "V = DEFAULT")
	tail := g.one("", "", "", " ORDER BY K, Q, T LIMIT 1", " ORDER BY T DESC, K, Q LIMIT 2")
	return "UPDATE {h} " + g.one("", "", "IGNORE ") + g.one(g.table()+"{p}", "v{p}", g.table()+"{p} AS d") + " SET " + set + " WHERE " + g.where("") + tail
}

func (g historyGen) joined() string {
	a, b := g.table(), g.table()
	on := g.one("a.K = b.K AND a.Q = b.Q AND a.T = b.T", "a.K = b.K AND a.Q = b.Q AND a.T < b.T", "a.K = b.K")
	where := " WHERE " + g.where("b.")
	return g.one(
		"DELETE {h} a FROM "+a+"{p} a JOIN "+b+"{p} b ON "+on+where,
		"DELETE {h} FROM a USING "+a+"{p} a JOIN "+b+"{p} b ON "+on+where,
		"DELETE {h} a, b FROM "+a+"{p} AS a, "+b+"{p} AS b WHERE "+on+" AND "+g.where("a."),
		"DELETE {h} FROM "+a+"{p} WHERE K IN (SELECT K FROM v{p} WHERE "+g.where("")+") AND T < 3",
		"UPDATE {h} "+a+"{p} a JOIN "+b+"{p} b ON "+on+" SET a.V = 'joined'"+where,
		"UPDATE {h} "+a+"{p} a, "+b+"{p} b SET a.V = b.V, b.V = 'both' WHERE "+on+" AND "+g.where("a."),
		"UPDATE {h} "+a+"{p} a LEFT JOIN "+b+"{p} b ON "+on+" SET a.V = IFNULL(b.T, 'none') WHERE "+g.where("a."),
		"UPDATE {h} "+a+"{p} SET V = (SELECT COUNT(*) FROM v{p} WHERE "+g.where("")+") WHERE "+g.where(""),
	)
}

func (g historyGen) inserts() string {
	into := g.one("INSERT IGNORE INTO ", "REPLACE INTO ") + g.table() + " (K, Q, T, V) "
	return g.one(
		into+"SELECT {h} K, CONCAT(Q, 'n'), T, V FROM "+g.table()+"{p} WHERE "+g.where(""),
		into+"SELECT {h} K, Q, T + 100, V FROM "+g.one("v{p}", "early{p}", "t{p}")+" WHERE "+g.where(""),
	)
}
