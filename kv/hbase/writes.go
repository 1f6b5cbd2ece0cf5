package hbase

import (
	"bytes"
	"context"

	"github.com/hbasekv/hbasekv/kv"
)

// claim returns the row to be written, and refuses a second one unless many are allowed.
func (t *txn) claim(ctx context.Context, table *kv.Table, row []byte) (claimed, error) {
	if err := t.usable(); err != nil {
		return claimed{}, err
	}
	if err := ctx.Err(); err != nil {
		return claimed{}, err
	}
	if t.options.ReadOnly {
		return claimed{}, kv.ErrReadOnly
	}
	f, ok := t.layout.families[table.ID]
	switch {
	case !ok:
		return claimed{}, kv.ErrCatalogChanged
	case len(row) == 0 || len(row) > maxRow:
		return claimed{}, kv.ErrLength
	case len(t.rows) > 0 && !t.manyRows() && (t.rows[0].table != f.table || !bytes.Equal(t.rows[0].row, row)):
		return claimed{}, t.secondRow()
	}
	return claimed{f, row}, nil
}

// claimFor is claim for a cell to be put.
func (t *txn) claimFor(ctx context.Context, table *kv.Table, c *kv.Cell) (claimed, error) {
	f, err := t.claim(ctx, table, c.Row)
	if err == nil {
		err = f.fits(c)
	}
	return f, err
}

// claimed is a row that may be written, and its family.
type claimed struct {
	family
	row []byte
}

// secondRow returns the reason why a second row cannot be written. If the first one was
// assumed to be absent, perhaps nothing has to be written there: the statement is run
// again.
func (t *txn) secondRow() error {
	if t.assumed {
		return kv.ErrConflict
	}
	if t.options.Single {
		return errManyRows("a statement that writes several rows")
	}
	return kv.ErrUnsupported{What: "writing several rows in a transaction on HBase, which is atomic only within a row: write each row in its own transaction"}
}

// write adds a write of the claimed row.
func (t *txn) write(to claimed, kind opKind, c *kv.Cell) {
	key := rowKey(to.table, to.row)
	w := t.index[key]
	if w == nil {
		w = &writtenRow{table: to.table, row: bytes.Clone(to.row)}
		t.rows = append(t.rows, w)
		if t.index == nil {
			t.index = map[string]*writtenRow{}
		}
		t.index[key] = w
	}
	w.ops = append(w.ops, op{n: t.ops, kind: kind, family: to.name, qualifier: orEmpty(bytes.Clone(c.Qualifier)), timestamp: c.Timestamp,
		value: orEmpty(bytes.Clone(c.Value)), ttl: c.TTL})
	t.ops++
}

// fits refuses a cell that HBase cannot store, except for its row.
func (f *family) fits(c *kv.Cell) error {
	switch {
	case c.Timestamp < 0 || c.Timestamp > maxTimestamp:
		return kv.ErrTimestampExhausted
	case len(c.Qualifier) > maxQualifier || cellOverhead+len(c.Row)+len(f.name)+len(c.Qualifier)+len(c.Value) > maxValue:
		return kv.ErrLength
	case c.Value == nil:
		return kv.ErrNull
	}
	return nil
}

// Put implements kv.Txn.
func (t *txn) Put(ctx context.Context, table *kv.Table, c kv.Cell) error {
	f, err := t.claimFor(ctx, table, &c)
	if err != nil {
		return err
	}
	t.write(f, opPut, &c)
	return nil
}

// PutIfAbsent implements kv.Txn.
func (t *txn) PutIfAbsent(ctx context.Context, table *kv.Table, c kv.Cell) (bool, error) {
	f, err := t.claimFor(ctx, table, &c)
	if err != nil {
		return false, err
	}
	if scan := version(&c); !t.assumeAbsent(f, scan, c.Qualifier) {
		taken := false
		err = t.each(ctx, table, scan, func(*kv.Cell) { taken = true })
		if taken || err != nil {
			return false, err
		}
	}
	t.write(f, opPut, &c)
	return true, nil
}

// version returns the scan of a cell's version.
func version(c *kv.Cell) *kv.Scan {
	at := kv.Position{Row: c.Row, Qualifier: c.Qualifier, Timestamp: c.Timestamp, Depth: kv.DepthCell}
	return &kv.Scan{Ranges: []kv.Range{{Start: at, End: behind(at)}}}
}

func behind(p kv.Position) kv.Position {
	p.After = true
	return p
}

// PutNext implements kv.Txn.
func (t *txn) PutNext(ctx context.Context, table *kv.Table, c kv.Cell) (int64, error) {
	f, err := t.claimFor(ctx, table, &c)
	if err != nil {
		return 0, err
	}
	absent := version(&c)
	if table.Retention.MaxVersions > 0 {
		absent = versionsFrom(&c) // if as many newer ones are kept, it would not be kept
	}
	if !t.assumeAbsent(f, absent, c.Qualifier) {
		if c.Timestamp, err = t.free(ctx, table, &c); err != nil {
			return 0, err
		}
	}
	t.write(f, opPut, &c)
	return c.Timestamp, nil
}

// versionsFrom returns the scan of the versions of a cell's column from the cell's timestamp on.
func versionsFrom(c *kv.Cell) *kv.Scan {
	at := kv.Position{Row: c.Row, Qualifier: c.Qualifier, Depth: kv.DepthColumn}
	return &kv.Scan{Ranges: []kv.Range{{Start: at, End: behind(at)}},
		Time: kv.TimeRange{Min: c.Timestamp, Max: maxTimestamp, Bounded: true}}
}

// free returns the first timestamp from a cell's on at which its column has no version,
// and the table would keep it.
func (t *txn) free(ctx context.Context, table *kv.Table, c *kv.Cell) (int64, error) {
	taken := map[int64]bool{}
	next, found := c.Timestamp, 0
	err := t.each(ctx, table, versionsFrom(c), func(have *kv.Cell) {
		taken[have.Timestamp] = true
		if found++; found == table.Retention.MaxVersions {
			next = have.Timestamp
		}
	})
	for err == nil && taken[next] {
		if next++; next > maxTimestamp {
			err = kv.ErrTimestampExhausted
		}
	}
	return next, err
}

// each calls fn with the cells of a scan.
func (t *txn) each(ctx context.Context, table *kv.Table, s *kv.Scan, fn func(*kv.Cell)) error {
	c, err := t.Scan(ctx, []*kv.Table{table}, s)
	if err != nil {
		return err
	}
	defer c.Close()
	for c.Next() {
		fn(c.Cell())
	}
	return c.Err()
}

// DeleteVersion implements kv.Txn.
func (t *txn) DeleteVersion(ctx context.Context, table *kv.Table, row, qualifier []byte, timestamp int64) error {
	f, err := t.claim(ctx, table, row)
	if err != nil {
		return err
	}
	if timestamp >= 0 && timestamp <= maxTimestamp {
		t.deletes(table, &f.family)
		t.write(f, opDeleteVersion, &kv.Cell{Qualifier: qualifier, Timestamp: timestamp})
	}
	return nil
}

// DeleteColumn implements kv.Txn.
func (t *txn) DeleteColumn(ctx context.Context, table *kv.Table, row, qualifier []byte) error {
	f, err := t.claim(ctx, table, row)
	if err != nil {
		return err
	}
	t.deletes(table, &f.family)
	t.write(f, opDeleteColumn, &kv.Cell{Qualifier: qualifier})
	return nil
}
