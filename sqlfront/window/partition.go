package window

import (
	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// partitionRows has the rows of one partition, which it reads when they are asked for. It keeps them
// only if a call reads rows other than the current one, or if the source keeps all rows.
type partitionRows struct {
	in       Source
	meter    *cancelcheck.Meter
	queue    *spill.Queue
	buffered bool
	begun    bool
	kept     *spill.Sorter // of all rows, or nil if queue keeps them
	first    int64         // the partition's first row among all kept rows
	by       []int         // the places of the partition's keys in a kept row
	count    int64         // rows read
	// whole means that all rows of the partition have been read; row is then the first row of the
	// next one, and ended means that there is none.
	whole bool
	ended bool
	row   []value.Value // the last one read, unless kept has it
	key   spill.RowBuffer
	keyed []value.Value
}

// has reads up to the row with that number, and reports whether it exists.
func (p *partitionRows) has(number int64) (bool, error) {
	for p.count <= number && !p.whole {
		if err := p.next(); err != nil {
			return false, err
		}
	}
	return number < p.count, nil
}

// all reads the rest of the partition, and returns its number of rows.
func (p *partitionRows) all() (int64, error) {
	for !p.whole {
		if err := p.next(); err != nil {
			return 0, err
		}
	}
	return p.count, nil
}

func (p *partitionRows) next() (err error) {
	if err := p.begin(); err != nil || p.whole {
		return err
	}
	if p.kept != nil {
		return p.nextKept()
	}
	if p.row, err = p.in.Next(); err != nil {
		return err
	}
	if p.row == nil {
		p.whole, p.ended = true, true
		return nil
	}
	if p.count > 0 && !p.alike() {
		p.whole = true
		return nil
	}
	return p.take()
}

// begin starts reading. If the source keeps all rows and there is only one partition, their number
// is known.
func (p *partitionRows) begin() (err error) {
	if p.begun {
		return nil
	}
	p.begun = true
	if p.kept, err = p.in.Kept(); p.kept != nil && len(p.by) == 0 {
		p.count, p.whole, p.ended = p.kept.Rows(), true, true
	}
	return err
}

// nextKept is next for a source that keeps all rows.
func (p *partitionRows) nextKept() error {
	at := p.first + p.count
	p.ended = at == p.kept.Rows()
	if p.whole = p.ended || p.count > 0 && !p.kept.Alike(at-1, at, p.by); p.whole {
		return nil
	}
	return p.take()
}

// take adds the last row read to the partition.
func (p *partitionRows) take() error {
	p.count++
	if p.kept != nil {
		return p.meter.Step(cancelcheck.Row)
	}
	if p.count == 1 && len(p.by) > 0 {
		p.keyed = p.keyed[:0]
		for _, i := range p.by {
			p.keyed = append(p.keyed, p.row[i])
		}
		p.key.Set(p.keyed)
	}
	if p.buffered {
		return p.queue.Add(p.row)
	}
	return nil
}

// alike reports whether the last row read belongs to the partition.
func (p *partitionRows) alike() bool {
	for i, at := range p.by {
		if value.Order(p.row[at], p.key.Row[i]) != 0 {
			return false
		}
	}
	return true
}

// restart starts a new partition with the last row read.
func (p *partitionRows) restart() error {
	p.queue.Reset()
	p.first += p.count
	p.count, p.whole = 0, false
	return p.take()
}

// rowCursor reads rows of a partition.
type rowCursor struct {
	queue *spill.QueueCursor
	row   []value.Value // a row of kept
}

func (p *partitionRows) cursor() *rowCursor {
	return &rowCursor{queue: p.queue.Cursor(), row: []value.Value{}}
}

// at returns a row that has been read, valid until the next call with the cursor.
func (p *partitionRows) at(c *rowCursor, number int64) ([]value.Value, error) {
	switch {
	case p.kept != nil:
		c.row = p.kept.AppendRow(c.row[:0], p.first+number)
		return c.row, nil
	case !p.buffered:
		return p.row, nil
	}
	return c.queue.Row(number)
}

// value returns one value of the row that at returns.
func (p *partitionRows) value(c *rowCursor, number int64, place int) (value.Value, error) {
	if p.kept != nil {
		return p.kept.Value(p.first+number, place), nil
	}
	row, err := p.at(c, number)
	if err != nil {
		return value.Value{}, err
	}
	return row[place], nil
}
