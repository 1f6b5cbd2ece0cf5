package reports

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

var pivotRows = flag.Int("pivot.rows", 20_000, "rows of three cells of the tests of large pivots; the memory is in proportion")

// sizedPivot is a table of rows of three cells that is queried with little memory.
type sizedPivot struct {
	rows   int
	memory int64 // queryMemory
	cache  int64
	tmp    string
}

// newSizedPivot has 64 MiB of memory and a cache of the same size for 10,000,000 cells.
func newSizedPivot(t testing.TB) *sizedPivot {
	memory := max(256<<10, 64<<20*int64(*pivotRows)/3_400_000)
	return &sizedPivot{rows: *pivotRows, memory: memory, cache: max(4<<20, memory), tmp: t.TempDir()}
}

// most is what a statement may use in addition to the cache. Several operators keep
// rows, each of which may exceed its share by an eighth; a tenth is garbage that is not
// collected yet; batches, the blocks of temporary files and what the driver returns
// amount to some MiB for each worker.
func (p *sizedPivot) most(workers int) int64 {
	return p.memory + p.memory/4 + p.memory/10 + int64(workers)*5<<20
}

func (p *sizedPivot) open(t testing.TB) *sql.DB {
	db := harness.OpenDB(t, fmt.Sprintf("file:%s?sync=false&queryMemory=%d&cache=%d&tmpDir=%s",
		filepath.Join(t.TempDir(), "store"), p.memory, p.cache, url.QueryEscape(p.tmp)))
	harness.Must(t, db, "CREATE TABLE f (K varbinary(64), Q varbinary(64), T bigint, V varbinary(200), PRIMARY KEY (K, Q, T))")
	_, err := driver.BulkLoad(context.Background(), db, []string{"f"}, func(yield func(driver.Cell, error) bool) {
		r := rand.New(rand.NewPCG(1, 1))
		for i := range p.rows {
			k := fmt.Appendf(nil, "%09d", i)
			for q, v := range [][]byte{fmt.Appendf(nil, "%08x", r.IntN(p.rows/2)), fmt.Appendf(nil, "%016x", r.Uint64()),
				fmt.Appendf(nil, "C%d", i%23)} {
				if !yield(driver.Cell{K: k, Q: []byte{'a' + byte(q)}, T: int64(i), V: v}, nil) {
					return
				}
			}
		}
	})
	require.NoError(t, err)
	return db
}

const sizedRows = `(SELECT K, MAX(CASE WHEN Q = 'a' THEN V END) AS a, MAX(CASE WHEN Q = 'b' THEN V END) AS b FROM f GROUP BY K)`

// sizedPivots keep every row of the pivot, or nearly every row.
var sizedPivots = []struct{ name, query string }{
	{"rows", "SELECT K, a, b FROM " + sizedRows + " p"},
	{"order", "SELECT K, a, b FROM " + sizedRows + " p ORDER BY b"},
	{"groups", "SELECT a, COUNT(*), MAX(b) FROM " + sizedRows + " p GROUP BY a"},
	{"join", "SELECT p.K, p.a, r.c FROM " + sizedRows + " p JOIN (SELECT K, MIN(CASE WHEN Q = 'c' THEN V END) AS c FROM f GROUP BY K) r ON r.K = p.K"},
	{"join on a column", "SELECT p.K, r.K FROM " + sizedRows + " p JOIN " + sizedRows + " r ON r.a = p.a"},
	{"distinct", "SELECT DISTINCT a, b FROM " + sizedRows + " p"},
	{"counted distinct", "SELECT COUNT(DISTINCT b), COUNT(DISTINCT a) FROM " + sizedRows + " p"},
	{"window", "SELECT K, b, ROW_NUMBER() OVER (PARTITION BY a ORDER BY b), COUNT(*) OVER (ORDER BY b) FROM " + sizedRows + " p"},
	{"one window", "SELECT K, MAX(b) OVER () FROM " + sizedRows + " p"},
}

