package subqueries

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

var memberN = flag.Int("members.n", 8, "statements of TestRandomMembers in each layout and view")

// TestRandomMembers compares IN and EXISTS, their negations, scalar subqueries, and joins with pivots that
// are merged or read once with the same ones executed row by row, and with a MariaDB server if there is one.
func TestRandomMembers(t *testing.T) {
	var peer *sql.DB
	if *harness.MariaDB != "" {
		peer = oracle.OpenMariaDB(t)
	}
	for layout, partitioning := range map[string]string{"one": "", "key97": " PARTITION BY KEY(K) PARTITIONS 97"} {
		for _, versions := range []string{"all", "latest"} {
			t.Run(layout+" "+versions, func(t *testing.T) {
				g := memberGen{rand.New(rand.NewPCG(testseed.Of(t), uint64(len(layout+versions))))}
				db := harness.OpenDB(t, ":memory:")
				db.SetMaxOpenConns(1)
				for _, table := range []string{"t", "u"} {
					all, newest := g.cells(500)
					harness.Must(t, db, "CREATE TABLE "+table+harness.MemberColumns+partitioning, "INSERT INTO "+table+" VALUES "+strings.Join(all, ", "))
					if versions == "latest" {
						all = newest
					}
					if peer != nil {
						harness.Must(t, peer, "DROP TABLE IF EXISTS "+table, "CREATE TABLE "+table+harness.MemberColumns, "INSERT INTO "+table+" VALUES "+strings.Join(all, ", "))
					}
				}
				harness.Must(t, db, "SET hbasekv_versions = '"+versions+"', max_error_count = 60000, sql_mode = 'ERROR_FOR_DIVISION_BY_ZERO'")
				for range *memberN {
					g.compare(t, db, peer)
				}
			})
		}
	}
}

type memberGen struct{ *rand.Rand }

// tables returns a session's database with t and u of the given number of rows, whose versions are all
// visible.
func (g memberGen) tables(t *testing.T, rows int, partitioning string) *sql.DB {
	db := harness.OpenDB(t, ":memory:")
	db.SetMaxOpenConns(1)
	for _, table := range []string{"t", "u"} {
		all, _ := g.cells(rows)
		harness.Must(t, db, "CREATE TABLE "+table+harness.MemberColumns+partitioning, "INSERT INTO "+table+" VALUES "+strings.Join(all, ", "))
	}
	return db
}

func (g memberGen) one(of ...string) string { return of[g.IntN(len(of))] }

// cells returns the cells of some rows, and the newest version of each.
func (g memberGen) cells(rows int) (all, newest []string) {
	for i := range rows {
		for _, q := range "abcd" {
			for n, version := g.IntN(4)*g.IntN(2), 0; version < n; version++ {
				v := g.one("NULL", "''", "'x'", fmt.Sprintf("'%d'", g.IntN(40)), fmt.Sprintf("'%d'", g.IntN(40)), fmt.Sprintf("'k%04d'", g.IntN(500)))
				all = append(all, fmt.Sprintf("('k%04d', '%c', %d, %s)", i, q, 2*version+g.IntN(2), v))
				if version == n-1 {
					newest = append(newest, all[len(all)-1])
				}
			}
		}
	}
	return all, newest
}

