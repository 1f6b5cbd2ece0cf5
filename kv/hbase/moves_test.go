package hbase

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// manyRequests returns a Store whose scans take many requests.
func manyRequests(t testing.TB) *Store {
	s, err := Open(context.Background(), Options{Quorum: strings.Split(quorumOfTests, ","), ScanCaching: 150})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// wrongRows is the error for a scan that did not return exactly the existing rows.
type wrongRows string

func (w wrongRows) Error() string { return string(w) }

// countRows reads all rows that fillRaw has written, in the n-th of several ways. It
// returns wrongRows if one is missing or comes twice.
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

// mergeRegions merges the region of a row with the next one. gohbase has no message
// for that: its first field is the regions.
func mergeRegions(ctx context.Context, s *Store, table string, row []byte) error {
	s.cluster.forget(table)
	r, err := s.cluster.regionOf(ctx, table, row, false)
	if err != nil {
		return err
	}
	next, err := s.cluster.regionOf(ctx, table, r.end, false)
	if err != nil || len(r.end) == 0 {
		return cmp.Or(err, errors.New("it is the last region"))
	}
	request := &pb.ListNamespaceDescriptorsRequest{} // an empty message
	for _, one := range []*regionInfo{r, next} {
		field, err := messageField(1, &pb.RegionSpecifier{Type: pb.RegionSpecifier_ENCODED_REGION_NAME.Enum(), Value: []byte(one.encoded())})
		if err != nil {
			return err
		}
		setField(request, field)
	}
	return s.cluster.procedure(ctx, "MergeTableRegions", request)
}

// unrest moves, splits and merges a table's regions at random until it is stopped.
type unrest struct {
	moves, splits, merges, fails int
	last                         error
}

func (u *unrest) run(t *testing.T, s *Store, table string, rows int, r *rand.Rand, stop func() bool) {
	for !stop() {
		moveAll(t, s, table)
		u.moves++
		at := fmt.Appendf(nil, "k%07d", r.IntN(rows*10))
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		did := &u.splits
		err := error(nil)
		if r.IntN(2) == 0 {
			err = s.cluster.splitRegion(ctx, pbTable("default", table), at)
		} else {
			did, err = &u.merges, mergeRegions(ctx, s, table, at)
		}
		if err != nil {
			did, u.last = &u.fails, err
		}
		*did++
		cancel()
	}
}

// Regions move, split and merge during 100 scans, which miss no row and return none twice.
func TestScansWhileRegionsMove(t *testing.T) {
	openTest(t)
	s := manyRequests(t)
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	name := newName()
	const rows = 6000
	var bounds [][]byte // many: new regions cannot be split or merged for minutes
	for at := 5000; at < 10*rows; at += 5000 {
		bounds = append(bounds, fmt.Appendf(nil, "k%07d", at))
	}
	makeTable(t, s, name, bounds, familySchema("a", behaviours["Ours"]...))
	fillRaw(t, s, name, rows, []byte("value"))
	var over atomic.Bool
	var u unrest
	var all sync.WaitGroup
	all.Go(func() { u.run(t, s, name, rows, r, over.Load) })
	scans := 100
	switch {
	case *long:
		scans = 1000
	case testing.Short():
		scans = 20
	}
	for n := range scans {
		if err := countRows(context.Background(), s, name, rows, n); err != nil {
			t.Error(err)
		}
	}
	over.Store(true)
	all.Wait()
	t.Logf("%d scans, %d times all regions moved, %d splits, %d merges, %d refused: %v", scans, u.moves, u.splits, u.merges, u.fails, u.last)
	require.Positive(t, u.moves)
	require.Positive(t, u.splits+u.merges)
}

// The test's HBase is killed during scans and restarted: a scan is complete, if
// necessary after the crash, or fails.
func TestScansAcrossCrash(t *testing.T) {
	openTest(t)
	dir := crashDir(t)
	s := manyRequests(t)
	name := newName()
	const rows = 20_000
	makeTable(t, s, name, [][]byte{[]byte("k0050000"), []byte("k0100000")}, familySchema("a", behaviours["Ours"]...))
	fillRaw(t, s, name, rows, []byte("value"))
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rounds())*3*time.Minute)
	defer cancel()
	var all sync.WaitGroup
	var whole, failed atomic.Int64
	var over atomic.Bool
	end := func() { over.Store(true); all.Wait() }
	defer end() // if the test fails
	for w := range 3 {
		all.Go(func() {
			for n := w; ctx.Err() == nil; n++ {
				last := over.Load()
				err := countRows(ctx, s, name, rows, n)
				if _, wrong := err.(wrongRows); wrong {
					t.Error(err)
				} else if err != nil {
					failed.Add(1)
				} else if whole.Add(1); last {
					return
				}
			}
		})
	}
	for range rounds() {
		time.Sleep(700 * time.Millisecond)
		crashed(t, dir)
		for n := whole.Load(); whole.Load() < n+3 && ctx.Err() == nil; {
			time.Sleep(10 * time.Millisecond)
		}
	}
	end()
	require.NoError(t, ctx.Err(), "no scan was complete after a crash")
	t.Logf("%d scans were complete, %d failed", whole.Load(), failed.Load())
}
