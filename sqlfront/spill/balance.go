package spill

import (
	"sync"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Balance is the rows that set operations leave of those of parts, which are added one part
// after the other. Of rows with one key the first is given, as often as the operations say,
// in the order of their arrival. Where its memory is used up it puts off the rows of further
// keys, and looks at them behind the last Add.
type Balance struct {
	space  *Space
	kept   balances
	putOff *Partitions
	count  int64 // of the rows that were put off
	// sorted has what is left of those, by their numbers, once all have been looked at.
	sorted *Sorter
	mu     sync.Mutex // of sorted
	given  int        // of the keys in memory
	row    []value.Value
	times  int64 // that row is still to be given
	meter  cancelcheck.Meter
}

// NewBalance makes a Balance of parts, with an operation for each, which is between what is
// left of the parts before and this one: that of the first is UnionAll.
func (s *Space) NewBalance(operations []clause.SetOperation) *Balance {
	return &Balance{space: s, kept: balances{account: s.Account(), fold: newFold(operations)}, meter: cancelcheck.Meter{Ctx: s.ctx}}
}

// Peak is how many bytes were kept in memory at a time.
func (b *Balance) Peak() int64 { return b.kept.account.Peak() }

// Spilled reports whether rows have been put off.
func (b *Balance) Spilled() bool { return b.putOff != nil }

// Add takes a row of a part, which comes behind all rows of the parts before. Key and row
// are copied where they are kept. Its errors are those of [Space].
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

// Next is the next of the rows that are left, nil behind the last. After the first call
// there is no Add. Its errors are those of [Space].
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

// goOn goes to the next key, false behind the last.
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

// settle looks at the rows that were put off, each partition by itself.
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

// look takes what is left of a partition's rows; those for which there is no memory it gives back.
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

// takeLeft takes what is left of a partition's rows.
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

// Close gives up the rows. It may be called again. Its errors are those of [Space].
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
