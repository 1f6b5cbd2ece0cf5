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

// NewHistory is as New: a table whose rows are given once for each moment at which one of their cells changed, as they
// were then, by ascending moments. The frame has the moment behind the table's columns. Conditions of cells may be on
// their times, which are the moments.
func NewHistory(cells *scan.Access, face *typed.Table, first int, read []int, virtuals []expr.Node) *Table {
	return newTable(&Table{Cells: cells, Face: face, First: first, moments: true}, read, virtuals)
}

// history are the versions of a row's cells.
type history struct {
	versions []version
	at       int // the first that is of a later moment than the row that was given last
}

// version is one of a cell; nil is NULL.
type version struct {
	class  int
	moment int64
	cell   []byte
}

// startMoments has the scan give all versions up to the last moment that is asked for, as a row may have cells of times
// before the first one. It returns that.
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

// turnVersions begins with the moments of the row that was read.
func (r *Rows) turnVersions() {
	r.past, r.told = r.told, r.past
	r.past.versions, r.told.at = r.past.versions[:0], 0
	slices.SortFunc(r.told.versions, func(a, b version) int { return cmp.Compare(a.moment, b.moment) })
}

// placeMoment puts the complete row into the frame as it was at its next moment, and reports whether there is one that is
// asked for and at which it is a row of the table.
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

// byMoment reports whether the rows, which are in the order of some keys already, are in that of another one, too: of the
// moments of each row.
func (t *Table) byMoment(before []ordering.Key, k ordering.Key) bool {
	c, ok := k.Expr.(*expr.Column)
	return ok && t.moments && !k.Desc && c.Index == t.First+len(t.Face.Columns) && t.holdsKey(ordering.Nodes(before))
}