// TestSizeOfPivots: pivots of many rows use no more memory than allowed, in every
// operator above them.
func TestSizeOfPivots(t *testing.T) {
	p := newSizedPivot(t)
	db := p.open(t)
	for _, workers := range []int{1, 2} {
		conn := harness.Conn(t, db)
		harness.Must(t, conn, fmt.Sprintf("SET hbasekv_parallelism = %d", workers))
		for _, q := range sizedPivots {
			harness.Must(t, conn, "SELECT COUNT(*) FROM f WHERE V > ''") // the cache is full
			peak := watchLive()
			began := time.Now()
			rows := readSized(t, conn, q.query)
			kept := peak()
			t.Logf("%s by %d: %.1f MiB beside the cache, %d rows in %v", q.name, workers, float64(kept)/(1<<20), rows, time.Since(began))
			if kept > p.most(workers) {
				t.Errorf("%s by %d: %d bytes", q.name, workers, kept)
			}
			harness.RequireNoFiles(t, p.tmp)
		}
	}
}

// readSized reads all rows and returns their number.
func readSized(t testing.TB, conn harness.Execer, query string) (rows int) {
	r, err := conn.QueryContext(context.Background(), query)
	require.NoError(t, err, query)
	defer r.Close()
	columns, err := r.Columns()
	require.NoError(t, err)
	into := make([]any, len(columns))
	for i := range into {
		into[i] = new(sql.RawBytes)
	}
	for ; r.Next(); rows++ {
		require.NoError(t, r.Scan(into...))
	}
	require.NoError(t, r.Err())
	return rows
}

// watchLive collects garbage often until the function that it returns is called,
// which returns the maximum growth of the live heap. The heap includes the cache if
// Pebble is built without C: it is full before and after.
func watchLive() func() int64 {
	first := harness.LiveHeap()
	percent := debug.SetGCPercent(10)
	stop := make(chan struct{})
	var wait sync.WaitGroup
	most := first
	wait.Go(func() {
		sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		for {
			metrics.Read(sample)
			most = max(most, int64(sample[0].Value.Uint64()))
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	})
	return func() int64 {
		close(stop)
		wait.Wait()
		debug.SetGCPercent(percent)
		return most - first
	}
}

// TestCancelPivots cancels such statements in all their stages: they end, and leave no
// file, no goroutine and no transaction. Closing the store shows that no snapshot is
// left.
func TestCancelPivots(t *testing.T) {
	waits := cancelPivots(t, 2)
	t.Logf("%d cancelled: median %v, at most %v", len(waits), waits[len(waits)/2], waits[len(waits)-1])
}

// BenchmarkCancelPivots measures how long they take to end.
func BenchmarkCancelPivots(b *testing.B) {
	var waits []time.Duration
	for b.Loop() {
		waits = append(waits, cancelPivots(b, 5)...)
	}
	slices.Sort(waits)
	b.ReportMetric(float64(waits[len(waits)/2].Microseconds())/1000, "median-ms")
	b.ReportMetric(float64(waits[len(waits)-1].Microseconds())/1000, "max-ms")
}

// cancelPivots cancels each statement that many times, and returns how long they
// took to end, in ascending order.
func cancelPivots(t testing.TB, often int) (waits []time.Duration) {
	const running = "SELECT * FROM information_schema.INNODB_TRX WHERE trx_query LIKE '%FROM f%'"
	p := newSizedPivot(t)
	db := p.open(t)
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	for _, workers := range []int{1, 2} {
		conn := harness.Conn(t, db)
		harness.Must(t, conn, fmt.Sprintf("SET hbasekv_parallelism = %d", workers))
		for _, q := range sizedPivots {
			began := time.Now()
			all := readSized(t, conn, q.query)
			took := time.Since(began)
			require.Empty(t, harness.Lines(t, db, running))
			before := goleak.IgnoreCurrent()
			for range often {
				waits = append(waits, cancelled(t, conn, q.query, time.Duration(r.Int64N(int64(took))), all))
				harness.RequireNoFiles(t, p.tmp)
				require.Empty(t, harness.Lines(t, db, running))
			}
			require.NoError(t, goleak.Find(before), q.name)
		}
	}
	slices.Sort(waits)
	return waits
}

// cancelled runs a statement with that many rows, cancels it after a while, and
// returns how long it then took to end. It may have ended before.
func cancelled(t testing.TB, conn *sql.Conn, query string, after time.Duration, all int) time.Duration {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var at time.Time
	time.AfterFunc(after, func() { at = time.Now(); cancel() })
	rows, err := conn.QueryContext(ctx, query)
	n := 0
	if err == nil {
		for rows.Next() {
			n++
		}
		if err = rows.Err(); err == nil {
			require.Equal(t, all, n, query)
		}
		require.NoError(t, rows.Close())
	}
	if err == nil {
		return 0
	}
	require.ErrorIs(t, err, context.Canceled, query)
	return time.Since(at)
}
