package hbase

import (
	"bytes"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
)

// nextRow fills row with the cells of the next row in the order asked for.
func (c *cursor) nextRow() bool {
	c.row, c.taken = c.row[:0], 0
	for len(c.row) == 0 {
		if c.from == nil && !c.ahead && len(c.pieces) > 0 && c.own != nil && c.own.is(&c.pieces[0]) {
			if !c.ownRow() {
				return false
			}
			continue
		}
		if !c.pull() {
			if c.err == nil && len(c.pieces) > 0 {
				continue
			}
			return c.end(c.err)
		}
		c.gather()
		if c.err != nil {
			return c.end(c.err)
		}
	}
	return true
}

// gather takes all cells of at's row.
func (c *cursor) gather() {
	row := c.at.row
	for c.pull() && bytes.Equal(c.at.row, row) {
		c.ahead = false
		c.row = append(c.row, kv.Cell{Family: c.index(c.at.family), Row: row, Qualifier: c.at.qualifier, Timestamp: c.at.timestamp, Value: c.at.value})
		c.note(&c.row[len(c.row)-1])
	}
	c.row = inOrder(c.row, c.s)
}

// inOrder sorts the cells of a row, which are in HBase's order except for the
// families, in the order of the scan.
func inOrder(row []kv.Cell, s *kv.Scan) []kv.Cell {
	slices.SortStableFunc(row, func(a, b kv.Cell) int { return a.Family - b.Family })
	row = newestOf(row, s.MaxVersions)
	if s.Reverse {
		slices.Reverse(row)
	}
	if s.FirstPerRow {
		row = slices.CompactFunc(row, func(a, b kv.Cell) bool { return a.Family == b.Family })
	}
	return row
}

// newestOf keeps the newest versions of each column of a sorted row; 0 keeps all.
// Parts of a column that were read separately have been counted separately.
func newestOf(row []kv.Cell, versions int) []kv.Cell {
	if versions == 0 {
		return row
	}
	count := 0
	out := row[:0]
	for i := range row {
		if n := len(out); i == 0 || n > 0 && (out[n-1].Family != row[i].Family || !bytes.Equal(out[n-1].Qualifier, row[i].Qualifier)) {
			count = 0
		}
		if count++; count <= versions {
			out = append(out, row[i])
		}
	}
	return out
}

// ownRow fills row with the row that the transaction has written.
func (c *cursor) ownRow() bool {
	cells, err := c.own.read(c)
	if err != nil {
		return c.end(err)
	}
	c.row = append(c.row[:0], cells...)
	c.own.pass(c)
	return true
}

// pass skips the next pieces if they are of the row.
func (o *ownRow) pass(c *cursor) {
	for len(c.pieces) > 0 && o.is(&c.pieces[0]) {
		c.pieces = c.pieces[1:]
	}
}
