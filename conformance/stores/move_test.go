package stores

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

var killPairs = flag.Int("kill.pairs", 3000, "pairs of cells that move while a process is killed")

var partsCells = flag.Int("parts.cells", 4_000, "cells that move while others write and read")

// moveLayouts are the layouts between which cells are moved.
var moveLayouts = []string{
	"PARTITION BY KEY(K) PARTITIONS 193",
	"PARTITION BY RANGE COLUMNS(K) (PARTITION a VALUES LESS THAN ('r02'), PARTITION b VALUES LESS THAN ('r05'), PARTITION c VALUES LESS THAN (MAXVALUE))",
	"REMOVE PARTITIONING",
	"PARTITION BY KEY(K) PARTITIONS 97",
}

// moveDirections are the layouts that a table goes through until the process is
// killed.
var moveDirections = map[string][]string{
	"keys":   {moveLayouts[0], moveLayouts[3]},
	"ranges": {moveLayouts[1], moveLayouts[2], moveLayouts[3]},
}

// moveChild is insertChild while the table changes from layout to layout.
func moveChild(direction string) func(dsn string) error {
	return func(dsn string) error {
		return insertChildBeside(dsn, func(db *sql.DB) error { return moveUntilKilled(db, moveDirections[direction]) })
	}
}

func moveUntilKilled(db *sql.DB, layouts []string) error {
	for {
		for _, layout := range layouts {
			if _, err := db.Exec("ALTER TABLE t " + layout); err != nil {
				return fmt.Errorf("%s: %w", layout, err)
			}
			if _, err := os.Stdout.WriteString("\n"); err != nil {
				return err
			}
		}
	}
}

// TestKillWhileCellsMove: a kill while cells move leaves the old layout or the
// new one, with every acknowledged commit and nothing else.
func TestKillWhileCellsMove(t *testing.T) {
	for direction, layouts := range moveDirections {
		t.Run(direction, func(t *testing.T) { killMoves(t, direction, len(layouts)) })
	}
}

func killMoves(t *testing.T, direction string, layouts int) {
	dsn := "file:" + filepath.Join(t.TempDir(), "store") + "?sync=true"
	rng := rand.New(rand.NewPCG(testseed.Of(t), 0))
	killTable(t, dsn, moveLayouts[3])
	acknowledged, moved, found := fillPairs(t, dsn, *killPairs), 0, map[string]int{}
	for range *killRounds {
		for _, key := range killAfter(t, "move-"+direction, dsn, 1+rng.IntN(*killPairs/25)) {
			if key == "" {
				moved++
				continue
			}
			acknowledged = append(acknowledged, key)
		}
		requireWhole(t, dsn, acknowledged)
		found[partitionCount(t, dsn)]++
	}
	t.Logf("%d moves ended, as many as %d were cut short; rounds that found so many partitions: %v", moved, *killRounds, found)
	require.LessOrEqual(t, len(found), layouts)
}

// partitionCount returns the number of partitions of t.
func partitionCount(t *testing.T, dsn string) string {
	db, err := sql.Open("hbasekv", dsn)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	return harness.Single(t, db, "SELECT COUNT(*) FROM information_schema.PARTITIONS WHERE TABLE_NAME = 't'")
}

// fillPairs writes what requireWhole expects, and returns its keys.
func fillPairs(t *testing.T, dsn string, n int) (keys []string) {
	db, err := sql.Open("hbasekv", dsn)
	require.NoError(t, err)
	var tuples []string
	for i := range n {
		key := fmt.Sprintf("r%05d", i)
		keys = append(keys, key)
		for _, half := range []string{"x", "y"} {
			tuples = append(tuples, fmt.Sprintf("('%s', 'q', 1, '%s')", key+half, strings.Repeat(key, 20)))
		}
	}
	harness.Must(t, db, "INSERT INTO t VALUES "+strings.Join(tuples, ", "))
	require.NoError(t, db.Close())
	return keys
}

// movingGroup is a group of two tables in which each row has a number, the same
// in both, that only the row's writer changes, and only increases.
type movingGroup struct {
	db           *sql.DB
	rows         int
	begun, acked []atomic.Int64
	over         atomic.Bool
	commits      atomic.Int64
	serial       atomic.Int64 // numbers for successive writers
}

func newMovingGroup(t testing.TB, dsn string, rows int) *movingGroup {
	m := &movingGroup{db: harness.OpenDB(t, dsn), rows: rows, begun: make([]atomic.Int64, rows), acked: make([]atomic.Int64, rows)}
	for _, f := range []string{"a", "b"} {
		harness.Must(t, m.db, "CREATE TABLE g$"+f+" "+harness.PlainTable+" "+moveLayouts[3])
		for from := 0; from < rows; from += 1000 {
			var tuples []string
			for i := from; i < min(from+1000, rows); i++ {
				tuples = append(tuples, fmt.Sprintf("('%s', 'q', 1, '0')", movingKey(i)))
			}
			harness.Must(t, m.db, "REPLACE INTO g$"+f+" VALUES "+strings.Join(tuples, ", "))
		}
	}
	return m
}

func movingKey(i int) string { return fmt.Sprintf("r%07d", i*9973%1e7) }

func (m *movingGroup) write(ctx context.Context, rng *rand.Rand, mine, of int) error {
	for n := int64(1); !m.over.Load(); n++ {
		if err := m.writeOnce(ctx, rng, n, mine, of); err != nil {
			return err
		}
		m.commits.Add(1)
	}
	return nil
}

