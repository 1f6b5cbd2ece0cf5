package exec

import (
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// partitionRows are the rows of one partition, which are read when they are asked
// for. Where no call looks at another row than the present one they are not kept, unless
// all rows are.
type partitionRows struct {
	in       *windowInput
	queue    *spill.Queue
	buffered bool
	begun    bool
	kept     *spill.Sorter // of all rows, nil where queue keeps them
	first    int64         // the partition's first row among all that are kept
	by       []int         // the places of the partition's keys
	count    int64         // rows read
	// whole says that all of the partition's rows are read; ahead is then the first
	// row of the next one, nil behind the last.
	whole bool
	ended bool
	row   []value.Value // the last one read, where they are not all kept
	key   spill.RowBuffer
	keyed []value.Value
}

// has reads up to the row of that number, and reports whether there is one.
func (p *partitionRows) has(number int64) (bool, error) {
	for p.count <= number && !p.whole {
		if err := p.next(); err != nil {
			return false, err
		}
	}
	return number < p.count, nil
}

// all reads the rest, and is the number of rows.
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
	if p.row, err = p.in.next(); err != nil {
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

// begin begins to read. Where all rows are kept, and one partition, they are known to be
// so many.
func (p *partitionRows) begin() (err error) {
	if p.begun {
		return nil
	}
	p.begun = true
	if p.kept, err = p.in.kept(); p.kept != nil && len(p.by) == 0 {
		p.count, p.whole, p.ended = p.kept.Rows(), true, true
	}
	return err
}

// nextKept is next where all rows are kept.
func (p *partitionRows) nextKept() error {
	at := p.first + p.count
	p.ended = at == p.kept.Rows()
	if p.whole = p.ended || p.count > 0 && !p.kept.Alike(at-1, at, p.by); p.whole {
		return nil
	}
	return p.take()
}

// take takes the row that was read last into the partition.
func (p *partitionRows) take() error {
	p.count++
	if p.kept != nil {
		return p.in.x.tick()
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

// alike reports whether the row that was read last is of the partition.
func (p *partitionRows) alike() bool {
	for i, at := range p.by {
		if value.Order(p.row[at], p.key.Row[i]) != 0 {
			return false
		}
	}
	return true
}

// restart begins the partition of the row that was read last.
func (p *partitionRows) restart() error {
	p.queue.Reset()
	p.first += p.count
	p.count, p.whole = 0, false
	return p.take()
}

// rowCursor reads rows of a partition.
type rowCursor struct {
	queue *spill.QueueCursor
	row   []value.Value // of all that are kept
}

func (p *partitionRows) cursor() *rowCursor {
	return &rowCursor{queue: p.queue.Cursor(), row: []value.Value{}}
}

// at is a row that has been read, valid until the next call for the cursor.
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

// value is a place of at's row, where that is all that is asked for.
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

// peers are the rows that the window's order does not tell from the present one.
type peers struct {
	rows   *partitionRows
	by     []int // the places of the order's keys
	cursor *rowCursor
	last   spill.RowBuffer // keys of the group
	keys   []value.Value
	at     int64 // the row that start was asked for last, -1 for none
	first  int64
	groups int64
	end    int64
}

func (p *peers) restart() { p.at, p.first, p.groups, p.end = -1, 0, 0, 0 }

// keeps is the first row that is needed yet.
func (p *peers) keeps() int64 {
	if p.end == 0 {
		return 1 << 62
	}
	return p.end
}

// start is the first peer of a row, and the number of its group from 1 on. It is
// asked for each row.
func (p *peers) start(at int64) (first, group int64, err error) {
	if at == p.at {
		return p.first, p.groups, nil
	}
	alike := p.at >= 0
	if alike {
		alike, err = p.alike(at)
	}
	if !alike && err == nil {
		p.first, p.groups = at, p.groups+1
		err = p.remember(at)
	}
	p.at = at
	return p.first, p.groups, err
}

// alike reports whether a row is a peer of the first one.
func (p *peers) alike(at int64) (bool, error) {
	if r := p.rows; r.kept != nil {
		return r.kept.Alike(r.first+p.first, r.first+at, p.by), nil
	}
	row, err := p.rows.at(p.cursor, at)
	if err != nil {
		return false, err
	}
	for i, at := range p.by {
		if value.Order(row[at], p.last.Row[i]) != 0 {
			return false, nil
		}
	}
	return true, nil
}

// remember remembers the keys of the first peer, where it is not kept.
func (p *peers) remember(at int64) error {
	if p.rows.kept != nil {
		return nil
	}
	row, err := p.rows.at(p.cursor, at)
	if err != nil {
		return err
	}
	p.keys = p.keys[:0]
	for _, at := range p.by {
		p.keys = append(p.keys, row[at])
	}
	p.last.Set(p.keys)
	return nil
}

// behind is the row behind the last peer of a row.
func (p *peers) behind(at int64) (int64, error) {
	if at < p.end {
		return p.end, nil
	}
	if _, _, err := p.start(at); err != nil {
		return 0, err
	}
	for p.end = at + 1; ; p.end++ {
		if ok, err := p.rows.has(p.end); !ok || err != nil {
			return p.end, err
		}
		if alike, err := p.alike(p.end); !alike || err != nil {
			return p.end, err
		}
	}
}
