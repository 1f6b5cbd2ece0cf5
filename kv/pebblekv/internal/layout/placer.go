// Package layout is which key space holds what: the store's own records, the
// leaves of tables, where a cell goes in another layout, and the regions that a
// RANGE table should have by its size.
package layout

import (
	"bytes"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// Placer finds the places of cells in another layout.
type Placer struct {
	tables map[keyspace.ID]*kv.Table // in the new layout, by old key space
	// The last row, up to its end, and where it goes.
	row  []byte
	from keyspace.ID
	to   keyspace.ID
	how  Placing
	buf  []byte
	// sliced is the row's table if it has slices of time, so that the row's
	// cells go to several places; partition is the row's.
	sliced    *kv.Table
	partition int
}

// Placing says what becomes of a key.
type Placing uint8

const (
	Stays    Placing = iota
	Goes             // to another key space
	Homeless         // no partition holds the row
)

func NewPlacer(before, after []*kv.Table) *Placer {
	p := &Placer{tables: map[keyspace.ID]*kv.Table{}}
	for i, t := range before {
		for _, id := range keyspace.Of(t).Spaces {
			p.tables[id] = after[i]
		}
	}
	return p
}

// Key appends the new key of a cell if it goes to another key space.
func (p *Placer) Key(dst, old []byte) ([]byte, Placing) {
	if n := len(p.row); n == 0 || !bytes.HasPrefix(old, p.row) {
		p.locate(old)
	}
	if p.sliced != nil {
		p.locateTime(cellkey.Timestamp(old))
	}
	if p.how != Goes {
		return dst, p.how
	}
	return cellkey.AppendAs(dst, old, p.to), Goes
}

// locate finds where the key's row goes. Rows of other tables stay.
func (p *Placer) locate(key []byte) {
	p.row, p.how, p.sliced = p.row[:0], Stays, nil
	p.from, _ = cellkey.Space(key)
	row, end := cellkey.Row(&p.buf, key)
	t := p.tables[p.from]
	if t == nil || end < 0 {
		return
	}
	p.row = append(p.row, key[:end]...)
	i, ok := t.Partitioning.Locate(row)
	switch {
	case !ok:
		p.how = Homeless
	case t.Partitioning.Slices() != nil:
		p.sliced, p.partition = t, i
	default:
		p.goTo(keyspace.Of(t).Spaces[i])
	}
}

// locateTime finds where a version of the row goes.
func (p *Placer) locateTime(ts int64) {
	if slice, ok := p.sliced.Partitioning.Slice(ts); ok {
		p.goTo(keyspace.Space(p.sliced, p.partition, slice))
	} else {
		p.how = Homeless
	}
}

func (p *Placer) goTo(id keyspace.ID) {
	if p.how, p.to = Goes, id; id == p.from {
		p.how = Stays
	}
}

// Write is Key for a transaction's own write. It returns kv.ErrNoPartition if no
// partition holds the row. Deletions of such rows keep their key, where there is
// nothing left to delete.
func (p *Placer) Write(dst, old []byte, deleted bool) ([]byte, error) {
	dst, how := p.Key(dst, old)
	switch {
	case how == Homeless && !deleted:
		return dst, kv.ErrNoPartition
	case how != Goes:
		return append(dst, old...), nil
	}
	return dst, nil
}