// writeOnce sets two rows to the number n in a transaction, by UPDATE or by
// DELETE and INSERT.
func (m *movingGroup) writeOnce(ctx context.Context, rng *rand.Rand, n int64, mine, of int) error {
	tx, err := m.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	which := []int{rng.IntN(m.rows/of)*of + mine, rng.IntN(m.rows/of)*of + mine}
	for _, i := range which {
		m.begun[i].Store(n)
		for _, table := range []string{"g$a", "g$b"} {
			if err := m.writeRow(ctx, tx, rng, table, i, n); err != nil {
				return fmt.Errorf("row %d: %w", i, err)
			}
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	for _, i := range which {
		m.acked[i].Store(n)
	}
	return nil
}

func (m *movingGroup) writeRow(ctx context.Context, tx *sql.Tx, rng *rand.Rand, table string, i int, n int64) error {
	if rng.IntN(2) == 0 {
		_, err := tx.ExecContext(ctx, "REPLACE INTO "+table+" VALUES (?, 'q', 1, ?)", movingKey(i), n)
		return err
	}
	r, err := tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE K = ?", movingKey(i))
	if err != nil {
		return err
	}
	if gone, err := r.RowsAffected(); err != nil || gone != 1 {
		return fmt.Errorf("%d rows deleted: %w", gone, err)
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO "+table+" VALUES (?, 'q', 1, ?)", movingKey(i), n)
	return err
}

func (m *movingGroup) read(ctx context.Context, rng *rand.Rand) error {
	for !m.over.Load() {
		var err error
		if rng.IntN(50) == 0 {
			err = m.readAll(ctx)
		} else {
			err = m.readRow(ctx, rng.IntN(m.rows))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *movingGroup) readRow(ctx context.Context, i int) error {
	least := m.acked[i].Load()
	var a, b int64
	err := m.db.QueryRowContext(ctx, "SELECT a.V + 0, b.V + 0 FROM g$a a JOIN g$b b ON a.K = b.K WHERE a.K = ?", movingKey(i)).Scan(&a, &b)
	if most := m.begun[i].Load(); err == nil && (a != b || a < least || a > most) {
		return fmt.Errorf("row %d: %d and %d, want a number from %d to %d", i, a, b, least, most)
	}
	return err
}

func (m *movingGroup) readAll(ctx context.Context) error {
	var rows int64
	var sumA, sumB float64
	err := m.db.QueryRowContext(ctx, "SELECT COUNT(*), SUM(V), (SELECT SUM(V) FROM g$b) FROM g$a").Scan(&rows, &sumA, &sumB)
	if err == nil && (rows != int64(m.rows) || sumA != sumB) {
		return fmt.Errorf("%d rows, want %d; sums %g and %g", rows, m.rows, sumA, sumB)
	}
	return err
}

// TestRepartitionUnderLoad changes a table group from layout to layout while
// four writers write and four readers check every answer.
func TestRepartitionUnderLoad(t *testing.T) {
	m := newMovingGroup(t, "file:"+filepath.Join(t.TempDir(), "store")+"?sync=false", *partsCells/2)
	seed := testseed.Of(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var failed atomic.Pointer[error]
	var wg sync.WaitGroup
	for i := range 8 {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		wg.Go(func() {
			var err error
			if i < 4 {
				err = m.write(ctx, rng, i, 4)
			} else {
				err = m.read(ctx, rng)
			}
			if err != nil && failed.CompareAndSwap(nil, &err) {
				cancel()
			}
		})
	}
	var err error
	for i, layout := range moveLayouts {
		began, before := time.Now(), m.commits.Load()
		if err == nil {
			_, err = m.db.ExecContext(ctx, "ALTER TABLE "+[]string{"g$a", "g$b"}[i%2]+" "+layout)
		}
		t.Logf("%.40s: %v, %d commits", layout, time.Since(began).Round(time.Millisecond), m.commits.Load()-before)
	}
	m.over.Store(true)
	wg.Wait()
	if p := failed.Load(); p != nil {
		t.Fatal(*p)
	}
	require.NoError(t, err)
	require.NoError(t, m.readAll(t.Context()))
	for i := range min(m.rows, 2000) {
		require.NoError(t, m.readRow(t.Context(), i))
	}
	requireSound(t, m.db)
}

// TestKillRepartitioning: KILL QUERY and a cancelled context stop a move at
// once and leave everything as it was.
func TestKillRepartitioning(t *testing.T) {
	m := newMovingGroup(t, "file:"+filepath.Join(t.TempDir(), "store")+"?sync=false", 20_000)
	before := harness.Single(t, m.db, "SELECT COUNT(*) FROM information_schema.PARTITIONS WHERE TABLE_NAME = 'g$a'")
	for _, how := range []string{"KILL QUERY", "context"} {
		ctx, cancel := context.WithCancel(t.Context())
		c, err := m.db.Conn(ctx)
		require.NoError(t, err)
		id := harness.Single(t, c, "SELECT CONNECTION_ID()")
		done := make(chan error, 1)
		go func() {
			_, err := c.ExecContext(ctx, "ALTER TABLE g$a PARTITION BY KEY(K) PARTITIONS 5")
			done <- err
		}()
		require.Eventually(t, func() bool {
			return strings.Contains(strings.Join(harness.Lines(t, m.db, "SHOW PROCESSLIST"), "\n"),
				"copy to new partitions ")
		}, time.Minute, time.Millisecond)
		if how == "context" {
			cancel()
			require.ErrorIs(t, <-done, context.Canceled)
		} else {
			harness.Must(t, m.db, "KILL QUERY "+id)
			harness.RequireErrorNumber(t, 1317, <-done)
		}
		c.Close()
		cancel()
		require.Equal(t, before, harness.Single(t, m.db, "SELECT COUNT(*) FROM information_schema.PARTITIONS WHERE TABLE_NAME = 'g$a'"))
		requireSound(t, m.db)
	}
}
