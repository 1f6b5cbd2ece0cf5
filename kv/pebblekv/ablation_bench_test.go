package pebblekv

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
)

// BenchmarkAblation switches off each shortcut of the tuning in turn, over typical uses
// of a store. The figures in tuning.go come from here: for each workload, the processor
// time without the shortcut divided by that with all.
func BenchmarkAblation(b *testing.B) {
	for _, w := range ablationWork() {
		b.Run(w.name, func(b *testing.B) {
			s, run := w.setup(b)
			for _, off := range ablations {
				timed(b, off.name, func(b *testing.B) {
					s.engine.Tuning = views.DefaultTuning()
					off.change(&s.engine.Tuning)
					b.ReportAllocs()
					for i := range b.N {
						run(b, i)
					}
				})
			}
		})
	}
}

type ablation struct {
	name   string
	change func(*views.Tuning)
}

var ablations = []ablation{
	{"all", func(*views.Tuning) {}},
	{"-seekSteps", func(t *views.Tuning) { t.SeekSteps = 0 }},
	{"-learnSteps", func(t *views.Tuning) { t.LearnSteps = false }},
	{"-longSeeks", func(t *views.Tuning) { t.LongSeeks = math.MaxUint8 }},
	{"-spanEnds", func(t *views.Tuning) { t.SpanEnds = false }},
	{"-aheadStreams", func(t *views.Tuning) { t.AheadStreams = math.MaxInt }},
	{"-hotSeeks", func(t *views.Tuning) { t.HotSeeks = math.MaxInt64 }},
	{"-rewritten", func(t *views.Tuning) { t.RewrittenOften, t.RewrittenFlush = math.MaxUint32, math.MaxUint32 }},
	{"-dead", func(t *views.Tuning) { t.DeadFlush = math.MaxInt64 }},
	{"-seekFlush", func(t *views.Tuning) { t.SeekFlush = math.MaxInt64 }},
	{"-timeFilters", func(t *views.Tuning) { t.TimeFilters = false }},
	{"-gaps", func(t *views.Tuning) { t.Gaps = false }},
	{"-gapClimbs", func(t *views.Tuning) { t.GapClimbs = math.MaxInt }},
	{"-fileLooks", func(t *views.Tuning) { t.FileLooks = false }},
	{"-looks", func(t *views.Tuning) { t.Looks = 0 }},
	{"-rowViews", func(t *views.Tuning) { t.RowViews = false }},
	{"-runs", func(t *views.Tuning) { t.Runs = false }},
	{"-plainBatches", func(t *views.Tuning) { t.PlainBatches = false }},
	{"-passSteps", func(t *views.Tuning) { t.PassSteps = 0 }},
	{"-keyCounts", func(t *views.Tuning) { t.KeyCounts = false }},
	{"-idleIterators", func(t *views.Tuning) { t.IdleIterators = 0 }},
	{"-recycle", func(t *views.Tuning) { t.Recycle = false }},
}

// workload is a typical use: setup returns the store and a function for one step.
type workload struct {
	name  string
	setup func(*testing.B) (*Store, func(*testing.B, int))
}

const ablationRows = 20_000

func ablationWork() (out []workload) {
	for _, partitions := range []int{1, 97} {
		for _, state := range []string{"loaded", "compacted"} {
			for _, w := range readWork() {
				name := fmt.Sprintf("%s/%d/%s", w.name, partitions, state)
				out = append(out, workload{name, func(b *testing.B) (*Store, func(*testing.B, int)) {
					s, t := benchStore(b, partitions)
					rows := scaled(ablationRows)
					fillVersions(b, s, t, rows, func(int) int { return 1 }, state == "compacted")
					return s, func(b *testing.B, i int) { readBatches(b, s, t, w.scan(i*7919%rows)) }
				}})
			}
		}
	}
	for _, versions := range []int{1, 10, 100, 1000} {
		out = append(out, versionWork(fmt.Sprint(versions), versions, func(int) int { return versions })...)
	}
	out = append(out, versionWork("100 of one column in five", 20, func(q int) int { return 1 + 99*(q/4) })...)
	inOrder := func(row int) int64 { return int64(row) }
	scattered := func(row int) int64 { return int64(row * 7919 % scaled(timeRows)) }
	out = append(out, timeWork("1", 1, inOrder), timeWork("97", 97, inOrder), timeWork("1/scattered", 1, scattered))
	return append(out, writeWork()...)
}

