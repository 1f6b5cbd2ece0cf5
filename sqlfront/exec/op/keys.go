package op

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// AppendKeys appends the keys of a row; known is false if a key is NULL, which equals nothing.
// Errors are those of the expressions.
func AppendKeys(to []byte, nodes []expr.Node, env *expr.Env) (key []byte, known bool, err error) {
	for _, n := range nodes {
		v, err := n.Eval(env)
		if err != nil || v.IsNull() {
			return to, false, err
		}
		to = value.AppendKey(to, v)
	}
	return to, true, nil
}

// TryKeys is AppendKeys for expressions that may fail or warn. If one does, the key is not sure,
// and nothing is reported, because the condition may never be evaluated for a pair with this row. A
// condition after one that is NULL is still evaluated, and so are all keys.
func TryKeys(x *Frame, to []byte, nodes []expr.Node, env *expr.Env) (key []byte, known, sure bool) {
	known = true
	warnings, err := x.Apart(func() error {
		for _, n := range nodes {
			v, err := n.Eval(env)
			if err != nil {
				return err
			}
			to, known = value.AppendKey(to, v), known && !v.IsNull()
		}
		return nil
	})
	return to, known, err == nil && len(warnings) == 0
}

// Finder finds the rows with the keys of many rows at once. It is for one goroutine.
type Finder struct {
	text  []byte // of the keys
	ends  []int32
	Found []spill.Found
}

// Find returns, for each of the rows, whose keys are columns, the rows in an index in memory. The
// result is valid until the next call.
func (f *Finder) Find(in *spill.Index, keys []*value.Vector, rows []int32) []spill.Found {
	f.text, f.ends = f.text[:0], f.ends[:0]
	for _, i := range rows {
		f.text = appendKeyAt(f.text, keys, i)
		f.ends = append(f.ends, int32(len(f.text)))
	}
	f.Found = in.FindAll(f.Found[:0], f.text, f.ends)
	return f.Found
}

// appendKeyAt is AppendKeys for columns; if a key is NULL it appends nothing, which is the key of
// no row.
func appendKeyAt(text []byte, keys []*value.Vector, i int32) []byte {
	start := len(text)
	for _, v := range keys {
		if v.IsNull(i) {
			return text[:start]
		}
		text = v.AppendKey(text, i)
	}
	return text
}

func IsAt(n expr.Node, column int) bool {
	c, ok := n.(*expr.Column)
	return ok && column >= 0 && c.Index == column
}
