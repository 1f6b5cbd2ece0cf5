package join

import (
	"cmp"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// hashBuild keeps the right rows of a part, which begin with their keys.
type hashBuild struct{ *spill.Index }

func (k hashBuild) Keep(row []value.Value) (bool, error) {
	err := k.Add(row[0].Raw(), row[1:])
	return k.Spilled(), err
}

func (k hashBuild) End() error   { return nil }
func (k hashBuild) Close() error { return k.Index.Close() }

// readRight reads the right side, in parts if these fit in memory.
func (j *hashJoin) readRight() error {
	j.rows = j.x.Stmt.Space.NewIndex()
	workers := 1
	ok, err := j.readInParts()
	if ok {
		workers = j.parts.Count
	} else if err == nil {
		err = j.readAlone()
	}
	clear(j.x.Env.Row[j.RightFirst:j.RightEnd]) // nothing remains of columns that are not kept
	if err = cmp.Or(err, j.rows.SealBy(workers)); err != nil || j.Anti {
		return err
	}
	return j.rows.Cluster(workers)
}

// readAlone reads the right side on one goroutine.
func (j *hashJoin) readAlone() error {
	right := j.rightReader(j.right, j.x)
	return spill.Each(right.Next, func(row []value.Value) error { return j.rows.Add(row[0].Raw(), row[1:]) })
}

// readInParts returns false if it has kept no row.
func (j *hashJoin) readInParts() (bool, error) {
	if _, begun := j.right.(*pipeline.ReadAhead); begun || slices.ContainsFunc(j.RightKeys, scan.Impure) {
		return false, nil
	}
	if j.parts = pipeline.RowsOf(j.x, j.right, j.RightKeys); j.parts == nil {
		return false, nil
	}
	j.parts.Bounded(pipeline.KeptCell)
	next := func(child op.Operator, x *op.Frame) func() ([]value.Value, error) {
		return j.rightReader(child, x).Next
	}
	j.parts.Keeping(next, func() pipeline.Keeper { return hashBuild{j.x.Stmt.Space.NewIndex()} })
	ok, err := j.parts.ReadParts()
	if !ok || err != nil {
		return false, err
	}
	for _, each := range j.parts.Parts {
		j.rows.Take(each.(*pipeline.RowPart).Keep.(hashBuild).Index)
	}
	return true, nil
}

// rightReader returns the kept columns, after the key, of right rows that may join. If they come in
// batches, nothing else is read of these.
type rightReader struct {
	*Join
	x     *op.Frame
	child op.Input
	batch *pipeline.BatchRows
	key   []byte
	row   []value.Value
}

func (j *hashJoin) rightReader(child op.Operator, x *op.Frame) *rightReader {
	nodes := slices.Clone(j.RightKeys)
	for _, c := range j.Kept {
		nodes = append(nodes, &expr.Column{Index: c})
	}
	r := &rightReader{Join: j.Join, x: x, child: op.Input{Operator: child}, row: make([]value.Value, 1+len(j.Kept))}
	r.batch = pipeline.RowsInBatches(&r.child, nodes)
	return r
}

func (r *rightReader) Next() ([]value.Value, error) {
	for {
		row, err := r.batch.Next()
		known := false
		switch {
		case err != nil:
			return nil, err
		case row != nil:
			known = r.ofBatch(row)
		default:
			if ok, err := r.child.Row(op.AllRows); !ok || err != nil {
				return nil, err
			}
			if known, err = r.ofFrame(r.child.Env()); err != nil {
				return nil, err
			}
		}
		if err := r.x.Tick(); err != nil {
			return nil, err
		}
		if known {
			r.row[0] = value.NewBytes(r.key)
			return r.row, nil
		}
	}
}

// ofBatch takes a row, and reports whether it may join: its key has no NULL.
func (r *rightReader) ofBatch(row []value.Value) bool {
	keys := row[:len(r.RightKeys)]
	r.key = value.AppendKeys(r.key[:0], keys)
	copy(r.row[1:], row[len(keys):])
	return !slices.ContainsFunc(keys, value.Value.IsNull) || r.keepsAll()
}

// keepsAll reports whether a row that equals nothing is kept, because it may join any row. It gets
// a key that no row has.
func (r *rightReader) keepsAll() bool {
	r.key = append(r.key[:0], 0xff)
	return r.Unsure
}

// ofFrame is ofBatch for the row in a frame.
func (r *rightReader) ofFrame(env *expr.Env) (known bool, err error) {
	sure := true
	mark := env.Held.Mark()
	if r.Unsure {
		r.key, known, sure = op.TryKeys(r.x, r.key[:0], r.RightKeys, env)
	} else {
		r.key, known, err = op.AppendKeys(r.key[:0], r.RightKeys, env)
	}
	env.Held.Release(mark)
	if !sure {
		r.key, known = r.key[:0], true
	}
	for at, c := range r.Kept {
		r.row[1+at] = env.Row[c]
	}
	return known || err == nil && r.keepsAll(), err
}
