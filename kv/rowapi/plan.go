package rowapi

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/rowapi/filter"
)

// plan says how rows are read: what the store does, and what remains.
type plan struct {
	tables []*kv.Table
	names  []string
	scan   kv.Scan
	within [1]kv.Range // used by scan
	direct forward     // the source for reads in the store's order
	alike  [1]wanted   // what is wanted of every table if no family is named
	// wanted are, for each table, the columns and times if these differ between tables; nil if the store does
	// everything.
	wanted []wanted
	// versions are counted here, after the filter; 0 if the store counts them.
	versions              int
	storeLimit, storeSkip int
	batch                 int
	filter                filter.Evaluator // nil for none
	wholeRows             bool             // the filter needs them
	// likely is the expected number of cells of the first row: a Get of ten columns over the network takes 37
	// allocations with it and 40 without.
	likely int
}

// wanted is what is read of one table.
type wanted struct {
	qualifiers [][]byte // sorted; nil for all
	time       kv.TimeRange
	none       bool // its time range is empty
}

func (w *wanted) has(c *kv.Cell) bool {
	if w.none || w.time.Bounded && (c.Timestamp < w.time.Min || c.Timestamp > w.time.Max) {
		return false
	}
	if w.qualifiers == nil {
		return true
	}
	_, found := slices.BinarySearchFunc(w.qualifiers, c.Qualifier, bytes.Compare)
	return found
}

// read plans to read columns of a table. The caller sets the ranges of rows.
func (p *plan) read(t *target, c *Columns, reversed bool) error {
	*p = plan{storeLimit: c.StoreLimit, storeSkip: c.StoreOffset}
	whole, empty, err := timeRange(c.Time)
	if err != nil {
		return err
	}
	all, err := p.families(t, c, wanted{time: whole, none: empty})
	if err != nil {
		return err
	}
	if p.filter, err = openFilter(c.Filter, reversed); err != nil {
		return err
	}
	if c.MaxVersions < 0 || c.StoreLimit < 0 || c.StoreOffset < 0 {
		return fmt.Errorf("%w: the number of versions or cells must not be negative", ErrInvalid)
	}
	p.wholeRows = p.filter != nil && p.filter.HasFilterRow()
	p.scan.NeedValue = true
	p.push(all, c.MaxVersions)
	if p.likely = min(len(p.scan.Qualifiers), 16); p.scan.Qualifiers == nil {
		p.likely = 5
	}
	return nil
}

// families finds the tables, and what is wanted of each, or of all.
func (p *plan) families(t *target, c *Columns, whole wanted) ([]wanted, error) {
	if c.Families == nil {
		p.tables, p.names = t.tables, t.families
		p.alike[0] = whole
		return p.alike[:min(1, len(t.tables))], nil
	}
	order := make([]int, 0, 8) // indexes of tables, ascending, parallel to all
	all := make([]wanted, 0, len(c.Families))
	for i := range c.Families {
		f := &c.Families[i]
		at, err := t.family(f.Family)
		if err != nil {
			return nil, err
		}
		n, found := slices.BinarySearch(order, at)
		if !found {
			order = slices.Insert(order, n, at)
			all = slices.Insert(all, n, wanted{time: whole.time, none: whole.none, qualifiers: [][]byte{}})
		}
		if err := all[n].add(f); err != nil {
			return nil, err
		}
	}
	if len(order) == 1 {
		p.tables, p.names = t.tables[order[0]:][:1:1], t.families[order[0]:][:1:1]
		return all, nil
	}
	for _, at := range order {
		p.tables, p.names = append(p.tables, t.tables[at]), append(p.names, t.families[at])
	}
	return all, nil
}

// add adds columns to what is wanted of a family; nil means all.
func (w *wanted) add(f *FamilyColumns) (err error) {
	if f.Time != nil {
		if w.time, w.none, err = timeRange(*f.Time); err != nil {
			return err
		}
	}
	if len(f.Qualifiers) == 0 || w.qualifiers == nil {
		w.qualifiers = nil
		return nil
	}
	if len(w.qualifiers) == 0 && len(f.Qualifiers) == 1 {
		w.qualifiers = f.Qualifiers
		return nil
	}
	w.qualifiers = slices.SortedFunc(slices.Values(append(w.qualifiers, f.Qualifiers...)), bytes.Compare)
	w.qualifiers = slices.CompactFunc(w.qualifiers, bytes.Equal)
	return nil
}

