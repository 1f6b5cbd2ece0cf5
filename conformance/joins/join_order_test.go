package joins

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// joinOrderTables have values that are keys of the others: few lead to some, some
// to many.
var joinOrderTables = []struct {
	name, key, leadsTo string
	rows, step         int
}{
	{"many", "m%06d", "", 30000, 0},
	{"some", "s%05d", "m%06d", 6000, 5},
	{"few", "f%05d", "s%05d", 30, 7},
}

func joinOrderDB(t testing.TB) *sql.DB {
	db := harness.OpenDB(t, ":memory:")
	db.SetMaxOpenConns(1)
	for _, c := range joinOrderTables {
		var rows []string
		for i := range c.rows {
			v := strconv.Itoa(i % 100)
			if c.leadsTo != "" {
				v = fmt.Sprintf(c.leadsTo, i*c.step)
			}
			rows = append(rows, fmt.Sprintf("('"+c.key+"', 'q', 1, '%s')", i, v))
		}
		harness.Must(t, db, "CREATE TABLE "+c.name+" (K varbinary(64), Q varbinary(64), T bigint, V varbinary(64), PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 3",
			"REPLACE INTO "+c.name+" (K, Q, T, V) VALUES "+strings.Join(rows, ", "))
	}
	return db
}

// badlyWritten are joins that are expensive in the order in which they are written.
var badlyWritten = []string{
	"SELECT COUNT(*), MIN(m.V), MAX(f.K) FROM many m JOIN some s ON s.V = m.K JOIN few f ON f.V = s.K",
	"SELECT COUNT(*), MIN(m.V), MAX(f.K) FROM some s, many m, few f WHERE f.V = s.K AND s.V = m.K",
	"SELECT f.K, s.K, m.V FROM many m JOIN some s ON s.V = m.K JOIN few f ON f.V = s.K WHERE m.V < 50 ORDER BY m.V, f.K",
	"SELECT COUNT(*), MAX(f.K) FROM many m JOIN some s ON s.V = m.K JOIN some z ON z.K = s.K JOIN few f ON f.V = s.K",
}

// TestJoinOrder: joins of three and more tables begin with the least to read, and
// return the same rows in each order, unless STRAIGHT_JOIN prescribes it.
func TestJoinOrder(t *testing.T) {
	db := joinOrderDB(t)
	for _, statement := range badlyWritten {
		harness.SetJoinRows(t, db, harness.OneByOne)
		want, before := harness.Lines(t, db, statement), harness.CellsOf(t, db, statement)
		slices.Sort(want)
		require.NotEmpty(t, want)
		for _, n := range []int{0, 1, 2, 3, 4, 5, 700} {
			harness.SetJoinRows(t, db, n)
			got := harness.Lines(t, db, statement)
			slices.Sort(got)
			require.Equal(t, want, got, "%s with %d", statement, n)
		}
		harness.SetJoinRows(t, db, 0)
		chosen := harness.CellsOf(t, db, statement)
		require.Less(t, 20*chosen, before, "%s: %d cells, as written %d", statement, chosen, before)
		straight := strings.NewReplacer("SELECT", "SELECT STRAIGHT_JOIN").Replace(statement)
		require.Less(t, 20*chosen, harness.CellsOf(t, db, straight), straight)
		straight = strings.NewReplacer(" JOIN", " STRAIGHT_JOIN", ", many m,", " STRAIGHT_JOIN many m STRAIGHT_JOIN").Replace(statement)
		require.Less(t, 20*chosen, harness.CellsOf(t, db, straight), straight)
	}
	// An order that the store provides is kept, and so are few rows.
	for _, statement := range []string{
		"SELECT m.K FROM many m JOIN some s ON s.V = m.K JOIN few f ON f.V = s.K ORDER BY m.K, m.Q",
		"SELECT m.K FROM few f JOIN some s ON f.V = s.K JOIN many m ON s.V = m.K",
	} {
		harness.SetJoinRows(t, db, harness.OneByOne)
		want := harness.Lines(t, db, statement)
		harness.SetJoinRows(t, db, 0)
		require.Equal(t, want, harness.Lines(t, db, statement))
	}
}

