package exec

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// keptRight keeps the right rows of a part by their keys, which they begin with.
type keptRight struct{ *spill.Index }

func (k keptRight) add(row []value.Value) (bool, error) {
	err := k.Add(row[0].Raw(), row[1:])
	return k.Spilled(), err
}

func (k keptRight) end() error   { return nil }
func (k keptRight) close() error { return k.Close() }

// readRight reads the right side, in parts where these fit into memory.
func (j *keptJoin) readRight() error {
	j.rows = j.x.stmt.space.NewIndex()
	ok, err := j.readInParts()
	if !ok && err == nil {
		err = j.readAlone()
	}
	return firstError(err, j.rows.Seal())
}

// readInParts reports false where it has kept no row.
func (j *keptJoin) readInParts() (bool, error) {
	if _, begun := j.right.(*readAhead); begun || slices.ContainsFunc(j.RightKeys, impure) {
		return false, nil
	}
	if j.parts = j.x.parallelRows(j.right, j.RightKeys); j.parts == nil {
		return false, nil
	}
	j.parts.bounded(keptCell)
	j.parts.keeping(j.rightRows, func() rowKeeper { return keptRight{j.x.stmt.space.NewIndex()} })
	ok, err := j.parts.readParts()
	if !ok || err != nil {
		return false, err
	}
	for _, each := range j.parts.parts {
		j.rows.Take(each.(*rowPart).keep.(keptRight).Index)
	}
	return true, nil
}

// rightRows gives the right rows of a part behind their keys, those that may join.
func (j *keptJoin) rightRows(child source, _ *frame) func() ([]value.Value, error) {
	keys := &keptJoin{}
	row := make([]value.Value, 1+j.RightEnd-j.RightFirst)
	return func() ([]value.Value, error) {
		for {
			if ok, err := child.next(); !ok || err != nil {
				return nil, err
			}
			known, err := keys.makeKey(child.env(), j.RightKeys)
			if err != nil {
				return nil, err
			}
			if known {
				row[0] = value.NewBytes(keys.key)
				copy(row[1:], child.env().Row[j.RightFirst:j.RightEnd])
				return row, nil
			}
		}
	}
}
