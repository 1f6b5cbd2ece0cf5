package sysvar

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/versions"
)

// Settings are a session's variables in the form that its statements use. They are computed when a variable
// changes.
type Settings struct {
	Autocommit bool
	// ReadOnly and Isolation are the defaults of transactions.
	ReadOnly  bool
	Isolation Isolation
	// AnyValue is true without ONLY_FULL_GROUP_BY in sql_mode.
	AnyValue bool
	// Loose is true without a strict mode, QuietDivision without ERROR_FOR_DIVISION_BY_ZERO.
	Loose, QuietDivision bool
	// Text is how statements are read.
	Text Text
	// SelectLimit is the maximum number of rows of a SELECT without a LIMIT; negative is no limit.
	SelectLimit int64
	// TimeLimit is the maximum duration of a SELECT in milliseconds; 0 is no limit.
	TimeLimit int64
	// LockTimeout is how long a write waits for a row lock; 0 leaves it to the store.
	LockTimeout time.Duration
	// TablesTimeout is how long a write waits for FLUSH TABLES WITH READ LOCK to end, or that for writes to
	// end.
	TablesTimeout time.Duration
	// Dump is the view for the statements by which dumps read tables.
	Dump versions.View
	// At is the value of the variable timestamp; zero means the clock.
	At time.Time
	// Spill limits a statement's memory.
	Spill spill.Options
	// Held is what a statement's expressions may hold at once, in bytes: the memory for sorts and so on, but
	// at least for a string of the maximum length and the one from which it is made.
	Held int
	// Parallelism is the number of goroutines that may read for a statement; 0 leaves it to the size of the
	// table.
	Parallelism int
	// BatchCells is the number of cells that a statement evaluates together; -1 is one by one, 0 leaves it to
	// the statement.
	BatchCells int
	// JoinRows is the number of rows after which a join changes its method; -1 is never, 0 leaves it to the
	// statement.
	JoinRows int
	// fullScan and scanLimit are the session's own guards; empty and negative leave them to its options.
	fullScan  string
	scanLimit int64
	// ErrorCount is max_error_count.
	ErrorCount int
	Timeouts   Timeouts
	// Slow is long_query_time.
	Slow time.Duration
	Zone *time.Location
	// zoneName is the variable's value for Zone: looking a zone up is slow.
	zoneName string
}

// Timeouts are how long a session's client may keep its server waiting.
type Timeouts struct {
	Silent  time.Duration // between two commands: wait_timeout
	Between time.Duration // between two parts of what it sends: net_read_timeout
	Unread  time.Duration // until it reads what it is sent: net_write_timeout
}

// oneByOne, in hbasekv_batch_cells, evaluates cells one by one, and in hbasekv_join_rows, never changes the
// method of joins. Both are for tests.
const oneByOne = 1 << 16

// settle computes the settings.
func (v *Vars) settle() {
	v.Settled++
	before := v.Settings
	v.Settings = Settings{
		Autocommit: v.integer("autocommit") != 0, ReadOnly: v.integer("tx_read_only") != 0,
		Isolation: v.isolation(), AnyValue: !v.hasSQLMode("ONLY_FULL_GROUP_BY"), SelectLimit: v.selectLimit(),
		TimeLimit:   v.integer("max_execution_time"),
		LockTimeout: v.options.LockTimeout, Parallelism: v.options.Parallelism, Spill: v.spill(), Zone: time.Local,
		scanLimit: -1, Timeouts: v.timeouts(), TablesTimeout: v.seconds("lock_wait_timeout"), Dump: v.dumpView(),
		Slow: v.longQueryTime(), ErrorCount: int(v.integer("max_error_count")),
		Loose:         !v.hasSQLMode("STRICT_TRANS_TABLES") && !v.hasSQLMode("STRICT_ALL_TABLES"),
		QuietDivision: !v.hasSQLMode("ERROR_FOR_DIVISION_BY_ZERO"), Text: v.text(),
	}
	if set, ok := v.values[timestampVar]; ok && set.AsFloat() != 0 {
		v.At = time.UnixMicro(int64(math.Round(set.AsFloat() * 1e6)))
	}
	if set, ok := v.values[fullScanVar]; ok {
		v.fullScan = set.String()
	}
	if set, ok := v.values[scanLimitVar]; ok {
		v.scanLimit = set.Int()
	}
	v.Held = int(min(max(v.Spill.Memory, 2*int64(v.Packet)), math.MaxInt))
	if set, ok := v.values["innodb_lock_wait_timeout"]; ok {
		v.LockTimeout = time.Duration(set.AsInt()) * time.Second
	}
	if set, ok := v.values["hbasekv_parallelism"]; ok {
		v.Parallelism = int(min(set.AsUint(), MaxParallelism))
	}
	v.BatchCells = v.forTests("hbasekv_batch_cells")
	v.JoinRows = v.forTests("hbasekv_join_rows")
	if set, ok := v.values["time_zone"]; ok {
		v.Zone, v.zoneName = before.Zone, set.String()
		if v.zoneName != before.zoneName {
			v.Zone, _, _ = location(set.String()) // checked when it was set
		}
	}
}

