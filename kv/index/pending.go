package index

import (
	"bytes"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
)

// pending is a row, or a column of one, that has been written after its entries.
type pending struct {
	*unit
	row, qualifier []byte
	old            [][]Entry // by index: the stored entries
	// cells are the present cells from which entries come, unless stale: then they must be read.
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

// part returns the pending row, or column.
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

// inOrder orders rows for settling, so that all transactions lock their entries in the same order.
func inOrder(a, b *pending) int {
	if c := bytes.Compare(a.row, b.row); c != 0 {
		return c
	}
	return bytes.Compare(a.qualifier, b.qualifier)
}

// newPending makes a pending row, which is locked and has not been written since its entries were. It takes
// over cells.
func newPending(u *unit, row, qualifier []byte, cells []kv.Cell) (*pending, error) {
	old, err := u.entries(row, cells)
	if err != nil {
		return nil, err
	}
	return &pending{unit: u, row: slices.Clone(row), qualifier: slices.Clone(qualifier), old: old, cells: cells}, nil
}

// at returns where a column is among the cells, or would be.
func (p *pending) at(qualifier []byte) (i int, found bool) {
	return slices.BinarySearchFunc(p.cells, qualifier, func(c kv.Cell, q []byte) int { return bytes.Compare(c.Qualifier, q) })
}

// put notes a written cell; a nil pending ignores it. A cell that may have expired must be read again.
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

// removed notes a deleted column.
func (p *pending) removed(qualifier []byte) {
	if p == nil {
		return
	}
	if i, found := p.at(qualifier); found && !p.stale {
		p.cells = slices.Delete(p.cells, i, i+1)
	}
}

// removedVersion notes a deleted version: an older one may now be the newest.
func (p *pending) removedVersion(qualifier []byte, timestamp int64) {
	if p == nil {
		return
	}
	i, found := p.at(qualifier)
	p.stale = p.stale || found && p.cells[i].Timestamp == timestamp
}
