package heat_test

import (
	"bytes"
	"flag"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/heat"
	"github.com/hbasekv/hbasekv/kv"
)

var start = time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC)

func everything(to time.Time) heat.Question {
	return heat.Question{From: start, To: to, Shows: func(*heat.Range) bool { return true }}
}

func totals(m *heat.Map) (out []heat.Amount) {
	for _, row := range m.Cells {
		var sum heat.Amount
		for _, a := range row {
			sum.Reads += a.Reads
			sum.Writes += a.Writes
		}
		out = append(out, sum)
	}
	return out
}

// TestHotRow finds a row that is read all the time within its partition, and the statements that do it.
func TestHotRow(t *testing.T) {
	db, store := open(t)
	fill(t, db)
	r := heat.New(store)
	now := start
	look := func() {
		r.Look(t.Context(), now)
		now = now.Add(heat.Every)
	}
	look()
	var v string
	for round := range 12 {
		for i := range 3000 {
			key := "k0123"
			if i%10 == 0 {
				key = fmt.Sprintf("k%04d", i%500)
			}
			require.NoError(t, db.QueryRow("SELECT V FROM t WHERE K = ?", key).Scan(&v))
		}
		for i := range 200 {
			exec(t, db, "UPDATE t SET V = ? WHERE K = ?", round, fmt.Sprintf("k%04d", 500+i%500))
		}
		look()
	}
	m := r.Map(everything(now))
	sums := totals(m)
	var hottest int
	var reads, writes float64
	for i := range m.Rows {
		reads, writes = reads+sums[i].Reads, writes+sums[i].Writes
		if sums[i].Reads > sums[hottest].Reads {
			hottest = i
		}
		if i > 0 && m.Rows[i].Partition == m.Rows[i-1].Partition {
			require.Equal(t, m.Rows[i-1].End, m.Rows[i].Start, "rows of a partition do not overlap")
		}
	}
	of := m.Rows[hottest]
	require.Equal(t, "k0123", string(of.Start))
	require.Equal(t, "k0123\x00", string(of.End))
	require.Greater(t, sums[hottest].Reads, 12*3000*0.6)
	require.Greater(t, reads, 12*3000-1.0, "nothing is lost")
	require.InDelta(t, 12*200, writes, 1)
	require.NotEmpty(t, m.By[hottest])
	require.Equal(t, "select", m.By[hottest][0].Kind)
	require.Contains(t, m.By[hottest][0].Shape, "WHERE K = ?")
	require.Greater(t, m.By[hottest][0].Share, 0.9)
	for i, of := range m.Rows {
		if of.Partition == "b" && len(m.By[i]) > 0 {
			require.Equal(t, "update", m.By[i][0].Kind)
		}
	}
}

// TestScans: what a scan reads is shared among the ranges that it goes over, and never cuts.
func TestScans(t *testing.T) {
	db, store := open(t)
	fill(t, db)
	r := heat.New(store)
	r.Look(t.Context(), start)
	for i := range 20 {
		var n int
		require.NoError(t, db.QueryRow("SELECT COUNT(V) FROM t").Scan(&n))
		r.Look(t.Context(), start.Add(time.Duration(i+1)*time.Second))
	}
	m := r.Map(everything(start.Add(time.Minute)))
	require.Len(t, m.Rows, 2)
	for _, sum := range totals(m) {
		require.GreaterOrEqual(t, sum.Reads, 20*500.0)
	}
}

// TestHotBinaryRow: rows with zero bytes, and long ones, are told apart as far as samples have them.
func TestHotBinaryRow(t *testing.T) {
	db, store := open(t)
	fill(t, db)
	hot := []byte{'x', 0, 0xff, 0, 1}
	exec(t, db, "INSERT INTO t VALUES (?, 'q', 1, 'v'), (?, 'q', 1, 'v')", hot, strings.Repeat("y", 64))
	r := heat.New(store)
	r.Look(t.Context(), start)
	for i := range 4 {
		for j := range 4000 {
			key := hot
			if j%3 == 0 {
				key = bytes.Repeat([]byte("y"), 64)
			}
			var v string
			require.NoError(t, db.QueryRow("SELECT V FROM t WHERE K = ?", key).Scan(&v))
		}
		r.Look(t.Context(), start.Add(time.Duration(i+1)*heat.Every))
	}
	m := r.Map(everything(start.Add(time.Minute)))
	var found bool
	for i, of := range m.Rows {
		if bytes.Equal(of.Start, hot) {
			found = true
			require.Equal(t, append(bytes.Clone(hot), 0), of.End)
			require.Greater(t, totals(m)[i].Reads, 4*4000*0.5)
		}
	}
	require.True(t, found)
}

