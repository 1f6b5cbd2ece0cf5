package op

import "github.com/hbasekv/hbasekv/sqlfront/value"

// Keys are values that are known when what reads them is opened. In a plan they tell themselves from others.
type Keys struct{ _ byte }

type keysIn struct {
	keys *Keys
	x    *Frame
}

type keyList struct{ values []value.Value }

// Keep has the keys known to those who are opened in a frame; nil are none.
func (k *Keys) Keep(x *Frame, values []value.Value) {
	KeepAs(x.Stmt, keysIn{k, x}, &keyList{values})
}

// In are the keys that are known in a frame.
func (k *Keys) In(x *Frame) []value.Value {
	if list := Kept[keyList](x.Stmt, keysIn{k, x}); list != nil {
		return list.values
	}
	return nil
}
