package spill

import (
	"context"
	"math/bits"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
)

// rowTable is the hash table of kept rows by their keys. It is built when all rows have been added, or
// with the rows so far when one is looked up. Rows that are added in parts are thus hashed once, and
// each goroutine builds a part of the table.
type rowTable struct {
	parts []tablePart // by the highest bits of hashes; a power of two
	links []link      // of each row
	rows  int         // rows in the table
}

// tablePart is a part of the hash table; each key is represented by the number of its first row.
type tablePart struct {
	slots      []rowmem.Slot // a power of two; at least half are free
	keys, rows int
}

// link chains rows with one key: to the next one, and from the first to the last.
type link struct{ after, last, more int32 }

const noRow = -1

// manyRows is the number of rows from which a second goroutine pays off.
const manyRows = 1 << 14

// build adds all rows to the table, on several goroutines if there are many.
func (t *rowTable) build(ctx context.Context, k *keptRows, workers int) error {
	if workers < 2 || k.Len() < manyRows || t.rows > 0 {
		return t.grow(k, &cancelcheck.Meter{Ctx: ctx})
	}
	t.start(k, 1<<bits.Len(uint(workers-1)))
	err := cancelcheck.Share(ctx, workers, len(t.parts), func(m *cancelcheck.Meter, part int) error { return t.addTo(k, part, m) })
	t.rows = k.Len()
	return err
}

// start allocates room for all rows.
func (t *rowTable) start(k *keptRows, parts int) {
	if t.parts == nil {
		t.parts = make([]tablePart, parts)
	}
	if n := k.Len(); cap(t.links) < n {
		t.links = append(make([]link, 0, max(n, 2*cap(t.links))), t.links...)
	}
	t.links = t.links[:k.Len()]
}

// grow adds the rows that have arrived since the last call.
func (t *rowTable) grow(k *keptRows, m *cancelcheck.Meter) error {
	t.start(k, 1)
	err := t.addTo(k, 0, m)
	t.rows = k.Len()
	return err
}

// addTo adds those new rows to a part that belong to it.
func (t *rowTable) addTo(k *keptRows, part int, m *cancelcheck.Meter) error {
	p := &t.parts[part]
	for i := t.rows; i < k.Len(); i++ {
		hash := k.hashes[i]
		if t.partOf(hash) != part {
			continue
		}
		if 2*(p.keys+1) > len(p.slots) {
			p.grow(k.Len() - i)
		}
		t.add(p, k, int32(i), hash)
		if err := m.Step(cancelcheck.Row); err != nil {
			return err
		}
	}
	return nil
}

// partOf returns the part of a hash.
func (t *rowTable) partOf(hash uint32) int {
	return int(uint64(hash) * uint64(len(t.parts)) >> 32)
}

// add adds a row, at the end of the chain of its key.
func (t *rowTable) add(p *tablePart, k *keptRows, i int32, hash uint32) {
	p.rows++
	at, first := p.find(k, hash, k.key(i))
	if first == noRow {
		p.slots[at] = rowmem.NewSlot(hash, int(i))
		p.keys++
		return
	}
	head := &t.links[first]
	tail := head.last
	if head.more == 0 {
		tail = first
	}
	t.links[tail].after = i
	head.last, head.more = i, head.more+1
}

// find returns the slot of a key and its first row, or the free slot for it and -1.
func (p *tablePart) find(k *keptRows, hash uint32, key []byte) (at uint32, first int32) {
	last := uint32(len(p.slots) - 1)
	for at = hash & last; p.slots[at] != 0; at = (at + 1) & last {
		s := p.slots[at]
		if s.Hash() == hash && string(k.key(int32(s.Number()))) == string(key) {
			return at, int32(s.Number())
		}
	}
	return at, noRow
}

// grow enlarges the part, by a larger factor if most rows so far had distinct keys.
func (p *tablePart) grow(left int) {
	factor := 2
	if p.keys > 1<<10 && p.keys > p.rows-p.rows/8 && left > 4*p.keys {
		factor = 8
	}
	p.slots = rowmem.MoreSlots(p.slots, factor)
}

// find returns the rows with a key.
func (t *rowTable) find(k *keptRows, key []byte) Found {
	if t.rows == 0 {
		return Found{}
	}
	hash := rowmem.KeyHash(key)
	p := &t.parts[t.partOf(hash)]
	if p.keys == 0 {
		return Found{}
	}
	_, first := p.find(k, hash, key)
	if first == noRow {
		return Found{}
	}
	return Found{first, 1 + t.links[first].more}
}