// TestChanges: a partition keeps its history when others are split; one that is split begins at zero, and rows in it that
// have been written while it was whole are told of it.
func TestChanges(t *testing.T) {
	db, store := open(t)
	fill(t, db)
	r := heat.New(store)
	r.Look(t.Context(), start)
	write := func(key string, at time.Duration) {
		exec(t, db, "REPLACE INTO t (K, Q, V) VALUES (?, 'q', 'v')", key)
		r.Look(t.Context(), start.Add(at))
	}
	write("k0100", time.Second)
	write("k0900", 2*time.Second)
	exec(t, db, "SPLIT TABLE t BY ('k0700')")
	write("k0100", time.Minute)
	write("k0900", 2*time.Minute)
	m := r.Map(everything(start.Add(3 * time.Minute)))
	var names []string
	for i, of := range m.Rows {
		names = append(names, fmt.Sprintf("%s %s %v", of.Partition, of.Start, totals(m)[i].Writes))
	}
	require.Len(t, names, 3)
	require.Equal(t, "a  2", names[0])
	exec(t, db, "DROP TABLE t")
	r.Look(t.Context(), start.Add(3*time.Minute))
	require.Len(t, r.Map(everything(start.Add(4*time.Minute))).Rows, 3, "history stays")
	require.Empty(t, r.Map(heat.Question{From: start, To: start.Add(time.Hour), Shows: func(*heat.Range) bool { return false }}).Rows)
}

// TestTimes: a day is by the minute, a week by ten minutes, and what is older is dropped.
func TestTimes(t *testing.T) {
	s := wide(t, 1, 2)
	r := heat.New(s)
	for at := start; at.Before(start.Add(8 * 24 * time.Hour)); at = at.Add(30 * time.Second) {
		s.loads["t0"][1].Reads++
		r.Look(t.Context(), at)
	}
	end := start.Add(8 * 24 * time.Hour)
	ask := func(of time.Duration, columns int) *heat.Map {
		return r.Map(heat.Question{From: end.Add(-of), To: end, MaxColumns: columns, Shows: func(*heat.Range) bool { return true }})
	}
	day, week, far := ask(23*time.Hour, 0), ask(7*24*time.Hour, 0), ask(30*24*time.Hour, 0)
	require.Equal(t, time.Minute, day.Step)
	require.Equal(t, 23*120.0, totals(day)[0].Reads)
	require.Equal(t, 10*time.Minute, week.Step)
	require.InDelta(t, 7*24*120, totals(week)[0].Reads, 20)
	require.InDelta(t, 7*24*120, totals(far)[0].Reads, 20)
	joined := ask(7*24*time.Hour, 100)
	require.LessOrEqual(t, len(joined.Times), 100)
	require.InDelta(t, 7*24*120, totals(joined)[0].Reads, 200)
}

// counted is a store whose counters say what a test wants, by the names of tables.
type counted struct {
	kv.Store
	loads map[string][]kv.PartitionLoad
}

// TableLoads implements kv.LoadReader.
func (s *counted) TableLoads(t *kv.Table) []kv.PartitionLoad { return s.loads[t.Name] }

// wide is a store with tables, t0 and so on, of that many partitions each.
func wide(t testing.TB, tables, partitions int) *counted {
	t.Helper()
	db, store := open(t)
	s := &counted{store, map[string][]kv.PartitionLoad{}}
	for table := range tables {
		var b strings.Builder
		fmt.Fprintf(&b, "CREATE TABLE t%d (K varbinary(64), Q varbinary(64), T bigint, V varbinary(255), PRIMARY KEY (K, Q, T)) PARTITION BY RANGE COLUMNS(K) (", table)
		for i := range partitions - 1 {
			fmt.Fprintf(&b, "PARTITION p%d VALUES LESS THAN ('key-of-a-row-%08d'), ", i, i+1)
		}
		fmt.Fprintf(&b, "PARTITION p%d VALUES LESS THAN (MAXVALUE))", partitions-1)
		exec(t, db, b.String())
		s.loads[fmt.Sprintf("t%d", table)] = make([]kv.PartitionLoad, partitions)
	}
	return s
}

var long = flag.Bool("long", false, "with what takes minutes")

// TestMemory: a week by ten minutes and a day by the minute of a store with many partitions, others of which are busy
// each time, and all of them at the end. With -long there are 13 tables of 8,000, else one of 2,000 for a tenth of the
// time.
func TestMemory(t *testing.T) {
	tables, partitions, looks, most := 1, 2000, 230, 8.0
	if *long {
		tables, partitions, looks, most = 13, 8000, 2304, 80.0
	}
	s := wide(t, tables, partitions)
	heap := func() float64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc) / (1 << 20)
	}
	before := heap()
	r, at := heat.New(s), start
	var took, last time.Duration
	r.Look(t.Context(), at)
	for i := range looks {
		every := tables * partitions / 1000
		if i == looks-1 {
			every = 1
		}
		for table := range tables {
			loads := s.loads[fmt.Sprintf("t%d", table)]
			for leaf := i % every; leaf < partitions; leaf += every {
				loads[leaf].Reads += int64(1 + (leaf*7919+i*104729)%1000)
			}
		}
		if at = at.Add(10 * time.Minute); i > looks*3/8 {
			at = at.Add(-9 * time.Minute)
		}
		begun := time.Now()
		r.Look(t.Context(), at)
		last = time.Since(begun)
		took += last
	}
	kept := heap() - before
	begun := time.Now()
	m := r.Map(heat.Question{From: start, To: at, MaxRows: 300, MaxColumns: 480, Shows: func(*heat.Range) bool { return true }})
	t.Logf("%d partitions: %.1f MiB, %v a look, %v where all are busy, %v a map", tables*partitions, kept, took/time.Duration(looks), last, time.Since(begun))
	require.Len(t, m.Rows, 300)
	require.Less(t, kept, most)
	runtime.KeepAlive(r)
}
