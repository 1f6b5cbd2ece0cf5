package exec

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// tupleSet are the rows of a subquery that rows of values with NULLs in the same columns are
// looked for among. All values are binary strings or integers, those of a column alike.
type tupleSet struct {
	set   *spill.Index
	kinds []value.Kind
	nulls uint64 // the columns in which what is looked for is NULL, a bit each
	// left are columns that rows are found without, since they or what is looked for have NULLs
	// there: nobody knows then whether that is in the set.
	left []uint64
	key  []byte
}

// newTupleSet is nil where some column has other values.
func newTupleSet(space *spill.Space, rows *spill.List, types []value.Type, nulls uint64) (*tupleSet, error) {
	t := &tupleSet{set: space.NewIndex(), nulls: nulls}
	for _, column := range types {
		t.kinds = append(t.kinds, column.Kind)
	}
	other := func(k value.Kind) bool { return k != value.Bytes && k != value.Int }
	if len(types) > 64 || slices.ContainsFunc(t.kinds, other) {
		return nil, nil
	}
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
	if !t.setKey(row, left) {
		return errNoSet
	}
	return t.set.Add(t.key, nil)
}

// nullsOf are the columns of a row that are NULL.
func nullsOf(row []value.Value) (nulls uint64) {
	for i, v := range row {
		if v.IsNull() {
			nulls |= 1 << i
		}
	}
	return nulls
}

// setKey sets the key to that of a row without some columns; false where another one is of
// another kind.
func (t *tupleSet) setKey(row []value.Value, left uint64) bool {
	t.key = t.key[:0]
	for i, v := range row {
		if left>>i&1 == 1 {
			v = value.Value{}
		} else if v.Kind() != t.kinds[i] {
			return false
		}
		t.key = value.AppendKey(t.key, v)
	}
	return true
}

// contains answers IN for a row; ok is false where the set cannot tell.
func (t *tupleSet) contains(row []value.Value) (in value.Value, ok bool, err error) {
	if !t.setKey(row, t.nulls) {
		return value.Value{}, false, nil
	}
	if t.nulls == 0 {
		if found, err := t.set.Has(t.key); found || err != nil {
			return value.NewBool(true), true, err
		}
	}
	for _, left := range t.left {
		t.setKey(row, left)
		if found, err := t.set.Has(t.key); found || err != nil {
			return value.Value{}, true, err
		}
	}
	return value.NewBool(false), true, nil
}

// indexTuples makes the set for rows without NULLs, if there can be one.
func (k *keptResult) indexTuples(space *spill.Space, types []value.Type) error {
	t, err := newTupleSet(space, k.list, types, 0)
	if t != nil {
		k.tuples = map[uint64]*tupleSet{0: t}
	}
	return err
}

// inTuples answers IN for a row of values by a set; ok is false where it cannot tell.
func (s *Subquery) inTuples(env *expr.Env, run *statement, k *keptResult) (in value.Value, ok bool, err error) {
	left, several := s.Use.Left.(*expr.Tuple)
	if !several || len(left.Items) != len(s.Query.Types) {
		return value.Value{}, false, nil
	}
	row := make([]value.Value, len(left.Items))
	for i, n := range left.Items {
		if row[i], err = n.Eval(env); err != nil {
			return value.Value{}, false, err
		}
	}
	nulls := nullsOf(row)
	if k.tuples[nulls] == nil {
		if k.tuples[nulls], err = newTupleSet(&run.space, k.list, s.Query.Types, nulls); err != nil {
			return value.Value{}, false, err
		}
	}
	return k.tuples[nulls].contains(row)
}
