package kv

import "context"

// Estimator is a Store that can estimate how much a scan reads, without reading all of it.
type Estimator interface {
	// Estimate looks at up to about o.Cells cells. A scan of not much more is counted.
	// For a larger one, the sizes come from what is known of the files and of memory,
	// and the cells that were looked at tell what the scan leaves out. Uncommitted
	// writes are not counted, and Retention only by age and number of versions. The
	// tables are those that would be passed to Txn.Scan.
	Estimate(ctx context.Context, tables []*Table, s *Scan, o EstimateOptions) (Estimate, error)
}

// EstimateOptions say how an Estimate is made.
type EstimateOptions struct {
	Cells int // cells that may be looked at; 0 for a few
	// Keeps, if not nil, is called for some of the cells that the scan returns, and
	// returns whether the scan's reader keeps the cell. Cell and value are valid during
	// the call; value is nil if it is null or Scan.NeedValue is not set.
	Keeps func(c *Cell, value []byte) (bool, error)
	// Keys distinguish the cells that the scan returns, kept or not: each
	// function appends a cell's key to a slice, or returns false if the cell has
	// none. The arguments are those of Keeps.
	Keys []func(to []byte, c *Cell, value []byte) (key []byte, ok bool)
	// Name identifies Keeps and Keys: those with the same name do the same. If it is
	// empty, the estimate is not remembered for later calls.
	Name string
}

// Estimate is about how much a scan reads.
type Estimate struct {
	Cells  int64 // cells that the scan gives
	Kept   int64 // of these, according to EstimateOptions.Keeps; else Cells
	Rows   int64 // rows of these cells
	Stored int64 // versions within the ranges, given or not
	Bytes  int64 // size of their keys and values
	// Distinct is the number of distinct keys for each of EstimateOptions.Keys. It is
	// shared and must not be changed.
	Distinct []int64
	// Exact is true if everything was counted.
	Exact bool
}
