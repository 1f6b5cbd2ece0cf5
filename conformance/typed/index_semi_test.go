package typed

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestSemiJoinsByIndex runs a subquery first, and looks up its values in an index of the outer table.
func TestSemiJoinsByIndex(t *testing.T) {
	db := indexed(t)
	harness.Must(t, db, "CREATE TABLE q (n int PRIMARY KEY, mail varchar(60) COLLATE utf8mb4_general_ci, a int, pid int, c varchar(20) COLLATE utf8mb4_0900_bin)",
		"INSERT INTO q VALUES (1, 'p7@example.com', 5, 10, 'C07'), (2, 'P100@EXAMPLE.com', 6, 11, 'C08'), (3, 'nobody', NULL, NULL, NULL), "+
			"(4, NULL, 7, 12, 'C09'), (5, 'P7@Example.com', 5, 5000, 'C07')")
	const few = 500
	requireIndexed(t, db, "SELECT id, bio FROM p WHERE email IN (SELECT mail FROM q) ORDER BY id", few, "index: email")
	requireIndexed(t, db, "SELECT id, bio FROM p WHERE email IN (SELECT mail FROM q WHERE n > 2) ORDER BY id", few, "index: email")
	requireIndexed(t, db, "SELECT id, bio FROM p WHERE email = (SELECT mail FROM q WHERE n = 2)", few, "index: email")
	requireIndexed(t, db, "SELECT id, bio FROM p WHERE email = (SELECT mail FROM q WHERE n = 4)", few, "index: email")
	requireIndexed(t, db, "SELECT id, bio FROM p WHERE age IN (SELECT a FROM q) AND score > 100 ORDER BY id", 1500, "index: age")
	requireIndexed(t, db, "SELECT id, bio FROM p WHERE city = 'C07' AND age IN (SELECT a FROM q) ORDER BY id", few, "index: city")
	requireIndexed(t, db, "SELECT id, bio FROM p WHERE (city, age) IN (SELECT c, a FROM q) ORDER BY id", few, "index: city")
	requireIndexed(t, db, "SELECT id, bio FROM p WHERE age > (SELECT MAX(age) - 1 FROM p IGNORE INDEX (age)) ORDER BY id", 20_000)
	requireIndexed(t, db, "SELECT id, bio FROM p WHERE EXISTS (SELECT 1 FROM q WHERE q.mail = p.email AND q.n < 4) ORDER BY id", few, "index: email")
	requireIndexed(t, db, "SELECT id, bio FROM p WHERE EXISTS (SELECT 1 FROM q WHERE q.c = p.city AND q.a = p.age) ORDER BY id", few, "index: city")
	requireIndexed(t, db, "SELECT id, bio FROM p WHERE EXISTS (SELECT 1 FROM q WHERE q.pid = p.id) ORDER BY id", few, "lookup")
	for _, query := range []string{ // a scan reads these
		"SELECT id FROM p WHERE email NOT IN (SELECT mail FROM q WHERE n < 3) ORDER BY id",
		"SELECT id FROM p WHERE NOT EXISTS (SELECT 1 FROM q WHERE q.mail = p.email) ORDER BY id",
		"SELECT id, bio FROM p WHERE email IN (SELECT email FROM p IGNORE INDEX (email)) ORDER BY id",
	} {
		requireSame(t, query, harness.Lines(t, db, withoutIndexes(query)), harness.Lines(t, db, query))
		plan := strings.Join(harness.Lines(t, db, "EXPLAIN FORMAT=TREE "+query), "\n")
		require.NotContains(t, plan, "index: ", query)
	}
	tree := strings.Join(harness.Lines(t, db, "EXPLAIN ANALYZE SELECT id, bio FROM p WHERE email IN (SELECT mail FROM q)"), "\n")
	require.Contains(t, tree, "index: email", tree)
}

// TestRangesOfSubqueriesExplained: EXPLAIN, which does not run a subquery, names the index of a range that it bounds.
func TestRangesOfSubqueriesExplained(t *testing.T) {
	db := indexed(t)
	for _, where := range []string{
		"age > (SELECT MAX(age) - 1 FROM p)", "(SELECT MAX(age) - 1 FROM p) < age", "age BETWEEN (SELECT MAX(age) - 1 FROM p) AND 1000",
		"age > (SELECT MAX(age) - 1 FROM p) AND city >= 'C' AND bio LIKE '%7%'",
	} {
		for _, explain := range []string{"EXPLAIN FORMAT=TREE", "EXPLAIN ANALYZE"} {
			plan := strings.Join(harness.Lines(t, db, explain+" SELECT id, bio FROM p WHERE "+where), "\n")
			require.Contains(t, plan, "-> Skip scan of p", explain)
			require.Contains(t, plan, "index: age\n", explain)
		}
	}
	plan := strings.Join(harness.Lines(t, db, "EXPLAIN FORMAT=TREE SELECT id, bio FROM p WHERE age > (SELECT MAX(age) FROM p)"), "\n")
	require.Contains(t, plan, "spans: [/'<first row>' - /'<first row>'] [/'<last row>' - /'<last row>']")
	plan = strings.Join(harness.Lines(t, db, "EXPLAIN ANALYZE SELECT id, bio FROM p WHERE age > (SELECT MIN(age) FROM p)"), "\n")
	require.Contains(t, plan, "-> Full scan of p", "a statement that runs knows better")
}

