package pebblekv

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/partition"
)

const (
	expiringRows     = 3_000
	expiringVersions = 50
)

// What runs beside the reads of BenchmarkReadBesideCollection.
const (
	somethingElse int32 = iota
	undisturbed
	besideCollection
	phases
)

// BenchmarkReadBesideCollection reads the newest version of a row while one third of
// the table after the other is collected and compacted, and, after each third, for as
// long while nothing is done. It reports the percentiles of both and their ratio;
// whatever else the machine does affects both equally.
func BenchmarkReadBesideCollection(b *testing.B) {
	s, clock := openExpiring(b)
	table := kvtest.Catalog(s).Table("d", "g$a")
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error, 1)
	var phase atomic.Int32
	go func() { done <- expire(ctx, s, clock, &phase) }()
	r, took := rand.New(rand.NewPCG(1, 1)), [phases][]time.Duration{}
	b.ResetTimer()
	for len(took[undisturbed]) < b.N || len(took[besideCollection]) < b.N {
		at, began := phase.Load(), time.Now()
		requireNewest(b, s, table, r.IntN(expiringRows))
		took[at] = append(took[at], time.Since(began))
	}
	b.StopTimer()
	cancel()
	require.NoError(b, <-done)
	var percentiles [phases]float64
	for at, name := range map[int32]string{undisturbed: "alone", besideCollection: "beside"} {
		slices.Sort(took[at])
		percentiles[at] = float64(took[at][len(took[at])*99/100].Nanoseconds())
		b.ReportMetric(float64(took[at][len(took[at])/2].Nanoseconds()), "p50-"+name)
		b.ReportMetric(percentiles[at], "p99-"+name)
	}
	b.ReportMetric(percentiles[besideCollection]/percentiles[undisturbed], "p99-ratio")
}

func expiringRow(i int) []byte { return fmt.Appendf(nil, "row%06d", i) }

// openExpiring makes a table in which the newest version of each row never expires,
// and the others expire one second after the other.
func openExpiring(b *testing.B) (*Store, *handClock) {
	clock := &handClock{}
	s, err := Open(Options{Dir: b.TempDir(), CollectEvery: -1, CacheBytes: 256 << 20, Now: clock.now})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, s.Close()) })
	createTable(b, s, "g", "a", &partition.Scheme{})
	table := retain(b, s, "g$a", kv.Retention{TTLSeconds: 1})
	require.NoError(b, writeExpiring(b.Context(), s, table, clock))
	require.NoError(b, s.Compact(b.Context(), table, nil))
	return s, clock
}

func writeExpiring(ctx context.Context, s *Store, table *kv.Table, clock *handClock) error {
	base := clock.ms.Load()
	for from := 0; from < expiringRows; from += 500 {
		tx := kvtest.Begin(s, kv.TxnOptions{})
		for i := from; i < from+500; i++ {
			for v := range expiringVersions {
				cell := kv.Cell{Row: expiringRow(i), Timestamp: base + int64(v)*1000, Value: make([]byte, 100)}
				if v == 0 {
					cell.Timestamp = 1 << 60
				}
				if err := tx.Put(ctx, table, cell); err != nil {
					return err
				}
			}
		}
		if err := tx.Commit(ctx); err != nil {
			return err
		}
	}
	return nil
}

// expire repeatedly lets a third of the versions expire and collects them.
func expire(ctx context.Context, s *Store, clock *handClock, phase *atomic.Int32) error {
	table := kvtest.Catalog(s).Table("d", "g$a")
	for step := 1; ctx.Err() == nil; step++ {
		clock.ms.Add(expiringVersions * 1000 / 3)
		began := time.Now()
		phase.Store(besideCollection)
		if err := s.collectIfWorth(ctx, table); err != nil && ctx.Err() == nil {
			return err
		}
		phase.Store(undisturbed)
		select {
		case <-time.After(time.Since(began)):
		case <-ctx.Done():
		}
		phase.Store(somethingElse)
		if step%3 == 0 {
			if err := writeExpiring(ctx, s, table, clock); err != nil && ctx.Err() == nil {
				return err
			}
		}
	}
	return nil
}

func requireNewest(b *testing.B, s *Store, table *kv.Table, i int) {
	tx := kvtest.Begin(s, kv.TxnOptions{ReadOnly: true})
	at := kv.Position{Row: expiringRow(i), Depth: kv.DepthRow}
	end := at
	end.After = true
	c, err := tx.Scan(b.Context(), []*kv.Table{table},
		&kv.Scan{Ranges: []kv.Range{{Start: at, End: end}}, NeedValue: true, MaxVersions: 1})
	if err != nil || !c.Next() || c.Cell().Timestamp != 1<<60 {
		b.Fatal(err)
	}
	if err := c.Close(); err != nil {
		b.Fatal(err)
	}
	tx.Rollback()
}
