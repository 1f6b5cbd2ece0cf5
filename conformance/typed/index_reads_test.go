package typed

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// indexed returns a database with a table of 2,000 rows with indexes.
func indexed(t *testing.T) *sql.DB {
	db := open(t, "CREATE TABLE p (id int PRIMARY KEY, email varchar(60) COLLATE utf8mb4_general_ci, city varchar(20) COLLATE utf8mb4_0900_bin, age int, "+
		"score decimal(8,2), born date, bio text, UNIQUE KEY email (email), KEY age (age), KEY city (city, age), KEY score (score), KEY born (born, id), "+
		"KEY bio (bio(5)))")
	for from := 0; from < 2000; from += 500 {
		var rows []string
		for i := from; i < from+500; i++ {
			age, city := fmt.Sprint(i*31%90), fmt.Sprintf("'C%02d'", i*17%50)
			if i%40 == 0 {
				age, city = "NULL", "NULL"
			}
			rows = append(rows, fmt.Sprintf("(%d, 'P%d@Example.com', %s, %s, %d.%02d, '20%02d-%02d-%02d', 'bio %d')", i, i*7919%2000, city, age,
				i*13%1000, i%100, i%25, 1+i%12, 1+i%28, i))
		}
		harness.Must(t, db, "INSERT INTO p VALUES "+strings.Join(rows, ", "))
	}
	return db
}

// withoutIndexes returns the query so that it reads p by its primary key alone.
func withoutIndexes(query string) string {
	const all = " p IGNORE INDEX (email, age, city, score, born, bio)"
	return strings.NewReplacer("FROM p", "FROM"+all, "JOIN p", "JOIN"+all).Replace(query)
}

// requireIndexed checks that a query returns the same as without indexes, by a plan that contains the given
// words, reading at most that many cells.
func requireIndexed(t *testing.T, db *sql.DB, query string, most int64, words ...string) {
	t.Helper()
	want, got := harness.Lines(t, db, withoutIndexes(query)), harness.Lines(t, db, query)
	requireSame(t, query, want, got)
	plan := strings.Join(harness.Lines(t, db, "EXPLAIN FORMAT=TREE "+query), "\n")
	for _, word := range words {
		require.Contains(t, plan, word, query)
	}
	cells := harness.CellsOf(t, db, query)
	require.LessOrEqual(t, cells, most, "%s\n%s", query, plan)
}

// TestOrderByIndex reads rows in the order of entries, no more of them than LIMIT allows.
func TestOrderByIndex(t *testing.T) {
	db := indexed(t)

	requireIndexed(t, db, "SELECT * FROM p ORDER BY age, id LIMIT 20", 200, "index: age", "order: forward", "the row of each")
	requireIndexed(t, db, "SELECT * FROM p ORDER BY age DESC, id DESC LIMIT 20", 200, "index: age", "order: reverse")
	requireIndexed(t, db, "SELECT id, bio FROM p ORDER BY email LIMIT 5, 10", 130, "index: email")
	requireIndexed(t, db, "SELECT id, bio FROM p ORDER BY email DESC LIMIT 3", 40, "index: email")
	requireIndexed(t, db, "SELECT id, bio FROM p ORDER BY score, id LIMIT 7", 60, "index: score")
	requireIndexed(t, db, "SELECT bio FROM p WHERE city = 'C07' ORDER BY age, id LIMIT 4", 60, "index: city")
	requireIndexed(t, db, "SELECT bio FROM p WHERE city = 'C07' ORDER BY city, age DESC, id DESC LIMIT 4", 60, "index: city", "reverse")
	requireIndexed(t, db, "SELECT bio FROM p WHERE city IS NULL ORDER BY age, id LIMIT 4", 60, "index: city")
	requireIndexed(t, db, "SELECT bio FROM p WHERE age > 50 ORDER BY age, id LIMIT 10", 100, "index: age", "order: forward")
	requireIndexed(t, db, "SELECT bio FROM p WHERE born >= '2010-05-01' ORDER BY born, id LIMIT 10", 100, "index: born")
	requireIndexed(t, db, "SELECT bio FROM p WHERE born < '2010-05-01' ORDER BY born DESC, id DESC LIMIT 10", 100, "index: born")
	requireIndexed(t, db, "SELECT id, email FROM p WHERE score > 3 ORDER BY age, id LIMIT 10", 400, "index: age")
	for _, query := range []string{ // queries for whose order there is no index
		"SELECT * FROM p ORDER BY bio LIMIT 5", "SELECT * FROM p ORDER BY age DESC, id LIMIT 5", "SELECT * FROM p ORDER BY age + 1, id LIMIT 5",
		"SELECT * FROM p WHERE city IN ('C01', 'C02') ORDER BY age, id LIMIT 5",
		"SELECT * FROM p WHERE id < 9 ORDER BY age, id LIMIT 5",
	} {
		requireIndexed(t, db, query, 1e6, "Sort")
	}
	tx := harness.Begin(t, db)
	harness.Must(t, tx, "DELETE FROM p WHERE age = 89", "UPDATE p SET age = 1000, bio = 'me' WHERE id = 7")
	const last = "SELECT id, bio FROM p ORDER BY age DESC, id DESC LIMIT 2"
	got := harness.Lines(t, tx, last)
	require.Equal(t, "7 me", got[0])
	require.Equal(t, harness.Lines(t, tx, withoutIndexes(last)), got)
	require.NoError(t, tx.Rollback())
	require.NotEqual(t, got, harness.Lines(t, db, last))

}

