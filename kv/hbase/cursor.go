package hbase

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// source returns the cells of pieces of a scan, in HBase's order or with the rows in reverse.
type source interface {
	// next returns a block of complete cells, empty at the end.
	next(ctx context.Context) ([]byte, error)
	close()
	stats() kv.ScanStats
}

// cursor is a kv.Cursor on a table of HBase.
type cursor struct {
	ctx      context.Context
	cluster  *cluster
	table    string // as HBase calls it
	tables   []*kv.Table
	families [][]byte // of tables
	s        *kv.Scan
	pieces   []piece     // what is left, in reading order
	parted   bool        // consecutive pieces are parts of one row with several families
	own      *ownRow     // nil if the transaction has written no row that is read
	log      *loggedScan // nil if nothing is logged

	from  source
	piece *piece // of from
	block []byte
	at    cell
	some  bool // at is a cell that will be returned
	ahead bool // at has been decoded but not taken
	count int  // versions of at's column

	// row has the cells of a row that does not come in the order asked for.
	row   []kv.Cell
	taken int

	out    kv.Cell
	first  struct{ row, family []byte } // of the last returned cell
	err    error
	ended  bool
	closed bool
	did    kv.ScanStats // except from's
	told   told
}

// buffers reports whether rows are sorted before they are returned.
func (c *cursor) buffers() bool {
	return c.s.Reverse || c.parted || !slices.IsSortedFunc(c.families, bytes.Compare)
}

// Next implements kv.Cursor.
func (c *cursor) Next() bool {
	if c.closed || c.ended {
		return false
	}
	if c.cluster.closed.Load() {
		return c.end(kv.ErrClosed)
	}
	var ok bool
	if c.taken < len(c.row) {
		ok = true
	} else if c.buffers() || c.own != nil && len(c.pieces) > 0 && c.from == nil && c.own.is(&c.pieces[0]) {
		ok = c.nextRow()
	} else {
		return c.nextCell()
	}
	if ok {
		c.out = c.row[c.taken]
		c.taken++
	}
	return ok
}

// nextCell steps to the next cell in the order of the server.
func (c *cursor) nextCell() bool {
	if !c.pull() {
		if c.err == nil && !c.ended && len(c.pieces) > 0 { // the own row is next
			return c.Next()
		}
		return c.end(c.err)
	}
	c.ahead = false
	c.out = kv.Cell{Family: c.index(c.at.family), Row: c.at.row, Qualifier: c.at.qualifier, Timestamp: c.at.timestamp, Value: c.at.value}
	c.first.row, c.first.family = c.at.row, c.at.family
	return c.note(&c.out)
}

// note logs what has been read, for the commit's condition.
func (c *cursor) note(cell *kv.Cell) bool {
	if c.log != nil {
		c.log.add(cell.Family, cell)
	}
	return true
}

func (c *cursor) end(err error) bool {
	if c.some {
		c.tell()
	}
	c.err, c.ended = err, true
	if err == nil && c.log != nil {
		c.log.done = true
	}
	c.release()
	return false
}

func (c *cursor) index(family []byte) int {
	for i, f := range c.families {
		if bytes.Equal(f, family) {
			return i
		}
	}
	return 0
}

// pull makes at the next wanted cell. It stops before the transaction's own row.
func (c *cursor) pull() bool {
	if c.ahead {
		return true
	}
	for {
		for len(c.block) > 0 {
			if !c.decode() {
				return false
			}
			if c.wanted() {
				c.ahead = true
				return true
			}
		}
		if c.from == nil && !c.openPiece() {
			return false
		}
		var err error
		if c.block, err = c.from.next(c.ctx); err != nil {
			c.err = err
			return false
		}
		if len(c.block) == 0 {
			c.closeSource()
		}
	}
}

// decode reads the next cell of the block, and counts it in its column.
func (c *cursor) decode() bool {
	if err := c.ctx.Err(); err != nil {
		c.err = err
		return false
	}
	last := c.at
	rest, err := c.at.decode(c.block)
	if err != nil {
		c.err = err
		return false
	}
	c.block = rest
	c.did.Cells++
	if c.s.Budget != nil && !c.s.Budget.Spend(1) {
		c.err = kv.ErrBudget
		return false
	}
	if !c.some || !bytes.Equal(last.qualifier, c.at.qualifier) || !bytes.Equal(last.family, c.at.family) || !bytes.Equal(last.row, c.at.row) {
		c.count = 0
	}
	if c.some = true; c.did.Cells%tellEvery == 0 {
		c.tell()
	}
	return true
}

// wanted reports whether the scan wants a cell. After a repeated request a server may
// return more than the rest of a row.
func (c *cursor) wanted() bool {
	if c.piece.exact != nil && !holds(c.piece.exact, &c.at) || !inQualifiers(c.s.Qualifiers, c.at.qualifier) {
		return false
	}
	if c.count++; c.s.MaxVersions > 0 && c.count > c.s.MaxVersions {
		return false
	}
	return !c.s.FirstPerRow || c.s.Reverse || c.first.row == nil ||
		!bytes.Equal(c.first.family, c.at.family) || !bytes.Equal(c.first.row, c.at.row)
}

// openPiece opens the next pieces, unless there are none or the own row is next.
func (c *cursor) openPiece() bool {
	p, ok := c.take()
	if !ok {
		return false
	}
	c.piece = &p.pieces[0]
	if p.gets {
		c.from = newGets(c, p.pieces)
	} else {
		c.from = c.scan(p.pieces, &p.query)
	}
	return true
}

