package hbase

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
)

// manyRequests is a Store whose scans take many requests.
func manyRequests(t testing.TB) *Store {
	s, err := Open(context.Background(), Options{Quorum: strings.Split(quorumOfTests, ","), ScanCaching: 150})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// wrongRows is a scan that gave not just the rows that are there.
type wrongRows string

func (w wrongRows) Error() string { return string(w) }

// countRows reads all rows that fillRaw has written, in the n-th of several ways. It is
// wrongRows where one is missing or comes twice.
func countRows(ctx context.Context, s *Store, table string, rows, n int) error {
	txn, err := s.Begin(ctx, kv.TxnOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer txn.Rollback()
	scan := kv.Scan{Ordered: n%3 != 2, Reverse: n%3 == 1, MaxVersions: n % 2, NeedValue: n%2 == 0}
	if n%3 == 2 {
		scan.Parallel = 3
	}
	c, err := txn.Scan(ctx, []*kv.Table{txn.Catalog().Table("default", table+"$a")}, &scan)
	if err != nil {
		return err
	}
	defer c.Close()
	seen := make([]bool, rows)
	last := -1
	for c.Next() {
		var i int
		if _, err := fmt.Sscanf(string(c.Cell().Row), "k%d", &i); err != nil || seen[i/10] {
			return wrongRows(fmt.Sprintf("%q came twice in %+v", c.Cell().Row, scan))
		}
		if seen[i/10] = true; scan.Ordered && last >= 0 && (i < last) != scan.Reverse {
			return wrongRows(fmt.Sprintf("%q came behind %d in %+v", c.Cell().Row, last, scan))
		}
		last = i
	}
	if err := c.Err(); err != nil {
		return err
	}
	for i, ok := range seen {
		if !ok {
			return wrongRows(fmt.Sprintf("the row %d is missing in %+v", i*10, scan))
		}
	}
	return nil
}

// Regions move and split during 100 scans, which lose no row and give none twice.
func TestScansWhileRegionsMove(t *testing.T) {
	openTest(t)
	s := manyRequests(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	name := newName()
	const rows = 6000
	makeTable(t, s, name, [][]byte{[]byte("k0020000"), []byte("k0040000")}, familySchema("a", behaviours["Ours"]...))
	fillRaw(t, s, name, rows, []byte("value"))
	done := make(chan struct{})
	var moves, splits int
	var all sync.WaitGroup
	all.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			moveAll(t, s, name)
			moves++
			at := fmt.Appendf(nil, "k%07d", r.IntN(rows*10))
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			if s.cluster.splitRegion(ctx, pbTable("default", name), at) == nil { // a daughter cannot be split at once
				splits++
			}
			cancel()
		}
	})
	scans := 100
	if testing.Short() {
		scans = 20
	}
	for n := range scans {
		if err := countRows(context.Background(), s, name, rows, n); err != nil {
			t.Error(err)
		}
	}
	close(done)
	all.Wait()
	t.Logf("%d scans, %d times all regions moved, %d splits", scans, moves, splits)
	require.Positive(t, moves)
	require.Positive(t, splits)
}

// The one HBase is killed in the middle of scans and starts again: a scan is complete,
// if need be behind the crash, or an error.
func TestScansAcrossCrash(t *testing.T) {
	openTest(t)
	dir := os.Getenv("HBASEKV_TEST_DIR")
	if dir == "" {
		t.Skip("HBASEKV_TEST_DIR does not name the folder of hbase-local")
	}
	s := manyRequests(t)
	name := newName()
	const rows = 20_000
	makeTable(t, s, name, [][]byte{[]byte("k0050000"), []byte("k0100000")}, familySchema("a", behaviours["Ours"]...))
	fillRaw(t, s, name, rows, []byte("value"))
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	var all sync.WaitGroup
	var whole, failed atomic.Int64
	after := make(chan struct{})
	for w := range 3 {
		all.Go(func() {
			for n := w; ; n++ {
				ended := false
				select {
				case <-after:
					ended = true
				default:
				}
				err := countRows(ctx, s, name, rows, n)
				if _, wrong := err.(wrongRows); wrong {
					t.Error(err)
				} else if err != nil {
					failed.Add(1)
				} else if whole.Add(1); ended {
					return
				}
				if ctx.Err() != nil {
					return
				}
			}
		})
	}
	time.Sleep(700 * time.Millisecond)
	_, err := localHBase("kill", dir)
	require.NoError(t, err)
	_, err = localHBase("start", dir)
	require.NoError(t, err)
	close(after)
	all.Wait()
	require.NoError(t, ctx.Err(), "no scan was complete after the crash")
	t.Logf("%d scans were complete, %d failed", whole.Load(), failed.Load())
}