// readWork returns reads of rows with one version of each column.
func readWork() []struct {
	name string
	scan func(row int) *kv.Scan
} {
	from := func(row int) kv.Position { return kv.Position{Row: formatRow(row), Depth: kv.DepthRow} }
	return []struct {
		name string
		scan func(row int) *kv.Scan
	}{
		{"row", func(row int) *kv.Scan { return rowGet(formatRow(row), kv.DepthRow, nil) }},
		{"cell", func(row int) *kv.Scan { return rowGet(formatRow(row), kv.DepthColumn, formatQualifier(row%5)) }},
		{"missing row", func(row int) *kv.Scan { return rowGet(append(formatRow(row), 'x'), kv.DepthRow, nil) }},
		{"prefix of 100", func(row int) *kv.Scan {
			ranges := []kv.Range{{Start: from(row), End: from(row + 20)}}
			return &kv.Scan{NeedValue: true, Ordered: true, MaxVersions: 1, Ranges: ranges}
		}},
		{"limit 10", func(row int) *kv.Scan {
			ranges := []kv.Range{{Start: from(row)}}
			return &kv.Scan{NeedValue: true, Ordered: true, MaxVersions: 1, Limit: 10, Ranges: ranges}
		}},
		{"newest", func(int) *kv.Scan { return &kv.Scan{NeedValue: true, MaxVersions: 1} }},
		{"all versions", func(int) *kv.Scan { return &kv.Scan{NeedValue: true} }},
		{"ordered", func(int) *kv.Scan { return &kv.Scan{NeedValue: true, MaxVersions: 1, Ordered: true} }},
		{"reverse", func(int) *kv.Scan { return &kv.Scan{NeedValue: true, MaxVersions: 1, Reverse: true} }},
		{"first of row", func(int) *kv.Scan { return &kv.Scan{MaxVersions: 1, FirstPerRow: true} }},
		{"qualifier", func(int) *kv.Scan {
			q := kv.QualifierRange{Start: formatQualifier(3), End: append(formatQualifier(3), 0)}
			return &kv.Scan{NeedValue: true, MaxVersions: 1, Qualifiers: []kv.QualifierRange{q}}
		}},
		{"count", func(int) *kv.Scan { return nil }},
	}
}

// versionWork reads rows whose column q has of(q) versions.
func versionWork(name string, versions int, of func(q int) int) (out []workload) {
	middle := kv.TimeRange{Min: 0, Max: int64(versions / 2), Bounded: true}
	for what, scan := range map[string]func(row int) *kv.Scan{
		"newest":   func(int) *kv.Scan { return &kv.Scan{NeedValue: true, MaxVersions: 1} },
		"newest 3": func(int) *kv.Scan { return &kv.Scan{NeedValue: true, MaxVersions: 3} },
		"reverse":  func(int) *kv.Scan { return &kv.Scan{NeedValue: true, MaxVersions: 1, Reverse: true} },
		"as of":    func(int) *kv.Scan { return &kv.Scan{NeedValue: true, MaxVersions: 1, Time: middle} },
		"row":      func(row int) *kv.Scan { return rowGet(formatRow(row), kv.DepthRow, nil) },
		"cell":     func(row int) *kv.Scan { return rowGet(formatRow(row), kv.DepthColumn, formatQualifier(2)) },
	} {
		out = append(out, workload{"versions/" + what + "/" + name, func(b *testing.B) (*Store, func(*testing.B, int)) {
			s, t := benchStore(b, 1)
			rows := max(scaled(ablationRows)/versions/3, 5)
			fillVersions(b, s, t, rows, of, true)
			return s, func(b *testing.B, i int) { readBatches(b, s, t, scan(i*7919%rows)) }
		}})
	}
	return out
}

