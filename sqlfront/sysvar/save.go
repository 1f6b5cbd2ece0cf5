package sysvar

import (
	"maps"

	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/versions"
)

// Saved are variables to go back to.
type Saved struct {
	values map[string]value.Value
	view   versions.View
}

// Save is a copy of the variables, for Restore.
func (v *Vars) Save() Saved { return Saved{maps.Clone(v.values), v.View} }

// Restore takes what was saved.
func (v *Vars) Restore(saved Saved) {
	v.values, v.View = saved.values, saved.view
	v.memory.Shrink(&v.bytes, v.size())
	v.settle()
}

// smallText is how long the value of a system variable is that counts for nothing.
const smallText = 256

// Count counts the texts of the variables, after some were assigned: 1041 where they are too many.
func (v *Vars) Count() error { return v.memory.Resize(&v.bytes, v.size()) }

func (v *Vars) size() (n int64) {
	for _, set := range v.values {
		if size := len(set.Raw()); size > smallText {
			n += int64(size)
		}
	}
	return n
}
