package exec

import (
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/steps"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// shareGroups makes groups of a share of the rows for which there was no memory before. Where
// it is used up again, the rows of others go to rest, and what groups remember of each row to
// a backlog.
type shareGroups struct {
	*restGroups
	meter   *steps.Meter
	env     *expr.Env
	memory  expr.Memory
	table   *groupTable
	at      place   // of the row, or of the group, that is being looked at
	order   []int32 // of the groups, by the places of their first rows
	given   int
	full    bool
	growing bool
	backlog *backlog
	rest    *spill.Shares
	key     []byte
	first   []value.Value
	row     []value.Value
}

// groupShare makes the groups of a share.
func (r *restGroups) groupShare(m *steps.Meter, p spill.Share) (*spill.Shares, error) {
	g := &shareGroups{restGroups: r, meter: m, growing: r.grows()}
	g.env = r.late.apart(r.x, &g.at)
	g.memory.Account, g.memory.Hold = r.x.stmt.space.Account(), true
	g.table = r.newTable(&g.memory)
	err := g.read(p)
	if err == nil {
		err = g.meetKnown()
	}
	if err == nil {
		err = r.grouped.AddRun(g.next)
	}
	return g.rest, cmp.Or(err, g.close())
}

// read reads the rows. From then on there are those of one group at a time to remember.
func (g *shareGroups) read(p spill.Share) error {
	err := spill.Each(p.Rows(), func(row []value.Value) error {
		return cmp.Or(g.add(p, row), g.meter.Step(steps.Row))
	})
	g.memory.Hold = false
	if g.backlog != nil && err == nil {
		err = g.backlog.rows.Sort()
	}
	return err
}

// add adds a row.
func (g *shareGroups) add(p spill.Share, row []value.Value) error {
	g.at, g.key = place(row[0].Int()), appendKey(g.key[:0], g.keysOf(row))
	group := int32(g.table.keys.Find(g.key))
	switch {
	case g.full && group == noGroup:
		if g.rest == nil {
			g.rest = p.Again()
		}
		return g.rest.Add(spill.KeyHash(g.key), row)
	case group == noGroup:
		group = g.start(row)
	case g.at < g.table.places[group]:
		g.table.begin(group, g.firstOf(row), nil, g.at)
	}
	err := g.eachArgs(row, func(i int, args []value.Value) error { return g.addArgs(group, i, args) })
	g.full = g.full || g.memory.Full()
	return err
}

// start makes a group of the row's key.
func (g *shareGroups) start(row []value.Value) int32 {
	group, _ := g.table.keys.Add(g.key)
	g.table.add(g.key, g.firstOf(row), nil, g.at)
	return int32(group)
}

// firstOf is what a group keeps of its first row.
func (g *shareGroups) firstOf(row []value.Value) []value.Value {
	g.first = append(g.first[:0], g.capturedOf(row)...)
	if len(g.first) < g.table.width {
		g.first = append(g.first, g.keysOf(row)...)
	}
	return g.first
}

func (g *shareGroups) addArgs(group int32, agg int, args []value.Value) error {
	if !g.full || !g.Aggs[agg].Agg.Grows() {
		return g.table.states[agg].AddArgs(g.env, group, args)
	}
	if g.backlog == nil {
		g.backlog = newBacklog(g.x)
	}
	return g.backlog.addArgs(group, agg, args)
}

// meetKnown takes what groups in memory have of the keys, and puts the groups in order.
func (g *shareGroups) meetKnown() error {
	places := g.table.places
	for group := range places {
		if err := cmp.Or(g.known.absorb(g.table, int32(group)), g.meter.Step(steps.Row)); err != nil {
			return err
		}
		g.order = append(g.order, int32(group))
	}
	return steps.Sort(g.meter, g.order, func(a, b int32) int { return cmp.Compare(places[a], places[b]) })
}

// next is the next group, nil behind the last.
func (g *shareGroups) next() ([]value.Value, error) {
	if g.given == len(g.order) {
		return nil, nil
	}
	group := g.order[g.given]
	g.given++
	if g.at = g.table.places[group]; g.backlog != nil {
		if err := g.backlog.addTo(g.table, group, g.env); err != nil {
			return nil, err
		}
	}
	g.row = g.table.first(append(g.row[:0], value.NewInt(int64(g.at))), group)
	for _, c := range g.table.states {
		v, err := c.Result(group)
		if err != nil {
			return nil, err
		}
		g.row = append(g.row, v)
	}
	return g.row, g.meter.Step(steps.Row)
}

func (g *shareGroups) close() (err error) {
	for group := range g.table.places { // those that are given, too
		err = cmp.Or(err, g.table.close(int32(group)))
	}
	if g.backlog != nil {
		err = cmp.Or(err, g.backlog.rows.Close())
	}
	g.memory.Release()
	return err
}
