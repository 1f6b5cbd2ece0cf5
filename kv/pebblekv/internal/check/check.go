// Package check looks for damage: in the blocks of the table files, in the keys and
// values of cells, in where they lie, and in the store's own records.
package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/layout"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/records"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
)

// check implements kv.Check on one view. Its iterator keeps the files that the
// view reads from being removed.
type check struct {
	host   Host
	engine *views.Engine
	opts   kv.CheckOptions
	view   *views.View
	hold   *pebble.Iterator
	files  *fileCheck
	// owners are the tables with a key space, by space.
	owners map[keyspace.ID][]*kv.Table
	// filling are the key spaces that moves fill.
	filling map[keyspace.ID]bool
	closed  bool
}

// Host is the store that is checked.
type Host interface {
	views.Keeper
	// UntilClose returns the context, which also ends when the store is closed.
	UntilClose(context.Context) (context.Context, context.CancelFunc)
	// OrClosed returns the error, or WhyClosed if the end of the store caused it.
	OrClosed(error) error
}

// Files are where the store's table files are.
type Files struct {
	FS     vfs.FS
	Dir    string
	Reader sstable.ReaderOptions
}

// Start begins a check of what is committed now. It must be closed.
func Start(h Host, e *views.Engine, f Files, o kv.CheckOptions) (kv.Check, error) {
	if err := h.Enter(); err != nil {
		return nil, err
	}
	c := &check{host: h, engine: e, opts: o, view: e.Views.Acquire(views.Reader)}
	if c.opts.Progress == nil {
		c.opts.Progress = func(kv.CheckProgress) {}
	}
	e.Cursors.Add(1)          // like a cursor, it keeps the files open
	c.hold, _ = c.view.Take() // the check will report a damaged file
	var err error
	if c.files, err = newFileCheck(e.DB, f); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	c.owners, c.filling = layout.SpaceOwners(c.view.Catalog), map[keyspace.ID]bool{}
	if stored, err := c.stored(); err == nil { // else it is damage, which Rest reports
		for _, id := range stored.Filling {
			c.filling[id] = true
		}
	}
	return c, nil
}

// Close implements kv.Check.
func (c *check) Close() error {
	if c.closed {
		return nil
	}
	c.closed = true
	if c.hold == nil {
		return c.leave()
	}
	c.putBack(c.hold)
	return c.leave()
}

func (c *check) leave() error {
	err := c.view.Release(views.Reader)
	c.engine.Cursors.Add(-1)
	c.host.Exit()
	return err
}

// Tables implements kv.Check.
func (c *check) Tables() []*kv.Table {
	var out []*kv.Table
	for _, d := range c.view.Catalog.Databases() {
		out = append(out, c.view.Catalog.AllTables(d.Name)...)
	}
	return out
}

// Table implements kv.Check.
func (c *check) Table(ctx context.Context, database, name string) (kv.CheckReport, error) {
	var report kv.CheckReport
	if c.engine.Closed.Load() {
		return report, c.host.WhyClosed()
	}
	t := c.view.Catalog.Table(database, name)
	if t == nil {
		return report, kv.ErrNoTable
	}
	ctx, cancel := c.host.UntilClose(ctx)
	defer cancel()
	err := c.table(ctx, t, &report)
	return report, c.host.OrClosed(err)
}

func (c *check) table(ctx context.Context, t *kv.Table, report *kv.CheckReport) error {
	progress := kv.CheckProgress{}
	for _, run := range layout.SpaceRuns(keyspace.Of(t).Spaces) {
		lower, upper := cellkey.AppendSpace(nil, run[0]), cellkey.SpaceEnd(run[1])
		if err := c.files.span(ctx, lower, upper, report, &progress, c.opts.Progress); err != nil {
			return err
		}
	}
	if c.opts.Depth == kv.CheckFiles {
		return nil
	}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(keyspace.Of(t).Spaces))) {
		if err := c.space(ctx, t, id, report, &progress); err != nil {
			return err
		}
	}
	c.opts.Progress(progress)
	return nil
}

// space checks the cells of one key space.
func (c *check) space(
	ctx context.Context, t *kv.Table, id keyspace.ID, report *kv.CheckReport, progress *kv.CheckProgress,
) error {
	it, err := c.iterate(cellkey.AppendSpace(nil, id), cellkey.SpaceEnd(id))
	if err != nil {
		report.Add(err)
		return nil
	}
	cells := cellCheck{ctx: ctx, check: c, table: t, space: id, report: report, progress: progress}
	defer c.putBack(it)
	return cells.run(it)
}