const timeRows = 3 * ablationRows

// timeWork reads 1 % of the time of rows, whose times at returns.
func timeWork(name string, partitions int, at func(row int) int64) workload {
	return workload{"time/" + name, func(b *testing.B) (*Store, func(*testing.B, int)) {
		s, t := benchStore(b, partitions)
		rows := scaled(timeRows)
		tx := kvtest.Begin(s, kv.TxnOptions{})
		for i := range rows {
			require.NoError(b, tx.Put(b.Context(), t, kv.Cell{Row: formatRow(i), Timestamp: at(i), Value: make([]byte, 100)}))
		}
		require.NoError(b, tx.Commit(b.Context()))
		require.NoError(b, s.Flush(b.Context()))
		require.NoError(b, s.Compact(b.Context(), t, nil))
		times := kv.TimeRange{Min: int64(rows / 2), Max: int64(rows/2 + rows/100), Bounded: true}
		scan := &kv.Scan{NeedValue: true, Time: times}
		return s, func(b *testing.B, _ int) { readBatches(b, s, t, scan) }
	}}
}

// writeWork returns writes that look at the store first, and reads of what was written often.
func writeWork() (out []workload) {
	add := func(name string, partitions int, step func(b *testing.B, s *Store, t *kv.Table, i int)) {
		out = append(out, workload{"write/" + name, func(b *testing.B) (*Store, func(*testing.B, int)) {
			s, t := benchStore(b, partitions)
			fillVersions(b, s, t, scaled(ablationRows), func(int) int { return 1 }, true)
			return s, func(b *testing.B, i int) { step(b, s, t, i) }
		}})
	}
	next := 0
	insert := func(b *testing.B, s *Store, t *kv.Table, rows int) {
		tx := kvtest.Begin(s, kv.TxnOptions{Single: true})
		for range rows {
			next++
			c := kv.Cell{Row: fmt.Appendf(nil, "user%09dx", next), Timestamp: 1, Value: make([]byte, 100)}
			_, err := tx.PutIfAbsent(b.Context(), t, c)
			require.NoError(b, err)
		}
		require.NoError(b, tx.Commit(b.Context()))
	}
	add("insert 1", 1, func(b *testing.B, s *Store, t *kv.Table, _ int) { insert(b, s, t, 1) })
	add("insert 1000/97", 97, func(b *testing.B, s *Store, t *kv.Table, _ int) { insert(b, s, t, 1000) })
	for _, partitions := range []int{1, 97} {
		scattered := func(b *testing.B, s *Store, t *kv.Table, _ int) { insertScattered(b, s, t, &next) }
		add(fmt.Sprintf("insert 1000 scattered/%d", partitions), partitions, scattered)
	}
	add("burst", 1, func(b *testing.B, s *Store, t *kv.Table, _ int) {
		tx := kvtest.Begin(s, kv.TxnOptions{Single: true})
		_, err := tx.PutNext(b.Context(), t, kv.Cell{Row: formatRow(1), Qualifier: formatQualifier(1), Value: []byte("v")})
		require.NoError(b, err)
		require.NoError(b, tx.Commit(b.Context()))
	})
	add("update", 1, func(b *testing.B, s *Store, t *kv.Table, i int) {
		changeCell(b, s, t, formatRow(i*7919%scaled(ablationRows)), int64(i+100))
	})
	add("counter", 1, func(b *testing.B, s *Store, t *kv.Table, i int) { changeCell(b, s, t, formatRow(1), 100) })
	counted := false
	add("counter read", 1, func(b *testing.B, s *Store, t *kv.Table, i int) {
		for range 30_000 {
			if counted {
				break
			}
			putCommitted(b, s, t, kv.Cell{Row: formatRow(1), Qualifier: formatQualifier(2), Timestamp: 1, Value: []byte("v")})
		}
		counted = true
		readBatches(b, s, t, rowGet(formatRow(1), kv.DepthRow, nil))
	})
	return out
}

