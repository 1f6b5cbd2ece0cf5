package index_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/kv/pebblekv"
)

// TestRandomWrites writes to a few rows by all methods of several transactions, and compares the
// entries with the rows after each step.
func TestRandomWrites(t *testing.T) {
	seed := testseed.Of(t)
	for i, r := range []kv.Retention{{}, {TTLSeconds: 10}, {MaxVersions: 2}, {TTLSeconds: 10, MinVersions: 1}} {
		t.Run(r.String(), func(t *testing.T) {
			f := open(t, pebblekv.Options{LockTimeout: time.Millisecond})
			f.withTable(kvtest.Layouts()[i%len(kvtest.Layouts())].Scheme, r, "plain", "unique", "cells")
			w := &random{fixture: f, Rand: rand.New(rand.NewPCG(seed, uint64(i))), mixed: r.TTLSeconds == 0}
			for range 1500 {
				w.step()
			}
			w.end()
			require.Greater(t, w.compared, 100)
			require.Positive(t, w.duplicates)
			f.requireSound()
		})
	}
}

// random is some transactions that write at random.
type random struct {
	*fixture
	*rand.Rand
	// mixed means that the columns of a row may have different timestamps; otherwise they expire
	// together.
	mixed                bool
	sides                [3]side
	compared, duplicates int
}

// side is an open transaction.
type side struct {
	kv.Txn
	table  *kv.Table
	points []kv.Savepoint
}

func (w *random) step() {
	s := &w.sides[w.IntN(len(w.sides))]
	if s.Txn == nil {
		s.Txn = w.begin(kv.TxnOptions{Serializable: w.IntN(4) == 0, Single: w.IntN(2) == 0})
		s.table, s.points = s.Catalog().Table("d", "t"), nil
	}
	switch w.IntN(32) {
	case 0:
		w.over(s, s.Commit(w.Context()))
		if w.IntN(3) == 0 {
			w.requireSound()
		}
	case 1:
		s.Rollback()
		s.Txn = nil
	case 2, 3, 4:
		s.points = append(s.points, s.Savepoint())
	case 5, 6, 7, 8:
		if n := len(s.points); n > 0 {
			n = w.IntN(n)
			s.RollbackTo(s.points[n])
			s.points = s.points[:n+1]
		}
	case 9:
		if err := s.Renew(w.Context()); err != nil {
			w.over(s, err)
		} else {
			s.table = s.Catalog().Table("d", "t")
		}
	case 10:
		w.now.Add(w.Int64N(4000))
	default:
		w.write(s)
	}
}

// over ends a transaction with an expected error or none.
func (w *random) over(s *side, err error) {
	w.Helper()
	var duplicate *kv.DuplicateEntryError
	switch {
	case errors.As(err, &duplicate):
		w.duplicates++
	case err != nil:
		expected := false
		for _, e := range []error{kv.ErrConflict, kv.ErrDeadlock, kv.ErrLockTimeout, kv.ErrTimestampExhausted} {
			expected = expected || errors.Is(err, e)
		}
		require.True(w, expected, "%v", err)
	}
	s.Rollback()
	s.Txn = nil
}

// write makes a write, settles it or not, and compares. A row with a duplicate entry is rolled back.
func (w *random) write(s *side) {
	before := s.Savepoint()
	row := []byte(fmt.Sprintf("r%d", w.IntN(6)))
	err := error(nil)
	if w.IntN(3) == 0 {
		err = w.find(s, row)
	}
	if err == nil {
		err = w.mutate(s, row)
	}
	if err == nil && w.IntN(2) == 0 {
		err = s.Txn.(kv.Indexed).Settle(w.Context(), s.table, row)
	}
	if err == nil && w.IntN(2) == 0 {
		w.compared++
		err = w.requireExact(s)
	}
	var duplicate *kv.DuplicateEntryError
	switch {
	case errors.As(err, &duplicate):
		require.Equal(w, "unique", duplicate.Index)
		require.Len(w, duplicate.Row, rowLen)
		w.duplicates++
		s.RollbackTo(before)
	case err != nil:
		w.over(s, err)
	}
}

func (w *random) mutate(s *side, row []byte) (err error) {
	ctx, c := w.Context(), kv.Cell{Row: row, Qualifier: []byte([]string{"", "a", "b", "x"}[w.IntN(4)]),
		Timestamp: w.now.Load() - w.Int64N(5)*500, Value: [][]byte{nil, {}, []byte("v"), []byte("value")}[w.IntN(4)]}
	switch w.IntN(6) {
	case 0, 1:
		if !w.mixed {
			at := w.now.Load()
			if w.IntN(8) == 0 {
				at -= 10_000 + w.Int64N(2) // it will soon expire, or has expired
				if err := w.removeRow(ctx, s, row); err != nil {
					return err
				}
			}
			return put(ctx, s, s.table, string(row), at, append([]byte{}, c.Value...), []byte("v"))
		} else if w.IntN(2) == 0 {
			return put(ctx, s, s.table, string(row), c.Timestamp, c.Value, []byte("v"))
		}
		return s.Put(ctx, s.table, c)
	case 2:
		if !w.mixed {
			return w.removeRow(ctx, s, row)
		}
		_, err = s.PutIfAbsent(ctx, s.table, c)
		return err
	case 3:
		if c.Qualifier = []byte("x"); w.mixed {
			c.Qualifier = []byte("a")
		}
		_, err = s.PutNext(ctx, s.table, c)
		return err
	case 4:
		return w.removeNewest(ctx, s, row)
	}
	return s.DeleteColumn(ctx, s.table, row, c.Qualifier)
}

// find passes to the transaction what a row has.
func (w *random) find(s *side, row []byte) error {
	if err := s.LockRow(w.Context(), s.table, row, kv.RowLock{}); err != nil {
		return err
	}
	all, err := read(w.Context(), s, s.table, &kv.Scan{MaxVersions: 1, Ranges: rowRange(row)})
	if err != nil {
		return err
	}
	return s.Txn.(kv.Indexed).Found(s.table, row, all)
}

func rowRange(row []byte) []kv.Range {
	return []kv.Range{{Start: kv.Position{Row: row, Depth: kv.DepthRow}, End: kv.Position{Row: row, Depth: kv.DepthRow, After: true}}}
}

// removeNewest deletes the newest version of each column of a row.
func (w *random) removeNewest(ctx context.Context, s *side, row []byte) error {
	all, err := read(ctx, s, s.table, &kv.Scan{MaxVersions: 1, Ranges: rowRange(row)})
	if err != nil {
		return err
	}
	for _, c := range all {
		if err := s.DeleteVersion(ctx, s.table, row, c.Qualifier, c.Timestamp); err != nil {
			return err
		}
	}
	return nil
}

func (w *random) removeRow(ctx context.Context, s *side, row []byte) error {
	for _, q := range []string{"", "a", "b", "x"} {
		if err := s.DeleteColumn(ctx, s.table, row, []byte(q)); err != nil {
			return err
		}
	}
	return nil
}

func (w *random) end() {
	for i := range w.sides {
		if w.sides[i].Txn != nil {
			w.over(&w.sides[i], w.sides[i].Commit(w.Context()))
		}
	}
}