// members draws a condition for rows with the keys of a row of a.
func (g memberGen) members() string {
	also := g.one("", "", "b.Q = 'b'", "b.Q = 'b' AND b.V > '2'", "b.V > '5'", "b.K < 'k0400'", "b.V IS NOT NULL", "b.T > 1", "b.V LIKE '1%'", "b.Q IN ('a', 'c') AND b.T < 4",
		"b.V + 1 > 3", "b.K = 'k0007'", "b.K > 'none'")
	where, and := "", ""
	if also != "" {
		where, and = " WHERE "+also, " AND "+also
	}
	not := g.one("", "NOT ")
	form := g.one("a.K @IN (SELECT b.K FROM % b#)", "a.K @IN (SELECT b.K FROM % b#)", "a.K @IN (SELECT DISTINCT b.K FROM % b#)",
		"a.K @IN (SELECT b.K FROM % b# GROUP BY b.K HAVING COUNT(*) > 1)", "a.K @IN (SELECT b.K FROM % b# GROUP BY b.K HAVING MAX(b.V) > '3')",
		"a.K @IN (SELECT b.V FROM % b#)", "a.K @IN (SELECT NULLIF(b.K, 'k0003') FROM % b#)", "a.V @IN (SELECT b.K FROM % b#)",
		"(a.K, a.Q) @IN (SELECT b.K, b.Q FROM % b#)", "(a.Q, a.K) @IN (SELECT b.Q, b.K FROM % b#)", "(a.K, a.V) @IN (SELECT b.K, b.Q FROM % b#)",
		"(a.K, a.T) @IN (SELECT b.K, b.T FROM % b#)", "(a.K, a.Q, a.T) @IN (SELECT b.K, b.Q, b.T FROM % b#)", "@(a.K @IN (SELECT b.K FROM % b#))",
		"@EXISTS (SELECT 1 FROM % b WHERE b.K = a.K&)", "@EXISTS (SELECT * FROM % b WHERE a.K = b.K&)", "@EXISTS (SELECT 1 FROM % b WHERE b.Q = a.Q AND b.K = a.K&)",
		"@EXISTS (SELECT 1 FROM % b WHERE b.K = a.K AND b.Q = a.Q AND b.T = a.T&)", "@EXISTS (SELECT 1 FROM % b WHERE b.K = a.K AND b.V = a.V&)",
		"@EXISTS (SELECT 1 FROM % b WHERE b.V = a.V&)", "@EXISTS (SELECT 1 FROM % b WHERE b.K = a.V&)", "@EXISTS (SELECT 1 FROM % b WHERE b.K = a.K AND b.T > a.T&)",
		"(@EXISTS (SELECT 1 FROM % b WHERE b.K = a.K&) OR a.V = 'x')", "@EXISTS (SELECT 1 FROM ^ b WHERE b.K = a.K&)", "@EXISTS (SELECT b.Q FROM ^ b WHERE b.V = a.V AND a.K = b.K&)",
		"@EXISTS (SELECT b.Q FROM ^ b WHERE b.V = a.V&)", "a.K @IN (SELECT b.K FROM ^ b#)", "a.V @IN (SELECT b.V FROM ^ b#)", "@("+g.scalar()+" > '2')", "@("+g.scalar()+" = a.V)", g.scalar()+" IS @NULL")
	if g.IntN(3) == 0 {
		form = g.partners()
	}
	return strings.NewReplacer("@", not, "%", g.one("t", "u"), "#", where, "&", and,
		"^", "(SELECT K, MAX(CASE WHEN Q = 'b' THEN V END) AS V, MIN(Q) AS Q, MAX(T) AS T FROM t GROUP BY K)").Replace(form)
}

// partners draws conditions that require more of the rows that equal a row of a in some column:
// only the latest of them, only others than it, and conditions that neither compare a column
// for equality nor stand alone.
func (g memberGen) partners() string {
	and := g.one("b.V = a.V", "b.V = a.V", "b.K = a.K", "b.K = a.K AND b.Q = a.Q", "LEFT(b.K, 4) = LEFT(a.K, 4) AND b.V = a.V", "b.K = a.V", "UPPER(b.V) = UPPER(a.V)", "b.T = a.T + 1 AND a.Q = b.Q",
		"LEFT(b.K, 3) = a.Q", "a.V = CONCAT(b.V, '')", "b.Q = a.Q AND b.V = a.V")
	later := g.one("b.T > a.T", "b.T > a.T", "b.T <= a.T", "b.K <> a.K", "(b.T > a.T OR b.T = a.T AND b.K > a.K)", "b.Q < a.Q AND b.T > 1", "NOT b.V < a.Q", "b.T BETWEEN a.T - 1 AND a.T", "b.V + 1 > a.T")
	return strings.ReplaceAll(g.one("@EXISTS (SELECT 1 FROM % b WHERE ~ AND "+later+"&)", "@EXISTS (SELECT * FROM % b WHERE "+later+" AND ~&)",
		"@EXISTS (SELECT b.K FROM % b WHERE ~& GROUP BY b.K HAVING COUNT(*) > 1)", "@EXISTS (SELECT DISTINCT b.Q FROM ^ b WHERE ~ AND "+later+"&)",
		"@EXISTS (SELECT 1 FROM % b WHERE ~& AND NOT EXISTS (SELECT 1 FROM u c WHERE c.V = b.V AND c.T > a.T))",
		"a.T @IN (SELECT MAX(b.T) FROM % b WHERE ~&)", "a.Q @IN (SELECT b.Q FROM % b WHERE ~ AND "+later+"&)", "a.Q @IN (SELECT b.Q FROM ^ b WHERE ~&)",
		"a.T >= ALL (SELECT b.T FROM % b WHERE ~&)", "@a.K > ANY (SELECT b.K FROM % b WHERE ~&)", "a.T = (SELECT MAX(b.T) FROM % b WHERE ~&)",
		"@((SELECT COUNT(*) FROM % b WHERE ~ AND "+later+"&) < 2)", "(SELECT MIN(b.K) FROM ^ b WHERE ~ AND "+later+"&) IS @NULL",
		"(SELECT b.K FROM % b WHERE ~ AND "+later+"& ORDER BY b.T DESC, b.K, b.Q LIMIT 1) > 'k02'"), "~", and)
}

