package op

import (
	"sync/atomic"

	"github.com/hbasekv/hbasekv/kv"
)

// Work counts what a statement reads of the store, once its scans are closed. It is safe for
// concurrent use.
type Work struct {
	Cells, Seeks, Partitions atomic.Int64 // as of kv.ScanStats
	// Spans are the ranges of scans; a scan of everything counts as one.
	Spans atomic.Int64
	// rows are the reads of rows that a statement keeps.
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

// Cost is the number of cells and kept rows that were read; 0 if nothing is counted.
func (w *Work) Cost() int64 {
	if w == nil {
		return 0
	}
	return w.Cells.Load() + w.rows.Load()
}
