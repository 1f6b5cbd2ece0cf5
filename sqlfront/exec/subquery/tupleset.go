package subquery

import (
	"math/bits"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// tupleSet has the rows of a subquery, to be searched for rows with NULLs in the same columns. The
// values of a column are of one kind.
type tupleSet struct {
	set   *spill.Index
	kinds []value.Kind // Null for a column with only NULLs
	nulls uint64       // bits of the columns in which the rows to be found are NULL
	// left are sets of columns without which rows are searched, because they or the searched rows
	// have NULLs there: a match then means that the result is unknown.
	left []uint64
	key  []byte // of the row being added
}

// maxTuple is the maximum number of columns of a set.
const maxTuple = 64

// newTupleSet returns nil if the values of some column cannot be compared by their keys.
func newTupleSet(space *spill.Space, rows *spill.List, columns int, nulls uint64) (*tupleSet, error) {
	if columns > maxTuple {
		return nil, nil
	}
	t := &tupleSet{set: space.NewIndex(), kinds: make([]value.Kind, columns), nulls: nulls}
	if err := rows.Rewind(); err != nil {
		return nil, err
	}
	err := spill.Each(rows.Next, t.add)
	if err == errNoSet {
		return nil, t.set.Close()
	}
	if err != nil {
		return nil, err
	}
	return t, t.set.Seal()
}

func (t *tupleSet) add(row []value.Value) error {
	left := t.nulls | nullsOf(row)
	if left != 0 && !slices.Contains(t.left, left) {
		t.left = append(t.left, left)
	}
	for i, v := range row {
		if t.kinds[i] == value.Null && left>>i&1 == 0 {
			t.kinds[i] = v.Kind()
		}
	}
	var ok bool
	if t.key, ok = t.appendKey(t.key[:0], row, left); !ok {
		return errNoSet
	}
	return t.set.Add(t.key, nil)
}

// nullsOf returns the bits of the columns of a row that are NULL.
func nullsOf(row []value.Value) (nulls uint64) {
	for i, v := range row {
		if v.IsNull() {
			nulls |= 1 << i
		}
	}
	return nulls
}

// appendKey appends the key of a row without some columns; it returns false if another column is of
// another kind.
func (t *tupleSet) appendKey(dst []byte, row []value.Value, left uint64) ([]byte, bool) {
	for i, v := range row {
		if left>>i&1 == 1 {
			v = value.Value{}
		} else if kind := t.kinds[i]; kind != v.Kind() && kind != value.Null {
			return dst, false
		}
		dst = value.AppendKey(dst, v)
	}
	return dst, true
}

// contains answers IN for a row; ok is false if the set cannot decide.
func (t *tupleSet) contains(row []value.Value) (in value.Value, ok bool, err error) {
	var buf [64]byte
	key, ok := t.appendKey(buf[:0], row, t.nulls)
	if !ok {
		return value.Value{}, false, nil
	}
	if t.nulls == 0 {
		if found, err := t.set.Has(key); found || err != nil {
			return value.NewBool(true), true, err
		}
	}
	for _, left := range t.left {
		key, _ = t.appendKey(buf[:0], row, left)
		if found, err := t.set.Has(key); found || err != nil {
			return value.Value{}, true, err
		}
	}
	return value.NewBool(false), true, nil
}

// index makes the set for rows without NULLs, if possible.
func (k *keptResult) index(space *spill.Space, columns int) error {
	t, err := newTupleSet(space, k.list, columns, 0)
	if t != nil {
		k.space, k.sets = space, map[uint64]*tupleSet{0: t}
	}
	return err
}

// contains answers IN for a row of values by a set; ok is false if it cannot decide. A row with
// only NULLs is not searched.
func (k *keptResult) contains(row []value.Value) (in value.Value, ok bool, err error) {
	nulls := nullsOf(row)
	switch {
	case k.count == 0:
		return value.NewBool(false), true, nil
	case bits.OnesCount64(nulls) == len(row):
		return value.Value{}, true, nil
	case k.sets[nulls] == nil:
		if k.sets[nulls], err = newTupleSet(k.space, k.list, len(row), nulls); err != nil {
			return value.Value{}, false, err
		}
	}
	return k.sets[nulls].contains(row)
}

// inSet answers IN by the sets of a kept result; ok is false if they cannot decide.
func (s *Subquery) inSet(env *expr.Env, run *op.Statement) (in value.Value, ok bool, err error) {
	if s.Use.Kind != expr.SubqueryIn || !s.Once() {
		return value.Value{}, false, nil
	}
	kept, err := s.keep(run)
	if err != nil || kept.sets == nil {
		return value.Value{}, false, err
	}
	left := []expr.Node{s.Use.Left}
	if t, several := s.Use.Left.(*expr.Tuple); several {
		left = t.Items
	}
	if len(left) != len(s.Query.Types) {
		return value.Value{}, false, nil
	}
	var buf [4]value.Value
	row := buf[:0]
	for _, n := range left {
		v, err := n.Eval(env)
		if err != nil {
			return value.Value{}, false, err
		}
		row = append(row, v)
	}
	in, ok, err = kept.contains(row)
	if truth, null := value.Truth(in); ok && s.Use.Not && !null {
		in = value.NewBool(!truth)
	}
	return in, ok, err
}
