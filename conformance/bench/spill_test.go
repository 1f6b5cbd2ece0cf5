package bench

import (
	"cmp"
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/url"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

var spillRows = flag.Int("spill.rows", 0, "number of rows of BenchmarkSpill; 0 is two million, in short runs a tenth of that")

// BenchmarkSpill sorts and groups rows in memory and, with little memory, in
// temporary files. heap-MiB is the maximum heap meanwhile, including garbage
// that was not collected yet.
func BenchmarkSpill(b *testing.B) {
	store, rows := b.TempDir(), cmp.Or(*spillRows, harness.InShort(200_000, 2_000_000))
	small := fmt.Sprintf("%dMiB", harness.InShort(2, 16))
	fillForSpill(b, store, rows)
	for _, c := range []struct{ name, query string }{
		{"sort", "SELECT K FROM big ORDER BY V"},
		{"group", "SELECT V, COUNT(*), MAX(T) FROM big GROUP BY V"},
		{"distinct", "SELECT DISTINCT V FROM big"},
		{"join", "SELECT a.T FROM big a JOIN (SELECT V, T FROM big) b ON a.V = b.V WHERE a.T % 4 = 0"},
	} {
		for _, memory := range []string{"64GiB", small} {
			b.Run(c.name+"/"+memory, func(b *testing.B) {
				db, err := sql.Open("hbasekv", "file:"+store+"?sync=false&queryMemory="+memory+"&tmpDir="+url.QueryEscape(b.TempDir()))
				require.NoError(b, err)
				defer db.Close()
				b.ReportAllocs()
				peak := watchHeap()
				for b.Loop() {
					readAll(b, db, c.query)
				}
				b.ReportMetric(float64(peak())/(1<<20), "heap-MiB")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows), "ns/row")
				b.ReportMetric(0, "ns/op")
				require.Equal(b, memory == small, harness.Status(b, db, "Created_tmp_files") > 0)
			})
		}
	}
}

// fillForSpill creates a table in which each value occurs twice, far apart.
func fillForSpill(b *testing.B, store string, rows int) {
	const batch = 2000
	db, err := sql.Open("hbasekv", "file:"+store+"?sync=false")
	require.NoError(b, err)
	defer db.Close()
	_, err = db.Exec("CREATE TABLE big (K varbinary(64), Q varbinary(64), T bigint, V varbinary(1024), PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 7")
	require.NoError(b, err)
	r := rand.New(rand.NewPCG(1, 1))
	for i := 0; i < rows; i += batch {
		tuples := make([]string, batch)
		for j := range tuples {
			tuples[j] = fmt.Sprintf("('%09d', 'q', %d, '%016x')", i+j, i+j, r.IntN(rows/2))
		}
		_, err := db.Exec("REPLACE INTO big (K, Q, T, V) VALUES " + strings.Join(tuples, ", "))
		require.NoError(b, err)
	}
}

// watchHeap watches the heap until the function that it returns is called,
// which returns the heap's maximum growth.
func watchHeap() func() uint64 {
	stop := make(chan struct{})
	var wait sync.WaitGroup
	first := uint64(harness.LiveHeap())
	most := first
	wait.Go(func() {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		for {
			metrics.Read(sample)
			most = max(most, sample[0].Value.Uint64())
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	})
	return func() uint64 {
		close(stop)
		wait.Wait()
		return most - first
	}
}
