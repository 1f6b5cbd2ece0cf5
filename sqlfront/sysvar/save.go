package sysvar

import (
	"maps"

	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/versions"
)

// Saved are variables to restore.
type Saved struct {
	values map[string]value.Value
	view   versions.View
}

// Save copies the variables, for Restore.
func (v *Vars) Save() Saved { return Saved{maps.Clone(v.values), v.View} }

// Restore restores what Save returned.
func (v *Vars) Restore(saved Saved) {
	v.values, v.View = saved.values, saved.view
	v.memory.Shrink(&v.bytes, v.size())
	v.settle()
}

// smallText is the length up to which a variable's value is not counted.
const smallText = 256

// Count counts the memory of the variables' texts, after assignments; the error is 1041 if there is too much.
func (v *Vars) Count() error { return v.memory.Resize(&v.bytes, v.size()) }

func (v *Vars) size() (n int64) {
	for _, set := range v.values {
		if size := len(set.Raw()); size > smallText {
			n += int64(size)
		}
	}
	return n
}
