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
	// Keys tell the cells that the scan gives, kept or not, from each other: each
	// appends a cell's key to a slice, or reports false where it has none. They are
	// given what Keeps is.
	Keys []func(to []byte, c *Cell, value []byte) (key []byte, ok bool)
	// Name tells Keeps and Keys from others: those of one name do the same. Where it is
	// empty the estimate is not remembered for those who ask again.
	Name string
}

// Estimate is about how much a scan reads.
type Estimate struct {
	Cells  int64 // that it gives
	Kept   int64 // of these, by EstimateOptions.Keeps; else Cells
	Rows   int64 // that these cells are of
	Stored int64 // versions within its ranges, whether it gives them or not
	Bytes  int64 // of their keys and values
	// Distinct is of each of EstimateOptions.Keys how many different ones there are. It
	// is shared: nobody may change it.
	Distinct []int64
	// Exact is true where all were counted.
	Exact bool
}