func (c *check) iterate(lower, upper []byte) (*pebble.Iterator, error) {
	it, err := c.view.Take()
	if err != nil {
		return nil, err
	}
	it.SetBounds(lower, upper)
	return it, nil
}

// putBack releases an iterator; its error is damage, already in the report.
func (c *check) putBack(it *pebble.Iterator) { _ = c.view.Put(it, false) }

// Rest implements kv.Check.
func (c *check) Rest(ctx context.Context) (kv.CheckReport, error) {
	var report kv.CheckReport
	if c.engine.Closed.Load() {
		return report, c.host.WhyClosed()
	}
	ctx, cancel := c.host.UntilClose(ctx)
	defer cancel()
	c.records(&report)
	c.catalog(&report)
	progress := kv.CheckProgress{}
	err := c.files.span(ctx, nil, nil, &report, &progress, c.opts.Progress)
	if err == nil && c.opts.Depth != kv.CheckFiles {
		err = c.strays(ctx, &report)
	}
	return report, c.host.OrClosed(err)
}

// records checks the store's own records.
func (c *check) records(report *kv.CheckReport) {
	format, ok, err := layout.Record(c.view.Get, layout.FormatRecord)
	if err == nil && !ok {
		err = fmt.Errorf("%w: the format record is missing", kv.ErrCorrupt)
	}
	if err == nil {
		_, err = layout.ParseFormat(format)
	}
	if err != nil {
		report.Add(err)
	} else {
		report.Notes = append(report.Notes, "the store has format "+string(format))
	}
	stored, err := c.stored()
	if err == nil {
		err = c.sameCatalog(stored)
	}
	if err != nil {
		report.Add(err)
	}
}

// stored returns the catalog from its records. Those of the first format remain if the store is only read.
func (c *check) stored() (*keyspace.Catalog, error) {
	stored, ok, err := records.ReadFrom(c.view.NewIter)
	if ok || err != nil {
		return stored, err
	}
	data, ok, err := layout.Record(c.view.Get, records.First)
	if err == nil && !ok {
		err = fmt.Errorf("%w: the records of the catalog are missing", kv.ErrCorrupt)
	}
	if err != nil {
		return nil, err
	}
	return records.ReadFirst(data)
}

func (c *check) sameCatalog(stored *keyspace.Catalog) error {
	if v := c.view.Catalog.Version(); stored.Version() != v {
		return fmt.Errorf("%w: the catalog's records have version %d, the catalog in use %d", kv.ErrCorrupt, stored.Version(), v)
	}
	return nil
}

// catalog checks that each table has a key space for each partition, which no other table has.
func (c *check) catalog(report *kv.CheckReport) {
	for _, t := range c.Tables() {
		if len(keyspace.Of(t).Spaces) != t.Partitioning.NumLeaves() {
			report.Add(fmt.Errorf("%w: the table %s.%s has %d partitions but %d key spaces",
				kv.ErrCorrupt, t.Database, c.view.Catalog.Title(t), t.Partitioning.NumLeaves(), len(keyspace.Of(t).Spaces)))
		}
	}
	for id, owners := range c.owners {
		first := owners[0]
		another := func(t *kv.Table) bool { return t != first }
		if id == cellkey.SystemSpace || slices.ContainsFunc(owners, another) {
			report.Add(fmt.Errorf("%w: the key space %d of the table %s.%s also belongs to another table",
				kv.ErrCorrupt, id, first.Database, c.view.Catalog.Title(first)))
		}
	}
}

// strays looks for cells outside all tables: it seeks to the end of each key
// space that it meets.
func (c *check) strays(ctx context.Context, report *kv.CheckReport) error {
	it, err := c.iterate(cellkey.SpaceEnd(cellkey.SystemSpace), nil)
	if err != nil {
		report.Add(err)
		return nil
	}
	for ok := it.First(); ok && err == nil; {
		id, valid := cellkey.Space(it.Key())
		if !valid || c.owners[id] == nil && !c.filling[id] {
			report.Add(fmt.Errorf("%w: the key %x belongs to no table", kv.ErrCorrupt, it.Key()))
		}
		if err = ctx.Err(); id+1 == 0 {
			break
		}
		ok = it.SeekGE(cellkey.SpaceEnd(id))
	}
	if broken := it.Error(); broken != nil {
		report.Add(faultfs.DiskError(broken))
	}
	c.putBack(it)
	return err
}

// byNumber orders files by number.
func byNumber(a, b tableFile) int { return cmp.Compare(a.number, b.number) }
