package maintain

import (
	"context"
	"errors"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/schema"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/index"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

// checkDepth is the depth by the options of CHECK TABLE. FAST and CHANGED do not skip anything.
func checkDepth(options []string) kv.CheckDepth {
	switch {
	case slices.Contains(options, "EXTENDED"):
		return kv.CheckLookups
	case slices.Contains(options, "QUICK"):
		return kv.CheckFiles
	}
	return kv.CheckCells
}

// checker is a check that reports its progress table by table.
type checker struct {
	kv.Check
	keeper *Keeper
	depth  kv.CheckDepth
	table  string
}

// newCheck is nil for a store that cannot check itself.
func (k *Keeper) newCheck(ctx context.Context, options []string) (*checker, error) {
	store, ok := k.Store.(kv.Checker)
	if !ok {
		return nil, nil
	}
	c := &checker{keeper: k, depth: checkDepth(options)}
	o := kv.CheckOptions{Depth: c.depth}
	if fn := metrics.CheckTold(ctx); fn != nil {
		o.Progress = func(p kv.CheckProgress) {
			fn(metrics.CheckProgress{Table: c.table, Files: p.Files, AllFiles: p.AllFiles, Cells: p.Cells})
		}
	}
	var err error
	c.Check, err = store.Check(o)
	return c, err
}

// checkTables runs CHECK TABLE. Damage is reported in rows; the last row for a damaged table is Corrupt.
func (k *Keeper) checkTables(ctx context.Context, names []ast.TableName, options []string) (rows *relation.Result, err error) {
	c, err := k.newCheck(ctx, options)
	if err != nil {
		return nil, err
	}
	out := newAnswer()
	if c == nil {
		return out, k.checkByReading(ctx, names, out)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	catalog, err := k.Catalog(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := c.named(ctx, name, catalog, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// named checks the object with a name.
func (c *checker) named(ctx context.Context, name ast.TableName, catalog *kv.Catalog, out *relation.Result) error {
	if v := schema.Mapped(catalog, name.Database, name.Name); v != nil {
		return c.keeper.checkMapped(ctx, name, v, out)
	}
	t := schema.Stored(catalog, name.Database, name.Name)
	if t != nil && t.Temporary {
		return c.keeper.checkTemporary(ctx, name, t, out)
	}
	if c.depth != kv.CheckFiles {
		if err := c.keeper.addTyped(ctx, name, t, out); err != nil {
			return err
		}
	}
	return c.one(ctx, name, t, out)
}

// checkTemporary checks whether the entries of a temporary table are those of its rows. It has no files.
func (k *Keeper) checkTemporary(ctx context.Context, name ast.TableName, t *kv.Table, out *relation.Result) error {
	txn, err := k.Begin(ctx)
	if err != nil {
		return err
	}
	defer txn.Rollback()
	var report kv.CheckReport
	for i := range t.Indexes {
		of, err := index.CheckIn(ctx, txn, t.Indexes[i].Entries)
		if err != nil {
			return err
		}
		report.AddAll(of)
	}
	addReport(out, name, report)
	return nil
}

// one checks a table and reports it under name; t is nil if there is none.
func (c *checker) one(ctx context.Context, name ast.TableName, t *kv.Table, out *relation.Result) error {
	c.table = name.Database + "." + name.Name
	var report kv.CheckReport
	err := kv.ErrNoTable
	if t != nil {
		report, err = c.withIndexes(ctx, t)
	}
	switch {
	case errors.Is(err, kv.ErrNoTable):
		catalog, err := c.keeper.Store.Catalog(ctx)
		if err != nil {
			return err
		}
		addNoTable(out, "check", name, catalog)
	case err != nil:
		return err
	default:
		addReport(out, name, report)
	}
	return nil
}

// withIndexes checks a table and its indexes: their stored entries, and, unless only checksums are requested,
// whether the entries are those of its rows.
func (c *checker) withIndexes(ctx context.Context, t *kv.Table) (kv.CheckReport, error) {
	report, err := c.Table(ctx, t.Database, t.Name)
	for _, entries := range c.Tables() {
		if entries.IndexOf != t.ID || err != nil {
			continue
		}
		var more kv.CheckReport
		if more, err = c.Table(ctx, entries.Database, entries.Name); err == nil && c.depth != kv.CheckFiles {
			report.AddAll(more)
			more, err = index.Check(ctx, c.keeper.Store, entries.ID)
		}
		if errors.Is(err, kv.ErrNoIndex) { // it has been dropped
			err = nil
		}
		report.AddAll(more)
	}
	return report, err
}

// checkStore runs CHECK STORE: all tables, and finally the data that belongs to none.
func (k *Keeper) checkStore(ctx context.Context, options []string) (rows *relation.Result, err error) {
	c, err := k.newCheck(ctx, options)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return nil, mysqlerr.Unsupported("CHECK STORE")
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	out := newAnswer()
	for _, t := range c.Tables() {
		if t.IndexOf != 0 {
			continue // it is checked with its table
		}
		if err := c.one(ctx, ast.TableName{Database: t.Database, Name: t.Name}, t, out); err != nil {
			return nil, err
		}
	}
	c.table = ""
	report, err := c.Rest(ctx)
	if err != nil {
		return nil, err
	}
	addReport(out, ast.TableName{Database: "*", Name: "*"}, report)
	return out, nil
}

// checkByReading is CHECK TABLE for a store that cannot check itself: it reads every version.
func (k *Keeper) checkByReading(ctx context.Context, names []ast.TableName, out *relation.Result) error {
	txn, err := k.Begin(ctx)
	if err != nil {
		return err
	}
	defer txn.Rollback()
	for _, name := range names {
		if v := schema.Mapped(txn.Catalog(), name.Database, name.Name); v != nil {
			if err := k.checkMapped(ctx, name, v, out); err != nil {
				return err
			}
			continue
		}
		t := schema.Stored(txn.Catalog(), name.Database, name.Name)
		if t == nil {
			addNoTable(out, "check", name, txn.Catalog())
			continue
		}
		err := readTable(ctx, txn, t, func(*kv.Cell, []byte) {})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var report kv.CheckReport
		if err != nil {
			report.Add(err)
		}
		addReport(out, name, report)
	}
	return nil
}
