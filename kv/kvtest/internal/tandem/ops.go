package tandem

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/attribute"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
	"github.com/hbasekv/hbasekv/partition"
)

// beginOp begins a transaction in a slot that has none.
type beginOp struct {
	slot     int
	readOnly bool
}

func (o beginOp) String() string { return fmt.Sprintf("begin #%d readOnly=%v", o.slot, o.readOnly) }

func (o beginOp) Run(_ context.Context, s *Side) string {
	if s.open[o.slot].Txn != nil {
		return "is open"
	}
	s.open[o.slot].Txn = fixture.Begin(s.Store, kv.TxnOptions{ReadOnly: o.readOnly, LockTimeout: time.Millisecond})
	return "ok"
}

// EndOp commits or rolls back.
type EndOp struct {
	Slot   int
	commit bool
}

func (o EndOp) String() string { return fmt.Sprintf("end #%d commit=%v", o.Slot, o.commit) }

func (o EndOp) Run(ctx context.Context, s *Side) string {
	return s.end(o.Slot, func(tx kv.Txn) error {
		if o.commit {
			return tx.Commit(ctx)
		}
		tx.Rollback()
		return nil
	})
}

// WriteOp calls the method Kind for each cell.
type WriteOp struct {
	Slot  int
	Kind  string
	Table string
	Cells []kv.Cell
}

func (o WriteOp) String() string {
	return fmt.Sprintf("#%d %s %s %s", o.Slot, o.Kind, o.Table, fixture.CellsText(o.Cells, false, true))
}

func (o WriteOp) Run(ctx context.Context, s *Side) string {
	return s.in(ctx, o.Slot, func(tx kv.Txn) (string, error) {
		t := tx.Catalog().Table(fixture.Database, o.Table)
		if t == nil {
			return "no table", nil
		}
		answer := "ok"
		for _, c := range o.Cells {
			more, err := o.call(ctx, tx, t, c)
			if err != nil {
				return "", err
			}
			answer += more
		}
		return answer, nil
	})
}

func (o WriteOp) call(ctx context.Context, tx kv.Txn, t *kv.Table, c kv.Cell) (answer string, err error) {
	switch o.Kind {
	case "put":
		err = tx.Put(ctx, t, c)
	case "putIfAbsent":
		var written bool
		written, err = tx.PutIfAbsent(ctx, t, c)
		answer = fmt.Sprintf(" %v", written)
	case "putNext":
		var timestamp int64
		timestamp, err = tx.PutNext(ctx, t, c)
		answer = fmt.Sprintf(" at %d", timestamp)
	case "deleteVersion":
		err = tx.DeleteVersion(ctx, t, c.Row, c.Qualifier, c.Timestamp)
	case "deleteColumn":
		err = tx.DeleteColumn(ctx, t, c.Row, c.Qualifier)
	case "lockRow":
		err = tx.LockRow(ctx, t, c.Row, kv.RowLock{})
	}
	return answer, err
}

// rangesOp deletes the cells of a scan as a whole, if that is possible.
type rangesOp struct {
	slot  int
	table string
	scan  kv.Scan
}

func (o rangesOp) String() string {
	return fmt.Sprintf("#%d delete ranges of %s %s", o.slot, o.table, fixture.DescribeScan(o.scan))
}

func (o rangesOp) Run(ctx context.Context, s *Side) string {
	return s.in(ctx, o.slot, func(tx kv.Txn) (string, error) {
		d, ok := tx.(kv.RangeDeleter)
		t := tx.Catalog().Table(fixture.Database, o.table)
		if t == nil || !ok {
			return "no table", nil
		}
		out, err := d.DeleteRanges(ctx, t, &o.scan)
		if !out.Done {
			return "not done", err
		}
		return fmt.Sprintf("%d cells", out.Cells), err
	})
}

// ScanOp reads a scan to its end.
type ScanOp struct {
	Slot   int
	Tables []string
	Scan   kv.Scan
	at     int // the slot's savepoint to read at, counted from 1; 0 is now
}

func (o ScanOp) String() string {
	return fmt.Sprintf("#%d scan %v %s at %d", o.Slot, o.Tables, fixture.DescribeScan(o.Scan), o.at)
}

