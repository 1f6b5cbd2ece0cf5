package pebblekv

import "github.com/hbasekv/hbasekv/kv"

// NextBatch implements kv.Batcher.
func (c *cursor) NextBatch(b *kv.Batch, n int) bool {
	b.Reset()
	if !c.Next() || !c.copyTo(b) {
		return false
	}
	for len(b.Cells) < n && !b.Full() {
		if !c.fill(b, n) || !c.copyTo(b) {
			break // behind these cells
		}
	}
	return true
}

// fill copies what the current stream gives where it is the only one, and
// steps to the first cell that is not copied.
func (c *cursor) fill(b *kv.Batch, n int) bool {
	if len(c.merge.heap) != 1 || c.skipping {
		return c.step()
	}
	s := c.current
	for s.next() {
		if len(b.Cells)+1 >= n || b.Full() {
			return true
		}
		if !c.copyTo(b) {
			return false
		}
	}
	c.current = c.merge.drop(s)
	return c.arrive()
}

// copyTo adds the current cell. It fails as a step does.
func (c *cursor) copyTo(b *kv.Batch) bool {
	s := c.current
	var value []byte
	if c.scan.NeedValue {
		var err error
		if value, err = s.value(); err != nil {
			c.fail(err)
			c.finish()
			return false
		}
	}
	b.Add(s.family, s.cell.row, s.cell.qualifier, s.cell.timestamp, value)
	return true
}