// insertScattered inserts rows in random order, beside many unflushed ones.
func insertScattered(b *testing.B, s *Store, t *kv.Table, next *int) {
	tx := kvtest.Begin(s, kv.TxnOptions{})
	for n := 0; n < 1000 || *next < 40_000; n++ {
		*next++
		row := fmt.Appendf(nil, "%016x", uint64(*next)*0x9e3779b97f4a7c15)
		_, err := tx.PutIfAbsent(b.Context(), t, kv.Cell{Row: row, Timestamp: 1, Value: make([]byte, 100)})
		require.NoError(b, err)
	}
	require.NoError(b, tx.Commit(b.Context()))
}

// changeCell writes a version of a cell after it has read the previous one under the
// row's lock.
func changeCell(b *testing.B, s *Store, t *kv.Table, row []byte, ts int64) {
	tx := kvtest.Begin(s, kv.TxnOptions{Single: true})
	tx.Catalog()
	require.NoError(b, tx.LockRow(b.Context(), t, row, kv.RowLock{}))
	c, err := tx.Scan(b.Context(), []*kv.Table{t}, rowGet(row, kv.DepthColumn, formatQualifier(2)))
	require.NoError(b, err)
	require.True(b, c.Next())
	require.NoError(b, c.(kv.Releaser).Release())
	cell := kv.Cell{Row: row, Qualifier: formatQualifier(2), Timestamp: ts, Value: []byte("v")}
	require.NoError(b, tx.Put(b.Context(), t, cell))
	require.NoError(b, tx.Commit(b.Context()))
}

// fillVersions writes rows of five columns, each with of(q) versions. Unless compacted,
// they are in several files and in memory.
func fillVersions(b *testing.B, s *Store, t *kv.Table, rows int, of func(q int) int, compact bool) {
	value := bytes.Repeat([]byte("v"), 100)
	for k := range rows {
		tx := kvtest.Begin(s, kv.TxnOptions{})
		for q := range benchQualifiers {
			for v := range of(q) {
				c := kv.Cell{Row: formatRow(k * 7919 % rows), Qualifier: formatQualifier(q), Timestamp: int64(v), Value: value}
				require.NoError(b, tx.Put(b.Context(), t, c))
			}
		}
		require.NoError(b, tx.Commit(b.Context()))
		if !compact && k%(rows/5+1) == rows/5 {
			require.NoError(b, s.Flush(b.Context()))
		}
	}
	if compact {
		require.NoError(b, s.Flush(b.Context()))
		require.NoError(b, s.Compact(b.Context(), t, nil))
	}
}

// readBatches reads like statements do: in batches, and recycling. Without a scan it
// counts the newest versions.
func readBatches(b *testing.B, s *Store, t *kv.Table, scan *kv.Scan) {
	tx := kvtest.Begin(s, kv.TxnOptions{ReadOnly: true})
	count := scan == nil
	if count {
		scan = &kv.Scan{MaxVersions: 1}
	}
	c, err := tx.Scan(b.Context(), []*kv.Table{t}, scan)
	require.NoError(b, err)
	var batch kv.Batch
	for count && counted(c) || !count && c.(kv.Batcher).NextBatch(&batch, 256) && scan.Limit == 0 {
	}
	require.NoError(b, c.Err())
	require.NoError(b, c.(kv.Releaser).Release())
	require.NoError(b, tx.(kv.Releaser).Release())
}

func counted(c kv.Cursor) bool {
	_, n := c.(kv.RunCounter).CountRun(0)
	return n > 0
}
