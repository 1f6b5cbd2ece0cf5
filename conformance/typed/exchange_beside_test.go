package typed

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

const rangesOfTen = "PARTITION BY RANGE (d) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20), PARTITION p2 VALUES LESS THAN MAXVALUE)"

// TestExchangeSnapshot: a transaction that began before an exchange, of a partition whose entries have or have not
// been exchanged before, or before rows are removed, reads what it read, by each index.
func TestExchangeSnapshot(t *testing.T) {
	db := open(t, localTables("int", rangesOfTen)...)
	harness.Must(t, db, "INSERT INTO p VALUES (1, 1, 1, 'b1'), (11, 1, 1, 'b1'), (12, 1, NULL, 'b2'), (30, 1, 1, 'b3')", "INSERT INTO q VALUES (11, 2, 2, 'b5')")
	for _, change := range []string{"EXCHANGE PARTITION p1 WITH TABLE q", "EXCHANGE PARTITION p1 WITH TABLE q", "EXCHANGE PARTITION p1 WITH TABLE q",
		"TRUNCATE PARTITION p1", "DROP PARTITION p0"} {
		tx := harness.Begin(t, db)
		read := func() (out []string) {
			for _, table := range []string{"p", "q"} {
				for _, index := range []string{"PRIMARY", "da", "db", "dba", "ad", "prefixed"} {
					out = append(out, harness.Lines(t, tx, "SELECT * FROM "+table+" FORCE INDEX ("+index+") WHERE d BETWEEN 1 AND 40 ORDER BY d, id")...)
				}
			}
			return out
		}
		before := read()
		require.NotEmpty(t, before)
		harness.Must(t, db, "ALTER TABLE p "+change, "UPDATE q SET b = CONCAT(b, 'x')", "UPDATE p SET a = NULL")
		require.Equal(t, before, read())
		require.NoError(t, tx.Rollback())
	}
}

