package rowapi_test

import (
	"encoding/binary"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/rowapi"
	"github.com/hbasekv/hbasekv/kv/rowapi/filter"
)

// TestLargeRow reads a row of a million columns, or with -short a tenth of that: whole, and in pieces, which
// do not take memory for the whole row.
func TestLargeRow(t *testing.T) {
	columns := uint64(1_000_000)
	if testing.Short() {
		columns /= 10
	}
	const each, bytesOfPage = 10_000, 256 << 10
	p := newPlace(t, openPebble, nil)
	qualifier := func(i uint64) []byte { return binary.BigEndian.AppendUint64(nil, i) }
	for from := uint64(0); from < columns; from += each {
		put := &rowapi.Put{Row: []byte("r")}
		for i := from; i < from+each; i++ {
			put.Cells = append(put.Cells, rowapi.Cell{Family: "a", Qualifier: qualifier(i), Timestamp: 1, Value: []byte("value")})
		}
		require.NoError(t, p.client.Put(p.ctx, p.table, put))
	}
	whole, err := p.client.Get(p.ctx, p.table, &rowapi.Get{Row: []byte("r")})
	require.NoError(t, err)
	require.EqualValues(t, columns, len(whole.Cells))
	require.Equal(t, qualifier(columns-1), whole.Cells[columns-1].Qualifier)
	whole = nil

	for name, scan := range map[string]rowapi.Scan{
		"pieces by bytes": {}, "pieces of 1,000": {Batch: 1000}, "a filter of cells": {Columns: rowapi.Columns{Filter: &filter.QualifierFilter{CompareFilter: filter.CompareFilter{
			Op: filter.GreaterOrEqual, Comparator: &filter.BinaryComparator{Value: qualifier(0)}}}}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := p.client.Scanner(p.ctx, p.table, &scan)
			require.NoError(t, err)
			defer s.Close()
			base, next := liveBytes(), uint64(0)
			for pages := 0; ; pages++ {
				page, err := s.Next(p.ctx, rowapi.PageLimits{Bytes: bytesOfPage, Partials: true})
				require.NoError(t, err)
				for _, r := range page.Results {
					for _, c := range r.Cells {
						if binary.BigEndian.Uint64(c.Qualifier) != next {
							t.Fatalf("%x comes where column %d should", c.Qualifier, next)
						}
						next++
					}
				}
				if page.Done {
					break
				}
				require.Less(t, page.Bytes, int64(2*bytesOfPage))
				if pages%64 == 5 {
					require.Less(t, liveBytes(), base+16<<20)
				}
			}
			require.Equal(t, columns, next)
		})
	}
}

func liveBytes() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
