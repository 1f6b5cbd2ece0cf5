package sysvar

import (
	"fmt"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/charset"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Assignment is one assignment of a SET.
type Assignment struct {
	Name    string
	Value   value.Value
	Default bool // instead of the value
	Global  bool // of SET GLOBAL
	// Next is true for SET @@transaction_isolation and similar ones, which apply to the next transaction
	// only: Assign checks these and returns them without storing anything.
	Next bool
}

// Assign checks an assignment and stores its value. An assignment for the next transaction only is returned
// instead. The errors are 1193 for an unknown variable, 1238, 1228 and 1229 for one that does not have the
// scope or cannot be set, 1231, 1232 and 1298 for invalid values, 1115 and 1273 for unknown character sets
// and collations, and 1235 for values that are not supported.
func (v *Vars) Assign(a *Assignment) (TxOptions, error) {
	name := canonical(a.Name)
	known, ok := variables[name]
	if !ok {
		return TxOptions{}, unknownVariable(a.Name)
	}
	if err := checkScope(a, name, known); err != nil {
		return TxOptions{}, err
	}
	if bounds, ok := globalInts[name]; ok {
		return TxOptions{}, v.setGlobalInt(a, name, bounds)
	}
	val := a.Value
	if a.Default && a.Global && hasGlobal(name) {
		val = known.value()
	} else if a.Default || name == "hbasekv_versions" && val.IsNull() { // ent resets a variable with NULL
		return TxOptions{}, v.unset(name, known)
	}
	val, err := v.checkValue(name, known, val)
	switch {
	case err != nil:
		return TxOptions{}, err
	case a.Global && isGuardVariable(name):
		v.globals.guard.set(name, val)
		return TxOptions{}, nil
	case a.Global:
		v.globals.Set(name, val)
		return TxOptions{}, nil
	case a.Next && name == "tx_isolation":
		level, _ := levelNamed(val)
		return TxOptions{Isolation: level}, nil
	case a.Next && name == "tx_read_only":
		return TxOptions{ReadOnly: val.AsInt() != 0, ReadWrite: val.AsInt() == 0}, nil
	}
	return TxOptions{}, v.set(name, val)
}

// checkScope refuses an assignment in a scope that the variable does not have.
func checkScope(a *Assignment, name string, known variable) error {
	_, isGlobalInt := globalInts[name]
	switch {
	case name == timestampVar && a.Global:
		return mysqlerr.New(mysqlerr.LocalVariable, "Variable '%s' is a SESSION variable and can't be used with SET GLOBAL", name)
	case known.kind == readOnlyVar || known.kind == readOnlyFlag:
		return mysqlerr.New(mysqlerr.IncorrectGlobalLocal, "Variable '%s' is a read only variable", name)
	case isGlobalInt:
		return nil
	case name == localInfile && !a.Global:
		return onlyGlobal(name)
	case a.Global && !hasGlobal(name) && name != "tx_isolation" && name != "tx_read_only":
		return mysqlerr.Unsupported("SET GLOBAL: variables belong to the session, and their defaults are set in the DSN")
	}
	return nil
}

// hasGlobal reports whether SET GLOBAL can set a variable, for all sessions or for new ones.
func hasGlobal(name string) bool {
	_, inert := kept[name]
	return inert || name == localInfile || name == longQueryTime || name == sqlMode || isGuardVariable(name)
}

// unset restores the value that a variable had when the session began.
func (v *Vars) unset(name string, known variable) error {
	switch name {
	case "hbasekv_versions":
		v.View = v.first
		return nil
	case "autocommit":
		return v.set(name, known.value())
	}
	if global, ok := v.globals.get(name); ok {
		v.Store(name, global)
		return nil
	}
	delete(v.values, name)
	v.settle()
	return nil
}

// set stores a checked value and applies it.
func (v *Vars) set(name string, val value.Value) error {
	if err := checkOneValue(name, val); err != nil {
		return err
	}
	switch name {
	case "hbasekv_versions":
		view, err := parseVersions(name, val.String())
		if err == nil {
			v.View = view
		}
		return err
	case dumpVersions:
		view, err := parseVersions(name, val.String())
		if err != nil {
			return err
		}
		val = value.NewString(versionsText(view))
	case "time_zone":
		_, shown, err := location(val.String())
		if err != nil {
			return err
		}
		val = value.NewString(shown)
	case "collation_connection", "collation_database", "collation_server":
		if err := charset.Check(val.String(), charset.SetOf(val.String())); err != nil {
			return err
		}
	case "character_set_client", "character_set_connection", "character_set_results":
		if !val.IsNull() && !knownCharset(val.String()) {
			return unknownCharset(val.String())
		}
		if name == characterSetClient {
			if err := checkClientCharset(val.String()); err != nil {
				return err
			}
		}
	}
	v.Store(name, val)
	return nil
}

// Store stores a value that has been checked.
func (v *Vars) Store(name string, val value.Value) {
	if v.values == nil {
		v.values = map[string]value.Value{}
	}
	v.values[name] = val.Clone()
	v.settle()
}

// globalInts are variables that only SET GLOBAL can set, to a multiple of block within bounds.
var globalInts = map[string]struct{ least, most, block uint64 }{
	maxAllowedPacket:     {function.MinAllowedPacket, function.MaxAllowedPacket, function.MinAllowedPacket},
	maxPreparedStmtCount: {0, 1 << 20, 1},
}

// setGlobalInt is SET GLOBAL for one of globalInts.
func (v *Vars) setGlobalInt(a *Assignment, name string, in struct{ least, most, block uint64 }) error {
	switch {
	case a.Global:
	case name == maxAllowedPacket:
		return mysqlerr.New(mysqlerr.VariableIsReadonly,
			"SESSION variable '%s' is read-only. Use SET GLOBAL to assign the value", name)
	default:
		return onlyGlobal(name)
	}
	val := a.Value
	if a.Default {
		val = variables[name].value()
	}
	val, err := v.checkInt(name, val)
	if err != nil {
		return err
	}
	n := min(max(val.AsUint(), in.least), in.most) / in.block * in.block
	if n != val.AsUint() {
		v.host.Warn(uint16(mysqlerr.TruncatedWrongValue), fmt.Sprintf("Truncated incorrect %s value: '%s'", name, val))
	}
	v.globals.Set(name, value.NewInt(int64(n)))
	return nil
}

func onlyGlobal(name string) error {
	return mysqlerr.New(mysqlerr.GlobalVariable, "Variable '%s' is a GLOBAL variable and should be set with SET GLOBAL", name)
}

// SetNames is SET NAMES and SET CHARACTER SET; an empty collation means the character set's default. The
// error is 1115 and 1273 for unknown ones, 1253 for a collation of another character set, 1231 and 1235 for
// those in which statements cannot be written.
func (v *Vars) SetNames(name, collate string) error {
	name = strings.ToLower(name)
	if !knownCharset(name) {
		return unknownCharset(name)
	}
	if err := checkClientCharset(name); err != nil {
		return err
	}
	collation := charsets()[name]
	if collate != "" {
		collation = strings.ToLower(collate)
		if err := charset.Check(collation, name); err != nil {
			return err
		}
	}
	for _, each := range []string{"character_set_client", "character_set_connection", "character_set_results"} {
		v.Store(each, value.NewString(name))
	}
	v.Store("collation_connection", value.NewString(collation))
	return nil
}
