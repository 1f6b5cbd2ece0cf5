package spill

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"syscall"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// limits are such that no rows, some rows or nearly all go to files.
var limits = []int64{0, 1 << 10, 16 << 10, 16 << 20}

func newSpace(t *testing.T, memory int64) *Space {
	s := &Space{}
	s.Init(context.Background(), Options{Memory: memory, Dir: t.TempDir()})
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.Zero(t, s.used.Load(), "memory that nobody took back")
		left, err := os.ReadDir(s.dir())
		require.NoError(t, err)
		require.Empty(t, left)
	})
	return s
}

func seeded(t *testing.T) *rand.Rand {
	return rand.New(rand.NewPCG(testseed.Of(t), 1))
}

// randomRows have a frequent key, their number, and a filling that is sometimes larger than the
// smallest limit.
func randomRows(r *rand.Rand, n int) [][]value.Value {
	rows := make([][]value.Value, n)
	for i := range rows {
		fill := make([]byte, r.IntN(40))
		if r.IntN(300) == 0 {
			fill = make([]byte, 3000)
		}
		rows[i] = []value.Value{value.NewBytes(fmt.Appendf(nil, "%04d", r.IntN(n/2+1))), value.NewInt(int64(i)),
			value.NewBytes(fill), {}}
	}
	return rows
}

func show(row []value.Value) string {
	return fmt.Sprintf("%s %d %d", row[0].Raw(), row[1].Int(), len(row[2].Raw()))
}

func TestSorter(t *testing.T) {
	r := seeded(t)
	for _, memory := range limits {
		for _, most := range []int64{0, 1, 100} {
			rows := randomRows(r, 4000)
			s := newSpace(t, memory)
			sorter := s.NewSorter(rowmem.ByFirst)
			sorter.Most = most
			for _, row := range rows {
				require.NoError(t, sorter.Add(row))
				if memory > 0 {
					require.LessOrEqual(t, s.used.Load(), memory)
				}
			}
			require.NoError(t, sorter.Sort())
			require.Equal(t, memory == 1<<10 || memory == 16<<10, sorter.Spilled())
			slices.SortStableFunc(rows, rowmem.ByFirst.Compare)
			if most > 0 {
				rows = rows[:most]
			}
			for i, want := range rows {
				row, err := sorter.Next()
				require.NoError(t, err)
				require.Equal(t, show(want), show(row), "row %d", i)
			}
			if most == 0 {
				row, err := sorter.Next()
				require.NoError(t, err)
				require.Nil(t, row)
			}
			require.NoError(t, sorter.Close())
			require.NoError(t, sorter.Close())
		}
	}
}

// TestMerges has more runs than are merged at once.
func TestMerges(t *testing.T) {
	s := newSpace(t, 1<<10)
	sorter := s.NewSorter(rowmem.ByFirst)
	const n = 5000
	for i := range n {
		require.NoError(t, sorter.Add([]value.Value{value.NewInt(int64(i * 7919 % n)), value.NewString("some text")}))
	}
	require.NoError(t, sorter.Sort())
	require.Greater(t, s.own.Merges.Load(), int64(1))
	s.mu.Lock()
	require.Len(t, s.files, 1)
	s.mu.Unlock()
	for i := range n {
		row, err := sorter.Next()
		require.NoError(t, err)
		require.Equal(t, int64(i), row[0].Int())
	}
	require.NoError(t, sorter.Close())
}

func TestSet(t *testing.T) {
	r := seeded(t)
	for _, memory := range limits {
		rows := randomRows(r, 4000)
		s := newSpace(t, memory)
		set := s.NewSet()
		seen := map[string]bool{}
		var want, got []string
		for _, row := range rows {
			if key := string(row[0].Raw()); !seen[key] {
				seen[key] = true
				want = append(want, show(row))
			}
			fresh, err := set.Add(row[0].Raw(), row)
			require.NoError(t, err)
			if fresh {
				got = append(got, show(row))
			}
		}
		require.Equal(t, memory == 1<<10 || memory == 16<<10, set.Spilled())
		for {
			row, err := set.Next()
			require.NoError(t, err)
			if row == nil {
				break
			}
			got = append(got, show(row))
		}
		require.Equal(t, want, got)
		require.NoError(t, set.Close())
	}
}

