package kv

import "context"

// Estimator is a Store that can tell about how much a scan reads, without reading
// all of it.
type Estimator interface {
	// Estimate looks at up to about o.Cells cells. A scan of not much more is counted;
	// of a larger one the sizes come from what is known of the files and of
	// what is in memory, and what the scan leaves out of them from the cells that
	// were looked at. What no transaction has committed is not seen, and of Retention
	// no more than the age and the number of versions. The tables are those that
	// Txn.Scan would be given.
	Estimate(ctx context.Context, tables []*Table, s *Scan, o EstimateOptions) (Estimate, error)
}

// EstimateOptions say how an Estimate is made.
type EstimateOptions struct {
	Cells int // that may be looked at; 0 is a few
	// Keeps, where it is not nil, says of some of the cells that the scan gives
	// whether its reader keeps them. Cell and value are valid during the call; the
	// value is nil where it is null or Scan.NeedValue is not set.
	Keeps func(c *Cell, value []byte) (bool, error)
	// KeepsName tells a Keeps from others: two of one name keep the same cells. Where
	// it is empty the estimate is not remembered for those who ask again.
	KeepsName string
}

// Estimate is about how much a scan reads.
type Estimate struct {
	Cells  int64 // that it gives
	Kept   int64 // of these, by EstimateOptions.Keeps; else Cells
	Rows   int64 // that these cells are of
	Stored int64 // versions within its ranges, whether it gives them or not
	Bytes  int64 // of their keys and values
	// Exact is true where all were counted.
	Exact bool
}
