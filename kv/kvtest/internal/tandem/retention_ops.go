package tandem

import (
	"context"
	"fmt"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
)

// ClockOp sets the clock, which both sides share.
type ClockOp struct {
	Clock *fixture.Clock
	To    int64
}

func (o ClockOp) String() string { return fmt.Sprintf("clock to %d", o.To) }

func (o ClockOp) Run(context.Context, *Side) string {
	o.Clock.Ms.Store(o.To)
	return "ok"
}

// tick advances the clock by a millisecond or, once, by the shortest time to live.
func (g *Generator) tick(c *fixture.Clock) op {
	to := c.Ms.Load() + 1
	if g.IntN(12) == 0 && to < fixture.Start+1000 {
		to += 1000
	}
	return ClockOp{c, to}
}

// retainOp changes the retention of a table.
type retainOp struct {
	table     string
	retention kv.Retention
}

func (g *Generator) Retain(table string) op {
	return retainOp{table, kv.Retention{
		TTLSeconds:  Pick(g, []int64{0, 1, 1, 2}),
		MaxVersions: Pick(g, []int{0, 0, 1, 2, 3}),
		MinVersions: Pick(g, []int{0, 0, 1, 2}),
	}}
}

func (o retainOp) String() string { return fmt.Sprintf("retain %s %+v", o.table, o.retention) }

func (o retainOp) Run(ctx context.Context, s *Side) string {
	if err := s.collectAll(ctx); err != nil {
		return errorText(err)
	}
	return errorText(s.Store.ChangeCatalog(ctx, func(c *kv.CatalogChange) error {
		old := c.Catalog().Table(fixture.Database, o.table)
		if old == nil {
			return kv.ErrNoTable
		}
		changed := *old
		changed.Retention = o.retention
		return c.AlterTable(changed)
	}))
}

// collectOp collects a table.
type collectOp struct{ table string }

func (o collectOp) String() string { return "collect " + o.table }

func (o collectOp) Run(ctx context.Context, s *Side) string {
	collector, ok := s.Store.(kv.Collector)
	if !ok || !s.collects {
		return "ok"
	}
	_, err := collector.Collect(ctx, fixture.Database, o.table, kv.CollectOptions{})
	return errorText(err)
}

// collectAll removes everything that is hidden, if both sides can, before an
// operation that could make it visible again. At that time nothing is open that
// keeps it.
func (s *Side) collectAll(ctx context.Context) error {
	if !s.collects {
		return nil
	}
	s.endAll()
	for _, t := range fixture.Catalog(s.Store).Tables(fixture.Database) {
		if _, err := s.Store.(kv.Collector).Collect(ctx, fixture.Database, t.Name, kv.CollectOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// uncovers reports whether an operation may make hidden versions visible.
func uncovers(o op) bool {
	s, ok := o.(sliceOp)
	return ok && (s.kind == "drop" || s.kind == "truncate" || s.kind == "empty")
}
