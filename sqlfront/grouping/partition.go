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

// partition makes groups from one partition of the overflow. If memory runs out again, rows of
// further groups go to rest, and what groups remember of each row goes to a backlog.
type partition struct {
	*Late
	meter   *cancelcheck.Meter
	env     *expr.Env
	memory  aggregate.Memory
	table   *Table
	at      Place   // of the current row or group
	order   []int32 // of the groups, sorted by the places of their first rows
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

// read reads the rows. After that, only one group at a time has rows to remember.
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

// start adds a group for the key of the row.
func (g *partition) start(row []value.Value) int32 {
	group, _ := g.table.Keys.Add(g.key)
	g.table.Add(g.key, g.firstOf(row), nil, g.at)
	return int32(group)
}

// firstOf returns the values that a group keeps of its first row.
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

// meetKnown takes over the groups in memory with the same keys, and sorts the groups.
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

// next returns the next group's row, or nil after the last.
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
