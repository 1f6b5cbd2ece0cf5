package sysvar

import (
	"os"
	"strings"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/quota"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/versions"
)

// Options are the initial values of a session's variables, and their limits.
type Options struct {
	Endpoint         Endpoint
	Versions         string // empty means latest
	ReadOnly         bool
	LockTimeout      time.Duration // 0 leaves it to the store
	QueryMemory      int64         // 0 means DefaultQueryMemory
	MaxAllowedPacket int           // 0 means that of SET GLOBAL, or function.DefaultAllowedPacket
	RefuseFullScan   bool
	ScanLimit        int64  // 0 leaves it to SET GLOBAL
	TempDir          string // empty is the system's
	Parallelism      int
	Most             map[string]uint64 // the maximums of variables
	Spilled          *spill.Counters   // of temporary files
}

// Host is what variables need of their session.
type Host interface {
	// Shown is a variable that only shows a value the session has elsewhere; false for any other.
	Shown(name string) (value.Value, bool)
	// Warn adds a warning.
	Warn(code uint16, message string)
	// Unbounded reports whether the session may raise limits that protect the server's memory.
	Unbounded() bool
}

// Vars are the system variables of one session, with their current Settings.
type Vars struct {
	Settings
	// View is the value of hbasekv_versions.
	View versions.View
	// Packet is max_allowed_packet, which only changes for new sessions.
	Packet int
	// Settled counts how often the settings were computed: while it stays the same, no variable has changed.
	Settled uint64

	host    Host
	options Options
	globals *Globals
	memory  *quota.Memory
	bytes   int64                  // counted in memory
	first   versions.View          // from the options
	values  map[string]value.Value // as set, by lower-case name
}

// Start sets the initial values of a session; the error is 1231 for invalid Versions. The variables count in
// memory.
func (v *Vars) Start(host Host, globals *Globals, memory *quota.Memory, o Options) error {
	v.host, v.globals, v.memory, v.options = host, globals, memory, o
	first, err := parseVersions("hbasekv_versions", o.Versions)
	if err != nil {
		return err
	}
	v.first = first
	v.Reset()
	return nil
}

// Reset restores the initial values of all variables, including later changes by SET GLOBAL.
func (v *Vars) Reset() {
	before := v.values
	v.View, v.values = v.first, v.globals.defaults()
	v.memory.Shrink(&v.bytes, 0)
	v.Packet = v.options.MaxAllowedPacket
	if set, ok := v.values[maxAllowedPacket]; ok && v.Packet == 0 {
		v.Packet = int(set.Int())
	}
	if v.Packet == 0 {
		v.Packet = function.DefaultAllowedPacket
	}
	if before != nil || v.values != nil || v.Zone == nil {
		v.settle()
	}
}

// Value is @@name; scope is empty, session or global. The error is 1193 for an unknown variable, 1238 for one
// without that scope.
func (v *Vars) Value(scope, name string) (value.Value, error) {
	name = canonical(name)
	known, ok := variables[name]
	if !ok {
		return value.Value{}, unknownVariable(name)
	}
	if strings.EqualFold(scope, "global") && name == timestampVar {
		return value.Value{}, mysqlerr.New(mysqlerr.IncorrectGlobalLocal, "Variable '%s' is a SESSION variable", name)
	}
	if !strings.EqualFold(scope, "global") || isEndpointVariable(name) {
		if own, ok := v.own(name); ok {
			return known.typed(own), nil
		}
	} else if isGuardVariable(name) {
		return known.typed(v.globals.guard.value(name)), nil
	} else if set, ok := v.globals.get(name); ok {
		return known.typed(set), nil
	}
	return known.value(), nil
}

// own is the value that the session has set, or has elsewhere.
func (v *Vars) own(name string) (value.Value, bool) {
	if isEndpointVariable(name) {
		return v.options.Endpoint.variable(name)
	}
	if shown, ok := v.host.Shown(name); ok {
		return shown, true
	}
	switch name {
	case "hbasekv_versions":
		return value.NewString(versionsText(v.View)), true
	case "innodb_lock_wait_timeout":
		if _, set := v.values[name]; !set && v.options.LockTimeout > 0 {
			return value.NewInt(int64((v.options.LockTimeout + time.Second - 1) / time.Second)), true
		}
	case maxAllowedPacket:
		return value.NewInt(int64(v.Packet)), true
	case maxPreparedStmtCount:
		return value.NewInt(v.globals.MaxPrepared()), true
	case localInfile:
		return value.NewBool(v.globals.LocalInfile()), true
	case fullScanVar:
		refuse, _ := v.Guards()
		return fullScanValue(refuse), true
	case scanLimitVar:
		_, limit := v.Guards()
		return value.NewInt(limit), true
	case "hbasekv_batch_cells":
		return value.NewInt(int64(max(v.BatchCells, 0))), true
	case "hbasekv_join_rows":
		return value.NewInt(int64(max(v.JoinRows, 0))), true
	case "hbasekv_parallelism":
		return value.NewInt(int64(v.Parallelism)), true
	case "read_only", "super_read_only", "innodb_read_only":
		return value.NewBool(v.options.ReadOnly), true
	case "tmp_table_size":
		return value.NewInt(v.Spill.Memory), true
	case "tmpdir":
		if v.options.TempDir == "" {
			return value.NewString(os.TempDir()), true
		}
		return value.NewString(v.options.TempDir), true
	}
	if set, ok := v.values[name]; ok {
		return set, true
	}
	most, ok := v.options.Most[name]
	return value.NewUint(most), ok && variables[name].value().AsUint() > most
}

// TakesNotes is sql_notes.
func (v *Vars) TakesNotes() bool {
	set, ok := v.values["sql_notes"]
	return !ok || set.AsInt() != 0
}
