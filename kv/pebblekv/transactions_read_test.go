package pebblekv

import (
	"fmt"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
)

// scan returns a scan of some spans, of some rows, or a random one.
func (w *bruteWorld) scan() *kv.Scan {
	s := randomScan(w.r)
	if w.r.IntN(2) == 0 {
		s.Ranges = nil
		var rows []string
		for range 2 * (1 + w.r.IntN(3)) {
			rows = append(rows, pick(w.r, w.rows))
		}
		slices.Sort(rows)
		rows = slices.Compact(rows)
		for i := 0; i+1 < len(rows); i += 2 {
			s.Ranges = append(s.Ranges, kv.Range{Start: kv.Position{Row: []byte(rows[i]), Depth: kv.DepthRow}, End: kv.Position{Row: []byte(rows[i+1]), Depth: kv.DepthRow}})
		}
	}
	if w.r.IntN(4) == 0 { // rows alone
		s.Ranges = nil
		var rows []string
		for range 1 + w.r.IntN(4) {
			rows = append(rows, pick(w.r, w.rows))
		}
		slices.Sort(rows)
		for _, row := range slices.Compact(rows) {
			p := kv.Position{Row: []byte(row), Depth: kv.DepthRow}
			e := p
			e.After = true
			s.Ranges = append(s.Ranges, kv.Range{Start: p, End: e})
		}
	}
	return s
}

// advance compares the next cells of a cursor.
func (w *bruteWorld) advance(c *bruteCursor, n int) {
	for range n {
		ok := c.c.Next()
		require.NoError(w.t, c.c.Err())
		require.Equal(w.t, len(c.want) > 0, ok, "%+v: wanted %v", c.scan, c.want)
		if !ok {
			return
		}
		got := bruteCell{*c.c.Cell()}
		want := c.want[0]
		c.want = c.want[1:]
		require.Zero(w.t, compareBrute(want, got), "want %v got %v in %+v", want, got, c.scan)
		if c.scan.NeedValue {
			v, err := c.c.Value()
			require.NoError(w.t, err)
			require.Equal(w.t, want.Value, v)
		}
	}
}

func (w *bruteWorld) compare(cells []bruteCell, x *bruteTxn, s *kv.Scan) {
	w.t.Helper()
	want := bruteScan(cells, s)
	if !s.NeedValue {
		want = slices.Clone(want)
		for i := range want {
			want[i].Value = nil
		}
	}
	require.Equal(w.t, fmt.Sprint(want), fmt.Sprint(readAll(w.t, x.tx, w.tables, s)), "#%d %+v", x.id, s)
}

func (w *bruteWorld) check(x *bruteTxn) {
	s := w.scan()
	s.Ordered = true
	cells := x.cells
	if len(x.points) > 0 && w.r.IntN(3) == 0 {
		p := pick(w.r, x.points)
		s.At, cells = p.sp, p.cells
	}
	w.logf("#%d scan %+v", x.id, s)
	w.compare(cells, x, s)
}
