package agg

import (
	"cmp"
	"math"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
)

// sharing lets several goroutines make groups that one has begun to make: once it has read many cells,
// it continues as the first part, and others read the following parts. Small scans pay nothing for it.
type sharing struct {
	base   *scan.Scan // nil if one goroutine reads everything
	looked int64      // cells of base read
	at     int64      // number of cells after which the rest is divided
	parts  *parallelGroups
}

// share lets other goroutines join once many cells have been read. It returns h itself, or an operator
// that reads the same in parts if these are made before anything is read.
func (h *hashGroups) share(want op.Desired) op.Operator {
	c := h.x.Context
	if c.Readers > 1 && h.x.Lock == nil && want.Limit == 0 && h.of().combines {
		h.shared.base = pipeline.DividedLater(h.child.Operator)
	}
	if h.shared.base == nil {
		return h.parallel(h.x, h, &h.groups, want)
	}
	h.shared.base.StoreScan.Parallel = 0 // it reads what is to be divided
	h.shared.base.Watch = h.watch
	if c.Parallelism == 0 {
		h.shared.at = pipeline.SmallScan
	}
	return h
}

// watch counts the cells read, and divides the rest once there are many.
func (h *hashGroups) watch(cells int64) error {
	s := &h.shared
	if s.looked += cells; s.looked < s.at {
		return nil
	}
	s.at = 2 * s.looked // if there was nothing to divide
	return h.divide()
}

// divide lets other goroutines read parts of the rest, if the result stays the same.
func (h *hashGroups) divide() error {
	s := &h.shared
	p := h.Aggregate.parts(h.x, h, &h.groups)
	if p == nil || h.full && !p.spills() {
		s.at = math.MaxInt64
		return nil
	}
	reading := &part{hashGroups: h, PartRun: &scan.PartRun{Scan: s.base, Told: true}}
	divided, err := p.Attach(reading)
	if divided {
		s.parts, h.inMemory = p, !p.spills()
	}
	return err
}

// readShared aggregates all rows. The first goroutine's warnings are reported at the end, because these
// rows may be read again.
func (h *hashGroups) readShared() error {
	s := &h.shared
	if s.base == nil {
		return h.readAll()
	}
	warnings, err := h.x.Apart(func() error {
		if s.at == 0 {
			if err := h.divide(); err != nil {
				return err
			}
		}
		return h.readAll()
	})
	if s.parts != nil {
		var failed bool
		if failed, err = s.parts.Finish(h.x, err); failed {
			h.restart()
			return cmp.Or(err, h.readAll())
		}
	}
	h.x.Tell(warnings)
	if err != nil || s.parts == nil {
		return err
	}
	s.parts.ready = true
	s.parts.Warn(h.x)
	return s.parts.unite()
}

// restart begins again, to read all rows on this goroutine. The groups of all parts have been closed.
func (h *hashGroups) restart() {
	child, row := scan.Anew(h.child.Operator), h.out.Row
	n, x := h.Aggregate, h.x
	*h = hashGroups{sorted: h.sorted}
	h.readFrom(n, x, x.Timed(child))
	copy(row, h.out.Row)
	h.out.Row = row
}

// goOn continues with the groups of another one.
func (h *hashGroups) goOn(before *hashGroups) {
	h.table, h.full = before.table, before.full
	if before.rest != nil {
		h.rest = before.rest.Beside()
	}
}
