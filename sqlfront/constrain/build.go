package constrain

import (
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/constrain/interval"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// maxCells bounds the key spans that result from combining key spans with qualifiers; beyond it the scan gets
// qualifiers in addition to the key spans.
const maxCells = 1024

// Build makes the constraint of a bound WHERE; nil is no WHERE. env has the values of the placeholders, and
// the session. A condition that cannot be expressed, or has a placeholder without a value, stays in the
// filter: no WHERE is an error. The error is the context's.
func Build(where expr.Node, cols Columns, env *expr.Env, view View) (*Constraint, error) {
	return (*Arena)(nil).Build(where, cols, env, view)
}

// Build is the function Build in the arena's memory: the constraint is valid until the next call. The arena
// may be nil.
func (m *Arena) Build(where expr.Node, cols Columns, env *expr.Env, view View) (*Constraint, error) {
	if env == nil {
		env = &expr.Env{}
	}
	if where == nil && !view.Time.Bounded {
		return new(Constraint), nil
	}
	if c := m.point(where, &cols, env, view); c != nil {
		return c, nil
	}
	d := &deriver{cols: cols, env: env}
	var buf [4]conjunct
	list := buf[:0]
	if where != nil {
		list = conjuncts(list, where, false)
	}
	total := d.conjunction(list)
	if d.err != nil {
		return nil, d.err
	}
	if total.empty() {
		return contradiction(view), nil
	}
	f := fitting{scanRange: total, view: view, grouped: cols.F >= 0, familyNames: cols.Families}
	f.fit()
	c := f.constraint()
	if cols.Sliced && !c.Contradiction {
		c.Times = f.times(c)
	}
	if !c.Contradiction {
		c.Remaining = f.remaining(where, list)
	}
	return c, nil
}

// conjuncts appends the conditions that must all hold for n to be true, or false if negate is set.
func conjuncts(list []conjunct, n expr.Node, negate bool) []conjunct {
	var parts []expr.Node
	switch n := n.(type) {
	case *expr.Not:
		return conjuncts(list, n.X, !negate)
	case *expr.And:
		if !negate {
			parts = n.List
		}
	case *expr.Or:
		if negate {
			parts = n.List
		}
	}
	if parts == nil {
		return append(list, conjunct{node: n, negate: negate})
	}
	for _, each := range parts {
		list = conjuncts(list, each, negate)
	}
	return list
}

func contradiction(view View) *Constraint {
	return &Constraint{Ranges: []kv.Range{}, Time: view.Time, Contradiction: true}
}

// remaining is the condition that is left to the filter: the conjuncts that the fitted scan range does
// not fully express.
func (f *fitting) remaining(where expr.Node, list []conjunct) expr.Node {
	var kept []expr.Node
	for i := range list {
		if f.absorbs(&list[i].scanRange) {
			continue
		}
		n := list[i].node
		if list[i].negate {
			n = &expr.Not{X: n}
		}
		kept = append(kept, n)
	}
	switch len(kept) {
	case 0:
		return nil
	case 1:
		return kept[0]
	case len(list):
		return where
	}
	return &expr.And{List: kept}
}

// absorbs reports whether all rows in the fitted scan range satisfy the condition with the scan range b.
func (f *fitting) absorbs(b *scanRange) bool {
	if !b.exact || !f.loosened {
		return b.exact
	}
	if f.scanRange.within(b) {
		return true
	}
	if !f.flattened {
		f.flattened = true
		f.flat, f.flatOK = f.scanRange.flatten(maxSpans)
	}
	return f.flatOK && f.flat.within(b)
}

// constraint converts the fitted scan range to the form that is cheapest to read: a span of cells for each
// column if the columns are known, else qualifiers in addition to key spans.
func (f *fitting) constraint() *Constraint {
	b := f.scanRange
	if !f.grouped {
		b, _ = b.flattenQualifiers(maxCells)
		if f.view.AllVersions {
			b, _ = b.flattenTimes(maxCells)
		}
	}
	if b.empty() {
		return contradiction(f.view)
	}
	out := &Arena{}
	c := &out.constraint
	c.Time = timeRange(b.times)
	if !b.spans.All() {
		c.Ranges = slices.Grow(out.ranges[:0:1], len(b.spans))
		for _, s := range b.spans {
			c.Ranges = append(c.Ranges, rangeOf(s))
		}
	}
	if !b.quals.All() {
		c.Qualifiers = make([]kv.QualifierRange, len(b.quals))
		for i, s := range b.quals {
			c.Qualifiers[i] = qualifierRange(s)
		}
	}
	if slices.Contains(b.families, false) {
		for i, in := range b.families {
			if in {
				c.Families = append(c.Families, i)
				c.familyNames = append(c.familyNames, f.familyNames[i])
			}
		}
	}
	return c
}

// times are the ranges of timestamps that have to be read; nil if they are the constraint's Time.
func (f *fitting) times(c *Constraint) []kv.TimeRange {
	times := f.exactTimes
	if in, ok := spanTimes(f.scanRange.spans); ok {
		times = times.Intersect(in)
	}
	times = times.Intersect(viewTimes(c.Time))
	if times.All() || len(times) == 1 && timeRange(times) == c.Time {
		return nil
	}
	out := make([]kv.TimeRange, len(times))
	for i := range times {
		out[i] = timeRange(times[i : i+1])
	}
	return out
}

// timeRange is a set of one span.
func timeRange(s interval.Moments) kv.TimeRange {
	if s.All() {
		return kv.TimeRange{}
	}
	return kv.TimeRange{Min: s[0].Lo.First(), Max: s[0].Hi.Final(), Bounded: true}
}

// viewTimes is the view's range of timestamps as a set.
func viewTimes(t kv.TimeRange) interval.Moments {
	switch {
	case wholeTime(t):
		return nil
	case t.Min > t.Max:
		return interval.None[interval.Moment]()
	}
	return interval.Between(interval.BeforeTime(t.Min), interval.AfterTime(t.Max))
}
