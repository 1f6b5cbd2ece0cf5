package expr

import "github.com/hbasekv/hbasekv/sqlfront/value"

// numberSet are the numbers of an IN list by their values as doubles: values that compare equal in any class
// are also equal as doubles.
type numberSet struct {
	items   map[float64][]*Const
	first   value.Value
	null    bool // an item is NULL
	doubles bool // some items are doubles
}

// numbersOf is nil if the list has fewer than minGiven items, constants or arguments, or items that are not
// numbers.
func numbersOf(x Node, list []Node) *numberSet {
	if len(list) < minGiven || x.Type().Kind.IsTemporal() {
		return nil
	}
	s := &numberSet{items: make(map[float64][]*Const, len(list))}
	for _, item := range list {
		c, ok := item.(*Const)
		switch {
		case !ok || !c.V.IsNull() && !c.V.Kind().IsNumber():
			return nil
		case c.V.IsNull():
			s.null = true
			continue
		}
		s.first, s.doubles = c.V, s.doubles || c.V.Kind() == value.Float
		key := c.V.AsFloat()
		s.items[key] = append(s.items[key], c)
	}
	if len(s.items) == 0 {
		return nil
	}
	return s
}

// tell reports whether a value, which is not NULL, may be looked up. Compared with doubles, a quotient has
// digits that it does not print.
func (s *numberSet) tell(x value.Value) bool {
	if s == nil {
		return false
	}
	return x.IsString() || x.Kind().IsNumber() && !(x.Kind() == value.Decimal && s.doubles)
}

// amongNumbers compares a value with the items that it may equal. A string that is not a number warns only
// once, however long the list is.
func (n *In) amongNumbers(env *Env, x value.Value, s *numberSet) (tri, error) {
	items := s.items[x.Printed().AsFloat()]
	if len(items) == 0 {
		if err := env.CheckNumber(x, s.first); err != nil {
			return isNull, err
		}
	}
	for _, item := range items {
		if t, err := compareValues(env, Eq, x, item.V, n.X, item); err != nil || t == isTrue {
			return t, err
		}
	}
	if s.null {
		return isNull, nil
	}
	return isFalse, nil
}

// ConstantList reports whether the items read only arguments and constants, and their number does not matter.
func (n *In) ConstantList() bool {
	s := &n.items
	return n.arguments || s.strings != nil || s.ints != nil || s.numbers != nil || s.rows != nil
}
