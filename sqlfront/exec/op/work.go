package op

import (
	"sync/atomic"

	"github.com/hbasekv/hbasekv/kv"
)

// Work counts what a statement reads of the store, once its scans are closed. It is
// safe for goroutines.
type Work struct {
	Cells, Seeks, Partitions atomic.Int64 // as of kv.ScanStats
	// Spans are the ranges that scans were over; a scan of everything is one.
	Spans atomic.Int64
	// rows are those that a statement keeps, each time that one is read.
	rows atomic.Int64
}

// Add adds a scan. A nil Work counts nothing.
func (w *Work) Add(s kv.ScanStats, spans int) {
	if w == nil {
		return
	}
	w.Cells.Add(s.Cells)
	w.Seeks.Add(s.Seeks)
	w.Partitions.Add(int64(s.Partitions))
	w.Spans.Add(int64(spans))
}

// AddRows adds rows that a statement keeps. A nil Work counts nothing.
func (w *Work) AddRows(n int64) {
	if w != nil {
		w.rows.Add(n)
	}
}

// Cost is how many cells and kept rows have been read; 0 where nothing is counted.
func (w *Work) Cost() int64 {
	if w == nil {
		return 0
	}
	return w.Cells.Load() + w.rows.Load()
}
