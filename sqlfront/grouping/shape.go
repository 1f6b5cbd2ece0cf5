package grouping

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Shape describes the groups: their keys, the values kept of a first row, and the aggregates.
type Shape struct {
	Aggs []*setfunc.Aggregate
	// Keys and Captured count the grouping expressions and the columns kept of a first row.
	// KeepsKeys says that the keys are kept, too, after these.
	Keys, Captured int
	KeepsKeys      bool

	told  []int
	kinds []value.Kind
}

// NewShape returns the shape for grouping expressions and the captured columns of a row.
func NewShape(keys []expr.Node, captured []int, keepsKeys bool, aggs []*setfunc.Aggregate) *Shape {
	s := &Shape{Aggs: aggs, Keys: len(keys), Captured: len(captured), KeepsKeys: keepsKeys}
	s.tellByKeys(keys, captured)
	return s
}

// tellByKeys finds the keys from which the captured values of a group's first row can be restored;
// it finds none unless all can be. Only integers and bytes can. 333,000 groups of 100 bytes take
// 113 ms on two goroutines this way, and 138 ms if their values are kept (benchmark Reports,
// manygroups).
func (s *Shape) tellByKeys(keys []expr.Node, captured []int) {
	var told []int
	var kinds []value.Kind
	for _, k := range keys {
		kind := k.Type().Kind
		if !value.InKeys(kind) {
			return
		}
		kinds = append(kinds, kind)
	}
	for _, column := range captured {
		at := slices.IndexFunc(keys, func(k expr.Node) bool {
			c, ok := k.(*expr.Column)
			return ok && c.Index == column
		})
		if at < 0 {
			return
		}
		told = append(told, at)
	}
	for at := 0; s.KeepsKeys && at < len(keys); at++ {
		told = append(told, at)
	}
	s.told, s.kinds = told, kinds
}

// Width is how many values are kept of a first row.
func (s *Shape) Width() int {
	if s.KeepsKeys {
		return s.Captured + s.Keys
	}
	return s.Captured
}
