package views

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// engineInMemory returns an engine whose memory is flushed often.
func engineInMemory(t *testing.T) *Engine {
	e := &Engine{}
	e.Init(nil, 1<<20, time.Now)
	db, err := pebble.Open("", &pebble.Options{
		FS: vfs.NewMem(), Comparer: cellkey.Comparer, MemTableSize: 256 << 10, Logger: quiet{},
		EventListener: &pebble.EventListener{FlushEnd: func(info pebble.FlushInfo) {
			if info.Err == nil {
				e.Flushed(info.Output)
			}
		}},
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		e.files.drop()
		require.NoError(t, db.Close())
	})
	e.DB = db
	return e
}

type quiet struct{}

func (quiet) Infof(string, ...any)      {}
func (quiet) Errorf(string, ...any)     {}
func (quiet) Fatalf(f string, a ...any) { panic(fmt.Sprintf(f, a...)) }

func keyOf(i int) []byte { return cellkey.AppendCell(nil, 1, fmt.Appendf(nil, "%d", i), nil, 1) }

// put commits cells of rows, most of them small and some larger than the memory.
func put(t *testing.T, e *Engine, rows []int) {
	b := e.DB.NewBatch()
	for _, i := range rows {
		require.NoError(t, b.Set(keyOf(i), make([]byte, 10), nil))
	}
	require.NoError(t, e.DB.Apply(b, pebble.NoSync))
	e.Written(b)
	require.NoError(t, b.Close())
}

// TestAbsentIsSure requires that nothing stored is reported absent while memory is
// flushed at random times, and that most of what is not stored is.
func TestAbsentIsSure(t *testing.T) {
	e := engineInMemory(t)
	r := rand.New(rand.NewPCG(1, 2))
	const rows = 400_000
	var stored [rows]bool
	sure, asked := 0, 0
	for range 1200 {
		some := make([]int, 1+r.IntN(400))
		if r.IntN(100) == 0 {
			some = make([]int, 4000)
		}
		for n := range some {
			some[n] = r.IntN(rows)
			stored[some[n]] = true
		}
		put(t, e, some)
		for range 20 {
			i := r.IntN(rows)
			absent, err := e.Absent(keyOf(i), nil)
			require.NoError(t, err)
			require.False(t, absent && stored[i], "row %d", i)
			if !stored[i] {
				asked++
			}
			if absent {
				sure++
			}
		}
	}
	require.Greater(t, sure, asked/4)
	require.Less(t, len(*e.unflushed.sets.Load()), 4)
}

// TestAbsentLosesSight requires that nothing is reported absent after an ingestion until
// that is in files.
func TestAbsentLosesSight(t *testing.T) {
	e := engineInMemory(t)
	absent := func() bool {
		sure, err := e.Absent(keyOf(1), nil)
		require.NoError(t, err)
		return sure
	}
	require.True(t, absent())
	e.TakenIn()
	require.False(t, absent())
	require.NoError(t, e.DB.Flush())
	require.False(t, absent(), "a flush of what was written before")
	put(t, e, []int{2})
	require.False(t, absent())
	require.NoError(t, e.DB.Flush())
	require.True(t, absent())
	require.Empty(t, *e.unflushed.sets.Load())
}

// TestAbsentLosesSightBesideCopies requires that Absent is not sure after a move's
// copies, which may have been written before ingested files that are noted earlier.
func TestAbsentLosesSightBesideCopies(t *testing.T) {
	e := engineInMemory(t)
	b := e.DB.NewBatch()
	require.NoError(t, b.Set(keyOf(2), nil, nil))
	require.NoError(t, e.DB.Apply(b, pebble.NoSync))
	e.TakenIn()
	e.Copied(b)
	require.NoError(t, b.Close())
	require.NoError(t, e.DB.Flush())
	sure, err := e.Absent(keyOf(1), nil)
	require.NoError(t, err)
	require.False(t, sure, "a flush of what was written before")
}

// TestAbsentTellsTheGap requires the gap after an absent key in its row.
func TestAbsentTellsTheGap(t *testing.T) {
	e := engineInMemory(t)
	put(t, e, []int{1})
	require.NoError(t, e.DB.Flush())
	at := func(row string, time int64) []byte { return cellkey.AppendCell(nil, 1, []byte(row), nil, time) }
	var end []byte
	for _, c := range []struct{ key, end []byte }{
		{at("1", 5), keyOf(1)},
		{at("1", 0), cellkey.MakeBehind(cellkey.AppendRow(nil, 1, []byte("1")))},
		{at("0", 0), cellkey.MakeBehind(cellkey.AppendRow(nil, 1, []byte("0")))},
	} {
		sure, err := e.Absent(c.key, &end)
		require.NoError(t, err)
		require.True(t, sure)
		require.Equal(t, c.end, end)
	}
	sure, err := e.Absent(keyOf(1), &end)
	require.NoError(t, err)
	require.False(t, sure)
}
