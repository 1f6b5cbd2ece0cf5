package spill

import (
	"sync"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Balance computes set operations (UNION, EXCEPT, INTERSECT, with or without ALL) over parts whose rows
// are added one part after the other. Of the rows with one key it returns the first, as often as the
// operations leave it, in the order of arrival. If its memory is used up, it writes rows with new keys
// to temporary files, and processes them after the last Add.
type Balance struct {
	space  *Space
	kept   balances
	putOff *Partitions
	count  int64 // number of deferred rows
	// sorted has the result of the deferred rows, by their numbers, once all have been processed.
	sorted *Sorter
	mu     sync.Mutex // guards sorted
	given  int        // how many of the keys in memory have been returned
	row    []value.Value
	times  int64 // how often that row must still be returned
	meter  cancelcheck.Meter
}

// NewBalance makes a Balance of parts. Each operation combines its part with the result of the parts
// before; that of the first part is UnionAll.
func (s *Space) NewBalance(operations []clause.SetOperation) *Balance {
	return &Balance{space: s, kept: balances{account: s.Account(), fold: newFold(operations)}, meter: cancelcheck.Meter{Ctx: s.ctx}}
}

// Peak is the most memory used at any time, in bytes.
func (b *Balance) Peak() int64 { return b.kept.account.Peak() }

// Spilled reports whether rows have been deferred.
func (b *Balance) Spilled() bool { return b.putOff != nil }

// Add adds a row of a part, after all rows of the parts before. It copies key and row if it keeps them.
// Its errors are those of [Space].
func (b *Balance) Add(part int, key []byte, row []value.Value) error {
	hash := rowmem.KeyHash(key)
	if b.kept.add(part, hash, key, row) {
		return nil
	}
	takes := b.kept.takes(part)
	if b.putOff == nil {
		if takes {
			return nil
		}
		b.putOff = b.space.NewPartitions()
	}
	b.row = append(b.row[:0], value.NewInt(int64(part)), value.NewBytes(key), value.NewInt(b.count))
	if b.count++; !takes {
		b.row = append(b.row, row...)
	}
	return b.putOff.Add(hash, b.row)
}

// Next returns the next row of the result, or nil after the last. Add must not be called after the
// first Next. Its errors are those of [Space].
func (b *Balance) Next() ([]value.Value, error) {
	for b.times == 0 {
		if err := b.meter.Step(cancelcheck.Row); err != nil {
			return nil, err
		}
		if more, err := b.goOn(); !more || err != nil {
			return nil, err
		}
	}
	b.times--
	return b.row, nil
}

// goOn goes to the next key; it returns false after the last.
func (b *Balance) goOn() (bool, error) {
	if b.given < b.kept.keys.Len() {
		b.row, b.times = b.kept.left(b.row[:0], b.given)
		b.given++
		return true, nil
	}
	if b.putOff == nil {
		return false, nil
	}
	if b.sorted == nil {
		if err := b.settle(); err != nil {
			return false, err
		}
	}
	row, err := b.sorted.Next()
	if row == nil || err != nil {
		return false, err
	}
	last := len(row) - 1
	b.row, b.times = row[1:last], row[last].Int()
	return true, nil
}

// settle processes the deferred rows, one partition at a time.
func (b *Balance) settle() error {
	b.kept.release()
	b.sorted = b.space.NewSorter(rowmem.ByFirst)
	err := EachPartition(b.space.opts.Workers, []*Partitions{b.putOff}, b.look)
	if err == nil {
		err = b.putOff.Close()
	}
	if err != nil {
		return err
	}
	return b.sorted.Sort()
}

// look adds the result of a partition's rows to sorted. It returns rows that do not fit in memory,
// partitioned again.
func (b *Balance) look(m *cancelcheck.Meter, p Partition) (again *Partitions, err error) {
	t := balances{account: b.space.Account(), fold: b.kept.fold}
	defer t.release()
	err = Each(p.Rows(), func(row []value.Value) error {
		part, key := int(row[0].Int()), row[1].Raw()
		hash := rowmem.KeyHash(key)
		switch {
		case t.add(part, hash, key, row[2:]) || again == nil && t.takes(part):
			return m.Step(cancelcheck.Row)
		case again == nil:
			again = p.Repartition()
		}
		return again.Add(hash, row)
	})
	if err == nil {
		err = b.takeLeft(m, &t)
	}
	return again, err
}

// takeLeft adds the rows that the operations leave of a partition to sorted.
func (b *Balance) takeLeft(m *cancelcheck.Meter, t *balances) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var row []value.Value
	for number := range t.keys.Len() {
		var times int64
		if row, times = t.left(row[:0], number); times > 0 {
			if err := b.sorted.Add(append(row, value.NewInt(times))); err != nil {
				return err
			}
		}
		if err := m.Step(cancelcheck.Row); err != nil {
			return err
		}
	}
	return nil
}

// Close releases memory and temporary files. It may be called again. Its errors are those of [Space].
func (b *Balance) Close() error {
	b.kept.release()
	err := b.putOff.Close()
	if b.sorted != nil {
		if other := b.sorted.Close(); err == nil {
			err = other
		}
	}
	return err
}