// timeRange returns a range in the store's form; empty is true if it is empty.
func timeRange(r TimeRange) (out kv.TimeRange, empty bool, err error) {
	switch {
	case r == (TimeRange{}), r.Min == 0 && r.Max == Latest:
		return kv.TimeRange{}, false, nil
	case r.Max < r.Min:
		return out, false, fmt.Errorf("%w: invalid time range from %d to %d", ErrInvalid, r.Min, r.Max)
	case r.Max == Latest:
		return kv.TimeRange{Min: r.Min, Max: math.MaxInt64, Bounded: true}, false, nil
	}
	return kv.TimeRange{Min: r.Min, Max: r.Max - 1, Bounded: true}, r.Min == r.Max, nil
}

// push makes the store do what is the same for all tables.
func (p *plan) push(all []wanted, maxVersions int) {
	maxVersions = max(1, maxVersions)
	alikeTimes, alikeColumns := true, true
	for i := range all {
		alikeTimes = alikeTimes && all[i].time == all[0].time && all[i].none == all[0].none
		alikeColumns = alikeColumns && equalQualifiers(all[i].qualifiers, all[0].qualifiers)
	}
	if !alikeTimes || !alikeColumns {
		p.wanted = all
	}
	if p.scan.Qualifiers = ranges(all); len(all) == 0 || alikeTimes && all[0].none {
		p.scan.Ranges = []kv.Range{}
	}
	if alikeTimes && len(all) > 0 {
		p.scan.Time = all[0].time
	}
	if alikeTimes && (p.filter == nil || p.filter.Versionless()) {
		p.scan.MaxVersions = maxVersions
	} else {
		p.versions = maxVersions
	}
	if p.scan.MaxVersions >= AllVersions {
		p.scan.MaxVersions = 0
	}
}

func equalQualifiers(a, b [][]byte) bool {
	return (a == nil) == (b == nil) && slices.EqualFunc(a, b, bytes.Equal)
}

// ranges returns all qualifiers that are wanted of any table; nil for all.
func ranges(all []wanted) []kv.QualifierRange {
	var qualifiers [][]byte
	for i := range all {
		if all[i].qualifiers == nil {
			return nil
		}
		qualifiers = append(qualifiers, all[i].qualifiers...)
	}
	if len(all) > 1 {
		slices.SortFunc(qualifiers, bytes.Compare)
		qualifiers = slices.CompactFunc(qualifiers, bytes.Equal)
	}
	out := make([]kv.QualifierRange, 0, len(qualifiers))
	for _, q := range qualifiers {
		out = append(out, kv.QualifierRange{Start: q, End: append(append(make([]byte, 0, len(q)+1), q...), 0)})
	}
	return out
}

// ofRow restricts the plan to one row.
func (p *plan) ofRow(row []byte) {
	if p.scan.Ranges != nil {
		return // it reads nothing
	}
	var qualifier []byte
	if q := p.scan.Qualifiers; len(q) == 1 {
		qualifier, p.scan.Qualifiers = notNil(q[0].Start), nil
	}
	p.readWithin(within(row, qualifier))
}

// within returns the range of a row or, if qualifier is not nil, of a column of it.
func within(row, qualifier []byte) kv.Range {
	at := kv.Position{Row: row, Depth: kv.DepthRow}
	if qualifier != nil {
		at.Qualifier, at.Depth = qualifier, kv.DepthColumn
	}
	end := at
	end.After = true
	return kv.Range{Start: at, End: end}
}

// ofScan restricts the plan to the rows of a scan.
func (p *plan) ofScan(s *Scan) {
	p.scan.Ordered, p.batch = true, s.Batch
	first, firstOut, last, lastIn := s.Start, s.StartExclusive, s.Stop, s.StopInclusive
	if s.Reversed {
		first, firstOut, last, lastIn = s.Stop, !s.StopInclusive, s.Start, !s.StartExclusive
		p.scan.Reverse = true
	}
	if p.scan.Ranges != nil {
		return
	}
	var r kv.Range
	if len(first) > 0 {
		r.Start = kv.Position{Row: first, Depth: kv.DepthRow, After: firstOut}
	}
	if len(last) > 0 {
		r.End = kv.Position{Row: last, Depth: kv.DepthRow, After: lastIn}
	}
	order := bytes.Compare(first, last)
	if len(last) > 0 && (order > 0 || order == 0 && (firstOut || !lastIn)) {
		p.scan.Ranges = []kv.Range{}
		return
	}
	p.readWithin(r)
}

func (p *plan) readWithin(r kv.Range) {
	p.within[0] = r
	p.scan.Ranges = p.within[:]
}