// TestCoveringIndex reads only entries if these have all columns.
func TestCoveringIndex(t *testing.T) {
	db := indexed(t)
	requireIndexed(t, db, "SELECT id, age FROM p WHERE age = 5 ORDER BY id", 40, "index: age", "entries alone")
	requireIndexed(t, db, "SELECT city, age, id FROM p ORDER BY city, age, id", 2001, "index: city", "entries alone")
	requireIndexed(t, db, "SELECT COUNT(*) FROM p WHERE age BETWEEN 10 AND 20", 300, "index: age", "entries alone")
	requireIndexed(t, db, "SELECT COUNT(*), SUM(score) FROM p WHERE score > 900", 250, "index: score", "entries alone")
	requireIndexed(t, db, "SELECT COUNT(*) FROM p WHERE email > 'P15'", 1500, "index: email", "entries alone")
	requireIndexed(t, db, "SELECT id FROM p WHERE email LIKE 'P15%' AND id > 30", 1100, "index: email")
	requireIndexed(t, db, "SELECT city, COUNT(*), MAX(age) FROM p GROUP BY city", 2001, "index: city", "streaming")
	requireIndexed(t, db, "SELECT city, age, COUNT(*) FROM p WHERE city LIKE 'C1%' GROUP BY age, city ORDER BY city, age", 500, "index: city", "streaming")
	requireIndexed(t, db, "SELECT COUNT(*) FROM p WHERE city = 'C07' AND age > 30", 60, "index: city", "entries alone")
	requireIndexed(t, db, "SELECT born, id FROM p WHERE born IS NULL OR born > '2024-06-01' ORDER BY id", 300, "index: born")
	requireIndexed(t, db, "SELECT id FROM p WHERE email = 'p7@example.com'", 9, "index: email")
	requireIndexed(t, db, "SELECT id, bio FROM p WHERE bio = 'bio 7'", 20000) // the index has many entries with these five characters
	requireIndexed(t, db, "SELECT id, bio FROM p WHERE bio = 'none'", 9, "index: bio")
}

// TestFirstOfAlike reads the first of equal entries, and some more before it skips the rest.
func TestFirstOfAlike(t *testing.T) {
	db := indexed(t)
	const first = "the first entry of those that are alike"
	for query, most := range map[string]int64{
		"SELECT DISTINCT city FROM p":                                               1000,
		"SELECT city FROM p GROUP BY city":                                          1000,
		"SELECT DISTINCT age FROM p WHERE age > 30 AND age <= 60":                   500,
		"SELECT DISTINCT city FROM p WHERE city > 'C2'":                             600,
		"SELECT DISTINCT city, age FROM p":                                          2001,
		"SELECT DISTINCT score FROM p":                                              2001,
		"SELECT COUNT(*), MIN(c) FROM (SELECT DISTINCT city AS c FROM p) d":         1000,
		"SELECT DISTINCT age FROM p WHERE city = 'C07'":                             60,
		"SELECT city FROM p GROUP BY city HAVING city LIKE '%7' ORDER BY city DESC": 2001,
	} {
		requireIndexed(t, db, query, most, first)
	}
	requireIndexed(t, db, "SELECT DISTINCT city FROM p WHERE age > 80", 2001, "index: city", "filter: (`age` > 80)", "entries alone")
	requireIndexed(t, db, "SELECT DISTINCT city FROM p ORDER BY city LIMIT 2", 130, first)
	requireIndexed(t, db, "SELECT DISTINCT city FROM p ORDER BY city DESC LIMIT 2", 130, first)
	tx := harness.Begin(t, db)
	harness.Must(t, tx, "DELETE FROM p WHERE city = 'C08'", "UPDATE p SET city = 'C005' WHERE id % 3 = 0", "DELETE FROM p WHERE city IS NULL",
		"INSERT INTO p (id, city) VALUES (5000, 'C99'), (5001, 'A'), (5002, 'C99')")
	const all = "SELECT DISTINCT city FROM p"
	requireSame(t, all, harness.Lines(t, tx, withoutIndexes(all)), harness.Lines(t, tx, all))
	require.NoError(t, tx.Rollback())
}

// TestExtremesOfIndex finds the smallest and the largest value at an end of an index.
func TestExtremesOfIndex(t *testing.T) {
	db := indexed(t)
	requireIndexed(t, db, "SELECT MIN(score) FROM p", 2, "index: score", "first row of each order")
	requireIndexed(t, db, "SELECT MIN(age), MAX(age) FROM p", 4, "index: age", "first row of each order")
	requireIndexed(t, db, "SELECT MAX(age) FROM p WHERE city = 'C07'", 2, "index: city")
	requireIndexed(t, db, "SELECT MIN(age) FROM p WHERE age > 20", 2, "index: age")
	requireIndexed(t, db, "SELECT MIN(age) FROM p WHERE age > 2000", 2, "index: age")
	requireIndexed(t, db, "SELECT MAX(email) FROM p", 12, "index: email")
	requireIndexed(t, db, "SELECT MIN(born), MAX(born) FROM p WHERE born < '2012-01-01'", 4, "index: born")
}

