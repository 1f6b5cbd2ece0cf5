package spill

import (
	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Queue keeps rows by their numbers, from 0 on, until they are forgotten in that order. Cursors read
// them.
type Queue struct {
	space   *Space
	account Account
	meter   cancelcheck.Meter
	pieces  []*queuePiece // in the order of their first rows
	free    []*queuePiece
	count   int64
	forgot  int64 // earlier rows are not read any more
	epoch   int   // counts Resets
	write   writer
	file    *file
	spilled bool
}

// queuePiece has rows with consecutive numbers. Only the last piece must be in memory.
type queuePiece struct {
	first int64
	rows  [][]value.Value // nil if they are in the file
	count int64
	kept  rowmem.Arena
	size  int // of the rows
	bytes int // as accounted for
	run   run
}

// taken is the memory that the piece takes: an arena with few rows is mostly unused.
func (p *queuePiece) taken() int { return max(p.size, p.kept.Size()+sliceSize*cap(p.rows)) }

// The limits of a piece, in rows and in bytes.
const (
	pieceRows  = 512
	pieceBytes = 64 << 10
	sliceSize  = 24 // of a row without its values
)

// NewQueue makes an empty Queue.
func (s *Space) NewQueue() *Queue {
	return &Queue{space: s, account: s.Account(), meter: cancelcheck.Meter{Ctx: s.ctx}}
}

// Peak is the most memory used at any time, in bytes.
func (q *Queue) Peak() int64 { return q.account.Peak() }

// Spilled reports whether rows have been in a temporary file.
func (q *Queue) Spilled() bool { return q.spilled }

// Len is the number of added rows, including the forgotten ones.
func (q *Queue) Len() int64 { return q.count }

// Add adds a copy of the row, whose number is Len before the call. Its errors are those of [Space].
func (q *Queue) Add(row []value.Value) error {
	p, err := q.room()
	if err != nil {
		return err
	}
	p.size += Size(row)
	p.rows = append(p.rows, p.kept.Clone(row))
	q.account.Grow(p.taken() - p.bytes)
	p.bytes = p.taken()
	p.count++
	q.count++
	return q.meter.Step(cancelcheck.Row)
}

// room returns a piece that has room for one more row.
func (q *Queue) room() (*queuePiece, error) {
	p := q.last()
	if p != nil && p.count < pieceRows && p.size < pieceBytes {
		return p, nil
	}
	if err := q.seal(p); err != nil {
		return nil, err
	}
	return q.newPiece(), nil
}

func (q *Queue) last() *queuePiece {
	if len(q.pieces) == 0 {
		return nil
	}
	return q.pieces[len(q.pieces)-1]
}

func (q *Queue) newPiece() *queuePiece {
	var p *queuePiece
	if n := len(q.free); n > 0 {
		p, q.free = q.free[n-1], q.free[:n-1]
	} else {
		p = &queuePiece{}
	}
	p.first = q.count
	q.pieces = append(q.pieces, p)
	return p
}

// seal ends a piece, and writes it to the file if memory is full.
func (q *Queue) seal(p *queuePiece) (err error) {
	if p == nil || !q.account.Full() {
		return nil
	}
	if q.file == nil {
		if q.file, err = q.space.createPart(); err != nil {
			return err
		}
	}
	q.spilled = true
	p.run = q.write.begin(q.file)
	for _, row := range p.rows {
		if err := q.write.add(row); err != nil {
			return err
		}
	}
	if err := q.write.finish(&p.run); err != nil {
		return err
	}
	q.release(p)
	p.rows, p.kept = nil, rowmem.Arena{}
	return nil
}

func (q *Queue) release(p *queuePiece) {
	q.account.Grow(-p.bytes)
	p.size, p.bytes = 0, 0
}

// Forget drops the rows before that number.
func (q *Queue) Forget(before int64) {
	q.forgot = max(q.forgot, before)
	n := 0
	for n < len(q.pieces)-1 && q.pieces[n+1].first <= q.forgot {
		q.recycle(q.pieces[n])
		n++
	}
	if n > 0 {
		q.pieces = q.pieces[:copy(q.pieces, q.pieces[n:])]
	}
}

// recycle keeps the memory of a piece for a later one.
func (q *Queue) recycle(p *queuePiece) {
	q.release(p)
	p.rows, p.count, p.run = p.rows[:0], 0, run{}
	p.kept.Reset()
	if len(q.free) == 0 {
		q.free = append(q.free, p)
	}
}

// Reset forgets all rows; the next one is number 0.
func (q *Queue) Reset() {
	for _, p := range q.pieces {
		q.recycle(p)
	}
	q.pieces, q.count, q.forgot = q.pieces[:0], 0, 0
	q.epoch++
	if q.file != nil {
		q.file.end = 0
	}
}

// Close releases memory and temporary files. It may be called again. Its errors are those of [Space].
func (q *Queue) Close() error {
	q.account.Release()
	q.pieces, q.free, q.write = nil, nil, writer{}
	err := q.file.close()
	q.file = nil
	return err
}

// QueueCursor reads rows of a Queue, mostly in ascending order.
type QueueCursor struct {
	queue *Queue
	epoch int
	piece *queuePiece
	first int64
	// rows are those of the piece, if they were read from the file.
	rows [][]value.Value
	kept rowmem.Arena
	read reader
}

// Cursor returns a new cursor.
func (q *Queue) Cursor() *QueueCursor { return &QueueCursor{queue: q} }

// Row returns the row with that number, which must exist and not be forgotten. It is valid until the
// next call of the cursor, of Forget or of Reset. Its errors are those of [Space].
func (c *QueueCursor) Row(number int64) ([]value.Value, error) {
	if p := c.piece; p == nil || c.epoch != c.queue.epoch || c.first != p.first || number < p.first ||
		number >= p.first+p.count {
		c.seek(number)
	}
	at := number - c.piece.first
	if len(c.piece.rows) > 0 {
		return c.piece.rows[at], nil
	}
	if c.rows == nil {
		if err := c.load(); err != nil {
			return nil, err
		}
	}
	return c.rows[at], nil
}

// seek finds the piece of a row, which is mostly the next piece.
func (c *QueueCursor) seek(number int64) {
	pieces := c.queue.pieces
	low, high := 0, len(pieces)-1
	for low < high {
		middle := (low + high + 1) / 2
		if pieces[middle].first <= number {
			low = middle
		} else {
			high = middle - 1
		}
	}
	c.piece, c.first, c.epoch, c.rows = pieces[low], pieces[low].first, c.queue.epoch, nil
}

// load reads the rows of a piece in the file.
func (c *QueueCursor) load() error {
	c.kept.Reset()
	c.rows = make([][]value.Value, 0, c.piece.count)
	c.read.open(c.piece.run, c.queue.space.block())
	return Each(c.read.read, func(row []value.Value) error {
		c.rows = append(c.rows, c.kept.Clone(row))
		return c.queue.meter.Step(cancelcheck.Row)
	})
}
