package correlated

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Keys distinguish partners. A sure value may be of any kind; the others must be of one kind, that of
// the first partner.
type Keys struct {
	sure  []bool
	kinds []value.Kind // Null before the first partner
}

// NewKeys returns the keys for no partners yet.
func NewKeys(sure []bool) Keys { return Keys{sure: sure, kinds: make([]value.Kind, len(sure))} }

// Len is the number of values of a key.
func (k *Keys) Len() int { return len(k.sure) }

// Take adds the key of a partner, which must not have NULLs. It returns false if values cannot be
// distinguished: they are of several kinds, or of kinds with their own rules of comparison.
func (k *Keys) Take(key []value.Value) bool {
	for i, v := range key {
		if k.sure[i] {
			continue
		}
		if k.kinds[i] == value.Null {
			k.kinds[i] = v.Kind()
		}
		if kind := v.Kind(); kind != k.kinds[i] || kind != value.Int && kind != value.Bytes && kind != value.Float {
			return false
		}
	}
	return true
}

// Tell reports whether keys of outer rows, computed by these expressions, are of the partners' kinds.
func (k *Keys) Tell(own []expr.Node) bool {
	for i, n := range own {
		kind := n.Type().Kind
		if kind == value.Text {
			kind = value.Bytes
		}
		if !k.sure[i] && k.kinds[i] != value.Null && k.kinds[i] != kind {
			return false
		}
	}
	return true
}

// AppendAll appends the key of the outer row in env. equals is false if no partner equals it; ok is
// false if the key does not decide which do. Errors are those of the expressions.
func (k *Keys) AppendAll(to []byte, own []expr.Node, env *expr.Env) (key []byte, equals, ok bool, err error) {
	equals, ok = true, true
	for i, n := range own {
		v, err := n.Eval(env)
		if err != nil {
			return to, false, false, err
		}
		var same bool
		if to, same, ok = k.append(to, i, v); !ok {
			return to, false, false, nil
		}
		equals = equals && same
	}
	return to, equals, true, nil
}

// append is AppendAll for one value.
func (k *Keys) append(to []byte, i int, v value.Value) (key []byte, equals, ok bool) {
	switch kind := v.Kind(); {
	case kind == value.Null, !k.sure[i] && k.kinds[i] == value.Null: // no partner has a key
		return to, false, true
	case k.sure[i]:
	case kind == value.Text && k.kinds[i] == value.Bytes:
		v = value.NewBytes(v.Raw())
	case kind != k.kinds[i]:
		return to, false, false
	}
	return value.AppendKey(to, v), true, true
}