// scalar draws a subquery for a value of the rows equal to a row of a.
func (g memberGen) scalar() string {
	return "(SELECT " + g.one(g.one("MAX(b.V)", "MIN(b.V)", "COUNT(*)", "COUNT(b.V) + 1", "SUM(b.T)", "AVG(CAST(b.V AS SIGNED))", "COUNT(DISTINCT b.V)", "CONCAT(MIN(b.Q), MAX(b.V))")+
		" FROM "+g.one("%", "%", "^")+" b WHERE "+g.one("b.K = a.K", "b.K = a.K", "a.K = b.K AND b.Q = a.Q", "b.V = a.V", "b.V = a.K AND b.Q = a.Q", "LEFT(b.K, 4) = a.V")+"&",
		g.one("b.V", "b.T", "CONCAT(b.V, '-', b.Q)")+" FROM % b WHERE b.K = a.K AND b.Q = a.Q AND b.T = a.T&", "MAX(b.V) FROM ^ b WHERE b.K = a.K&") + ")"
}

// values draws scalar subqueries without further conditions.
func (g memberGen) values() string {
	return strings.NewReplacer("%", "u", "&", g.one("", " AND b.Q = 'b'"), "^", "(SELECT K, MAX(V) AS V, MIN(Q) AS Q, MAX(T) AS T FROM u GROUP BY K)").Replace(g.scalar())
}

func (g memberGen) statement() (text string, ordered bool) {
	conds := []string{g.members()}
	for range g.IntN(3) {
		conds = append(conds, g.one(g.members(), "a.Q = 'a'", "a.Q <> 'b'", "a.V > '3'", "a.V + 1 > 3", "CAST(a.V AS SIGNED) < 20", "a.K > 'k0300'", "a.K = 'k0100'", "a.V IS NOT NULL",
			"a.V IN (SELECT V FROM u WHERE T = 1)"))
	}
	g.Shuffle(len(conds), func(i, j int) { conds[i], conds[j] = conds[j], conds[i] })
	from := " FROM t a WHERE " + strings.Join(conds, " AND ")
	switch g.IntN(15) {
	case 12, 13, 14:
		return g.lookups()
	case 9:
		return "SELECT a.K, a.Q, a.T, " + g.values() + ", " + g.values() + from, false
	case 10:
		return "SELECT a.Q, COUNT(*), MAX(" + g.values() + "), COUNT(" + g.values() + ")" + from + " GROUP BY a.Q", false
	case 11:
		return "SELECT a.K, a.Q, a.T, " + g.values() + " AS x" + from + " ORDER BY x, a.K, a.Q, a.T" + g.one("", " LIMIT 11"), true
	case 0:
		return "SELECT a.V, COUNT(*), MAX(a.T)" + from + " GROUP BY a.V", false
	case 1:
		return "SELECT a.K, a.Q, a.T, a.V" + from + " ORDER BY a.K, a.Q, a.T DESC" + g.one("", " LIMIT 7", " LIMIT 20, 5"), true
	case 2:
		return "SELECT a.K, a.Q, a.T, a.V" + from + " ORDER BY a.K DESC, a.Q DESC, a.T" + g.one("", " LIMIT 9"), true
	case 3:
		return "SELECT a.K, MAX(CASE WHEN a.Q = 'a' THEN a.V END) AS x, COUNT(*)" + from + " GROUP BY a.K ORDER BY x, a.K", true
	case 4:
		return "SELECT DISTINCT a.K" + from, false
	case 5:
		return "SELECT a.Q, COUNT(*), MIN(c.V)" + strings.Replace(from, "WHERE", "JOIN u c ON c.K = a.K AND c.Q = 'b' WHERE", 1) + " GROUP BY a.Q", false
	case 6:
		return "SELECT p.x, COUNT(*) FROM (SELECT a.K, MAX(a.V) AS x" + from + " GROUP BY a.K) p JOIN (SELECT K, COUNT(*) AS n FROM u GROUP BY K) r ON r.K = p.K WHERE r.n > 1 GROUP BY p.x", false
	case 7:
		return "SELECT x.K, x.Q, x.T" + strings.Replace(from, "FROM t a WHERE", "FROM u x JOIN t a ON a.K = x.K AND a.Q = x.Q WHERE", 1), false
	}
	return "SELECT COUNT(*), MIN(a.K), MAX(a.Q), SUM(a.T), SUM(LENGTH(a.V))" + from, false
}

