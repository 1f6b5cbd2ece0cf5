package sqlfront

import (
	"math"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/versions"
)

// settings are a session's variables as its statements look at them. They are
// worked out when a variable changes.
type settings struct {
	autocommit bool
	// readOnly and isolation are those of transactions that do not say.
	readOnly  bool
	isolation Isolation
	// anyValue is what sql_mode says of columns that are not grouped.
	anyValue bool
	// loose and quietDivision are what it says of values that do not fit, and of divisors.
	loose, quietDivision bool
	// selectLimit is how many rows a SELECT without a LIMIT gives; negative is all.
	selectLimit int64
	// timeLimit is how many milliseconds a SELECT may take; 0 is for ever.
	timeLimit int64
	// lockTimeout is how long a write waits for a row; 0 leaves it to the store.
	lockTimeout time.Duration
	// tablesTimeout is how long a write waits for FLUSH TABLES WITH READ LOCK to end, or
	// that for writes.
	tablesTimeout time.Duration
	// dump is the view of those who dump tables.
	dump versions.View
	// at is what the variable timestamp says; the zero time is the clock's.
	at time.Time
	// spill bounds what a statement keeps in memory.
	spill spill.Options
	// held is what a statement's expressions may hold at once, in bytes: what it
	// may keep of sorts and the like, and at least a string of the greatest length
	// beside the one that it is made of.
	held int
	// parallelism is how many goroutines may read for a statement; 0 leaves it to
	// the size of the table.
	parallelism int
	// batchCells is how many cells a statement evaluates together; -1 is one by
	// one, 0 leaves it to the statement.
	batchCells int
	// joinRows is after how many rows a join is done in another way; -1 is never, 0
	// leaves it to the statement.
	joinRows int
	// fullScan and scanLimit are the session's own guards; empty and negative
	// leave them to its options.
	fullScan  string
	scanLimit int64
	// errorCount is max_error_count.
	errorCount int
	timeouts   Timeouts
	// slow is long_query_time.
	slow time.Duration
	zone *time.Location
	// zoneName is the variable that says so: to look a zone up is slow.
	zoneName string
}

// oneByOne of hbasekv_batch_cells, which is for tests, has cells evaluated one by one,
// and of hbasekv_join_rows, which is, too, joins done as they were begun.
const oneByOne = 1 << 16

// settle works the settings out.
func (s *Session) settle() {
	s.settled++
	before := s.settings
	s.settings = settings{
		autocommit: s.integer("autocommit") != 0, readOnly: s.integer("tx_read_only") != 0,
		isolation: s.isolation(), anyValue: !s.hasSQLMode("ONLY_FULL_GROUP_BY"), selectLimit: s.selectLimit(),
		timeLimit:   s.integer("max_execution_time"),
		lockTimeout: s.options.LockTimeout, parallelism: s.options.Parallelism, spill: s.spill(), zone: time.Local,
		scanLimit: -1, timeouts: s.timeouts(), tablesTimeout: s.seconds("lock_wait_timeout"), dump: s.dumpView(),
		slow: s.longQueryTime(), errorCount: int(s.integer("max_error_count")),
		loose:         !s.hasSQLMode("STRICT_TRANS_TABLES") && !s.hasSQLMode("STRICT_ALL_TABLES"),
		quietDivision: !s.hasSQLMode("ERROR_FOR_DIVISION_BY_ZERO"),
	}
	if v, ok := s.variables[timestampVar]; ok && v.AsFloat() != 0 {
		s.settings.at = time.UnixMicro(int64(math.Round(v.AsFloat() * 1e6)))
	}
	if v, ok := s.variables[fullScanVar]; ok {
		s.settings.fullScan = v.String()
	}
	if v, ok := s.variables[scanLimitVar]; ok {
		s.settings.scanLimit = v.Int()
	}
	s.settings.held = int(min(max(s.settings.spill.Memory, 2*int64(s.packet)), math.MaxInt))
	if v, ok := s.variables["innodb_lock_wait_timeout"]; ok {
		s.settings.lockTimeout = time.Duration(v.AsInt()) * time.Second
	}
	if v, ok := s.variables["hbasekv_parallelism"]; ok {
		s.settings.parallelism = int(min(v.AsUint(), MaxParallelism))
	}
	s.settings.batchCells = s.forTests("hbasekv_batch_cells")
	s.settings.joinRows = s.forTests("hbasekv_join_rows")
	if v, ok := s.variables["time_zone"]; ok {
		s.settings.zone, s.settings.zoneName = before.zone, v.String()
		if s.settings.zoneName != before.zoneName {
			s.settings.zone, _, _ = location(v.String()) // checked when it was set
		}
	}
}

// forTests is a variable of which oneByOne is -1.
func (s *Session) forTests(name string) int {
	v, ok := s.variables[name]
	if !ok {
		return 0
	}
	if n := min(v.AsUint(), oneByOne); n < oneByOne {
		return int(n)
	}
	return -1
}

// integer is an integer or boolean variable.
func (s *Session) integer(name string) int64 {
	if v, ok := s.variables[name]; ok {
		return v.AsInt()
	}
	n := variables[name].value().AsInt()
	if most, ok := s.options.Most[name]; ok && most < uint64(n) {
		return int64(most)
	}
	return n
}

// seconds is an integer variable that counts them.
func (s *Session) seconds(name string) time.Duration {
	return time.Duration(min(max(s.integer(name), 1), maxSeconds)) * time.Second
}

func (s *Session) timeouts() Timeouts {
	return Timeouts{Silent: s.seconds("wait_timeout"), Between: s.seconds("net_read_timeout"),
		Unread: s.seconds("net_write_timeout")}
}

const defaultLongQueryTime = 10 * time.Second

// longQueryTime is the variable of that name.
func (s *Session) longQueryTime() time.Duration {
	v, ok := s.variables[longQueryTime]
	if !ok {
		return defaultLongQueryTime
	}
	return time.Duration(v.AsFloat() * float64(time.Second))
}

// maxSeconds is the largest wait_timeout, a year.
const maxSeconds = 31536000

func (s *Session) isolation() Isolation {
	if v, ok := s.variables["tx_isolation"]; ok {
		level, _ := levelNamed(v) // checked when it was set
		return level
	}
	return RepeatableRead
}

// dumpView is what hbasekv_dump_versions says.
func (s *Session) dumpView() versions.View {
	if v, ok := s.variables[dumpVersions]; ok {
		view, _ := parseVersions(dumpVersions, v.String()) // checked when it was set
		return view
	}
	return versions.All()
}

// selectLimit is sql_select_limit, negative where it is beyond any count.
func (s *Session) selectLimit() int64 {
	v, ok := s.variables["sql_select_limit"]
	if !ok {
		return -1
	}
	if n, ok := v.ToInt(); ok {
		return n
	}
	return -1
}

func (s *Session) spill() spill.Options {
	o := spill.Options{Memory: s.options.QueryMemory, Dir: s.options.TempDir, Counters: &s.engine.spilled}
	if v, ok := s.variables["tmp_table_size"]; ok {
		o.Memory = int64(min(v.AsUint(), math.MaxInt64))
	}
	if o.Memory == 0 {
		o.Memory = DefaultQueryMemory
	}
	return o
}