func TestList(t *testing.T) {
	r := seeded(t)
	for _, memory := range limits {
		for _, n := range []int{0, 1, 2000} {
			rows := randomRows(r, max(n, 1))[:n]
			s := newSpace(t, memory)
			list := s.NewList()
			for _, row := range rows {
				require.NoError(t, list.Add(row))
			}
			if n != 1 { // one row may be larger than the smallest memory
				require.Equal(t, n == 2000 && (memory == 1<<10 || memory == 16<<10), list.Spilled())
			}
			for _, most := range []int{n, n / 2, n} {
				require.NoError(t, list.Rewind())
				for _, want := range rows[:most] {
					row, err := list.Next()
					require.NoError(t, err)
					require.Equal(t, show(want), show(row))
				}
			}
			row, err := list.Next()
			require.NoError(t, err)
			require.Nil(t, row)
			require.NoError(t, list.Close())
		}
	}
}

func TestIndex(t *testing.T) {
	r := seeded(t)
	for _, memory := range limits {
		rows := randomRows(r, 4000)
		s := newSpace(t, memory)
		index := s.NewIndex()
		want := map[string][]string{}
		for _, row := range rows {
			require.NoError(t, index.Add(row[0].Raw(), row))
			want[string(row[0].Raw())] = append(want[string(row[0].Raw())], show(row))
		}
		require.Equal(t, memory == 1<<10 || memory == 16<<10, index.Spilled())
		require.NoError(t, index.Seal())
		var matches Matches
		seek := func(i, most int) {
			key := fmt.Sprintf("%04d", i)
			require.NoError(t, matches.Seek(index, []byte(key)))
			expected := want[key]
			for _, one := range expected[:min(most, len(expected))] {
				row, err := matches.Next()
				require.NoError(t, err)
				require.Equal(t, one, show(row), key)
			}
			if most > len(expected) {
				row, err := matches.Next()
				require.NoError(t, err)
				require.Nil(t, row)
			}
		}
		for i := range 2100 {
			seek(i, 100)
		}
		for i := 0; i < 2200; i += 1 + r.IntN(20) {
			seek(i, r.IntN(4))
		}
		for range 1000 {
			seek(r.IntN(2100), r.IntN(4))
		}
		require.NoError(t, index.Close())
		require.NoError(t, index.Close())
	}
}

// TestIndexTakes checks that an index finds the rows taken from others in memory, in the order of
// arrival, with either table. Rows of a key are adjacent, because there are many of each key.
func TestIndexTakes(t *testing.T) {
	r := seeded(t)
	for _, workers := range []int{1, 2, 3} {
		testIndexTakes(t, r, workers)
	}
}

func testIndexTakes(t *testing.T, r *rand.Rand, workers int) {
	s := newSpace(t, 0)
	index := s.NewIndex()
	want := map[string][]string{"missing": nil, "": nil}
	for range 3 {
		part := s.NewIndex()
		for _, row := range randomRows(r, 6000) {
			key := string(row[0].Raw())
			if r.IntN(10) == 0 { // these are kept separately
				row[2] = value.NewBytes(make([]byte, 64<<10))
				row[3] = value.NewDecimal(decimal.New(r.Int64(), -5))
			}
			require.NoError(t, part.Add([]byte(key), row))
			want[key] = append(want[key], show(row)+row[3].String())
		}
		index.Take(part)
		require.NoError(t, part.Close())
	}
	require.NoError(t, index.SealBy(workers))
	require.NoError(t, index.Cluster(workers))
	var text []byte
	var ends []int32
	var all [][]string
	for key, rows := range want {
		text = append(text, key...)
		ends, all = append(ends, int32(len(text))), append(all, rows)
	}
	for i, found := range index.FindAll(nil, text, ends) {
		require.Len(t, all[i], int(found.Len))
		for first := found.First; found.Len > 0; found = index.After(found) {
			require.Equal(t, first, found.First)
			row := index.AppendRow(nil, found.First)
			require.Equal(t, all[i][0], show(row)+row[3].String())
			all[i] = all[i][1:]
			first++
		}
	}
	require.NoError(t, index.Close())
}

// broken is a file on a disk that is full or broken.
type broken struct {
	storage
	left    int // bytes that can be written
	failing error
}

func (b *broken) WriteAt(p []byte, at int64) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, &os.PathError{Op: "write", Path: b.Name(), Err: b.failing}
	}
	return b.storage.WriteAt(p, at)
}

