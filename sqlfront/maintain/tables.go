package maintain

import (
	"cmp"
	"context"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/schema"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

// optimize removes what retention hides and rewrites the files.
func (k *Keeper) optimize(ctx context.Context, t *kv.Table, leaves []int) (string, string, error) {
	c, ok := k.Store.(kv.Compacter)
	if !ok {
		return "note", "The storage engine for the table doesn't support optimize", nil
	}
	if collector, ok := k.Store.(kv.Collector); ok && !t.Retention.IsZero() {
		o := kv.CollectOptions{Progress: k.Collecting}
		if _, err := collector.Collect(ctx, t.Database, t.Name, o); err != nil {
			return "", "", err
		}
	}
	return "status", "OK", c.Compact(ctx, t, leaves)
}

// analyze makes the store's estimates include what it holds in memory. A read-only store holds nothing there.
func (k *Keeper) analyze(ctx context.Context, t *kv.Table, _ []int) (string, string, error) {
	_, estimates := k.Store.(kv.Estimator)
	if f, ok := k.Store.(kv.Flusher); ok && estimates && !k.ReadOnly {
		return "status", "OK", f.Flush(ctx, t)
	}
	return "status", "OK", nil
}

func (k *Keeper) repair(context.Context, *kv.Table, []int) (string, string, error) {
	return "note", "The storage engine for the table doesn't support repair", nil
}

// upkeep maintains some leaves of a table, nil meaning all, and returns a row.
type upkeep func(ctx context.Context, t *kv.Table, leaves []int) (kind, text string, err error)

// eachTable returns what MySQL does for a list of tables: a row each; errors are rows too
// (https://dev.mysql.com/doc/refman/5.7/en/optimize-table.html).
func (k *Keeper) eachTable(ctx context.Context, op string, names []ast.TableName,
	do upkeep) (*relation.Result, error) {
	out := newAnswer()
	for _, name := range k.named(names) {
		catalog, err := k.Catalog(ctx)
		if err != nil {
			return nil, err
		}
		t := schema.Stored(catalog, name.Database, name.Name)
		if t == nil {
			addNoTable(out, op, name, catalog)
			continue
		}
		if t.Temporary && op != "repair" {
			add(out, op, name, "status", "OK")
			continue
		}
		kind, text, err := do(ctx, t, nil)
		if err != nil {
			return nil, err
		}
		add(out, op, name, kind, text)
	}
	return out, nil
}

// named adds the current database to names without one.
func (k *Keeper) named(names []ast.TableName) []ast.TableName {
	out := slices.Clone(names)
	for i := range out {
		out[i].Database = cmp.Or(out[i].Database, k.Database)
	}
	return out
}
