package aggregate

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// countAcc is COUNT.
type countAcc struct{ n int64 }

func (c *countAcc) add(*expr.Env, []value.Value) error { c.n++; return nil }
func (c *countAcc) remove([]value.Value) error         { c.n--; return nil }
func (c *countAcc) combine(o accumulator) error        { c.n += o.(*countAcc).n; return nil }
func (c *countAcc) result() (value.Value, error)       { return value.NewInt(c.n), nil }

func (c *countAcc) addVectors(args []*value.Vector, rows []int32) bool {
	if len(args) > 1 {
		return false
	}
	c.n += countKnown(args, rows)
	return true
}

// countKnown counts the rows that are not NULL.
func countKnown(args []*value.Vector, rows []int32) (n int64) {
	if len(args) == 0 || args[0].Nulls == nil && args[0].Kind != value.Bytes && args[0].Kind != value.Null {
		return int64(len(rows))
	}
	for _, i := range rows {
		if !args[0].IsNull(i) {
			n++
		}
	}
	return n
}
