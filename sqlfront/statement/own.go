package statement

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Own is the plans of one session that has temporary tables, by their trees: only that session sees the same
// tables under the same names. The zero value has none; assigning it forgets all plans.
type Own struct {
	plans sized[*Tree, *Plan]
}

// How much of these plans a session keeps.
const (
	ownPlans     = 256
	ownPlanBytes = 1 << 20
)

func (o *Own) find(ctx context.Context, s *Session, t *Tree, catalog *kv.Catalog, args []value.Value) (*Plan, []value.Value) {
	if o.plans == nil {
		return nil, nil
	}
	if p, ok := o.plans.Get(t); ok {
		if all, ok := p.good(ctx, s, catalog, args); ok {
			return p, all
		}
	}
	return nil, nil
}

func (o *Own) put(t *Tree, made *Plan) {
	if o.plans == nil {
		o.plans = newSized(ownPlans, ownPlanBytes, func(*Tree, *Plan) {})
	}
	o.plans.put(t, made, made.bytes)
}

// planOwn is PlanFor over a catalog that only the session sees.
func (c *Cache) planOwn(ctx context.Context, s *Session, st *Statement, catalog *kv.Catalog, args []value.Value,
	found *uint64) (*Plan, []value.Value, error) {
	t := st.Tree
	if p, args := s.Own.find(ctx, s, t, catalog, args); p != nil {
		*found++
		return p, args, p.needs.Check(s.Authority)
	}
	c.made.Add(1)
	if t.literals != nil {
		t.first.Lock() // held for the first plan, which decides what is carried
		defer t.first.Unlock()
	}
	made, args, err := planned(ctx, s, t, catalog, args)
	if err != nil {
		return nil, nil, err
	}
	s.Own.put(t, made)
	c.keep(st)
	return made, args, nil
}
