package sysvar

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// leastInts are the minimums of variables other than 0.
var leastInts = map[string]int64{"innodb_lock_wait_timeout": 1, "tmp_table_size": 1024, "interactive_timeout": 1,
	"lock_wait_timeout": 1, "net_read_timeout": 1, "net_write_timeout": 1, "wait_timeout": 1}

// mostInts are the maximums of variables that have one.
var mostInts = map[string]uint64{"max_error_count": mostErrorCount, "max_execution_time": math.MaxUint32,
	"innodb_lock_wait_timeout": 1 << 30, "interactive_timeout": maxSeconds, "lock_wait_timeout": maxSeconds,
	"net_read_timeout": maxSeconds, "net_write_timeout": maxSeconds, "wait_timeout": maxSeconds}

// most is the largest value that the session may assign to a variable, false if there is no limit: the
// smallest of the limits of MySQL, the server's options and its memory.
func (v *Vars) most(name string) (most uint64, bounded bool) {
	for _, bound := range []func(string) (uint64, bool){mostInt, v.mostByOptions, v.mostByMemory} {
		if n, ok := bound(name); ok && (!bounded || n < most) {
			most, bounded = n, true
		}
	}
	return most, bounded
}

func mostInt(name string) (uint64, bool) {
	most, ok := mostInts[name]
	return most, ok
}

func (v *Vars) mostByOptions(name string) (uint64, bool) {
	most, ok := v.options.Most[name]
	return most, ok
}

// mostByMemory limits variables that take memory of the server: only accounts that may set the server's
// options can raise them above these.
func (v *Vars) mostByMemory(name string) (most uint64, ok bool) {
	if v.host.Unbounded() {
		return 0, false
	}
	switch name {
	case "tmp_table_size", "max_heap_table_size":
		return uint64(cmp.Or(v.options.QueryMemory, DefaultQueryMemory)), true
	case "hbasekv_parallelism":
		return uint64(max(v.options.Parallelism, runtime.GOMAXPROCS(0))), true
	case "group_concat_max_len":
		return uint64(v.Packet), true
	}
	return 0, false
}

func wrongValue(name, shown string) error {
	return mysqlerr.New(mysqlerr.WrongValueForVar, "Variable '%s' can't be set to the value of '%s'", name, shown)
}

func checkFlag(name string, val value.Value) (value.Value, error) {
	switch strings.ToUpper(val.String()) {
	case "ON", "TRUE", "1":
		return value.NewBool(true), nil
	case "OFF", "FALSE", "0":
		return value.NewBool(false), nil
	}
	return val, wrongValue(name, val.String())
}

// oneValue are variables that would change what statements mean; MySQL's default is their only supported
// value.
var oneValue = []string{"div_precision_increment", "lc_time_names", "sql_auto_is_null", "sql_safe_updates"}

// checkOneValue is error 1235 for any other value of one of these.
func checkOneValue(name string, v value.Value) error {
	if slices.Contains(oneValue, name) && !strings.EqualFold(v.String(), variables[name].value().String()) {
		return mysqlerr.Unsupported(name + " = " + v.String())
	}
	return nil
}