// joinKeysDB has objects, an index of them with few wide rows, by number and by one of
// two colours, and some tables that refer to numbers and colours.
func joinKeysDB(t testing.TB) *sql.DB {
	db := harness.OpenDB(t, ":memory:")
	db.SetMaxOpenConns(1)
	tables := map[string][]string{}
	add := func(table, k, q string, v any) {
		tables[table] = append(tables[table], fmt.Sprintf("('%s', '%s', %d, '%v')", k, q, len(tables[table]), v))
	}
	for i := range 60000 {
		add("object", fmt.Sprintf("o%06d", i), "size", i%100)
	}
	for i := range 20000 {
		add("number", fmt.Sprintf("bucket%d", i%3), fmt.Sprintf("n%05d", i), fmt.Sprintf("o%06d", i*3))
	}
	for i := range 3000 {
		add("colour", fmt.Sprintf("c%05d", i), []string{"red", "blue"}[i%2], fmt.Sprintf("o%06d", i*20))
	}
	for i := range 60 {
		add("asked", fmt.Sprintf("a%05d", i), fmt.Sprintf("n%05d", i*331), []string{"red", "blue"}[i%2])
	}
	for name, rows := range tables {
		harness.Must(t, db, "CREATE TABLE "+name+" (K varbinary(64), Q varbinary(64), T bigint, V varbinary(64), PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 3",
			"REPLACE INTO "+name+" (K, Q, T, V) VALUES "+strings.Join(rows, ", "))
	}
	return db
}

// joinedByValues are joins by Q, T and V, which have as many rows as the numbers of keys
// say: the maximum number of cells that the best order reads, and whether it is the one
// as written.
var joinedByValues = []struct {
	name, statement string
	cells           int64
	written         bool
}{
	{"few numbers by Q", "SELECT COUNT(*), SUM(o.V) FROM object o JOIN number n ON o.K = n.V JOIN asked a ON a.Q = n.Q", 25000, false},
	{"few numbers by T", "SELECT COUNT(*), SUM(o.V) FROM object o JOIN number n ON o.K = n.V JOIN asked a ON a.T = n.T", 25000, false},
	{"few numbers by two expressions", "SELECT COUNT(*), SUM(o.V) FROM object o JOIN number n ON o.K = n.V JOIN asked a ON CONCAT('-', a.Q) = CONCAT('-', n.Q) AND a.Q = n.Q", 25000, false},
	{"two colours", "SELECT COUNT(*), SUM(o.V) FROM colour c JOIN object o ON o.K = c.V JOIN asked a ON a.V = c.Q", 10000, true},
}

// TestJoinOrderByValues: an order is chosen by the number of distinct values of the
// joined columns, which for K differs.
func TestJoinOrderByValues(t *testing.T) {
	db := joinKeysDB(t)
	for _, c := range joinedByValues {
		harness.SetJoinRows(t, db, harness.OneByOne)
		want, written := harness.Lines(t, db, c.statement), harness.CellsOf(t, db, c.statement)
		for _, n := range []int{1, 2, 3, 4, 5, 6, 700, 0} {
			harness.SetJoinRows(t, db, n)
			require.Equal(t, want, harness.Lines(t, db, c.statement), "%s with %d", c.name, n)
		}
		chosen := harness.CellsOf(t, db, c.statement)
		require.LessOrEqual(t, chosen, c.cells, c.name)
		require.Equal(t, c.written, chosen == written, "%s: %d cells, as written %d", c.name, chosen, written)
	}
}

// keepsSmaller are hash joins in both directions.
var keepsSmaller = []string{
	"SELECT COUNT(*), MAX(n.K) FROM asked a JOIN number n ON a.Q = n.Q",
	"SELECT COUNT(*), MAX(n.K) FROM number n JOIN asked a ON a.Q = n.Q",
	"SELECT COUNT(*), MAX(n.K) FROM number n, asked a WHERE a.Q = n.Q AND n.V > 'o'",
}

// TestHashJoinKeepsTheSmallerSide: whichever side it is written on, unless an order
// requires otherwise.
func TestHashJoinKeepsTheSmallerSide(t *testing.T) {
	db := joinKeysDB(t)
	for _, s := range keepsSmaller {
		require.Equal(t, []string{"60 bucket2"}, harness.Lines(t, db, s))
		require.Contains(t, harness.Single(t, db, "EXPLAIN ANALYZE "+s), "right side kept by `a`.`Q`", s)
	}
	straight := strings.Replace(keepsSmaller[0], "SELECT", "SELECT STRAIGHT_JOIN", 1)
	require.Equal(t, []string{"60 bucket2"}, harness.Lines(t, db, straight))
	for _, s := range []string{straight, "SELECT a.K FROM asked a JOIN number n ON a.Q = n.Q ORDER BY a.K, a.Q",
		"SELECT a.K FROM asked a JOIN number n ON a.Q = n.Q LIMIT 3"} {
		require.Contains(t, harness.Single(t, db, "EXPLAIN ANALYZE "+s), "right side kept by `n`.`Q`", s)
	}
}