// forTests is a variable in which oneByOne means -1.
func (v *Vars) forTests(name string) int {
	set, ok := v.values[name]
	if !ok {
		return 0
	}
	if n := min(set.AsUint(), oneByOne); n < oneByOne {
		return int(n)
	}
	return -1
}

// integer is an integer or boolean variable.
func (v *Vars) integer(name string) int64 {
	if set, ok := v.values[name]; ok {
		return set.AsInt()
	}
	n := variables[name].value().AsInt()
	if most, ok := v.options.Most[name]; ok && most < uint64(n) {
		return int64(most)
	}
	return n
}

// seconds is an integer variable in seconds.
func (v *Vars) seconds(name string) time.Duration {
	return time.Duration(min(max(v.integer(name), 1), maxSeconds)) * time.Second
}

func (v *Vars) timeouts() Timeouts {
	return Timeouts{Silent: v.seconds("wait_timeout"), Between: v.seconds("net_read_timeout"),
		Unread: v.seconds("net_write_timeout")}
}

const defaultLongQueryTime = 10 * time.Second

// longQueryTime is the value of that variable.
func (v *Vars) longQueryTime() time.Duration {
	set, ok := v.values[longQueryTime]
	if !ok {
		return defaultLongQueryTime
	}
	return time.Duration(set.AsFloat() * float64(time.Second))
}

// maxSeconds is the largest wait_timeout, a year.
const maxSeconds = 31536000

func (v *Vars) isolation() Isolation {
	if set, ok := v.values["tx_isolation"]; ok {
		level, _ := levelNamed(set) // checked when it was set
		return level
	}
	return RepeatableRead
}

// dumpView is the value of hbasekv_dump_versions.
func (v *Vars) dumpView() versions.View {
	if set, ok := v.values[dumpVersions]; ok {
		view, _ := parseVersions(dumpVersions, set.String()) // checked when it was set
		return view
	}
	return versions.All()
}

// selectLimit is sql_select_limit, negative if it exceeds any possible count.
func (v *Vars) selectLimit() int64 {
	set, ok := v.values["sql_select_limit"]
	if !ok {
		return -1
	}
	if n, ok := set.ToInt(); ok {
		return n
	}
	return -1
}

func (v *Vars) spill() spill.Options {
	o := spill.Options{Memory: v.options.QueryMemory, Dir: v.options.TempDir, Counters: v.options.Spilled}
	if set, ok := v.values["tmp_table_size"]; ok {
		o.Memory = int64(min(set.AsUint(), math.MaxInt64))
	}
	if o.Memory == 0 {
		o.Memory = DefaultQueryMemory
	}
	return o
}

func (v *Vars) hasSQLMode(mode string) bool {
	set, ok := v.values[sqlMode]
	if !ok {
		return strings.Contains(defaultSQLMode, mode) // no mode's name contains another's here
	}
	return slices.Contains(strings.Split(set.String(), ","), mode)
}
