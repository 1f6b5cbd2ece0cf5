package op

import "github.com/hbasekv/hbasekv/sqlfront/value"

// Keys are values that are known when their reader is opened. In a plan, their address identifies
// them.
type Keys struct{ _ byte }

type keysIn struct {
	keys *Keys
	x    *Frame
}

type keyList struct{ values []value.Value }

// Keep sets the keys for operators that are opened in a frame; nil removes them.
func (k *Keys) Keep(x *Frame, values []value.Value) {
	KeepAs(x.Stmt, keysIn{k, x}, &keyList{values})
}

// In returns the keys that are set in a frame.
func (k *Keys) In(x *Frame) []value.Value {
	if list := Kept[keyList](x.Stmt, keysIn{k, x}); list != nil {
		return list.values
	}
	return nil
}