// TestSemiJoinOfBytes looks up texts that are equal by their collation, but not as the bytes that they are
// compared with.
func TestSemiJoinOfBytes(t *testing.T) {
	db := open(t, "CREATE TABLE p (id int PRIMARY KEY, k varbinary(20), KEY k (k))", "INSERT INTO p VALUES (1, 'al'), (2, 'AL'), (3, 'Al'), (4, 'bo')",
		"CREATE TABLE q (v varchar(20) COLLATE utf8mb4_general_ci)", "INSERT INTO q VALUES ('AL'), ('al'), ('Bo')")
	const query = "SELECT id FROM p FORCE INDEX (k) WHERE k IN (SELECT v FROM q) ORDER BY id"
	require.Equal(t, []string{"1", "2"}, harness.Lines(t, db, strings.Replace(query, "FORCE", "IGNORE", 1)))
	require.Equal(t, []string{"1", "2"}, harness.Lines(t, db, query))
	require.Contains(t, strings.Join(harness.Lines(t, db, "EXPLAIN ANALYZE "+query), "\n"), "index: k")
	require.Equal(t, []string{"1", "2"}, harness.Lines(t, db, "SELECT id FROM p WHERE EXISTS (SELECT 1 FROM q WHERE q.v = p.k) ORDER BY id"))
}

// TestSemiJoinChanges changes the rows that a subquery leads to.
func TestSemiJoinChanges(t *testing.T) {
	db := indexed(t)
	harness.Must(t, db, "CREATE TABLE q (a int)", "INSERT INTO q VALUES (5), (5), (6), (NULL)")
	require.Equal(t, harness.Single(t, db, "SELECT COUNT(*) FROM p IGNORE INDEX (age) WHERE age IN (5, 6)"),
		fmt.Sprint(harness.Affected(t, db, "UPDATE p SET age = age + 200 WHERE age IN (SELECT a FROM q)")))
	require.Equal(t, harness.Single(t, db, "SELECT COUNT(*) FROM p IGNORE INDEX (age) WHERE age = 206"),
		fmt.Sprint(harness.Affected(t, db, "DELETE FROM p WHERE age = (SELECT MAX(a) + 200 FROM q)")))
	require.Equal(t, "0", harness.Single(t, db, "SELECT COUNT(*) FROM p WHERE EXISTS (SELECT 1 FROM q WHERE q.a = p.age)"))
	requireSoundTable(t, db, "p")
}

// TestIntersectedIndexes looks up the rows that have entries in two indexes.
func TestIntersectedIndexes(t *testing.T) {
	db := open(t, "CREATE TABLE p (id int PRIMARY KEY, a int, b int, c int, text varchar(50), KEY a (a), KEY b (b), UNIQUE KEY c (c), KEY ab (a, c))")
	for from := 0; from < 20000; from += 2000 {
		var rows []string
		for i := from; i < from+2000; i++ {
			rows = append(rows, fmt.Sprintf("(%d, %d, %d, %d, 'text %d')", i, i%40, i/7%50, i, i))
		}
		harness.Must(t, db, "INSERT INTO p VALUES "+strings.Join(rows, ", "))
	}
	const ignore = " IGNORE INDEX (a, b, c, ab)"
	requireMet := func(query string, most int64, words ...string) {
		t.Helper()
		want := harness.Lines(t, db, strings.Replace(query, "FROM p", "FROM p"+ignore, 1))
		requireSame(t, query, want, harness.Lines(t, db, query))
		plan := strings.Join(harness.Lines(t, db, "EXPLAIN FORMAT=TREE "+query), "\n")
		for _, word := range words {
			require.Contains(t, plan, word, query)
		}
		require.LessOrEqual(t, harness.CellsOf(t, db, query), most, plan)
	}
	requireMet("SELECT * FROM p WHERE a = 3 AND b = 4 ORDER BY id", 1000, "index: b,a")
	requireMet("SELECT * FROM p WHERE a = 3 AND b = 4 AND text LIKE '%7' ORDER BY id", 1000, "index: b,a")
	requireMet("SELECT * FROM p WHERE a IN (3, 4) AND b IN (4, 5) ORDER BY id", 1000+1700, "index: ")
	requireMet("SELECT * FROM p WHERE a = 3 AND b = 4 AND c < 5000 ORDER BY id", 1000+5000, "index: a")
	plan := strings.Join(harness.Lines(t, db, "EXPLAIN SELECT * FROM p WHERE a = 3 AND b = 4"), "\n")
	require.Contains(t, plan, "index_merge", plan)
	require.Contains(t, plan, "Using intersect(b,a)", plan)
	// The second index would not narrow the rows of the first, or not enough.
	requireMet("SELECT * FROM p IGNORE INDEX (b) WHERE a = 3 AND c BETWEEN 0 AND 8000 ORDER BY id", 3000, "index: ab")
	requireMet("SELECT * FROM p WHERE a = 3 AND b < 45 ORDER BY id", 200_000)
}

