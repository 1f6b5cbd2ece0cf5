package exec

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// keptJoin reads the right side once, keeps its rows, and joins each left row
// with those of them that have its keys.
type keptJoin struct {
	joining
	right  source
	read   bool
	free   bool        // nobody was promised the left side's order
	turned *lookupJoin // does all instead
	// byKey has the right rows where there are keys, else rows has them.
	byKey *spill.Index
	rows  *spill.List
	known bool // the left row has the keys
	key   []byte
}

func (j *keptJoin) next() (bool, error) {
	if j.turned != nil {
		return j.turned.next()
	}
	if !j.read {
		j.read = true
		if err := j.turn(); err != nil {
			return false, err
		}
		if j.turned != nil {
			return j.turned.next()
		}
		j.left = inBatches(j.left)
		if err := j.readRight(); err != nil {
			return false, err
		}
	}
	return j.nextOf(j)
}

func (j *keptJoin) readRight() error {
	j.right = inBatches(j.right)
	if len(j.RightKeys) > 0 {
		j.byKey = j.x.stmt.space.NewIndex()
	} else {
		j.rows = j.x.stmt.space.NewList()
	}
	for {
		ok, err := j.right.next()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		if err := j.x.tick(); err != nil {
			return err
		}
		if err := j.keep(j.right.env()); err != nil {
			return err
		}
	}
	if j.byKey != nil {
		return j.byKey.Seal()
	}
	return nil
}

// keep keeps the present right row, unless it can join no left one.
func (j *keptJoin) keep(env *expr.Env) error {
	row := env.Row[j.RightFirst:j.RightEnd]
	if j.byKey == nil {
		return j.rows.Add(row)
	}
	known, err := j.makeKey(env, j.RightKeys)
	if !known || err != nil {
		return err
	}
	return j.byKey.Add(j.key, row)
}

// makeKey makes the key of the present row; false where a part of it is NULL,
// which equals nothing.
func (j *keptJoin) makeKey(env *expr.Env, nodes []expr.Node) (bool, error) {
	j.key = j.key[:0]
	for _, n := range nodes {
		v, err := n.Eval(env)
		if err != nil || v.IsNull() {
			return false, err
		}
		j.key = value.AppendKey(j.key, v)
	}
	return true, nil
}

// begin starts to join a left row.
func (j *keptJoin) begin() (err error) {
	j.known = true
	if j.byKey == nil {
		return j.rows.Rewind()
	}
	if j.known, err = j.makeKey(j.left.env(), j.LeftKeys); j.known && err == nil {
		err = j.byKey.Seek(j.key)
	}
	return err
}

// candidate is the next right row that may join, nil where none is left.
func (j *keptJoin) candidate() ([]value.Value, error) {
	switch {
	case !j.known:
		return nil, nil
	case j.byKey == nil:
		return j.rows.Next()
	}
	return j.byKey.Next()
}

func (j *keptJoin) match() (bool, error) { return j.matchAmong(j.candidate, j.On) }

func (j *keptJoin) close() error {
	err := firstError(j.left.close(), j.right.close())
	if j.turned != nil && j.turned.right != nil {
		err = firstError(err, j.turned.closeRight())
	}
	if j.byKey != nil {
		err = firstError(err, j.byKey.Close())
	}
	if j.rows != nil {
		err = firstError(err, j.rows.Close())
	}
	return err
}