func (o ScanOp) Run(ctx context.Context, s *Side) string {
	return s.in(ctx, o.Slot, func(tx kv.Txn) (string, error) {
		tables, ok := findTables(tx, o.Tables)
		if !ok {
			return "no table", nil
		}
		scan := o.Scan
		if o.Slot < Own && o.at > 0 && o.at <= len(s.open[o.Slot].savepoints) {
			scan.At = s.open[o.Slot].savepoints[o.at-1]
		}
		cells, err := fixture.ScanCells(ctx, tx, tables, &scan)
		return answerText(cells, tables[0].Partitioning, scan, len(tables)), err
	})
}

func findTables(tx kv.Txn, names []string) (tables []*kv.Table, ok bool) {
	for _, name := range names {
		t := tx.Catalog().Table(fixture.Database, name)
		if t == nil {
			return nil, false
		}
		tables = append(tables, t)
	}
	return tables, true
}

// answerText formats the result of a scan. If no order was requested, it first
// checks that the cells have the order that is always guaranteed, and then
// sorts them.
func answerText(cells []kv.Cell, scheme *partition.Scheme, s kv.Scan, tables int) string {
	if !s.Ordered {
		if complaint := looseOrder(cells, scheme, s); complaint != "" {
			return complaint + ": " + fixture.CellsText(cells, tables > 1, s.NeedValue)
		}
		slices.SortStableFunc(cells, func(a, b kv.Cell) int { return rowOrder(a, b, s.Reverse) })
	}
	return fixture.CellsText(cells, tables > 1, s.NeedValue)
}

func rowOrder(a, b kv.Cell, reverse bool) int {
	if reverse {
		a, b = b, a
	}
	return strings.Compare(string(a.Row), string(b.Row))
}

// looseOrder returns a complaint if the cells of a row are not together, the
// rows of a partition are not in order, or the partitions are not in the
// requested order.
func looseOrder(cells []kv.Cell, scheme *partition.Scheme, s kv.Scan) string {
	last, ordinal := map[int]kv.Cell{}, -1
	if s.Reverse {
		ordinal = scheme.Len()
	}
	for i, c := range cells {
		partition, _ := scheme.Locate(c.Row)
		before, seen := last[partition]
		last[partition] = c
		apart := cmp.Compare(partition, ordinal)
		ordinal = partition
		switch {
		case s.ByPartition && (apart < 0 && !s.Reverse || apart > 0 && s.Reverse):
			return fmt.Sprintf("partition %d is out of order", partition)
		case i > 0 && string(cells[i-1].Row) == string(c.Row):
		case seen && rowOrder(before, c, s.Reverse) >= 0:
			return fmt.Sprintf("partition %d is not in order at row %s", partition, fixture.Escape(c.Row))
		}
	}
	return ""
}

// openOp opens a cursor and leaves it open.
type openOp struct {
	slot   int
	tables []string
	scan   kv.Scan
}

func (o openOp) String() string {
	return fmt.Sprintf("#%d open %v %s", o.slot, o.tables, fixture.DescribeScan(o.scan))
}

func (o openOp) Run(ctx context.Context, s *Side) string {
	return s.in(ctx, o.slot, func(tx kv.Txn) (string, error) {
		tables, ok := findTables(tx, o.tables)
		if !ok {
			return "no table", nil
		}
		c, err := tx.Scan(ctx, tables, &o.scan)
		if err != nil {
			return "", err
		}
		open := &s.open[o.slot]
		open.cursors = append(open.cursors, openCursor{c, o.scan, len(tables)})
		return fmt.Sprintf("cursor %d", len(open.cursors)), nil
	})
}

// stepOp reads n cells from the oldest cursor of a slot and may close it.
type stepOp struct {
	slot, n int
	close   bool
}

func (o stepOp) String() string { return fmt.Sprintf("#%d step %d close=%v", o.slot, o.n, o.close) }

