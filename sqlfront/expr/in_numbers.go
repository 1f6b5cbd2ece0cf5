package expr

import "github.com/hbasekv/hbasekv/sqlfront/value"

// numberSet are the numbers of an IN list by what they are as doubles: whatever two values are
// compared as, those that are equal are so as doubles.
type numberSet struct {
	items   map[float64][]*Const
	first   value.Value
	null    bool // is an item
	doubles bool // are among the items
}

// numbersOf is nil where the list has other items, or few, of arguments as of constants.
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

// tell reports whether a value, which is not NULL, may be looked up. Beside a double a quotient
// has digits that it does not print.
func (s *numberSet) tell(x value.Value) bool {
	if s == nil {
		return false
	}
	return x.IsString() || x.Kind().IsNumber() && !(x.Kind() == value.Decimal && s.doubles)
}

// amongNumbers compares a value with those items that it may equal: a string that is no number
// warns once, however long the list is.
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

// ConstantList reports whether all that the items read is arguments and constants, and their
// number does not matter.
func (n *In) ConstantList() bool {
	s := &n.items
	return n.arguments || s.strings != nil || s.ints != nil || s.numbers != nil || s.rows != nil
}
