package typedscan

import (
	"cmp"
	"math"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// NewHistory is New for a table whose rows are returned once for each moment at which one of their cells
// changed, as they were then, in ascending order of the moments. The frame has the moment after the table's
// columns. Conditions on cells may be on their times, which are the moments.
func NewHistory(cells *scan.Access, face *typed.Table, first int, read []int, virtuals []expr.Node) *Table {
	return newTable(&Table{Cells: cells, Face: face, First: first, moments: true}, read, virtuals)
}

// history are the versions of a row's cells.
type history struct {
	versions []version
	at       int // the first of a later moment than the last row returned
}

// version is a version of a cell; its cell is nil for NULL.
type version struct {
	class  int
	moment int64
	cell   []byte
}

// startMoments makes the scan return all versions up to the last requested moment, because a row may have
// cells from before the first one. It returns the first one.
func startMoments(s *scan.Scan) (least int64) {
	times := &s.StoreScan.Time
	if !times.Bounded || s.Empty() {
		return math.MinInt64
	}
	least, times.Min = times.Min, math.MinInt64
	if times.Max == math.MaxInt64 {
		*times = kv.TimeRange{}
	}
	return least
}

// addVersion adds a copy of a version to the open row.
func (r *Rows) addVersion(class int, moment int64, v value.Value) {
	if class >= 0 {
		r.past.versions = append(r.past.versions, version{class, moment, r.open.copied(v)})
	}
}

// turnVersions starts with the moments of the row that was read.
func (r *Rows) turnVersions() {
	r.past, r.told = r.told, r.past
	r.past.versions, r.told.at = r.past.versions[:0], 0
	slices.SortFunc(r.told.versions, func(a, b version) int { return cmp.Compare(a.moment, b.moment) })
}

// placeMoment copies the complete row into the frame as it was at its next moment, and reports whether there
// is one that is requested and at which it is a row of the table.
func (r *Rows) placeMoment() (bool, error) {
	h := &r.told
	for h.at < len(h.versions) {
		moment := h.versions[h.at].moment
		for ; h.at < len(h.versions) && h.versions[h.at].moment == moment; h.at++ {
			v := &h.versions[h.at]
			r.complete.cells[v.class], r.complete.has[v.class] = v.cell, true
		}
		if moment < r.least {
			continue
		}
		if err := r.x.Ticks(1); err != nil {
			return false, err
		}
		r.moment = value.NewInt(moment)
		if ok, err := r.place(&r.complete); ok || err != nil {
			r.x.Env.Row[r.First+len(r.Face.Columns)] = r.moment
			return ok, err
		}
	}
	return false, nil
}

// byMoment reports whether the rows, which are in the order of some keys, are also in that of another one:
// the moments of each row.
func (t *Table) byMoment(before []ordering.Key, k ordering.Key) bool {
	c, ok := k.Expr.(*expr.Column)
	return ok && t.moments && !k.Desc && c.Index == t.First+len(t.Face.Columns) && t.holdsKey(ordering.Nodes(before))
}
