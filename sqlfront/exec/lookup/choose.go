package lookup

import (
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/exec/cost"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// choose returns the index by which to read the rows, or nil if Rows costs less. Errors are those of the
// store, of conditions, and cancellation.
func (r *Reader) choose(x *op.Frame, want op.Desired) (*chosen, error) {
	if x.Lock != nil || want.Sequenced || want.Within.Start != nil || want.Within.End != nil {
		return nil, nil
	}
	candidates, err := r.candidates(x, want)
	if len(candidates) == 0 || err != nil {
		return nil, err
	}
	key, err := constrain.Build(bound(r.OnKey, x), columns, &x.Env, constrain.View{})
	if err != nil || key.Contradiction || key.Access() == constrain.AccessConst || key.Access() == constrain.AccessRef {
		return nil, err
	}
	if len(candidates) == 1 && key.Ranges == nil && r.obvious(&candidates[0], want) {
		return &candidates[0], nil
	}
	return r.cheapest(x, candidates, key, want)
}

// candidates returns the indexes that have all columns, or the desired order.
func (r *Reader) candidates(x *op.Frame, want op.Desired) (out []chosen, err error) {
	for i := range r.Paths {
		p := &r.Paths[i]
		if !p.Rest.Covers && (len(want.Order) == 0 || want.Limit == 0) {
			continue
		}
		c := chosen{rows: -1}
		where := expr.Conjuncts(p.bound(x))
		s := r.sequenceOf(&p.Way, where, x)
		if len(want.Order) > 0 {
			by := s
			c.ordered = by.serves(want.Order)
			c.reverse = c.ordered && by.reverse
			if c.ordered && want.NotNull {
				where = append(where, s.notNull(want.Order[0])...)
			}
		}
		if !p.Rest.Covers && !c.ordered {
			continue
		}
		if c.span, err = p.spanOf(expr.Conjoin(where), x); err != nil {
			return nil, err
		}
		if c.Readings = &p.Rest; c.Remaining != nil {
			c.Readings = &p.All
		}
		if !c.Covers && !c.ordered {
			continue
		}
		if len(want.Together) > 0 {
			c.together = s.gathers(want.Together)
		}
		if c.together && want.OneTogether && len(c.Filter) == 0 && s.keyed == 0 {
			c.alike = s.indexed
		}
		if c.Contradiction || c.Ranges == nil && x.Context.Guard.NoFullScan && want.Limit == 0 {
			continue
		}
		out = append(out, c)
	}
	return out, nil
}

// obvious reports whether nothing else can cost less: the entries have all columns, or few rows are
// requested, and no condition leads to other entries.
func (r *Reader) obvious(c *chosen, want op.Desired) bool {
	for i := range r.Paths {
		if p := &r.Paths[i]; p.Entries != c.Entries && p.Where != nil {
			return false
		}
	}
	return c.Covers || len(c.Filter) == 0 && want.Limit <= mostObvious
}

// mostObvious is how many rows are read in the order of entries without estimating a scan of the table.
const mostObvious = 256

// cheapest returns the candidate that costs less than the others, and than Rows; costs are in cells read.
func (r *Reader) cheapest(x *op.Frame, candidates []chosen, key *constrain.Constraint, want op.Desired) (best *chosen, err error) {
	if x.Context.Estimator == nil {
		return nil, nil
	}
	all, err := x.Context.Estimator.Estimate(x.Context.Ctx, []*kv.Table{r.Table}, &kv.Scan{Ranges: key.Ranges, MaxVersions: 1},
		kv.EstimateOptions{Cells: few})
	if err != nil {
		return nil, err
	}
	least := float64(all.Stored)
	sizes := make([]int64, len(r.Paths)) // of the spans of conditions
	for i := range r.Paths {
		if sizes[i], err = r.Paths[i].size(x); err != nil {
			return nil, err
		}
		if sizes[i] >= 0 && sizes[i] <= most {
			least = min(least, float64(sizes[i])*cellsPerRow)
		}
	}
	for i := range candidates {
		c := &candidates[i]
		if at := r.pathOf(c); sizes[at] >= 0 && !want.NotNull {
			c.rows = sizes[at]
		} else if c.rows, err = entriesIn(x, &c.span); err != nil {
			return nil, err
		}
		pass := cost.Guess(len(c.Filter))
		for j, size := range sizes {
			if size >= 0 && r.Paths[j].Entries != c.Entries && all.Rows > 0 {
				pass = min(pass, float64(size)/float64(all.Rows))
			}
		}
		if of := c.cost(pass, want); of < least {
			best, least = c, of
		}
	}
	return best, nil
}

// pathOf returns the position of a candidate's index.
func (r *Reader) pathOf(c *chosen) int {
	return slices.IndexFunc(r.Paths, func(p Path) bool { return p.Entries == c.Entries })
}

// size estimates the entries that the conditions on an index select, or returns -1 if there are no
// conditions.
func (w *Way) size(x *op.Frame) (int64, error) {
	if w.Where == nil {
		return -1, nil
	}
	s, err := w.span(x)
	if err != nil || s.Ranges == nil && !s.Contradiction {
		return -1, err
	}
	return entriesIn(x, &s)
}

// cost estimates the cost of reading by an index, if this fraction of its rows passes the conditions.
func (c *chosen) cost(pass float64, want op.Desired) float64 {
	read := float64(c.rows)
	if c.ordered && want.Limit > 0 {
		read = min(read, float64(want.Limit)/pass)
	}
	switch {
	case c.Forced:
		return -1
	case c.Covers:
		return read
	}
	return read * cellsPerRow
}

// entriesIn estimates the number of entries of a span.
func entriesIn(x *op.Frame, s *span) (int64, error) {
	if s.Contradiction {
		return 0, nil
	}
	e, err := x.Context.Estimator.Estimate(x.Context.Ctx, []*kv.Table{s.Entries}, s.scan(), kv.EstimateOptions{Cells: few})
	return e.Cells, err
}
