package spill

import (
	"bytes"
	"errors"
	"slices"
)

// rewriteBytes is how many bytes Rewrite sorts at a time.
const rewriteBytes = 16 << 20

// entry is a write: its key with the number, and its stored value.
type entry struct{ key, stored []byte }

// Rewrite copies the writes for which sees is true to another store, under the keys that place appends
// for them. The error is place's or the disk's.
func (s *Store) Rewrite(
	to *Store, sees func(number uint32) bool, place func(dst, key []byte, deleted bool) ([]byte, error),
) (err error) {
	it, err := s.Iter(sees)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	var batch []entry
	size := 0
	for ok := it.it.First(); ok; ok = it.it.Next() {
		if !sees(it.Number()) {
			continue
		}
		stored, err := it.Stored()
		if err != nil {
			return err
		}
		key, err := place(nil, it.Key(), len(stored) == 0)
		if err != nil {
			return err
		}
		batch = append(batch, entry{appendKey(nil, key, it.Number()), bytes.Clone(stored)})
		if size += len(key) + len(stored); size > rewriteBytes {
			if err := to.addBatch(batch); err != nil {
				return err
			}
			batch, size = batch[:0], 0
		}
	}
	if err := it.Err(); err != nil {
		return err
	}
	return to.addBatch(batch)
}

// addBatch makes a run of writes that come in any order.
func (s *Store) addBatch(batch []entry) error {
	slices.SortFunc(batch, func(a, b entry) int { return comparer.Compare(a.key, b.key) })
	return s.AddRun(func(run *Run) error {
		for i := range batch {
			if err := run.set(batch[i].key, batch[i].stored); err != nil {
				return err
			}
		}
		return nil
	})
}
