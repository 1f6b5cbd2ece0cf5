package expr

import (
	"encoding/binary"

	"github.com/hbasekv/hbasekv/sqlfront/collation"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// constantSets are the constants of an IN list as sets, so that a long list costs no more per row than a
// short one. Sets that do not cover the whole list are nil.
type constantSets struct {
	// strings are the items' bytes if all are strings, for a binary operand; texts are their keys in a
	// collation, for a text with that collation.
	strings, texts map[string]bool
	by             collation.Collation
	// ints are the items if all are integers, for an integer operand.
	ints map[int64]bool
	// numbers are the items if all are numbers or NULL.
	numbers *numberSet
	// rows are the keys of the items, see appendRowKey, if the operand is a row of binary string and integer
	// columns and the items have such values.
	rows map[string]bool
}

// minTexts is the shortest list for whose weights a set is worthwhile.
const minTexts = 8

// Lists are the sets of lists of arguments, for one execution of a statement on one goroutine.
type Lists struct{ sets map[*In]*constantSets }

const (
	// minGiven is the shortest list of arguments that becomes sets.
	minGiven = 9
	// maxLists bounds the number of sets: an IN in which an operand replaces a column is a new one each time.
	maxLists = 64
)

// ofArguments reports whether a list has only arguments and constants.
func ofArguments(list []Node) bool {
	found := false
	for _, item := range list {
		switch n := item.(type) {
		case *Const:
		case *Param:
			found = true
		case *Tuple:
			found = found || ofArguments(n.Items)
		default:
			return false
		}
	}
	return found
}

// sets are the sets of the list, with env's values for its arguments.
func (n *In) sets(env *Env) *constantSets {
	if !n.arguments || env.Lists == nil {
		return &n.items
	}
	if s := env.Lists.sets[n]; s != nil {
		return s
	}
	s := setsOf(n.X, n.given(env.Params))
	if len(env.Lists.sets) == maxLists {
		clear(env.Lists.sets)
	}
	if env.Lists.sets == nil {
		env.Lists.sets = map[*In]*constantSets{}
	}
	env.Lists.sets[n] = &s
	return &s
}

// given is the list with constants for the arguments.
func (n *In) given(params []value.Value) []Node {
	list := make([]Node, len(n.List))
	for i, item := range n.List {
		list[i] = IntFor(n.X, Rewrite(item, func(n Node) Node {
			if p, ok := n.(*Param); ok && p.Index < len(params) {
				return &Const{V: params[p.Index], Hex: p.Hex}
			}
			return n
		}))
	}
	return list
}

func setsOf(x Node, list []Node) constantSets {
	if t, ok := x.(*Tuple); ok {
		return constantSets{rows: rowSet(t, list)}
	}
	strings, texts, ints := 0, 0, 0
	var s constantSets
	mixed := false
	for _, item := range list {
		c, ok := item.(*Const)
		switch {
		case !ok:
			return constantSets{}
		case c.V.Kind() == value.Int:
			ints++
		case c.V.Kind() == value.Text:
			texts++
			strings++
			mixed = mixed || texts > 1 && c.V.Collation() != s.by
			s.by = c.V.Collation()
		case c.V.IsString():
			strings++
		}
	}
	s.numbers = numbersOf(x, list)
	switch n := len(list); {
	case n == 0:
	case ints == n:
		s.ints = make(map[int64]bool, n)
		for _, item := range list {
			s.ints[item.(*Const).V.Int()] = true
		}
	case strings == n:
		s.strings = stringSet(list, func(b []byte) string { return string(b) })
		if texts == n && !mixed && n >= minTexts && x.Type().Kind != value.Bytes {
			s.texts = stringSet(list, func(b []byte) string { return string(s.by.AppendKey(nil, b)) })
		}
	}
	return s
}

func stringSet(list []Node, key func([]byte) string) map[string]bool {
	out := make(map[string]bool, len(list))
	for _, item := range list {
		out[key(item.(*Const).V.Raw())] = true
	}
	return out
}

// Sets are the items of a list of only strings, or only integers, if they are kept as a set; otherwise ok is
// false. They must not be changed.
func (n *In) Sets(env *Env) (strings map[string]bool, ints map[int64]bool, ok bool) {
	s := n.sets(env)
	return s.strings, s.ints, s.strings != nil || s.ints != nil
}

// contain reports whether x, which is not NULL, is an item; known is false if the sets do not tell.
func (s *constantSets) contain(x value.Value) (found, known bool) {
	switch {
	case x.Kind() == value.Bytes && s.strings != nil:
		return s.strings[string(x.Raw())], true
	case x.Kind() == value.Int && s.ints != nil:
		return s.ints[x.Int()], true
	case x.Kind() == value.Text && s.texts != nil && x.Collation() == s.by:
		return s.texts[string(s.by.AppendKey(nil, x.Raw()))], true
	}
	return false, false
}

// rowSet are the keys of rows of constants, nil if these or the operand's columns are of kinds that cannot be
// looked up.
func rowSet(x *Tuple, list []Node) map[string]bool {
	for _, n := range x.Items {
		c, ok := n.(*Column)
		if !ok || c.T.Kind != value.Bytes && c.T.Kind != value.Int {
			return nil
		}
	}
	out := make(map[string]bool, len(list))
	var key []byte
	for _, item := range list {
		t, ok := item.(*Tuple)
		if !ok || len(t.Items) != len(x.Items) {
			return nil
		}
		key = key[:0]
		for i, n := range t.Items {
			c, constant := n.(*Const)
			if !constant {
				return nil
			}
			if key, ok = appendRowKey(key, x.Items[i].(*Column).T.Kind, c.V); !ok {
				return nil
			}
		}
		out[string(key)] = true
	}
	return out
}

// appendRowKey appends bytes that are equal for values that compare equal to a value of a column of that
// kind; ok is false for NULL and other kinds of values.
func appendRowKey(key []byte, kind value.Kind, v value.Value) (_ []byte, ok bool) {
	switch {
	case kind == value.Int && v.Kind() == value.Int:
		return binary.BigEndian.AppendUint64(key, uint64(v.Int())), true
	case kind == value.Bytes && v.IsString():
		key = binary.AppendUvarint(key, uint64(len(v.Raw())))
		return append(key, v.Raw()...), true
	}
	return key, false
}

// containRow is contain for a row of columns.
func (s *constantSets) containRow(x *Tuple, env *Env) (found, known bool, err error) {
	if s.rows == nil {
		return false, false, nil
	}
	var buf [64]byte
	key := buf[:0]
	for _, n := range x.Items {
		var tmp value.Value
		v, err := refer(n, env, &tmp)
		if err != nil {
			return false, false, err
		}
		var ok bool
		if key, ok = appendRowKey(key, n.(*Column).T.Kind, *v); !ok {
			return false, false, nil
		}
	}
	return s.rows[string(key)], true, nil
}