// lookups joins rows that are found by K, but are not cells, with their cells.
func (g memberGen) lookups() (text string, ordered bool) {
	base := g.one("(SELECT DISTINCT K, '5' AS x FROM t)", "(SELECT DISTINCT K, K AS x FROM t WHERE K > 'k0100')", "(SELECT K, MAX(V) AS x FROM t GROUP BY K)",
		"(SELECT K, MAX(V) AS x FROM t GROUP BY K HAVING COUNT(*) > 2)", "(SELECT K, MAX(V) AS x FROM t WHERE Q = 'a' GROUP BY K)", "(SELECT K, MIN(V) AS x FROM t WHERE V > '3' GROUP BY K)",
		"(SELECT K, MAX(V) AS x FROM t WHERE K BETWEEN 'k0100' AND 'k0110' GROUP BY K)", "(SELECT K, V AS x FROM t WHERE Q = 'b')", "(SELECT LEFT(K, 4) AS K, MAX(V) AS x FROM t GROUP BY LEFT(K, 4))")
	join := func(alias, table string) string {
		return g.one(" JOIN ", " LEFT JOIN ") + table + " " + alias + " ON " + strings.ReplaceAll(g.one("#.K = p.K AND #.Q = 'b'", "p.K = #.K AND #.Q = 'a'", "#.K = p.K AND #.Q = 'b' AND #.V > '3'",
			"#.K = p.K AND #.Q = 'c' AND #.V > p.x", "#.K = p.K AND #.Q = 'c' AND #.T < 4", "#.K = p.K", "#.K = p.x AND #.Q = 'a'", "#.K = p.K AND #.V = p.x"), "#", alias)
	}
	from := " FROM " + base + " p" + join("b", "u")
	if g.IntN(2) == 0 {
		from += join("c", g.one("t", "u"))
	} else {
		from += " JOIN (SELECT 1 AS T, 2 AS V) c"
	}
	from += g.one("", "", " WHERE b.K IS NULL", " WHERE b.V IS NOT NULL AND p.x < '4'", " WHERE p.K < 'k0300'", " WHERE c.V > '1'")
	return g.one("SELECT COUNT(*), MIN(p.x), MAX(b.V), SUM(b.T), MAX(c.V)", "SELECT p.K, p.x, b.T, b.V, c.T, c.V", "SELECT p.K, b.Q, b.T, b.V, c.V",
		"SELECT DISTINCT p.x, b.V") + from, false
}

// spans matches statements that may read only spans of K, or only the first of the outer
// rows in the order of the store.
var spans = regexp.MustCompile(`a\.K(, a\.[QTV])*\)? IN \(SELECT|NOT \(a\.K NOT IN \(SELECT|SELECT (MAX\(b\.T|MIN\(b\.K)\)`)

