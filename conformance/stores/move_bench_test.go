package stores

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// BenchmarkRepartition moves -parts.cells cells of a table group while nothing
// else runs, and with four concurrent writers and four readers, where each
// transaction has four writes and each answer is checked. For comparison, it
// measures the same writers and readers alone, and a plain rewrite of the cells
// by REPLACE ... SELECT.
func BenchmarkRepartition(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		m := newMovingGroup(b, "file:"+filepath.Join(b.TempDir(), "store")+"?sync=false", *partsCells/2)
		harness.Must(b, m.db, "FLUSH TABLES", "CREATE TABLE copy_a "+harness.PlainTable,
			"CREATE TABLE copy_b "+harness.PlainTable)
		rewrite := elapsed(func() {
			harness.Must(b, m.db, "REPLACE INTO copy_a SELECT K, Q, T, V FROM g$a", "REPLACE INTO copy_b SELECT K, Q, T, V FROM g$b")
		})
		harness.Must(b, m.db, "DROP TABLE copy_a, copy_b")
		idle := elapsed(func() { harness.Must(b, m.db, "ALTER TABLE g$a "+moveLayouts[0]) })
		harness.Must(b, m.db, "ALTER TABLE g$a "+moveLayouts[3])
		b.ReportMetric(idle.Seconds()/rewrite.Seconds(), "idle-move/rewrite")
		b.ReportMetric(rewrite.Seconds(), "rewrite-s")
		quiet, _ := m.latencies(b, func() { time.Sleep(time.Duration(harness.InShort(500, 5000)) * time.Millisecond) })
		b.ReportMetric(quiet, "quiet-p99-ms")
		for i, name := range []string{"key193", "range"} {
			var took time.Duration
			p99, commits := m.latencies(b, func() {
				took = elapsed(func() { harness.Must(b, m.db, "ALTER TABLE g$a "+moveLayouts[i]) })
			})
			b.ReportMetric(p99, name+"-p99-ms")
			b.ReportMetric(p99/quiet, name+"-p99/quiet")
			b.ReportMetric(took.Seconds(), name+"-s")
			b.ReportMetric(took.Seconds()/rewrite.Seconds(), name+"/rewrite")
			b.ReportMetric(float64(commits)/took.Seconds(), name+"-commits/s")
		}
		requireSoundB(b, m)
	}
}

func elapsed(fn func()) time.Duration {
	began := time.Now()
	fn()
	return time.Since(began)
}

func requireSoundB(b *testing.B, m *movingGroup) {
	require.NoError(b, m.readAll(b.Context()))
	for _, line := range harness.Lines(b, m.db, "CHECK STORE") {
		require.Regexp(b, " status OK$| note ", line)
	}
}

// latencies runs fn with concurrent writers and readers, and returns the 99th
// percentile of the writers' transactions in milliseconds, and their number.
func (m *movingGroup) latencies(b *testing.B, fn func()) (p99 float64, commits int) {
	m.over.Store(false)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var all []time.Duration
	for i := range 4 {
		rng := rand.New(rand.NewPCG(1, uint64(i)))
		wg.Go(func() {
			var mine []time.Duration
			for first := true; first || !m.over.Load(); first = false {
				n := m.serial.Add(1)
				took := elapsed(func() { require.NoError(b, m.writeOnce(context.Background(), rng, n, i, 4)) })
				mine = append(mine, took)
			}
			mu.Lock()
			all = append(all, mine...)
			mu.Unlock()
		})
		wg.Go(func() { require.NoError(b, m.read(context.Background(), rand.New(rand.NewPCG(2, uint64(i))))) })
	}
	fn()
	m.over.Store(true)
	wg.Wait()
	slices.Sort(all)
	return all[len(all)*99/100].Seconds() * 1000, len(all)
}

// BenchmarkPartitionStatements runs the statements that move no cells, on
// tables of a thousand cells and of -parts.cells.
func BenchmarkPartitionStatements(b *testing.B) {
	for _, cells := range []int{1000, *partsCells} {
		db := harness.OpenDB(b, "file:"+filepath.Join(b.TempDir(), "store")+"?sync=false")
		harness.Must(b, db, "CREATE TABLE x "+harness.PlainTable, "CREATE TABLE t "+harness.PlainTable+" PARTITION BY RANGE COLUMNS(K) (PARTITION a VALUES LESS THAN ('m'), PARTITION z VALUES LESS THAN (MAXVALUE))")
		fill := func() { fillPartition(b, db, cells) }
		fill()
		for _, s := range []struct{ name, before, run, after string }{
			{"split", "", "ALTER TABLE t REORGANIZE PARTITION a INTO (PARTITION a0 VALUES LESS THAN ('k5'), PARTITION a VALUES LESS THAN ('m'))",
				"ALTER TABLE t REORGANIZE PARTITION a0, a INTO (PARTITION a VALUES LESS THAN ('m'))"},
			{"merge", "ALTER TABLE t REORGANIZE PARTITION a INTO (PARTITION a0 VALUES LESS THAN ('k5'), PARTITION a VALUES LESS THAN ('m'))",
				"ALTER TABLE t REORGANIZE PARTITION a0, a INTO (PARTITION a VALUES LESS THAN ('m'))", ""},
			{"exchange-out", "", "ALTER TABLE t EXCHANGE PARTITION a WITH TABLE x", "ALTER TABLE t EXCHANGE PARTITION a WITH TABLE x"},
			{"exchange-in", "ALTER TABLE t EXCHANGE PARTITION a WITH TABLE x", "ALTER TABLE t EXCHANGE PARTITION a WITH TABLE x WITH VALIDATION", ""},
			{"truncate", "refill", "ALTER TABLE t TRUNCATE PARTITION a", ""},
			{"drop", "refill", "ALTER TABLE t DROP PARTITION a",
				"ALTER TABLE t REORGANIZE PARTITION z INTO (PARTITION a VALUES LESS THAN ('m'), PARTITION z VALUES LESS THAN (MAXVALUE))"},
		} {
			b.Run(fmt.Sprintf("%s/%d", s.name, cells), func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					b.StopTimer()
					if s.before == "refill" {
						fill()
					} else if s.before != "" {
						harness.Must(b, db, s.before)
					}
					b.StartTimer()
					harness.Must(b, db, s.run)
					b.StopTimer()
					if s.after != "" {
						harness.Must(b, db, s.after)
					}
				}
			})
		}
	}
}

func fillPartition(b *testing.B, db harness.Execer, cells int) {
	var tuples []byte
	for i := range cells {
		tuples = fmt.Appendf(tuples, ", ('k%07d', 'q', 1, '0123456789012345678901234567890123456789')", i*10_000_000/cells)
		if i%1000 == 999 || i == cells-1 {
			harness.Must(b, db, "REPLACE INTO t VALUES "+string(tuples[2:]))
			tuples = tuples[:0]
		}
	}
	harness.Must(b, db, "FLUSH TABLES")
}