func (o stepOp) Run(_ context.Context, s *Side) string {
	open := &s.open[o.slot]
	if len(open.cursors) == 0 {
		return "no cursor"
	}
	c := open.cursors[0]
	cells, err := fixture.Take(c, o.n, c.scan.NeedValue)
	if o.close && err == nil {
		open.cursors = open.cursors[1:]
		err = c.Close()
	}
	return orError(fixture.CellsText(cells, c.tables > 1, c.scan.NeedValue), err)
}

// savepointOp sets a savepoint, or rolls back to the n-th one.
type savepointOp struct {
	slot, n int // n < 0 marks
}

func (o savepointOp) String() string { return fmt.Sprintf("#%d savepoint %d", o.slot, o.n) }

func (o savepointOp) Run(_ context.Context, s *Side) string {
	open := &s.open[o.slot]
	s.ensure(o.slot)
	switch {
	case o.n < 0:
		open.savepoints = append(open.savepoints, open.Savepoint())
	case o.n < len(open.savepoints):
		open.RollbackTo(open.savepoints[o.n])
		open.savepoints = open.savepoints[:o.n+1]
	default:
		return "no savepoint"
	}
	return "ok"
}

// CatalogOp changes a table: "truncate", "comment", "drop", "create", or
// "recreate", which drops and creates it.
type CatalogOp struct{ Kind, Table string }

func (o CatalogOp) String() string { return o.Kind + " " + o.Table }

func (o CatalogOp) Run(ctx context.Context, s *Side) string {
	return errorText(s.Store.ChangeCatalog(ctx, func(c *kv.CatalogChange) error {
		return o.change(c, s.Layout.Table(o.Table))
	}))
}

func (o CatalogOp) change(c *kv.CatalogChange, fresh kv.Table) error {
	old := c.Catalog().Table(fixture.Database, o.Table)
	for _, other := range c.Catalog().Families(fixture.Database, fresh.Group) {
		fresh.Partitioning = other.Partitioning
	}
	var dropped, created error
	switch o.Kind {
	case "truncate":
		return c.TruncateTable(fixture.Database, o.Table)
	case "comment":
		if old == nil {
			return kv.ErrNoTable
		}
		changed := *old
		changed.Attributes = fixture.Says{Note: attribute.Read[fixture.Says](old.Attributes).Note + "x"}.Attributes()
		return c.AlterTable(changed)
	}
	if o.Kind != "create" {
		dropped = c.DropTable(fixture.Database, o.Table)
	}
	if o.Kind != "drop" {
		_, created = c.CreateTable(fresh)
	}
	return errors.Join(dropped, created)
}

// LoadOp is a bulk load, if the store under test supports it.
type LoadOp struct {
	Table string
	Cells []kv.Cell
}

func (o LoadOp) String() string {
	return fmt.Sprintf("load %s %s", o.Table, fixture.CellsText(o.Cells, false, true))
}

func (o LoadOp) Run(ctx context.Context, s *Side) string {
	t := fixture.Catalog(s.Store).Table(fixture.Database, o.Table)
	if t == nil {
		return "no table"
	}
	stats, err := s.Store.(kv.BulkLoader).BulkLoad(ctx, []*kv.Table{t}, fixture.SeqOf(o.Cells),
		kv.BulkOptions{LockTimeout: time.Millisecond})
	return orError(fmt.Sprintf("%d cells, %d written", stats.Cells, stats.Written), err)
}

// storeOp is an operation that must not change any result: "flush", "compact"
// or "reopen".
type storeOp string

func (o storeOp) String() string { return string(o) }

func (o storeOp) Run(ctx context.Context, s *Side) string {
	switch o {
	case "flush":
		if flusher, ok := s.Store.(kv.Flusher); ok {
			return errorText(flusher.Flush(ctx, fixture.Catalog(s.Store).Tables(fixture.Database)...))
		}
	case "compact":
		return s.compact(ctx)
	case "reopen":
		s.endAll()
		s.Store = s.reopen()
	}
	return "ok"
}

func (s *Side) compact(ctx context.Context) string {
	if compacter, ok := s.Store.(kv.Compacter); ok {
		for _, t := range fixture.Catalog(s.Store).Tables(fixture.Database) {
			if err := compacter.Compact(ctx, t, nil); err != nil {
				return errorText(err)
			}
		}
	}
	return "ok"
}