// TestUnitedIndexes looks up the rows that have entries in one of two indexes, or are found by the primary key.
func TestUnitedIndexes(t *testing.T) {
	db := indexed(t)
	requireIndexed(t, db, "SELECT id, bio FROM p WHERE email = 'p7@example.com' OR age = 5 ORDER BY id", 700, "index: email,age")
	requireIndexed(t, db, "SELECT id, bio FROM p WHERE email = 'p7@example.com' OR id = 9 OR id = 11 ORDER BY id", 100, "index: email")
	requireIndexed(t, db, "SELECT id, bio FROM p WHERE (email = 'p7@example.com' OR age = 5 AND score > 100) AND city > 'C2' ORDER BY id", 700, "index: ")
	requireIndexed(t, db, "SELECT id, bio FROM p WHERE email LIKE 'P7@%' OR email IS NULL AND age = 7 OR score = 7 ORDER BY id", 200, "index: ")
	requireIndexed(t, db, "SELECT id, bio FROM p WHERE email = 'nobody' OR score = -1 ORDER BY id", 100)
	requireIndexed(t, db, "SELECT id, bio FROM p WHERE email = 'p7@example.com' OR bio LIKE '%7' ORDER BY id", 20_000)
	requireIndexed(t, db, "SELECT id, bio FROM p WHERE email > 'p' OR age > 5 ORDER BY id", 20_000)
	plan := strings.Join(harness.Lines(t, db, "EXPLAIN SELECT id, bio FROM p WHERE email = 'p7@example.com' OR age = 5"), "\n")
	require.Contains(t, plan, "index_merge", plan)
	require.Contains(t, plan, "Using union(email,age)", plan)
}

// TestSkipScan finds rows by the later columns of an index whose first one has few values.
func TestSkipScan(t *testing.T) {
	db := open(t, "CREATE TABLE p (id int PRIMARY KEY, kind varchar(10) COLLATE utf8mb4_general_ci, n int, u int, text varchar(50), KEY kn (kind, n), UNIQUE KEY ku (kind, u))")
	for from := 0; from < 20000; from += 2000 {
		var rows []string
		for i := from; i < from+2000; i++ {
			kind := fmt.Sprintf("'k%d'", i%5)
			if i%5 == 4 {
				kind = "NULL"
			}
			rows = append(rows, fmt.Sprintf("(%d, %s, %d, %d, 'text %d')", i, kind, i*7919%10000, i, i))
		}
		harness.Must(t, db, "INSERT INTO p VALUES "+strings.Join(rows, ", "))
	}
	requireMet := func(query string, most int64, words ...string) {
		t.Helper()
		want := harness.Lines(t, db, strings.Replace(query, "FROM p", "FROM p IGNORE INDEX (kn, ku)", 1))
		requireSame(t, query, want, harness.Lines(t, db, query))
		plan := strings.Join(harness.Lines(t, db, "EXPLAIN "+query), "\n")
		for _, word := range words {
			require.Contains(t, plan, word, query)
		}
		require.LessOrEqual(t, harness.CellsOf(t, db, query), most, plan)
	}
	const skip = "Using index for skip scan"
	requireMet("SELECT * FROM p WHERE n = 77 ORDER BY id", 500, skip)
	requireMet("SELECT * FROM p WHERE n BETWEEN 100 AND 110 ORDER BY id", 1000, skip)
	requireMet("SELECT * FROM p WHERE n < 3 ORDER BY id", 1000, skip)
	requireMet("SELECT * FROM p WHERE n > 9990 AND text LIKE '%1' ORDER BY id", 1000, skip)
	requireMet("SELECT * FROM p WHERE n IN (5, 6, 7) ORDER BY id", 1000, skip)
	requireMet("SELECT * FROM p WHERE u = 4444 ORDER BY id", 500, skip)
	requireMet("SELECT * FROM p WHERE n > 5000 ORDER BY id", 200_000)
	harness.Must(t, db, "UPDATE p SET kind = id")
	requireMet("SELECT * FROM p WHERE n = 77 ORDER BY id", 200_000)
}