// compare runs a statement in several ways.
func (g memberGen) compare(t *testing.T, db harness.Execer, peer *sql.DB) {
	text, ordered := g.statement()
	answer := func(joinRows, workers, batch, memory int) []string {
		harness.Must(t, db, fmt.Sprintf("SET hbasekv_join_rows = %d, hbasekv_parallelism = %d, hbasekv_batch_cells = %d, tmp_table_size = %d", joinRows, workers, batch, memory))
		out, err := harness.TryLines(db, text)
		require.NoError(t, err, text)
		if !ordered {
			slices.Sort(out)
		}
		return out
	}
	want := answer(harness.OneByOne, 1, harness.OneByOne, 1<<26)
	warned := harness.Lines(t, db, "SHOW WARNINGS")
	if peer != nil {
		asked, err := harness.TryLines(peer, text)
		require.NoError(t, err, text)
		if !ordered {
			slices.Sort(asked)
		}
		require.Equal(t, asked, want, text)
	}
	for range 3 {
		joinRows, workers := []int{0, 1, 1, 300}[g.IntN(4)], []int{1, 3}[g.IntN(2)]
		batch, memory := []int{0, 1, 7, 1024}[g.IntN(4)], []int{1 << 26, 1 << 14}[g.IntN(2)]
		got := answer(joinRows, workers, batch, memory)
		how := fmt.Sprintf("%s\njoin_rows=%d parallelism=%d batch_cells=%d memory=%d", text, joinRows, workers, batch, memory)
		if !slices.Equal(want, got) {
			how += "\n" + strings.Join(harness.Lines(t, db, "EXPLAIN FORMAT=TREE "+text), "\n")
		}
		require.Equal(t, want, got, how)
		// With LIMIT more or less is read ahead, and if keys are merged, or do not fit into
		// memory, no spans are built, so that other conditions are evaluated for more rows.
		if !strings.Contains(text, "LIMIT") && memory == 1<<26 && !spans.MatchString(text) {
			require.Equal(t, warned, harness.Lines(t, db, "SHOW WARNINGS"), how)
		}
	}
}

