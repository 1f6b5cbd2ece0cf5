package sysvar

import (
	"maps"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/quota"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// UserVars are the variables that a session's statements make: @name. Names are as good in
// upper as in lower case.
type UserVars struct {
	Memory *quota.Memory // that the variables count in
	values map[string]value.Value
	bytes  int64
}

// userVariableBytes is about what a user variable takes beside its name and value.
const userVariableBytes = 160

func userVariableSize(name string, v value.Value) int64 {
	return int64(userVariableBytes + len(name) + len(v.Raw()))
}

// Value is that of a variable, NULL where it has none. Its bytes are not to be written.
func (u *UserVars) Value(name string) value.Value { return u.values[strings.ToLower(name)] }

// Set keeps a copy of the value; nothing is kept of NULL, which all others are. 1041 where there
// is no memory for it.
func (u *UserVars) Set(name string, v value.Value) error {
	name, v = strings.ToLower(name), function.Assigned(v)
	bytes := u.bytes
	if old, ok := u.values[name]; ok {
		bytes -= userVariableSize(name, old)
	}
	if v.IsNull() {
		delete(u.values, name)
		return u.Memory.Resize(&u.bytes, bytes)
	}
	if err := u.Memory.Resize(&u.bytes, bytes+userVariableSize(name, v)); err != nil {
		return err
	}
	if u.values == nil {
		u.values = map[string]value.Value{}
	}
	u.values[name] = v.Clone()
	return nil
}

// Clear gives all up.
func (u *UserVars) Clear() {
	u.values = nil
	u.Memory.Shrink(&u.bytes, 0)
}

// SavedUser are variables to go back to.
type SavedUser struct {
	values map[string]value.Value
	bytes  int64
}

// Save is a copy of the variables, for Restore.
func (u *UserVars) Save() SavedUser { return SavedUser{maps.Clone(u.values), u.bytes} }

// Restore takes what was saved, whose size was not refused then.
func (u *UserVars) Restore(saved SavedUser) {
	u.values = saved.values
	u.Memory.Give(u.bytes - saved.bytes)
	u.bytes = saved.bytes
}