// TestRandomJoinOrders runs joins of two to five relations by random columns in all their
// orders, and in the chosen one.
func TestRandomJoinOrders(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 3))
	db := harness.OpenDB(t, ":memory:")
	db.SetMaxOpenConns(1)
	for i, table := range []string{"x", "y", "z"} {
		rows := []int{12, 60, 1500}[i]
		var cells []string
		for i := range rows {
			cells = append(cells, fmt.Sprintf("('k%d', 'k%d', %d, 'k%d')", r.IntN(rows), r.IntN(9), i, r.IntN(rows)))
		}
		harness.Must(t, db, oracle.CreateTable(table, "key"),
			"REPLACE INTO "+table+" (K, Q, T, V) VALUES "+strings.Join(cells, ", "))
	}
	for range 60 {
		statement := randomJoin(r)
		harness.SetJoinRows(t, db, harness.OneByOne)
		want := harness.Lines(t, db, statement)
		for _, n := range []int{0, 1, 2, 3, 4, 5, 700} {
			harness.SetJoinRows(t, db, n)
			require.Equal(t, want, harness.Lines(t, db, statement), "%s with %d", statement, n)
		}
	}
}

// randomJoin joins each relation by an equality with the one before, and other conditions,
// on columns that select few rows. They are written from the first or from the last.
func randomJoin(r *rand.Rand) string {
	from, where, sum := []string{"x r0"}, []string{"TRUE"}, "r0.K, r0.Q, r0.T, r0.V"
	for i := 1; i < 2+r.IntN(4); i++ {
		from = append(from, fmt.Sprintf("%s r%d", harness.Pick(r, []string{"x", "y", "z"}), i))
		where = append(where, fmt.Sprintf("r%d.%s = r%d.%s", i-1, harness.Pick(r, []string{"K", "V"}), i, harness.Pick(r, []string{"K", "V"})))
		switch r.IntN(4) {
		case 0:
			where = append(where, fmt.Sprintf("r%d.Q = r%d.Q", i, r.IntN(i)))
		case 1:
			where = append(where, fmt.Sprintf("r%d.T > r%d.T", i, r.IntN(i)))
		case 2:
			where = append(where, fmt.Sprintf("r%d.V > 'k%d'", i, r.IntN(9)))
		}
		sum += fmt.Sprintf(", r%d.K, r%d.Q, r%d.T, r%d.V", i, i, i, i)
	}
	if r.IntN(2) == 0 {
		slices.Reverse(from)
	}
	return "SELECT COUNT(*), BIT_XOR(CRC32(CONCAT_WS('|', " + sum + "))) FROM " + strings.Join(from, ", ") +
		" WHERE " + strings.Join(where, " AND ")
}

// BenchmarkJoinOrder runs joins in the order in which they are written, and in the one
// that is estimated to be best.
func BenchmarkJoinOrder(b *testing.B) {
	db := joinOrderDB(b)
	for _, way := range []string{"SELECT", "SELECT STRAIGHT_JOIN"} {
		for i, s := range badlyWritten {
			b.Run(fmt.Sprintf("%s/%d", way, i), func(b *testing.B) {
				for range b.N {
					harness.Explained(b, db, strings.Replace(s, "SELECT", way, 1))
				}
			})
		}
	}
}

// BenchmarkJoinOrderByValues runs joins by Q, T and V in the chosen order, and hash joins
// with the chosen side kept.
func BenchmarkJoinOrderByValues(b *testing.B) {
	db := joinKeysDB(b)
	for _, c := range joinedByValues {
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				harness.Explained(b, db, c.statement)
			}
		})
	}
	for i, statement := range keepsSmaller {
		b.Run(fmt.Sprintf("kept/%d", i), func(b *testing.B) {
			for range b.N {
				harness.Explained(b, db, statement)
			}
		})
	}
}
