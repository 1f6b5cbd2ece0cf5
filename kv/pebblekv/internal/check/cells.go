package check

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
)

// checkEvery is the number of cells between two checks of the context.
const checkEvery = 512

// progressEvery is the number of cells between two reports of progress.
const progressEvery = 64 << 10

// cellCheck checks the cells of one key space of a table.
type cellCheck struct {
	ctx      context.Context
	check    *check
	table    *kv.Table
	space    keyspace.ID
	report   *kv.CheckReport
	progress *kv.CheckProgress

	last []byte // the previous key
	row  []byte // the key of the previous row, up to its end
	// partition is that row's, or -1 if it has none.
	partition int
	key       cellkey.Decoded
	again     []byte // for the key encoded again
	sum       uint64 // of all keys and values, in any order
	cells     int64
}

// run reads the cells forwards and, if asked for, backwards. Findings go to the
// report; its error is the context's.
func (c *cellCheck) run(it *pebble.Iterator) error {
	if err := c.walk(it, it.First, it.Next, c.cell); err != nil {
		return err
	}
	if c.check.opts.Depth != kv.CheckLookups || it.Error() != nil {
		return nil
	}
	if err := c.lookups(it); err != nil {
		return err
	}
	return c.backwards(it)
}

// walk calls cell for each cell until the end, the context's end or an
// unreadable block, which is damage.
func (c *cellCheck) walk(it *pebble.Iterator, first, next func() bool, cell func(key, value []byte)) error {
	n := 0
	for ok := first(); ok; ok = next() {
		if n++; n%checkEvery == 0 && c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		value, err := it.ValueAndErr()
		if err != nil {
			c.damage(faultfs.DiskError(err))
			continue
		}
		cell(it.Key(), value)
	}
	if err := it.Error(); err != nil {
		c.damage(faultfs.DiskError(err))
	}
	return c.ctx.Err()
}

// cell checks one cell against the previous one, and by itself.
func (c *cellCheck) cell(key, value []byte) {
	c.count(key, value)
	if c.last != nil && bytes.Compare(c.last, key) >= 0 {
		c.damage(fmt.Errorf("%w: the key %x is out of order: it follows %x", kv.ErrCorrupt, key, c.last))
	}
	c.last = append(c.last[:0], key...)
	if err := c.key.Decode(key); err != nil {
		c.damage(fmt.Errorf("%w: %w", kv.ErrCorrupt, err))
		return
	}
	if !bytes.Equal(key[:c.key.RowEnd], c.row) {
		c.newRow(key[:c.key.RowEnd])
	}
	c.place()
	c.again = cellkey.AppendCell(c.again[:0], c.space, c.key.Row, c.key.Qualifier, c.key.Timestamp)
	if !bytes.Equal(c.again, key) {
		c.damage(fmt.Errorf("%w: the key %x is not the canonical key of its cell", kv.ErrCorrupt, key))
	}
	if _, err := cellkey.DecodeValue(value); err != nil {
		c.damage(fmt.Errorf("%w: %s: %w", kv.ErrCorrupt, c.key.Text(), err))
	}
	if _, ok := cellkey.Expires(value); ok && !c.table.Retention.CellTTL {
		c.damage(fmt.Errorf("%w: %s has a cell TTL, but its table has no CellTTL", kv.ErrCorrupt, c.key.Text()))
	}
}

func (c *cellCheck) count(key, value []byte) {
	c.cells++
	c.sum += cellSum(key, value)
	c.report.Cells++
	if c.progress.Cells++; c.progress.Cells%progressEvery == 0 {
		c.check.opts.Progress(*c.progress)
	}
}

func cellSum(key, value []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(key) // a hash returns no errors
	_, _ = h.Write(value)
	return h.Sum64()
}

// newRow finds the partition of a row.
func (c *cellCheck) newRow(row []byte) {
	c.row = append(c.row[:0], row...)
	c.report.Rows++
	var ok bool
	if c.partition, ok = c.table.Partitioning.Locate(c.key.Row); !ok {
		c.partition = -1
		c.damage(fmt.Errorf("%w: %s: no partition holds the row", kv.ErrCorrupt, c.key.Text()))
	}
}

// place checks that a cell is in the key space of its leaf.
func (c *cellCheck) place() {
	if c.partition < 0 {
		return
	}
	slice, ok := c.table.Partitioning.Slice(c.key.Timestamp)
	if !ok {
		c.damage(fmt.Errorf("%w: %s: no partition holds the timestamp", kv.ErrCorrupt, c.key.Text()))
		return
	}
	if keyspace.Space(c.table, c.partition, slice) != c.space {
		c.damage(fmt.Errorf("%w: %s: the cell belongs to partition %s but is stored in another", kv.ErrCorrupt,
			c.key.Text(), c.table.Partitioning.LeafName(c.table.Partitioning.Leaf(c.partition, slice))))
	}
}

// lookups finds each row like a reader of single rows, through indexes and
// bloom filters.
func (c *cellCheck) lookups(it *pebble.Iterator) error {
	point, err := c.check.iterate(cellkey.AppendSpace(nil, c.space), cellkey.SpaceEnd(c.space))
	if err != nil {
		c.damage(err)
		return nil
	}
	defer c.check.putBack(point)
	var row []byte
	return c.walk(it, it.First, it.Next, func(key, _ []byte) {
		n := cellkey.RowLen(key)
		if n < 0 || bytes.Equal(key[:n], row) {
			return
		}
		row = append(row[:0], key[:n]...)
		if !point.SeekPrefixGE(row) || !bytes.Equal(point.Key(), key) {
			c.damage(fmt.Errorf("%w: the row %x is not found by its key: %w", kv.ErrCorrupt, row, orMissing(point.Error())))
		}
	})
}

func orMissing(err error) error {
	if err == nil {
		return fmt.Errorf("a lookup does not find it")
	}
	return err
}

// backwards reads in the other direction and compares the results.
func (c *cellCheck) backwards(it *pebble.Iterator) error {
	var cells int64
	var sum uint64
	if err := c.walk(it, it.Last, it.Prev, func(key, value []byte) { cells++; sum += cellSum(key, value) }); err != nil {
		return err
	}
	if it.Error() == nil && (cells != c.cells || sum != c.sum) {
		c.damage(fmt.Errorf("%w: key space %d: a forward scan finds %d cells, a reverse scan %d or different ones",
			kv.ErrCorrupt, c.space, c.cells, cells))
	}
	return nil
}

func (c *cellCheck) damage(err error) { c.report.Add(err) }
