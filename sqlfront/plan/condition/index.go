package condition

import (
	"hash/maphash"
	"reflect"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Index finds an expression that is the same as another, by fingerprints, in time linear in the size of all
// expressions.
type Index struct {
	Comparison
	entries map[uint64][]nodeEntry
	prints  map[expr.Node]uint64 // fingerprints of nodes that have operands
}

// nodeEntry is an expression and its number.
type nodeEntry struct {
	node expr.Node
	at   int
}

// NewIndex is an empty index, whose work meter counts.
func NewIndex(meter *cancelcheck.Meter) *Index {
	return &Index{Comparison: Comparison{Meter: meter}}
}

// Add adds an expression under a number.
func (x *Index) Add(n expr.Node, at int) {
	if x.entries == nil {
		x.entries = map[uint64][]nodeEntry{}
	}
	print := x.print(n)
	x.entries[print] = append(x.entries[print], nodeEntry{n, at})
}

// Find is the number of the first expression that is the same, or -1.
func (x *Index) Find(n expr.Node) int {
	if len(x.entries) == 0 || n == nil {
		return -1
	}
	for _, e := range x.entries[x.print(n)] {
		if x.same(e.node, n) {
			return e.at
		}
	}
	return -1
}

var printSeed = maphash.MakeSeed()

// print is the fingerprint of an expression: equal expressions have equal ones.
func (x *Index) print(n expr.Node) uint64 {
	p, ok := n.(expr.Parent)
	if !ok {
		return leafPrint(n)
	}
	if known, ok := x.prints[n]; ok || !x.step() {
		return known
	}
	var h maphash.Hash
	h.SetSeed(printSeed)
	maphash.WriteComparable(&h, reflect.TypeOf(n))
	switch n := n.(type) {
	case *expr.Arith:
		maphash.WriteComparable(&h, n.Op)
	case *expr.Compare:
		maphash.WriteComparable(&h, n.Op)
	case *expr.Call:
		h.WriteString(n.Name)
	}
	for _, child := range p.Children() {
		maphash.WriteComparable(&h, x.print(child))
	}
	if x.prints == nil {
		x.prints = map[expr.Node]uint64{}
	}
	x.prints[n] = h.Sum64()
	return x.prints[n]
}

func leafPrint(n expr.Node) uint64 {
	switch n := n.(type) {
	case *expr.Column:
		return maphash.Comparable(printSeed, n.Index)
	case *expr.Param:
		return maphash.Comparable(printSeed, -1-n.Index)
	case *expr.Const:
		var buf [32]byte
		return maphash.Bytes(printSeed, value.AppendKey(buf[:0], n.V))
	}
	return maphash.Comparable(printSeed, reflect.TypeOf(n))
}
