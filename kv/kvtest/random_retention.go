package kvtest

import (
	"context"
	"fmt"

	"github.com/hbasekv/hbasekv/kv"
)

// clockOp sets the clock, which both sides share.
type clockOp struct {
	clock *clock
	to    int64
}

func (o clockOp) String() string { return fmt.Sprintf("clock to %d", o.to) }

func (o clockOp) run(context.Context, *side) string {
	o.clock.ms.Store(o.to)
	return "ok"
}

// tick moves the clock by a millisecond or, once, by the shortest time to live.
func (g *generator) tick(c *clock) op {
	to := c.ms.Load() + 1
	if g.IntN(12) == 0 && to < start+1000 {
		to += 1000
	}
	return clockOp{c, to}
}

// retainOp gives a table another retention.
type retainOp struct {
	table     string
	retention kv.Retention
}

func (g *generator) retain(table string) op {
	return retainOp{table, kv.Retention{
		TTLSeconds:  pick(g, []int64{0, 1, 1, 2}),
		MaxVersions: pick(g, []int{0, 0, 1, 2, 3}),
		MinVersions: pick(g, []int{0, 0, 1, 2}),
	}}
}

func (o retainOp) String() string { return fmt.Sprintf("retain %s %+v", o.table, o.retention) }

func (o retainOp) run(ctx context.Context, s *side) string {
	if err := s.collectAll(ctx); err != nil {
		return errorText(err)
	}
	return errorText(s.store.ChangeCatalog(ctx, func(c *kv.CatalogChange) error {
		old := c.Catalog().Table(database, o.table)
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

func (o collectOp) run(ctx context.Context, s *side) string {
	collector, ok := s.store.(kv.Collector)
	if !ok || !s.collects {
		return "ok"
	}
	_, err := collector.Collect(ctx, database, o.table, kv.CollectOptions{})
	return errorText(err)
}

// collectAll removes all that is hidden, where both sides can, before an operation
// that uncovers what is still there. Nothing is open then that keeps it.
func (s *side) collectAll(ctx context.Context) error {
	if !s.collects {
		return nil
	}
	s.endAll()
	for _, t := range Catalog(s.store).Tables(database) {
		if _, err := s.store.(kv.Collector).Collect(ctx, database, t.Name, kv.CollectOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// uncovers reports whether an operation may uncover what is hidden.
func uncovers(o op) bool {
	s, ok := o.(sliceOp)
	return ok && (s.kind == "drop" || s.kind == "truncate" || s.kind == "empty")
}
