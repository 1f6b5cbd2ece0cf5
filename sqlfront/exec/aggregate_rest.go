package exec

import (
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// restGroups aggregates the rows of groups for which there is no memory. Its
// rows are their place in the order of arrival, the values of the grouping
// expressions, the captured columns, and for each aggregate whether the row
// counts and then its arguments. They are divided by the hashes of their keys,
// groups are made of each share by itself, and put together by the places of
// their first rows.
type restGroups struct {
	*groups
	rows *spill.Shares
	row  []value.Value
	// sorted takes the place of rows where these are to come in the order of their keys.
	sorted *spill.Sorter
	// of are all rows, those of other goroutines too, and known the groups in memory that they
	// may be of.
	of    []*spill.Shares
	known groupUnion
	// grouped are the groups, nil until they are made: the places of their first rows, what is
	// kept of these, and results.
	grouped *spill.Sorter
	late    lateWarnings
}

func (h *hashGroups) newRest() *restGroups {
	out := &restGroups{groups: &h.groups}
	if h.sorted {
		out.sorted = h.x.stmt.space.NewSorter(keysFrom(restKeys, len(h.keys)))
	} else {
		out.share(h.x.stmt.space.NewShares())
	}
	return out
}

// share has rows go to shares that others may add to before and behind it.
func (r *restGroups) share(rows *spill.Shares) { r.rows, r.of = rows, []*spill.Shares{rows} }

// restKeys is the column of its rows in which the values of the grouping expressions begin.
const restKeys = 1

// keysFrom sorts by some columns from one on.
func keysFrom(first, count int) spill.Keys {
	out := make(spill.Keys, count)
	for i := range out {
		out[i].Column = first + i
	}
	return out
}

// add takes the present row.
func (r *restGroups) add(key []byte, at place) error {
	row := append(append(r.row[:0], value.NewInt(int64(at))), r.keys...)
	row = r.capture(row)
	for _, a := range r.Aggs {
		mark := len(row)
		var ok bool
		var err error
		if row, ok, err = a.Agg.AppendArgs(r.child.env(), append(row, value.NewBool(true))); err != nil {
			return err
		}
		if !ok {
			row = append(row[:mark], value.NewBool(false))
		}
	}
	r.row = row
	if r.sorted != nil {
		return r.sorted.Add(row)
	}
	return r.rows.Add(spill.KeyHash(key), row)
}

// end ends the adding.
func (r *restGroups) end() error {
	if r.sorted != nil {
		return r.sorted.Sort()
	}
	return r.rows.End()
}

// next puts the next group into the frame.
func (r *restGroups) next() (bool, error) {
	if r.grouped == nil {
		if err := r.group(); err != nil {
			return false, err
		}
	}
	row, err := r.grouped.Next()
	if row != nil && err == nil {
		r.put(row)
	}
	return row != nil, err
}

// put puts a group into the frame.
func (r *restGroups) put(row []value.Value) {
	first := row[1:]
	r.place(first[len(r.Captured):], first)
	results := first[r.keptWidth():]
	for i, a := range r.Aggs {
		r.out.Row[a.Slot] = results[i]
	}
}

// group makes the groups, on several goroutines.
func (r *restGroups) group() error {
	r.grouped = r.x.stmt.space.NewSorter(spill.ByFirst)
	if err := spill.EachShare(r.x.c.readers(), r.of, r.groupShare); err != nil {
		return err
	}
	r.late.tell(r.x)
	for _, s := range r.of {
		if err := s.Close(); err != nil {
			return err
		}
	}
	return r.grouped.Sort()
}

// keysOf and capturedOf are those of a row.
func (r *restGroups) keysOf(row []value.Value) []value.Value {
	return row[restKeys : restKeys+len(r.keys)]
}

func (r *restGroups) capturedOf(row []value.Value) []value.Value {
	first := restKeys + len(r.keys)
	return row[first : first+len(r.Captured)]
}

// eachArgs gives the arguments of the aggregates for which a row counts.
func (r *restGroups) eachArgs(row []value.Value, give func(i int, args []value.Value) error) error {
	row = row[restKeys+len(r.keys)+len(r.Captured):]
	for i, a := range r.Aggs {
		counts := row[0].Int() == 1
		row = row[1:]
		if !counts {
			continue
		}
		n := len(a.Agg.Args) + len(a.Agg.Order)
		if err := give(i, row[:n:n]); err != nil {
			return err
		}
		row = row[n:]
	}
	return nil
}

func (r *restGroups) close() error {
	err := r.rows.Close()
	for _, s := range []*spill.Sorter{r.sorted, r.grouped} {
		if s != nil {
			err = cmp.Or(err, s.Close())
		}
	}
	return err
}
