package typed

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

const rangesOfTen = "PARTITION BY RANGE (d) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20), PARTITION p2 VALUES LESS THAN MAXVALUE)"

// TestExchangeSnapshot: a transaction that began before an exchange, of a partition whose entries have or have not
// been exchanged before, reads what it read, by each index.
func TestExchangeSnapshot(t *testing.T) {
	db := open(t, localTables("int", rangesOfTen)...)
	harness.Must(t, db, "INSERT INTO p VALUES (1, 1, 1, 'b1'), (11, 1, 1, 'b1'), (12, 1, NULL, 'b2'), (30, 1, 1, 'b3')", "INSERT INTO q VALUES (11, 2, 2, 'b5')")
	for range 3 {
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
		require.Len(t, before, 6*5)
		harness.Must(t, db, "ALTER TABLE p EXCHANGE PARTITION p1 WITH TABLE q", "UPDATE q SET b = CONCAT(b, 'x')", "UPDATE p SET a = NULL")
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
