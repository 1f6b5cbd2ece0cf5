package aggregate

import "github.com/hbasekv/hbasekv/sqlfront/spill"

// Memory is where the states of an aggregation are, and remember rows. The zero Memory
// has no limit. One goroutine at a time makes states in it and adds to them.
type Memory struct {
	storage

	states   spill.Slab[State]
	holds    spill.Slab[held]
	counts   spill.Slab[countAcc]
	sums     spill.Slab[sumAcc]
	extremes spill.Slab[extremeAcc]
	objects  spareObject
	concats  spareRows
}
