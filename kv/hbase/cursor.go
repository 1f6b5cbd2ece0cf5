package hbase

import (
	"bytes"
	"context"
	"slices"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/kv"
)

// source gives the cells of pieces of a scan, in HBase's order or with the rows in
// reverse.
type source interface {
	// next gives whole cells one behind the other, none at the end.
	next(ctx context.Context) ([]byte, error)
	close()
	counts() (rpcs, regions int)
}

func (t *tableScan) counts() (rpcs, regions int) { return t.rpcs, t.regions }

// cursor is a kv.Cursor over a table of HBase.
type cursor struct {
	ctx      context.Context
	cluster  *cluster
	table    string // as HBase calls it
	tables   []*kv.Table
	families [][]byte // of tables
	s        *kv.Scan
	pieces   []piece     // what is left, in the order of reading
	parted   bool        // parts of one row follow each other, of several families
	own      *ownRow     // nil where the transaction has written no row that is read
	log      *loggedScan // nil where nothing is kept

	from  source
	piece *piece // of from
	block []byte
	at    cell
	some  bool // at is a cell, which follows
	ahead bool // at has been decoded and not been taken
	count int  // versions of at's column
	rows  int  // asked for next

	// row holds the cells of a row that does not come in the order asked for.
	row   []kv.Cell
	taken int

	out    kv.Cell
	first  struct{ row, family []byte } // of the last cell given
	err    error
	ended  bool
	closed bool
	stats  kv.ScanStats
}

// buffers reports whether rows are put in order before they are given.
func (c *cursor) buffers() bool {
	return c.s.Reverse || c.parted || !slices.IsSortedFunc(c.families, bytes.Compare)
}

