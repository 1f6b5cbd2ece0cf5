package join

import (
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/exec/cost"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Among is the right side of a join that reads only rows with one of the left side's keys: it looks many up
// at once, which is faster than one by one.
type Among struct {
	// Rows reads the rows with the keys in Keys; Key is the key over the left side.
	Rows op.Node
	Key  expr.Node
	Keys *op.Keys
}

const (
	// amongCells is how many cells can be read and kept in the time in which one of many keys is looked up.
	amongCells = 64
	// mostAmong limits the number of keys.
	mostAmong = 4096
)

// instead opens Rows with the keys of all rows ahead, if there are so few that it costs less than reading the
// right side, which it closes; otherwise it returns right.
func (a *Among) instead(x *op.Frame, ahead *pipeline.ReadAhead, right op.Operator) (op.Operator, error) {
	base := scan.Bottom(right)
	if base == nil || x.Lock != nil {
		return right, nil
	}
	most := int64(mostAmong)
	if !x.Context.Limits().Forced() {
		e, _ := base.Size(cost.LooksJoined)
		if most = min(most, e.Stored/amongCells); most <= maxLookups {
			return right, nil
		}
	}
	all, err := ahead.Read(int(most))
	if !all || err != nil {
		return right, err
	}
	keys, err := a.keysOf(x, ahead)
	if err = cmp.Or(err, right.Close()); err != nil {
		return nil, err
	}
	a.Keys.Keep(x, keys)
	defer a.Keys.Keep(x, nil)
	rows, _, err := a.Rows.Open(x, op.Desired{})
	return rows, err
}

// keysOf returns the distinct keys of the rows ahead, without NULL.
func (a *Among) keysOf(x *op.Frame, ahead *pipeline.ReadAhead) (keys []value.Value, err error) {
	present := op.CloneRow(x.Env.Row[ahead.First:ahead.End])
	defer copy(x.Env.Row[ahead.First:ahead.End], present)
	seen := map[string]bool{}
	var text []byte
	for _, row := range ahead.Rows {
		copy(x.Env.Row[ahead.First:ahead.End], row)
		v, err := a.Key.Eval(&x.Env)
		if err != nil {
			return nil, err
		}
		if text = value.AppendKey(text[:0], v); v.IsNull() || seen[string(text)] {
			continue
		}
		seen[string(text)] = true
		keys = append(keys, v.Clone())
	}
	return keys, nil
}