// TestJoinsByIndex looks up rows by the values of the rows that they are joined with.
func TestJoinsByIndex(t *testing.T) {
	db := indexed(t)
	harness.Must(t, db, "CREATE TABLE q (n int PRIMARY KEY, mail varchar(60) COLLATE utf8mb4_general_ci, a int)",
		"INSERT INTO q VALUES (1, 'p7@example.com', 5), (2, 'P100@EXAMPLE.com', 6), (3, 'nobody', NULL), (4, NULL, 7)")
	const two = 120
	requireIndexed(t, db, "SELECT q.n, p.id, p.bio FROM q JOIN p ON p.email = q.mail ORDER BY q.n", two, "index: email")
	requireIndexed(t, db, "SELECT q.n, p.id, p.bio FROM q LEFT JOIN p ON p.email = q.mail ORDER BY q.n", two, "index: email")
	requireIndexed(t, db, "SELECT q.n FROM q LEFT JOIN p ON p.email = q.mail WHERE p.id IS NULL ORDER BY q.n", two, "index: email")
	requireIndexed(t, db, "SELECT q.n, (SELECT p.bio FROM p WHERE p.email = q.mail) FROM q ORDER BY q.n", two, "index: email")
	requireIndexed(t, db, "SELECT q.n FROM q WHERE EXISTS (SELECT 1 FROM p WHERE p.email = q.mail) ORDER BY q.n", two, "index: email")
	requireIndexed(t, db, "SELECT q.n FROM q WHERE NOT EXISTS (SELECT 1 FROM p WHERE p.email = q.mail) ORDER BY q.n", two, "index: email")
	requireIndexed(t, db, "SELECT q.n, (SELECT COUNT(*) FROM p WHERE p.age = q.a) FROM q ORDER BY q.n", two, "index: age")
	requireIndexed(t, db, "SELECT q.n, p.city, p.id FROM q JOIN p ON p.age = q.a AND p.city = 'C07' ORDER BY q.n, p.id", two, "index: city")
	requireIndexed(t, db, "SELECT q.n, (SELECT MAX(p.score) FROM p WHERE p.score < q.a) FROM q ORDER BY q.n", two, "index: score")
}

// TestJoinOfManyByIndex looks up the keys of many rows in batches, and reads the table once if there are
// more.
func TestJoinOfManyByIndex(t *testing.T) {
	db := indexed(t)
	harness.Must(t, db, "CREATE TABLE q (n int PRIMARY KEY, mail varchar(60) COLLATE utf8mb4_general_ci, pid int, a int)",
		"INSERT INTO q SELECT id, email, id + 5, age FROM p WHERE id < 130", "INSERT INTO q VALUES (900, NULL, NULL, NULL), (901, 'nobody', 9000, 999)")
	requireIndexed(t, db, "SELECT q.n, p.id, p.score FROM q JOIN p ON p.email = q.mail ORDER BY q.n", 3000, "index: email")
	requireIndexed(t, db, "SELECT q.n, p.id, p.score FROM q LEFT JOIN p ON p.email = q.mail AND p.score > 10 ORDER BY q.n", 3000, "index: email")
	requireIndexed(t, db, "SELECT q.n, p.email FROM q LEFT JOIN p ON p.id = q.pid ORDER BY q.n", 3000, "for all at once")
	requireIndexed(t, db, "SELECT q.n, p.id FROM q JOIN p ON p.age = q.a ORDER BY q.n, p.id", 20000, "index: age")
	require.Equal(t, "132", harness.Single(t, db, "SELECT COUNT(*) FROM q"))
	tree := strings.Join(harness.Lines(t, db, "EXPLAIN ANALYZE SELECT q.n, p.id, p.score FROM q JOIN p ON p.email = q.mail"), "\n")
	require.Contains(t, tree, "index: email", tree)
}

// TestChangesByIndex: UPDATE and DELETE find their rows by an index, even if they change its columns.
func TestChangesByIndex(t *testing.T) {
	db := indexed(t)
	for _, statement := range []string{"UPDATE p SET bio = 'new' WHERE city = 'C07'", "UPDATE p SET city = 'C08', age = age + 1 WHERE city = 'C07' AND age > 20",
		"DELETE FROM p WHERE city = 'C08' ORDER BY age LIMIT 3", "DELETE FROM p WHERE city = 'C07'"} {
		requirePlan(t, db, statement, "index: city")
		where := statement[strings.Index(statement, "WHERE"):]
		want := harness.Single(t, db, "SELECT COUNT(*) FROM (SELECT 1 FROM p IGNORE INDEX (city) "+where+") x")
		require.Equal(t, want, fmt.Sprint(harness.Affected(t, db, statement)), statement)
	}
	requireSoundTable(t, db, "p")
}
