package index

import (
	"bytes"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
)

// pending is a row, or a column of one, that has been written since its entries were.
type pending struct {
	*unit
	row, qualifier []byte
	old            [][]Entry // by index, what is in the tables of entries
	// cells are those that entries come from as they are now, unless they must be read.
	cells []kv.Cell
	stale bool
}

// written are the pending parts of a row.
type written struct {
	rowID
	whole   *pending
	columns map[string]*pending
}

// rowID is a row of a table.
type rowID struct {
	table uint64
	row   string
}

// part is the pending row, or column.
func (w *written) part(u *unit, qualifier []byte) *pending {
	switch {
	case w == nil:
		return nil
	case u.single:
		return w.columns[string(qualifier)]
	}
	return w.whole
}

func (w *written) add(p *pending) {
	if !p.single {
		w.whole = p
		return
	}
	if w.columns == nil {
		w.columns = map[string]*pending{}
	}
	w.columns[string(p.qualifier)] = p
}

// appendTo appends the pending parts.
func (w *written) appendTo(to []*pending) []*pending {
	if w.whole != nil {
		to = append(to, w.whole)
	}
	for _, p := range w.columns {
		to = append(to, p)
	}
	return to
}

// inOrder is the order in which rows are settled, so that transactions lock their entries alike.
func inOrder(a, b *pending) int {
	if c := bytes.Compare(a.row, b.row); c != 0 {
		return c
	}
	return bytes.Compare(a.qualifier, b.qualifier)
}

// newPending has the entries of a row that is locked and has not been written since they were. The cells are its own.
func newPending(u *unit, row, qualifier []byte, cells []kv.Cell) (*pending, error) {
	old, err := u.entries(row, cells)
	if err != nil {
		return nil, err
	}
	return &pending{unit: u, row: slices.Clone(row), qualifier: slices.Clone(qualifier), old: old, cells: cells}, nil
}

// at is where a column is among the cells, or belongs.
func (p *pending) at(qualifier []byte) (i int, found bool) {
	return slices.BinarySearchFunc(p.cells, qualifier, func(c kv.Cell, q []byte) int { return bytes.Compare(c.Qualifier, q) })
}

// put tells of a cell that has been written; a nil pending is told nothing. One that may have
// expired must be looked for.
func (p *pending) put(c *kv.Cell) {
	if p == nil {
		return
	}
	if p.stale = p.stale || p.Retention.TTLSeconds > 0; p.stale {
		return
	}
	i, found := p.at(c.Qualifier)
	switch {
	case !found:
		p.cells = slices.Insert(p.cells, i, copied(c, c.Value))
	case c.Timestamp >= p.cells[i].Timestamp:
		p.cells[i] = copied(c, c.Value)
	}
}

// removed tells of a column that has been deleted.
func (p *pending) removed(qualifier []byte) {
	if p == nil {
		return
	}
	if i, found := p.at(qualifier); found && !p.stale {
		p.cells = slices.Delete(p.cells, i, i+1)
	}
}

// removedVersion tells of a version that has been deleted: an older one may be the newest.
func (p *pending) removedVersion(qualifier []byte, timestamp int64) {
	if p == nil {
		return
	}
	i, found := p.at(qualifier)
	p.stale = p.stale || found && p.cells[i].Timestamp == timestamp
}
