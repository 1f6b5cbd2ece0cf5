package sysvar

import (
	"maps"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/quota"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// UserVars are a session's user variables: @name. Names are not case-sensitive.
type UserVars struct {
	Memory *quota.Memory // in which the variables are counted
	values map[string]value.Value
	bytes  int64
}

// userVariableBytes is the approximate memory of a user variable besides its name and value.
const userVariableBytes = 160

func userVariableSize(name string, v value.Value) int64 {
	return int64(userVariableBytes + len(name) + len(v.Raw()))
}

// Value is the value of a variable, NULL if it has none. Its bytes must not be changed.
func (u *UserVars) Value(name string) value.Value { return u.values[strings.ToLower(name)] }

// Set stores a copy of the value; NULL removes the variable. The error is 1041 if there is no memory for it.
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

// Clear removes all variables.
func (u *UserVars) Clear() {
	u.values = nil
	u.Memory.Shrink(&u.bytes, 0)
}

// SavedUser are variables to restore.
type SavedUser struct {
	values map[string]value.Value
	bytes  int64
}

// Save copies the variables, for Restore.
func (u *UserVars) Save() SavedUser { return SavedUser{maps.Clone(u.values), u.bytes} }

// Restore restores what Save returned, whose memory was within the limit.
func (u *UserVars) Restore(saved SavedUser) {
	u.values = saved.values
	u.Memory.Give(u.bytes - saved.bytes)
	u.bytes = saved.bytes
}