// TestExchangeBeside exchanges a partition while others write to both tables, insert rows that have the entries of
// others in UNIQUE indexes, and count rows by these indexes.
func TestExchangeBeside(t *testing.T) {
	db := open(t, localTables("int", rangesOfTen)...)
	for d := range 30 {
		for _, table := range []string{"p", "q"} {
			if d/10 == 1 || table == "p" {
				harness.Must(t, db, fmt.Sprintf("INSERT INTO %s VALUES (%d, 1, 1, 'x%[2]d')", table, d))
			}
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	seed := testseed.Of(t)
	var workers sync.WaitGroup
	var refused, counted atomic.Int64
	begin := func(n uint64, step func(r *rand.Rand) error) {
		workers.Go(func() {
			for r := rand.New(rand.NewPCG(seed, n)); ctx.Err() == nil; {
				if err := step(r); err != nil && !mayRetry(err) && ctx.Err() == nil {
					t.Error(err)
					return
				}
			}
		})
	}
	either := func(r *rand.Rand) (table string, d int) {
		if r.IntN(2) == 0 {
			return "q", 10 + r.IntN(10)
		}
		return "p", r.IntN(30)
	}
	for n := range uint64(2) {
		begin(n, func(r *rand.Rand) error { // another row, and its removal
			table, d := either(r)
			a, id := 10+r.IntN(5), 10+int(n)
			_, err := db.ExecContext(ctx, fmt.Sprintf("REPLACE INTO %s VALUES (%d, %d, %d, 'y%d')", table, d, id, a+5*id, id))
			if err == nil && r.IntN(2) == 0 {
				_, err = db.ExecContext(ctx, fmt.Sprintf("DELETE FROM %s WHERE d = %d AND id = %d", table, d, id))
			}
			return err
		})
	}
	begin(8, func(r *rand.Rand) error { // every d has a row with a = 1, in either table
		table, d := either(r)
		_, err := db.ExecContext(ctx, fmt.Sprintf("INSERT INTO %s VALUES (%d, 99, 1, 'z')", table, d))
		if harness.ErrorNumber(err) == 1062 {
			refused.Add(1)
			return nil
		}
		if err == nil {
			return fmt.Errorf("a second row of %s has d = %d and a = 1", table, d)
		}
		return err
	})
	begin(9, func(r *rand.Rand) error {
		counted.Add(1)
		return requireCounts(ctx, db)
	})
	for range harness.InShort(15, 60) {
		harness.Must(t, db, "ALTER TABLE p EXCHANGE PARTITION p1 WITH TABLE q")
		require.Regexp(t, " status OK$", harness.Lines(t, db, "CHECK TABLE p, q")[0])
	}
	stop()
	workers.Wait()
	t.Logf("%d rows refused, %d counts", refused.Load(), counted.Load())
	require.Positive(t, refused.Load())
	for _, line := range harness.Lines(t, db, "CHECK TABLE p, q") {
		require.Regexp(t, " status OK$", line)
	}
}

// mayRetry reports whether a statement failed because of others.
func mayRetry(err error) bool {
	n := harness.ErrorNumber(err)
	return n == 1213 || n == 1205 || n == 1412
}

// requireCounts requires that each table has its rows with a = 1 in a snapshot, by each index.
func requireCounts(ctx context.Context, db *sql.DB) error {
	for _, index := range []string{"PRIMARY", "da", "db", "dba", "prefixed"} {
		for table, want := range map[string]string{"p": "30", "q": "10"} {
			query := "SELECT COUNT(*) FROM " + table + " FORCE INDEX (" + index + ") WHERE d >= 0 AND a = 1"
			got, err := harness.TryLines(db, query)
			if err != nil {
				return err
			}
			if got[0] != want {
				return fmt.Errorf("%s: %s", query, got[0])
			}
		}
	}
	return nil
}

// TestPartitionsBeside changes partitions in every way while others write to all of them. Rows that no change removes
// are in the way of others by the UNIQUE indexes throughout, and CHECK TABLE finds all entries after each change.
func TestPartitionsBeside(t *testing.T) {
	db := open(t, localTables("int", rangesOfTen)...)
	harness.Must(t, db, "ALTER TABLE p ADD UNIQUE u (a, d, b)", "ALTER TABLE q ADD UNIQUE u (a, d, b)")
	for d := range 10 {
		harness.Must(t, db, fmt.Sprintf("INSERT INTO p VALUES (%d, 0, 1, 'x')", d))
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	seed := testseed.Of(t)
	var workers sync.WaitGroup
	for n := range uint64(4) {
		workers.Go(func() {
			for r := rand.New(rand.NewPCG(seed, n)); ctx.Err() == nil; {
				if err := writeBeside(ctx, db, r, int(n)); err != nil && !mayRetry(err) && ctx.Err() == nil {
					t.Error(err)
					return
				}
			}
		})
	}
	changes := []string{"ALTER TABLE p TRUNCATE PARTITION p1", "ALTER TABLE p EXCHANGE PARTITION p1 WITH TABLE q", "TRUNCATE TABLE q",
		"ALTER TABLE p DROP PARTITION p1", "ALTER TABLE p REORGANIZE PARTITION p2 INTO (PARTITION p1 VALUES LESS THAN (20), PARTITION p2 VALUES LESS THAN MAXVALUE)",
		"ALTER TABLE p REORGANIZE PARTITION p1, p2 INTO (PARTITION p2 VALUES LESS THAN MAXVALUE)", "ALTER TABLE p PARTITION BY KEY (d) PARTITIONS 3;ALTER TABLE p " + rangesOfTen,
		"ALTER TABLE p " + rangesOfTen, "ALTER TABLE p REMOVE PARTITIONING", "ALTER TABLE p DROP INDEX u;ALTER TABLE q DROP INDEX u;ALTER TABLE p EXCHANGE PARTITION p1 WITH TABLE q",
		"ALTER TABLE p ADD UNIQUE u (a, d, b);ALTER TABLE q ADD UNIQUE u (a, d, b)"}
	r, made := rand.New(rand.NewPCG(seed, 99)), map[string]int{}
	for range harness.InShort(25, 80) {
		for change := range strings.SplitSeq(harness.Pick(r, changes), ";") {
			switch _, err := db.Exec(change); {
			case err == nil:
				made[change]++
			case !mayRefuse(err):
				t.Fatal(change, ": ", err)
			}
			for _, line := range harness.Lines(t, db, "CHECK TABLE p, q") {
				require.Regexp(t, " status OK$", line, change)
			}
		}
	}
	stop()
	workers.Wait()
	t.Log(made)
	for _, table := range []string{"p", "q"} {
		if _, err := db.Exec("ALTER TABLE " + table + " DROP INDEX u"); err != nil {
			harness.RequireErrorNumber(t, 1091, err)
		}
	}
	harness.Must(t, db, "ALTER TABLE p "+rangesOfTen, "ALTER TABLE p EXCHANGE PARTITION p1 WITH TABLE q")
	require.Len(t, harness.Lines(t, db, "SELECT * FROM p FORCE INDEX (da) WHERE d BETWEEN 0 AND 9 AND a = 1"), 10)
}

// mayRefuse reports whether a change of partitions or indexes cannot be made as the table is.
func mayRefuse(err error) bool {
	return slices.Contains([]uint16{1061, 1091, 1235, 1493, 1505, 1507, 1512, 1517, 1520, 1735, 1736, 1737}, harness.ErrorNumber(err))
}

// writeBeside writes a row that may be there, or one that cannot be.
func writeBeside(ctx context.Context, db *sql.DB, r *rand.Rand, n int) error {
	table, d := "p", r.IntN(30)
	if r.IntN(3) == 0 {
		table, d = "q", 10+d%10
	}
	statement := fmt.Sprintf("REPLACE INTO %s VALUES (%d, %d, %d, '%d%d')", table, d, n+1, 10*n+r.IntN(9)+2, n, d)
	switch r.IntN(4) {
	case 0:
		statement = fmt.Sprintf("DELETE FROM p WHERE d = %d AND id = %d", d, n+1)
	case 1:
		statement = fmt.Sprintf("INSERT INTO p VALUES (%d, 50, 1, 'y')", d%10)
	}
	_, err := db.ExecContext(ctx, statement)
	switch {
	case err == nil && strings.HasPrefix(statement, "INSERT"):
		return fmt.Errorf("a second row has the entry of another: %s", statement)
	case harness.ErrorNumber(err) == 1062:
		return nil
	}
	return err
}