// Next implements kv.Cursor.
func (c *cursor) Next() bool {
	if c.closed || c.ended {
		return false
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

// nextCell steps to the next cell as it comes.
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

// note keeps what has been read, for the commit's condition.
func (c *cursor) note(cell *kv.Cell) bool {
	if c.log != nil {
		c.log.add(cell.Family, cell)
	}
	return true
}

func (c *cursor) end(err error) bool {
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

// pull makes at the next cell that is wanted. It stops in front of the own row.
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
	c.stats.Cells++
	if c.s.Budget != nil && !c.s.Budget.Spend(1) {
		c.err = kv.ErrBudget
		return false
	}
	if !c.some || !bytes.Equal(last.qualifier, c.at.qualifier) || !bytes.Equal(last.family, c.at.family) || !bytes.Equal(last.row, c.at.row) {
		c.count = 0
	}
	c.some = true
	return true
}

// wanted reports whether a cell is one of the scan's. What a server gives after it
// was asked anew may be more than is left of a row.
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

// openPiece begins with the next pieces, unless there are none or the own row is
// next.
func (c *cursor) openPiece() bool {
	for len(c.pieces) > 0 {
		p := &c.pieces[0]
		if c.own != nil && c.own.is(p) {
			return false
		}
		q, some := queryFor(c.s, c.families, p)
		if !some {
			c.pieces = c.pieces[1:]
			continue
		}
		c.piece = p
		if n := c.gets(); n > 1 {
			c.from = newGets(c, c.pieces[:n])
			c.pieces = c.pieces[n:]
			return true
		}
		c.from = c.scan(p, &q)
		c.pieces = c.pieces[1:]
		return true
	}
	return false
}

// scan reads one piece by a scanner.
func (c *cursor) scan(p *piece, q *query) source {
	t := &tableScan{cluster: c.cluster, table: c.table, request: q.scan(), reverse: c.s.Reverse && !p.one, rows: c.rowsNext}
	t.at, t.included, t.end = p.rows.Start, true, p.rows.End
	if p.one {
		t.rows = func() int { return 2 } // one more than there are, so that the server sees the end
		if len(p.rows.Start) == maxRow {
			t.end = above(p.rows.Start)
		}
	}
	if t.reverse {
		t.at, t.included, t.end = p.rows.End, false, p.rows.Start
	}
	return &readAhead{of: t, limited: c.s.Limit > 0}
}

// The number of rows that a server is asked for at once: as many as the reader
// expects to take, and then more and more.
const (
	firstRows = 4096
	mostRows  = 1 << 20
)

func (c *cursor) rowsNext() int {
	switch {
	case c.rows == 0 && c.s.Limit > 0:
		c.rows = min(c.s.Limit, firstRows)
	case c.rows == 0:
		c.rows = firstRows
	default:
		c.rows = min(4*c.rows, mostRows)
	}
	return c.rows
}

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

// gather takes the cells of at's row.
func (c *cursor) gather() {
	row := c.at.row
	for c.pull() && bytes.Equal(c.at.row, row) {
		c.ahead = false
		c.row = append(c.row, kv.Cell{Family: c.index(c.at.family), Row: row, Qualifier: c.at.qualifier, Timestamp: c.at.timestamp, Value: c.at.value})
		c.note(&c.row[len(c.row)-1])
	}
	c.row = inOrder(c.row, c.s)
}

// inOrder puts the cells of a row, which are in HBase's order but for the
// families, into the order of the scan.
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

// newestOf leaves so many versions of each column of a sorted row, 0 being all. Parts
// of a column that were read one after the other have been counted each alone.
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
	for len(c.pieces) > 0 && c.own.is(&c.pieces[0]) {
		c.pieces = c.pieces[1:]
	}
	return true
}

// Cell implements kv.Cursor.
func (c *cursor) Cell() *kv.Cell { return &c.out }

// Value implements kv.Cursor.
func (c *cursor) Value() ([]byte, error) { return orEmpty(c.out.Value), nil }

// NextBatch implements kv.Batcher.
func (c *cursor) NextBatch(b *kv.Batch, n int) bool {
	for len(b.Cells) < n && !b.Full() && c.Next() {
		o := &c.out
		v := o.Value
		if c.s.NeedValue {
			v = orEmpty(v)
		}
		b.Add(o.Family, o.Row, o.Qualifier, o.Timestamp, v)
	}
	return len(b.Cells) > 0
}

// Err implements kv.Cursor.
func (c *cursor) Err() error {
	if c.err != nil && c.ctx.Err() != nil {
		return c.ctx.Err()
	}
	return c.err
}

// Stats implements kv.Cursor. Seeks are requests.
func (c *cursor) Stats() kv.ScanStats {
	s := c.stats
	if c.from != nil {
		rpcs, regions := c.from.counts()
		s.Seeks += int64(rpcs)
		s.Partitions += regions
	}
	return s
}

func (c *cursor) closeSource() {
	if c.from != nil {
		rpcs, regions := c.from.counts()
		c.stats.Seeks += int64(rpcs)
		c.stats.Partitions += regions
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

// readAhead asks a scanner for the next block while the one at hand is looked at,
// from the second one on.
type readAhead struct {
	of      *tableScan
	limited bool
	asked   int
	pending chan fetched
	rpcs    int
	regions int
	cancel  context.CancelFunc
}

type fetched struct {
	block []byte
	err   error
}

func (r *readAhead) next(ctx context.Context) (block []byte, err error) {
	if r.pending != nil {
		select {
		case f := <-r.pending:
			r.pending = nil
			r.cancel()
			block, err = f.block, f.err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	} else {
		block, err = r.of.next(ctx)
	}
	r.rpcs, r.regions = r.of.counts()
	if r.asked++; err == nil && len(block) > 0 && !r.of.done && (r.asked > 1 || !r.limited && len(block) > scanBytes/2) {
		r.ahead(ctx)
	}
	return block, err
}

func (r *readAhead) ahead(ctx context.Context) {
	ctx, r.cancel = context.WithCancel(ctx)
	pending := make(chan fetched, 1)
	r.pending = pending
	go func() {
		block, err := r.of.next(ctx)
		pending <- fetched{block, err}
	}()
}

func (r *readAhead) close() {
	if r.pending == nil {
		r.of.close()
		return
	}
	r.cancel()
	pending := r.pending
	r.pending = nil
	go func() {
		<-pending
		r.of.close()
	}()
}

func (r *readAhead) counts() (rpcs, regions int) { return r.rpcs, r.regions }

// gets is how many of the next pieces are read by gets.
func (c *cursor) gets() int {
	n := 0
	for n < len(c.pieces) && n < maxGets && c.pieces[n].one && (c.own == nil || !c.own.is(&c.pieces[n])) {
		n++
	}
	return n
}

// maxGets is how many rows are asked for at once.
const maxGets = 256

// getSource reads pieces of one row each by gets, many at a time.
type getSource struct {
	c       *cursor
	pieces  []piece
	answers [][]byte // parallel to pieces; nil until it is there
	taken   int
	rpcs    int
	regions map[string]bool
}

func newGets(c *cursor, pieces []piece) source {
	return &getSource{c: c, pieces: pieces, regions: map[string]bool{}}
}

func (g *getSource) counts() (rpcs, regions int) { return g.rpcs, len(g.regions) }
func (g *getSource) close()                      {}

func (g *getSource) next(ctx context.Context) ([]byte, error) {
	if g.answers == nil {
		if err := g.fetch(ctx); err != nil {
			return nil, err
		}
	}
	for g.taken < len(g.pieces) {
		block := g.answers[g.taken]
		g.answers[g.taken] = nil
		g.c.piece = &g.pieces[g.taken]
		g.taken++
		if len(block) > 0 {
			return block, nil
		}
	}
	return nil, nil
}

// fetch asks for all rows, and again for those whose regions have moved.
func (g *getSource) fetch(ctx context.Context) error {
	g.answers = make([][]byte, len(g.pieces))
	gets := make([]*pb.Get, len(g.pieces))
	left := make([]int, 0, len(g.pieces))
	for i := range g.pieces {
		if q, some := queryFor(g.c.s, g.c.families, &g.pieces[i]); some {
			gets[i] = q.get(g.pieces[i].rows.Start)
			left = append(left, i)
		}
	}
	rpcs, err := g.c.cluster.getAll(ctx, g.c.table, gets, left, g.answers, g.regions)
	g.rpcs += rpcs
	return err
}