// taken are pieces that are read by gets, or by one scan with a query.
type taken struct {
	pieces []piece
	gets   bool
	query  query
}

// take takes the next pieces that are read together.
func (c *cursor) take() (t taken, ok bool) {
	for len(c.pieces) > 0 && (c.own == nil || !c.own.is(&c.pieces[0])) {
		q, some := queryFor(c.s, c.families, &c.pieces[0])
		if !some {
			c.pieces = c.pieces[1:]
			continue
		}
		n := c.gets()
		gets := n > 1 || n == 1 && c.pieces[0].small(c.s)
		if !gets {
			n = c.together()
		}
		t = taken{c.pieces[:n], gets, q}
		c.pieces = c.pieces[n:]
		return t, true
	}
	return t, false
}

// small reports whether a piece of one row is a column's newest version or an exact one,
// which a get reads at less cost to the server than a scan. Larger pieces are streamed.
func (p *piece) small(s *kv.Scan) bool {
	if p.column {
		return s.MaxVersions == 1 || p.times.Bounded && p.times.Min == p.times.Max
	}
	return false
}

// together returns how many of the next pieces one scan reads: those of whole rows, with
// the same request. In reverse each range has a scan of its own, since HBase's
// MultiRowRangeFilter then skips rows that it should not.
func (c *cursor) together() int {
	n := 1
	if c.pieces[0].exact != nil || c.s.Reverse {
		return n
	}
	for n < len(c.pieces) && c.pieces[n].exact == nil && (c.own == nil || !c.own.is(&c.pieces[n])) {
		n++
	}
	return n
}

// scan returns a source that reads pieces with scanners.
func (c *cursor) scan(pieces []piece, q *query) source {
	reverse := c.s.Reverse
	ranges := make([]partition.RowRange, len(pieces))
	for i := range pieces {
		ranges[i] = pieces[i].bounds()
	}
	rows := c.growing()
	if len(pieces) == 1 && pieces[0].one {
		rows = func() int { return 2 } // one more than exist, so that the server sees the end
		reverse = false                // the cells are sorted together
	}
	if parts := c.apart(ranges); len(parts) > 1 {
		p := &parallelScan{readers: min(c.s.Parallel, len(parts))}
		for _, r := range parts {
			p.scans = append(p.scans, newTableScan(c.cluster, c.table, q.scan(), r, false, c.growing()))
		}
		return p
	}
	return &readAhead{of: newTableScan(c.cluster, c.table, q.scan(), ranges, reverse, rows), limited: c.s.Limit > 0}
}

// apart returns the ranges by region, if regions may be read concurrently and in any order.
func (c *cursor) apart(ranges []partition.RowRange) [][]partition.RowRange {
	if c.s.Parallel < 2 || c.s.Ordered || c.s.ByPartition || c.s.Reverse || c.s.Limit > 0 {
		return nil
	}
	return byRegion(c.tables[0].Partitioning, ranges)
}

// The number of rows in a request: as many as the reader expects to take, and then
// increasing numbers.
const (
	firstRows = 4096
	mostRows  = 1 << 20
)

func (c *cursor) growing() func() int {
	rows := 0
	return func() int {
		if rows == 0 {
			rows = c.rowsFirst()
		} else {
			rows = min(4*rows, c.mostRows())
		}
		return rows
	}
}

// rowsFirst returns how many rows the first request asks for.
func (c *cursor) rowsFirst() int {
	if c.s.Limit > 0 {
		return min(c.s.Limit, firstRows, c.mostRows())
	}
	return min(firstRows, c.mostRows())
}

func (c *cursor) mostRows() int { return cmp.Or(c.cluster.caching, mostRows) }

// Cell implements kv.Cursor.
func (c *cursor) Cell() *kv.Cell { return &c.out }

// Value implements kv.Cursor.
func (c *cursor) Value() ([]byte, error) { return orEmpty(c.out.Value), nil }

// NextBatch implements kv.Batcher.
func (c *cursor) NextBatch(b *kv.Batch, n int) bool {
	b.Reset()
	for b.Len() < n && !b.Full() && c.Next() {
		o := &c.out
		v := o.Value
		if c.s.NeedValue {
			v = orEmpty(v)
		}
		b.Add(o.Family, o.Row, o.Qualifier, o.Timestamp, v)
	}
	return b.Len() > 0
}

// Err implements kv.Cursor.
func (c *cursor) Err() error {
	if c.err != nil && c.ctx.Err() != nil {
		return c.ctx.Err()
	}
	return c.err
}

// Stats implements kv.Cursor.
func (c *cursor) Stats() kv.ScanStats {
	s := c.did
	if c.from != nil {
		s = addStats(s, c.from.stats())
	}
	return s
}

func addStats(a, b kv.ScanStats) kv.ScanStats {
	return kv.ScanStats{Cells: a.Cells + b.Cells, Partitions: a.Partitions + b.Partitions, Requests: a.Requests + b.Requests, Bytes: a.Bytes + b.Bytes}
}

func (c *cursor) closeSource() {
	if c.from != nil {
		c.did = addStats(c.did, c.from.stats())
		c.from.close()
		c.from = nil
	}
}

func (c *cursor) release() {
	c.closeSource()
	c.block, c.pieces = nil, nil
}

// Close implements kv.Cursor.
func (c *cursor) Close() error {
	c.closed = true
	c.release()
	return nil
}
