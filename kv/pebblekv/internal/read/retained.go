package read

import (
	"bytes"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// retained hides the versions of each column that the retention of its table does not
// keep, if newer versions count that the scan does not ask for. It reads all versions
// of a column, including those in other slices of time.
//
// The newest versions of a column are kept. So going forward it counts, and leaves
// the column at the first hidden version; going backward it looks for the last kept
// version, before which nothing else is hidden.
type retained struct {
	in iterator
	c  *cursor

	most, least int   // kept versions: at most (0 for any number), and at least, however old
	oldest      int64 // oldest timestamp that has not expired
	counts      int   // how many versions are counted: more make no difference
	// restricted is the table, if only some of its slices or leaves are asked for.
	restricted *kv.Table
	partition  int

	key    []byte // the current key; nil for none
	column []byte // its column
	// rank is the number of newer versions of the column, as far as they are counted;
	// it is unknown going backward.
	rank     int
	backward bool
	inRow    bool   // it was sought by its row
	row      []byte // that row: some layers return keys beyond it
	target   []byte
	skip     skip
}

func (r *retained) init() {
	r.skip.budget = r.c.tuning.SeekSteps
	if r.counts = r.most; r.most == 0 {
		r.counts = r.least
	}
}

// keeps reports whether the retention keeps a version.
func (r *retained) keeps(rank int, timestamp int64) bool {
	return (r.most == 0 || rank < r.most) && (rank < r.least || timestamp >= r.oldest)
}

// wants reports whether the scan asks for the slice and the leaf of a version.
func (r *retained) wants(key []byte) bool {
	if r.restricted == nil {
		return true
	}
	slice, ok := r.restricted.Partitioning.Slice(cellkey.Timestamp(key))
	return ok && (r.c.scan.Slices == nil || containsOrdinal(r.c.scan.Slices, slice)) &&
		r.c.readsLeaf(r.restricted.Partitioning.Leaf(r.partition, slice))
}

func (r *retained) seekGE(target []byte, inRow bool) []byte {
	newest, sameRow := fromNewest(target), !inRow || bytes.HasPrefix(target, r.row)
	if inRow {
		r.row = append(r.row[:0], target[:max(0, cellkey.RowLen(target))]...)
	}
	if len(newest) == len(target) {
		r.backward, r.inRow, r.column = false, inRow, r.column[:0]
		return r.settle(r.in.seekGE(target, inRow))
	}
	key := r.key
	if r.backward || key == nil || inRow != r.inRow || !sameRow || !bytes.Equal(r.column, newest) || bytes.Compare(key, target) > 0 {
		r.backward, r.inRow, r.rank = false, inRow, 0
		r.column = append(r.column[:0], newest...)
		key = r.in.seekGE(newest, inRow)
	}
	for cellkey.IsOfColumn(key, r.column) && bytes.Compare(key, target) < 0 && !r.c.interrupted() {
		switch {
		case r.rank < r.counts:
			key = r.step()
		case r.most > 0:
			key = r.passColumn()
		default:
			key = r.in.seekGE(target, inRow)
		}
	}
	return r.settle(key)
}

// fromNewest returns the beginning of the key's column if the key is a place within
// one, else the key.
func fromNewest(key []byte) []byte {
	if n := cellkey.ColumnLen(key); n >= 0 {
		return key[:n]
	}
	return key
}

func (r *retained) next() []byte {
	if r.backward {
		r.target = append(append(r.target[:0], r.key...), 0)
		return r.seekGE(r.target, false)
	}
	return r.settle(r.step())
}

// step goes to the next key, which may be of another column.
func (r *retained) step() []byte {
	key := r.in.next()
	if r.rank < r.counts && cellkey.IsOfColumn(key, r.column) {
		r.rank++
	}
	return key
}

// settle moves to the first kept key, from a key whose rank is known or that is the
// first of its column.
func (r *retained) settle(key []byte) []byte {
	for r.key = nil; key != nil && !r.c.interrupted(); {
		switch r.enter(key); {
		case !r.keeps(r.rank, cellkey.Timestamp(key)):
			key = r.passColumn()
		case !r.wants(key):
			key = r.step()
		default:
			r.key = key
			return key
		}
	}
	return nil
}

// enter makes the key's column the current one.
func (r *retained) enter(key []byte) {
	if !cellkey.IsOfColumn(key, r.column) {
		r.column, r.rank = append(r.column[:0], cellkey.Column(key)...), 0
	}
}

// passColumn goes to the first key after the column.
func (r *retained) passColumn() []byte {
	for range r.skip.budget {
		if key := r.in.next(); key == nil || !cellkey.IsOfColumn(key, r.column) {
			r.skip.succeeded(r.c.tuning)
			return key
		}
	}
	r.skip.failed(r.c.tuning)
	r.skip.budget = max(r.skip.budget, min(1, r.c.tuning.SeekSteps)) // else it never notices that steps are enough
	r.target = cellkey.MakeBehind(append(r.target[:0], r.column...))
	return r.in.seekGE(r.target, r.inRow)
}

func (r *retained) seekLT(target []byte) []byte {
	r.backward, r.column = true, r.column[:0]
	return r.settleBackward(r.in.seekLT(target))
}

func (r *retained) prev() []byte {
	r.backward = true
	return r.settleBackward(r.in.prev())
}

// settleBackward moves to the first kept key: in the current column all are kept.
func (r *retained) settleBackward(key []byte) []byte {
	for r.key = nil; key != nil && !r.c.interrupted(); {
		switch {
		case !cellkey.IsOfColumn(key, r.column):
			key = r.enterBackward(key)
		case !r.wants(key):
			key = r.in.prev()
		default:
			r.key = key
			return key
		}
	}
	return nil
}

// enterBackward makes the key's column the current one, and moves to its last kept
// version up to the key, or before the column if there is none.
func (r *retained) enterBackward(key []byte) []byte {
	r.enter(key)
	if r.most == 0 && cellkey.Timestamp(key) >= r.oldest {
		return key
	}
	r.target = append(r.target[:0], key...)
	last := int64(0)
	for key = r.in.seekGE(r.column, false); cellkey.IsOfColumn(key, r.column) && !r.c.interrupted(); key = r.in.next() {
		if r.rank == r.counts || !r.keeps(r.rank, cellkey.Timestamp(key)) {
			break
		}
		if bytes.Compare(key, r.target) >= 0 {
			return key
		}
		last = cellkey.Timestamp(key)
		r.rank++
	}
	if r.rank == 0 {
		return r.in.seekLT(r.column)
	}
	if r.most == 0 {
		last = min(last, r.oldest)
	}
	r.target = append(cellkey.AppendTimestamp(append(r.target[:0], r.column...), last), 0)
	return r.in.seekLT(r.target)
}

func (r *retained) value() ([]byte, error) { return r.in.value() }

func (r *retained) err() error { return r.in.err() }

func (r *retained) counted() (cells, seeks int64) { return r.in.counted() }

// unexpired hides the cells that have expired by a TTL of their own. It is below the
// layer that counts versions, since that must not count them.
type unexpired struct {
	iterator
	c     *cursor
	fault error
}

func (u *unexpired) seekGE(target []byte, inRow bool) []byte {
	return u.settle(u.iterator.seekGE(target, inRow), u.iterator.next)
}

func (u *unexpired) seekLT(target []byte) []byte {
	return u.settle(u.iterator.seekLT(target), u.iterator.prev)
}

func (u *unexpired) next() []byte { return u.settle(u.iterator.next(), u.iterator.next) }

func (u *unexpired) prev() []byte { return u.settle(u.iterator.prev(), u.iterator.prev) }

// settle steps to a key whose cell has not expired.
func (u *unexpired) settle(key []byte, step func() []byte) []byte {
	for ; key != nil && !u.c.interrupted(); key = step() {
		stored, err := u.iterator.value()
		if err != nil {
			u.fault = err
			return nil
		}
		if !cellkey.HasExpired(stored, u.c.moment.Now) {
			return key
		}
	}
	return nil
}

func (u *unexpired) err() error {
	if u.fault != nil {
		return u.fault
	}
	return u.iterator.err()
}
