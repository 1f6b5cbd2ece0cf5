package aggregate

import "github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"

// Memory is where the states of an aggregation are allocated and remember rows. The zero Memory has
// no limit. Only one goroutine at a time may make states in it or add to them.
type Memory struct {
	storage

	states  rowmem.Slab[State]
	holds   rowmem.Slab[held]
	counts  rowmem.Slab[countAcc]
	sums    rowmem.Slab[sumAcc]
	minMax  rowmem.Slab[minMaxAcc]
	objects spareObject
	concats spareRows
}
