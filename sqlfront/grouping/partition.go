package grouping

import (
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/aggregate"
	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// partition makes groups of a partition of the rows for which there was no memory. Where it is used
// up again, the rows of others go to rest, and what groups remember of each row to a backlog.
type partition struct {
	*Late
	meter   *cancelcheck.Meter
	env     *expr.Env
	memory  aggregate.Memory
	table   *Table
	at      Place   // of the row, or of the group, that is being looked at
	order   []int32 // of the groups, by the places of their first rows
	given   int
	full    bool
	backlog *Backlog
	rest    *spill.Partitions
	key     []byte
	first   []value.Value
	row     []value.Value
}

func (l *Late) newPartition(m *cancelcheck.Meter) *partition {
	g := &partition{Late: l, meter: m}
	g.env = l.warnings.apart(l.env, &g.at)
	g.memory.Account, g.memory.Hold = l.space.Account(), true
	g.table = NewTable(l.shape, &g.memory)
	return g
}

// read reads the rows. From then on there are those of one group at a time to remember.
func (g *partition) read(p spill.Partition) error {
	err := spill.Each(p.Rows(), func(row []value.Value) error {
		return cmp.Or(g.add(p, row), g.meter.Step(cancelcheck.Row))
	})
	g.memory.Hold = false
	if g.backlog != nil && err == nil {
		err = g.backlog.End()
	}
	return err
}

// add adds a row.
func (g *partition) add(p spill.Partition, row []value.Value) error {
	g.at, g.key = Place(row[0].Int()), value.AppendKeys(g.key[:0], g.shape.KeysOf(row))
	group := g.table.Find(g.key)
	switch {
	case g.full && group == NoGroup:
		if g.rest == nil {
			g.rest = p.Repartition()
		}
		return g.rest.Add(rowmem.KeyHash(g.key), row)
	case group == NoGroup:
		group = g.start(row)
	case g.at < g.table.Places[group]:
		g.table.Begin(group, g.firstOf(row), nil, g.at)
	}
	err := g.shape.EachArgs(row, func(i int, args []value.Value) error { return g.addArgs(group, i, args) })
	g.full = g.full || g.memory.Full()
	return err
}

// start makes a group of the row's key.
func (g *partition) start(row []value.Value) int32 {
	group, _ := g.table.Keys.Add(g.key)
	g.table.Add(g.key, g.firstOf(row), nil, g.at)
	return int32(group)
}

// firstOf is what a group keeps of its first row.
func (g *partition) firstOf(row []value.Value) []value.Value {
	g.first = append(g.first[:0], g.shape.CapturedOf(row)...)
	if g.shape.KeepsKeys {
		g.first = append(g.first, g.shape.KeysOf(row)...)
	}
	return g.first
}

func (g *partition) addArgs(group int32, agg int, args []value.Value) error {
	if !g.full || !g.shape.Aggs[agg].Grows() {
		return g.table.States[agg].AddArgs(g.env, group, args)
	}
	if g.backlog == nil {
		g.backlog = NewBacklog(g.space, g.table)
	}
	return g.backlog.addArgs(group, agg, args)
}

// meetKnown takes what groups in memory have of the keys, and puts the groups in order.
func (g *partition) meetKnown() error {
	places := g.table.Places
	for group := range places {
		if err := cmp.Or(g.known.absorb(g.table, int32(group)), g.meter.Step(cancelcheck.Row)); err != nil {
			return err
		}
		g.order = append(g.order, int32(group))
	}
	return cancelcheck.Sort(g.meter, g.order, func(a, b int32) int { return cmp.Compare(places[a], places[b]) })
}

// next is the next group, nil behind the last.
func (g *partition) next() ([]value.Value, error) {
	if g.given == len(g.order) {
		return nil, nil
	}
	group := g.order[g.given]
	g.given++
	if g.at = g.table.Places[group]; g.backlog != nil {
		if err := g.backlog.AddTo(g.env, group); err != nil {
			return nil, err
		}
	}
	g.row = g.table.First(append(g.row[:0], value.NewInt(int64(g.at))), group)
	for _, c := range g.table.States {
		v, err := c.Result(group)
		if err != nil {
			return nil, err
		}
		g.row = append(g.row, v)
	}
	return g.row, g.meter.Step(cancelcheck.Row)
}

func (g *partition) close() error {
	err := g.table.Close()
	if g.backlog != nil {
		err = cmp.Or(err, g.backlog.Close())
	}
	g.memory.Release()
	return err
}
