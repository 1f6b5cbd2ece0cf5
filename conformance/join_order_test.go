package conformance

import (
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// joinOrderTables lead by their values to each other's keys: few to some, some to
// many.
var joinOrderTables = []struct {
	name, key, leadsTo string
	rows, step         int
}{
	{"many", "m%06d", "", 30000, 0},
	{"some", "s%05d", "m%06d", 6000, 5},
	{"few", "f%05d", "s%05d", 30, 7},
}

func joinOrderDB(t testing.TB) *sql.DB {
	db := openDB(t, ":memory:")
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
		must(t, db, "CREATE TABLE "+c.name+" (K varbinary(64), Q varbinary(64), T bigint, V varbinary(64), PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 3",
			"REPLACE INTO "+c.name+" (K, Q, T, V) VALUES "+strings.Join(rows, ", "))
	}
	return db
}

// badlyWritten are joins that are dear in the order in which they are written.
var badlyWritten = []string{
	"SELECT COUNT(*), MIN(m.V), MAX(f.K) FROM many m JOIN some s ON s.V = m.K JOIN few f ON f.V = s.K",
	"SELECT COUNT(*), MIN(m.V), MAX(f.K) FROM some s, many m, few f WHERE f.V = s.K AND s.V = m.K",
	"SELECT f.K, s.K, m.V FROM many m JOIN some s ON s.V = m.K JOIN few f ON f.V = s.K WHERE m.V < 50 ORDER BY m.V, f.K",
	"SELECT COUNT(*), MAX(f.K) FROM many m JOIN some s ON s.V = m.K JOIN some z ON z.K = s.K JOIN few f ON f.V = s.K",
}

// TestJoinOrder: joins of three tables and more begin where there is least to read,
// and give the same rows in each order, but where STRAIGHT_JOIN says it.
func TestJoinOrder(t *testing.T) {
	db := joinOrderDB(t)
	for _, statement := range badlyWritten {
		setJoinRows(t, db, oneByOne)
		want, before := lines(t, db, statement), cellsOf(t, db, statement)
		slices.Sort(want)
		require.NotEmpty(t, want)
		for _, n := range []int{0, 1, 2, 3, 700} {
			setJoinRows(t, db, n)
			got := lines(t, db, statement)
			slices.Sort(got)
			require.Equal(t, want, got, "%s with %d", statement, n)
		}
		setJoinRows(t, db, 0)
		chosen := cellsOf(t, db, statement)
		require.Less(t, 20*chosen, before, "%s: %d cells, as written %d", statement, chosen, before)
		straight := strings.NewReplacer("SELECT", "SELECT STRAIGHT_JOIN").Replace(statement)
		require.Less(t, 20*chosen, cellsOf(t, db, straight), straight)
		straight = strings.NewReplacer(" JOIN", " STRAIGHT_JOIN", ", many m,", " STRAIGHT_JOIN many m STRAIGHT_JOIN").Replace(statement)
		require.Less(t, 20*chosen, cellsOf(t, db, straight), straight)
	}
	// An order that is granted stays, and so do few rows.
	for _, statement := range []string{
		"SELECT m.K FROM many m JOIN some s ON s.V = m.K JOIN few f ON f.V = s.K ORDER BY m.K, m.Q",
		"SELECT m.K FROM few f JOIN some s ON f.V = s.K JOIN many m ON s.V = m.K",
	} {
		setJoinRows(t, db, oneByOne)
		want := lines(t, db, statement)
		setJoinRows(t, db, 0)
		require.Equal(t, want, lines(t, db, statement))
	}
}

// BenchmarkJoinOrder does joins in the order in which they are written, and in the one
// that is estimated to be the best.
func BenchmarkJoinOrder(b *testing.B) {
	db := joinOrderDB(b)
	for _, way := range []string{"SELECT", "SELECT STRAIGHT_JOIN"} {
		for i, s := range badlyWritten {
			b.Run(fmt.Sprintf("%s/%d", way, i), func(b *testing.B) {
				for range b.N {
					explained(b, db, strings.Replace(s, "SELECT", way, 1))
				}
			})
		}
	}
}
