package spill

import (
	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// balances has keys, and for each the number of its rows that the operations leave so far.
type balances struct {
	fold
	account Account
	keys    rowmem.KeyTable
	counts  []balance    // by the numbers of the keys
	rows    rowmem.Store // the first row of each key
	full    bool
}

// balance has the number of a key's rows that the operations leave of the parts before the current one,
// and the number of its rows in that part.
type balance struct {
	before, had int64
	part        int32
	row         uint32 // in rows
}

// balanceOverhead is the memory of a key without its bytes and its row.
const balanceOverhead = setOverhead + 24

// add counts a row of a part. It returns false for a row with a new key if memory is full.
func (b *balances) add(part int, hash uint32, key []byte, row []value.Value) bool {
	number := b.keys.FindHash(hash, key)
	if number == rowmem.NoKey {
		if b.full || b.takes(part) {
			return !b.full
		}
		number, _ = b.keys.AddHash(hash, key)
		at, size := b.rows.Add(row)
		b.counts = rowmem.AppendDoubling(b.counts, balance{part: int32(part), row: at})
		b.account.Grow(len(key) + size + balanceOverhead)
		b.full = b.account.Full() || b.rows.Full()
	}
	c := &b.counts[number]
	b.goTo(c, part)
	c.had++
	return true
}

// left appends the row of a key to dst, and returns how often it is in the result.
func (b *balances) left(dst []value.Value, number int) ([]value.Value, int64) {
	c := &b.counts[number]
	b.goTo(c, len(b.each))
	return b.rows.AppendRow(dst, c.row), c.before
}

func (b *balances) release() {
	b.account.Release()
	b.keys, b.counts, b.rows = rowmem.KeyTable{}, nil, rowmem.Store{}
}

// fold applies the operations between parts, from left to right.
type fold struct {
	each []clause.SetOperation
	// clears and dedups have, for each part, the last part up to it that leaves no row of a key that it
	// lacks (INTERSECT), or leaves it once (DISTINCT), or -1.
	clears, dedups []int32
}

func newFold(operations []clause.SetOperation) fold {
	f := fold{each: operations}
	clears, dedups := int32(-1), int32(-1)
	for i, o := range operations {
		switch {
		case o == clause.Intersect || o == clause.IntersectAll:
			clears = int32(i)
		case !o.IsAll():
			dedups = int32(i)
		}
		f.clears, f.dedups = append(f.clears, clears), append(f.dedups, dedups)
	}
	return f
}

// takes reports whether a part can only remove rows.
func (f *fold) takes(part int) bool {
	o := f.each[part]
	return o != clause.Union && o != clause.UnionAll
}

// goTo moves on to a part, of which no row has been counted.
func (f *fold) goTo(c *balance, part int) {
	if int(c.part) == part {
		return
	}
	c.before = leaves(f.each[c.part], c.before, c.had)
	switch last := part - 1; {
	case f.clears[last] > c.part:
		c.before = 0
	case f.dedups[last] > c.part:
		c.before = min(c.before, 1)
	}
	c.part, c.had = int32(part), 0
}

// leaves returns the number of copies of a row in the result of an operation whose operands have left
// and right copies.
func leaves(o clause.SetOperation, left, right int64) int64 {
	switch o {
	case clause.Union:
		return min(left+right, 1)
	case clause.IntersectAll:
		return min(left, right)
	case clause.Intersect:
		return min(left, right, 1)
	case clause.ExceptAll:
		return max(left-right, 0)
	case clause.Except:
		return max(min(left, 1)-right, 0)
	}
	return left + right
}
