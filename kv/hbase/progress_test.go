package hbase

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/kv"
)

// recorder is a kv.Progress that compares reports with the truth.
type recorder struct {
	mu     sync.Mutex
	cells  int64
	parts  float64
	shares [][2]float64 // reported parts of the cells and of the regions
	all    struct{ cells, regions float64 }
}

func (r *recorder) Read(cells int64, parts float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cells += cells
	r.parts += parts
	r.shares = append(r.shares, [2]float64{float64(r.cells) / r.all.cells, r.parts / r.all.regions})
}

// numbered returns cells of rows whose keys are numbers of six digits.
func numbered(n int) (out []cell) {
	for i := range n {
		out = append(out, cell{row: fmt.Appendf(nil, "k%06d", i), family: []byte("f"), qualifier: []byte("q"), timestamp: 1, value: []byte("v")})
	}
	return out
}

// Scans report which part of their regions they have read, whatever the order of regions.
func TestReadProgress(t *testing.T) {
	t.Parallel() // it waits most of the time
	const rows = 12_000
	cells := numbered(rows)
	between := []kv.Range{{Start: kv.Position{Row: []byte("k002000"), Depth: kv.DepthRow}, End: kv.Position{Row: []byte("k010000"), Depth: kv.DepthRow}}}
	for _, c := range []struct {
		name    string
		bounds  []string
		scan    kv.Scan
		cells   float64
		regions float64
		delta   float64
	}{
		{"one region", nil, kv.Scan{}, rows, 1, 0.1},
		{"reverse", nil, kv.Scan{Reverse: true, Ordered: true}, rows, 1, 0.1},
		{"a span", nil, kv.Scan{Ranges: between}, 8000, 1, 0.1},
		{"a span of regions", []string{"k003000", "k006000", "k009000"}, kv.Scan{Ranges: between, NeedValue: true}, 8000, 4, 0.2}, // its first and last region have fewer of its rows
		{"regions", []string{"k003000", "k006000", "k009000"}, kv.Scan{ByPartition: true}, rows, 4, 0.1},
		{"regions at once", []string{"k003000", "k006000", "k009000"}, kv.Scan{Parallel: 3}, rows, 4, 0.1},
		{"regions in reverse", []string{"k003000", "k006000", "k009000"}, kv.Scan{Reverse: true, Ordered: true}, rows, 4, 0.1},
	} {
		f := newFake(t, cells, c.bounds...)
		r := &recorder{}
		r.all.cells, r.all.regions = c.cells, c.regions
		c.scan.Progress = r
		require.Len(t, read(t, regioned(f, f.store()), []string{"t$f"}, c.scan), int(c.cells), c.name)
		require.Greater(t, len(r.shares), 3, c.name)
		require.EqualValues(t, c.cells, r.cells, c.name)
		for _, s := range r.shares {
			require.InDelta(t, s[0], s[1], c.delta, c.name)
		}
	}
	f := newFake(t, cells[:tellFrom-1])
	r := &recorder{}
	read(t, f.store(), []string{"t$f"}, kv.Scan{Progress: r})
	require.Empty(t, r.shares, "short scans are not told of")
}

// Keys need not be evenly distributed, and no place is outside of 0 to 1.
func TestPlaces(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	random := func() []byte {
		out := make([]byte, r.IntN(5))
		for i := range out {
			out[i] = "\x00\x010159az\xff"[r.IntN(9)]
		}
		return out
	}
	for range 10_000 {
		p := passedRegion{}
		p.rows.Start, p.rows.End = random(), random()
		if r.IntN(4) == 0 {
			p.rows.End = nil
		}
		at := place(random(), p.rows)
		require.True(t, at >= 0 && at <= 1, "%q: %v", p.rows, at)
		p.upTo(at)
		p.upTo(at / 2)
		require.Equal(t, at, p.part)
	}
}

// TestLongSelectTells requires that a long SELECT reports how much of the regions it has
// read, to the caller and in the process list.
func TestLongSelectTells(t *testing.T) {
	const rows = 12_000
	f := newFake(t, numbered(rows), "k003000", "k006000")
	f.regionsShown = true
	checkLongSelect(t, f.openSQL("?parallelism=2"), rows)
}

// TestLiveLongSelectTells does the same with a live HBase.
func TestLiveLongSelectTells(t *testing.T) {
	s := openTest(t)
	const rows = 20_000
	name := newName()
	makeTable(t, s, name, [][]byte{[]byte("k005000"), []byte("k010000")}, familySchema("f"))
	for from := 0; from < rows; from += 5000 {
		putRaw(t, s, name, numbered(rows)[from:from+5000]...)
	}
	checkLongSelectOf(t, openSQL(t, "?parallelism=2"), name+"$f", rows)
}

func checkLongSelect(t *testing.T, db *sql.DB, rows int) { checkLongSelectOf(t, db, "t$f", rows) }

func checkLongSelectOf(t *testing.T, db *sql.DB, table string, rows int) {
	var told []driver.ReadProgress
	ctx := driver.WithProgress(context.Background(), func(p driver.ReadProgress) {
		told = append(told, p)
		time.Sleep(time.Millisecond)
	})
	open, err := db.QueryContext(ctx, "SELECT K, V FROM `"+table+"` WHERE V <> 'x'")
	require.NoError(t, err)
	defer open.Close()
	for range rows * 3 / 4 {
		require.True(t, open.Next())
	}
	require.NotEmpty(t, told)
	for i, p := range told {
		require.True(t, p.Cells > 0 && p.Cells <= p.AllCells && (i == 0 || p.Cells >= told[i-1].Cells), "%+v", p)
	}
	var state string
	require.NoError(t, db.QueryRow("SELECT STATE FROM information_schema.PROCESSLIST WHERE INFO LIKE '%<> ''x'''").Scan(&state))
	percent := 0
	_, err = fmt.Sscanf(state, "Sending data %d%%", &percent)
	require.NoError(t, err, state)
	require.True(t, percent > 55 && percent < 95, state)
	for open.Next() {
	}
	require.NoError(t, open.Err())
}