func (b *broken) ReadAt(p []byte, at int64) (int, error) {
	if b.failing == io.ErrUnexpectedEOF {
		return 0, b.failing
	}
	return b.storage.ReadAt(p, at)
}

func TestBrokenDisk(t *testing.T) {
	create := createTemp
	defer func() { createTemp = create }()
	for number, failing := range map[uint16]error{1021: syscall.ENOSPC, 1026: syscall.EIO, 1024: io.ErrUnexpectedEOF} {
		for _, left := range []int{0, 2000, 60_000} {
			createTemp = func(dir string) (storage, error) {
				f, err := create(dir)
				b := &broken{storage: f, failing: failing, left: left}
				if number == 1024 {
					b.left = 1 << 30
				}
				return b, err
			}
			s := newSpace(t, 1<<10)
			sorter := s.NewSorter(rowmem.ByFirst)
			var err error
			for i := 0; i < 4000 && err == nil; i++ {
				err = sorter.Add([]value.Value{value.NewBytes(fmt.Appendf(nil, "%040d", i))})
			}
			if err == nil {
				err = sorter.Sort()
			}
			var e *mysql.MySQLError
			require.ErrorAs(t, err, &e)
			require.Equal(t, number, e.Number)
			require.Contains(t, e.Message, s.dir())
			require.NoError(t, sorter.Close())
		}
	}
}

func TestNoDirectory(t *testing.T) {
	s := &Space{}
	s.Init(context.Background(), Options{Memory: 1, Dir: t.TempDir() + "/missing"})
	err := s.NewSorter(rowmem.ByFirst).Add([]value.Value{value.NewString("x")})
	var e *mysql.MySQLError
	require.ErrorAs(t, err, &e)
	require.Equal(t, uint16(1004), e.Number)
	require.Contains(t, e.Message, "missing")
}

func TestCancelled(t *testing.T) {
	for _, memory := range limits {
		s := newSpace(t, memory)
		ctx, cancel := context.WithCancel(context.Background())
		s.ctx = ctx
		sorter := s.NewSorter(rowmem.ByFirst)
		var err error
		for i := 0; i < 10_000 && err == nil; i++ {
			if i == 5000 {
				cancel()
			}
			err = sorter.Add([]value.Value{value.NewInt(int64(i))})
		}
		require.ErrorIs(t, err, context.Canceled)
		require.NoError(t, sorter.Close())
		cancel()
	}
}

// TestCancelledBetweenPutOff cancels the reading of a set's deferred rows, all of which are new.
func TestCancelledBetweenPutOff(t *testing.T) {
	s := newSpace(t, 1<<10)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s.ctx = ctx
	set := s.NewSet()
	for i := range 10_000 {
		_, err := set.Add(fmt.Append(nil, i), []value.Value{value.NewInt(int64(i))})
		require.NoError(t, err)
	}
	row, err := set.Next()
	require.NoError(t, err)
	require.NotNil(t, row)
	cancel()
	for row != nil && err == nil {
		row, err = set.Next()
	}
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, set.Close())
}

// TestLeftOpen closes a space with open files.
func TestLeftOpen(t *testing.T) {
	s := newSpace(t, 1<<10)
	for range 3 {
		sorter := s.NewSorter(rowmem.ByFirst)
		for i := range 1000 {
			require.NoError(t, sorter.Add([]value.Value{value.NewInt(int64(i))}))
		}
		require.True(t, sorter.Spilled())
		sorter.account.Release()
	}
	require.NoError(t, s.Close())
	require.Empty(t, s.files)
	_, err := s.create()
	require.ErrorIs(t, err, os.ErrClosed)
}

// TestShare checks that a part can continue with little memory while others use all of it.
func TestShare(t *testing.T) {
	s := newSpace(t, 64<<10)
	other := s.Account()
	other.Grow(1 << 20)
	defer other.Release()
	sorter := s.NewSorter(Keys{{Column: 0, Desc: true}})
	for i := range 2000 {
		require.NoError(t, sorter.Add([]value.Value{value.NewInt(int64(i))}))
	}
	require.NoError(t, sorter.Sort())
	require.LessOrEqual(t, len(sorter.runs), 30, "runs are not too small")
	row, err := sorter.Next()
	require.NoError(t, err)
	require.Equal(t, int64(1999), row[0].Int())
	require.NoError(t, sorter.Close())
}