// TestMergedMembers checks which statements are merged, and what they do not read.
func TestMergedMembers(t *testing.T) {
	db := harness.OpenDB(t, "file::memory:?parallelism=3")
	db.SetMaxOpenConns(1)
	harness.Must(t, db, "CREATE TABLE t"+harness.MemberColumns+" PARTITION BY KEY(K) PARTITIONS 7", "CREATE TABLE small"+harness.MemberColumns+" PARTITION BY KEY(K) PARTITIONS 7",
		"CREATE TABLE other"+harness.MemberColumns+" PARTITION BY KEY(K) PARTITIONS 3", "INSERT INTO small VALUES ('k00007', 'q', 1, 'k00008')")
	var cells []string
	for i := range 15000 {
		cells = append(cells, fmt.Sprintf("('k%05d', 'a', 1, '%d'), ('k%05[1]d', 'b', 1, '%[3]d')", i, i%7, i%100))
	}
	harness.Must(t, db, "INSERT INTO t VALUES "+strings.Join(cells, ", "), "INSERT INTO other SELECT * FROM t")
	explained := func(how, s string) string { return strings.Join(harness.Lines(t, db, how+s), "\n") }
	for s, says := range map[string]string{
		"SELECT COUNT(*) FROM t WHERE Q = 'a' AND K IN (SELECT K FROM t WHERE Q = 'b' AND V > '1')":                           "Semi join, merge by row keys",
		"SELECT V, COUNT(*) FROM t a WHERE EXISTS (SELECT 1 FROM t b WHERE b.K = a.K AND b.Q = 'b' AND b.V > '1') GROUP BY V": "Semi join, merge by row keys",
		"SELECT COUNT(*) FROM t a WHERE NOT EXISTS (SELECT 1 FROM t b WHERE b.Q = a.Q AND b.K = a.K AND b.V > '1')":           "Anti join, merge by row keys",
		"SELECT COUNT(*) FROM t WHERE K NOT IN (SELECT K FROM t GROUP BY K HAVING COUNT(*) > 1)":                              "Anti join, merge by row keys",
		"SELECT COUNT(*) FROM t WHERE (K, Q) IN (SELECT K, Q FROM t WHERE V > '1')":                                           "Semi join, merge by row keys",
	} {
		for _, how := range []string{"EXPLAIN FORMAT=TREE ", "EXPLAIN ANALYZE "} {
			require.Contains(t, explained(how, s), says, s)
		}
		require.Contains(t, explained("EXPLAIN ANALYZE ", s), "workers: 3", s)
		require.NotContains(t, explained("EXPLAIN ", s), "SUBQUERY", s)
		require.Equal(t, !strings.Contains(s, "GROUP BY K"), strings.Contains(explained("EXPLAIN ", s), "Using merge join"), s)
	}
	for _, s := range []string{"SELECT COUNT(*) FROM t WHERE K IN (SELECT K FROM small)", "SELECT COUNT(*) FROM t WHERE K IN (SELECT V FROM t)",
		"SELECT COUNT(*) FROM t WHERE K IN (SELECT K FROM other)", "SELECT COUNT(*) FROM t WHERE K NOT IN (SELECT NULLIF(K, 'x') FROM t)",
		"SELECT COUNT(*) FROM small a WHERE EXISTS (SELECT 1 FROM t b WHERE b.K = a.K)", "SELECT COUNT(*) FROM t WHERE Q = 'a' OR K IN (SELECT K FROM t WHERE V > '1')",
		"SELECT COUNT(*) FROM t a WHERE EXISTS (SELECT 1 FROM t b WHERE b.K = a.K AND b.V + 1 > 3)"} {
		require.NotContains(t, explained("EXPLAIN ANALYZE ", s), "merge by", s)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := db.QueryContext(ctx, "SELECT COUNT(*) FROM t WHERE K IN (SELECT K FROM t WHERE V > '1')")
	require.ErrorIs(t, err, context.Canceled)
}

// TestExistsIgnoresItsList: nothing in the list is evaluated, but its names are resolved and
// its DISTINCT values are considered.
func TestExistsIgnoresItsList(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	db.SetMaxOpenConns(1)
	harness.Must(t, db, "CREATE TABLE t (K varbinary(64), Q varbinary(64), T bigint, V varbinary(64), PRIMARY KEY (K, Q, T))",
		"INSERT INTO t VALUES ('a', 'x', 1, '1'), ('a', 'y', 2, '2'), ('b', 'x', 1, '3')")
	const around = "SELECT COUNT(*) FROM t a WHERE "
	for _, list := range []string{"9223372036854775807 + b.T", "(SELECT K FROM t)", "a.T + 9223372036854775807", "1 / 0", "COUNT(*) OVER (), 1 / 0"} {
		for where, want := range map[string]string{"b.K = a.K": "3", "b.K = a.K AND b.Q = 'y'": "2", "b.V > '2' GROUP BY b.T": "3"} {
			require.Equal(t, []string{want}, harness.Lines(t, db, around+"EXISTS (SELECT "+list+" FROM t b WHERE "+where+")"), "%s: %s", list, where)
			require.Empty(t, harness.Lines(t, db, "SHOW WARNINGS"))
		}
	}
	require.Equal(t, []string{"0"}, harness.Lines(t, db, around+"EXISTS (SELECT DISTINCT LENGTH(b.Q) FROM t b LIMIT 1 OFFSET 1)"))
	require.Equal(t, []string{"3"},
		harness.Lines(t, db, around+"EXISTS (SELECT LENGTH(b.Q) FROM t b LIMIT 1 OFFSET 1)"))
	_, err := db.Query(around + "EXISTS (SELECT nothing + 1 FROM t b)")
	harness.RequireErrorNumber(t, 1054, err)
}

// TestExistsBeyondMemory: keys that do not fit into memory are looked up in a file. Looking
// up each row took as many scans as there are rows.
func TestExistsBeyondMemory(t *testing.T) {
	const rows = 8000
	var cells []string
	for i := range rows {
		cells = append(cells, fmt.Sprintf("('k%05d', 'a', 1, 'v%05d'), ('k%05[1]d', 'b', 1, 'v%05[3]d')", i, i*7919%rows, 2*i))
	}
	statements := []string{
		"SELECT COUNT(*), MAX(a.K) FROM t a WHERE a.Q = 'a' AND EXISTS (SELECT 1 FROM t b WHERE b.V = a.V AND b.Q = 'b')",
		"SELECT COUNT(*), MIN(a.K) FROM t a WHERE a.Q = 'a' AND NOT EXISTS (SELECT 1 FROM t b WHERE b.V = a.V AND b.Q = 'b' AND b.K > 'k00100')",
		"SELECT COUNT(*), MAX(a.K) FROM t a WHERE a.Q = 'a' AND EXISTS (SELECT 1 FROM t b WHERE b.K = a.V AND b.Q = 'b' AND b.V > 'v01')",
	}
	var want []string
	for _, memory := range []string{"64MiB", "64KiB"} {
		db, _ := harness.SpillDB(t, memory)
		db.SetMaxOpenConns(1)
		harness.Must(t, db, "CREATE TABLE t (K varbinary(64), Q varbinary(64), T bigint, V varbinary(64), PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 3",
			"INSERT INTO t VALUES "+strings.Join(cells, ", "))
		var got []string
		for _, s := range statements {
			got = append(got, harness.Lines(t, db, s)...)
		}
		if want == nil {
			want = got
		}
		require.Equal(t, want, got)
	}
}

// TestIndexOfGroupBelowJoin: the right rows of one K are found by what else is equal, and a join
// above, which copies the row, must not read the columns that nobody needs. Under the race detector
// the memory of such columns is reused.
func TestIndexOfGroupBelowJoin(t *testing.T) {
	g := memberGen{rand.New(rand.NewPCG(1, 2))}
	db := g.tables(t, 500, " PARTITION BY KEY(K) PARTITIONS 97")
	for _, text := range []string{
		"SELECT COUNT(*), MAX(b.V), MAX(c.V) FROM t a JOIN u b ON b.T = a.T + 1 AND b.K = a.K JOIN (SELECT K, MIN(V) AS V FROM u GROUP BY K) c ON c.K = a.K",
		"SELECT COUNT(*), MAX(b.V), MAX(c.V) FROM t a JOIN u b ON b.V = a.V AND b.K = a.K LEFT JOIN (SELECT K, MIN(V) AS V FROM u GROUP BY K) c ON c.K = a.K",
	} {
		harness.Must(t, db, fmt.Sprintf("SET hbasekv_join_rows = %d, hbasekv_parallelism = 1, hbasekv_batch_cells = %d", harness.OneByOne, harness.OneByOne))
		want := harness.Lines(t, db, text)
		harness.Must(t, db, "SET hbasekv_join_rows = 1, hbasekv_parallelism = 3, hbasekv_batch_cells = 0")
		for range 10 {
			require.Equal(t, want, harness.Lines(t, db, text), text)
		}
	}
}

// TestPartnersOfKeysThatWarn: an outer row whose key causes a warning looks its partners up, also
// with several goroutines: only one at a time opens a cursor.
func TestPartnersOfKeysThatWarn(t *testing.T) {
	g := memberGen{rand.New(rand.NewPCG(3, 4))}
	db := g.tables(t, 500, "")
	const text = "SELECT COUNT(*), SUM((SELECT COUNT(*) FROM u b WHERE b.T = CAST(a.V AS SIGNED) AND b.V > a.V)), " +
		"SUM((SELECT MAX(b.T) FROM u b WHERE b.T = CAST(a.V AS SIGNED) AND b.V < a.V)) FROM t a WHERE a.Q = 'a' AND a.K < 'k0150'"
	harness.Must(t, db, "SET max_error_count = 60000, sql_mode = 'ERROR_FOR_DIVISION_BY_ZERO'", fmt.Sprintf("SET hbasekv_join_rows = %d, hbasekv_parallelism = 1, hbasekv_batch_cells = %d", harness.OneByOne, harness.OneByOne))
	want, warned := harness.Lines(t, db, text), len(harness.Lines(t, db, "SHOW WARNINGS"))
	require.Positive(t, warned)
	harness.Must(t, db, "SET hbasekv_join_rows = 1, hbasekv_parallelism = 3, hbasekv_batch_cells = 0")
	for range 2 {
		require.Equal(t, want, harness.Lines(t, db, text))
		require.Len(t, harness.Lines(t, db, "SHOW WARNINGS"), warned)
	}
}
