package exec

import (
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
	env     *expr.Env
	memory  expr.Memory
	table   *groupTable
	places  []int64 // of the groups' first rows
	given   int
	full    bool
	growing bool
	backlog *backlog
	rest    *spill.Shares
	key     []byte
	first   []value.Value
	row     []value.Value
}

// groupShares makes the groups of all shares.
func (r *restGroups) groupShares() error {
	return spill.EachShare(1, []*spill.Shares{r.rows}, func(m *steps.Meter, p spill.Share) (*spill.Shares, error) {
		g := &shareGroups{restGroups: r, env: r.child.env(), growing: r.grows()}
		g.memory.Account, g.memory.Hold = r.x.stmt.space.Account(), true
		g.table = r.newTable(&g.memory)
		err := g.read(m, p)
		if err == nil {
			err = r.grouped.AddRun(g.next)
		}
		return g.rest, firstError(err, g.close())
	})
}

// read reads the rows. From then on there are those of one group at a time to remember.
func (g *shareGroups) read(m *steps.Meter, p spill.Share) error {
	err := spill.Each(p.Rows(), func(row []value.Value) error {
		if err := g.add(p, row); err != nil {
			return err
		}
		return m.Step(steps.Row)
	})
	g.memory.Hold = false
	if g.backlog != nil && err == nil {
		err = g.backlog.rows.Sort()
	}
	return err
}

// add adds a row.
func (g *shareGroups) add(p spill.Share, row []value.Value) error {
	g.key = appendKey(g.key[:0], g.keysOf(row))
	group := int32(g.table.keys.Find(g.key))
	switch {
	case g.full && group == noGroup:
		if g.rest == nil {
			g.rest = p.Again()
		}
		return g.rest.Add(spill.KeyHash(g.key), row)
	case group == noGroup:
		group = g.start(row)
	}
	err := g.eachArgs(row, func(i int, args []value.Value) error { return g.addArgs(group, i, args) })
	g.full = g.full || g.memory.Full()
	return err
}

// start makes a group of the row's key.
func (g *shareGroups) start(row []value.Value) int32 {
	group, _ := g.table.keys.Add(g.key)
	g.first = append(g.first[:0], g.capturedOf(row)...)
	if len(g.first) < g.table.width {
		g.first = append(g.first, g.keysOf(row)...)
	}
	g.table.add(g.key, g.first, nil, 0)
	g.places = append(g.places, row[0].Int())
	return int32(group)
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

// next is the next group, nil behind the last.
func (g *shareGroups) next() ([]value.Value, error) {
	if g.given == len(g.places) {
		return nil, nil
	}
	group := int32(g.given)
	g.given++
	if g.backlog != nil {
		if err := g.backlog.addTo(g.table, group, g.env); err != nil {
			return nil, err
		}
	}
	g.row = append(append(g.row[:0], value.NewInt(g.places[group])), g.table.first(group)...)
	for _, c := range g.table.states {
		v, err := c.Result(group)
		if err != nil {
			return nil, err
		}
		g.row = append(g.row, v)
	}
	return g.row, nil
}

func (g *shareGroups) close() (err error) {
	for group := g.given; group < len(g.places); group++ {
		err = firstError(err, g.table.close(int32(group)))
	}
	if g.backlog != nil {
		err = firstError(err, g.backlog.rows.Close())
	}
	g.memory.Release()
	g.table, g.backlog, g.places = nil, nil, nil
	return err
}
