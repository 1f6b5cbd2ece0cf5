package driver

import (
	"fmt"
	"log/slog"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"github.com/hbasekv/hbasekv/driver/internal/values"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
)

// MemoryPath is the Path of a private in-memory store.
const MemoryPath = ":memory:"

// The defaults of a Config.
const (
	DefaultDB          = "default"
	DefaultVersions    = "latest"
	DefaultLockTimeout = 10 * time.Second
	DefaultQueryMemory = sysvar.DefaultQueryMemory
)

// maxDB is MySQL's longest identifier, in characters
// (https://dev.mysql.com/doc/refman/5.7/en/identifier-length.html).
const maxDB = 64

// maxBytes is more than any machine has: a larger size is a mistake.
const maxBytes = 1 << 50

// minQueryMemory is MySQL's minimum of tmp_table_size.
const minQueryMemory = 1 << 10

// Config says which store to open and how its connections begin. A field's zero
// value means its default, except for Path, which has none.
type Config struct {
	// Path is the store's directory, created when missing, or MemoryPath for
	// an in-memory store that belongs to one sql.DB, or a URI of a store on other
	// machines, as in hbase://host1,host2:2181.
	Path string
	// DB is the database that connections begin in, created when missing.
	DB string
	// Versions is the view that connections begin with: "latest", "all" or a
	// number n for the newest n versions of each cell.
	Versions string
	// NoSync leaves the writing of commits to the operating system: a power
	// failure may lose the last ones, a crash of the process does not. Without
	// NoSync a commit is on stable storage when it returns.
	NoSync bool
	// CacheSize is the size of the block cache in bytes; 0 is the store's
	// default. If the store is already open, 0 keeps its cache.
	CacheSize int64
	// ClientFoundRows makes RowsAffected count matched rows, not changed ones.
	ClientFoundRows bool
	// IgnoreForeignKeys ignores the foreign keys of typed tables, with a note, as
	// foreignKeys=ignore does; otherwise they are refused, because nothing enforces them.
	IgnoreForeignKeys bool
	// ReadOnly refuses every write, and does not create what is missing.
	ReadOnly bool
	// LockTimeout is how long a write waits for another transaction's row.
	LockTimeout time.Duration
	// MaxRegionSize is the size on disk, in bytes, above which a RANGE partition
	// is split; below 0, none is split or merged. If the store is already open,
	// 0 keeps its setting.
	MaxRegionSize int64
	// QueryMemory is how much memory, in bytes, a statement uses for sorts,
	// groups and joins before it writes temporary files.
	QueryMemory int64
	// TxnMemory is how much of its writes a transaction keeps in memory, in bytes; the rest is in files
	// until it ends. 0 is the store's default, 256 MiB, or the setting of a store that is already open.
	TxnMemory int64
	// SessionMemory is how much memory a session may keep, in bytes: its prepared
	// statements, variables, locks and warnings, what its client sends, and what its
	// statements need. A statement that needs more fails with 1041. 0 is no limit for the
	// program's own sessions; for those of a server's clients it is four times QueryMemory
	// or max_allowed_packet, whichever is more, and at least 512 MiB.
	SessionMemory int64
	// AllSessionsMemory is how much memory all sessions of a store may keep together,
	// in bytes; beyond it each may still keep its share. 0 is the setting of a store
	// that is already open, else 1 GiB, or four times SessionMemory or QueryMemory if
	// that is more.
	AllSessionsMemory int64
	// MaxAllowedPacket is the maximum length, in bytes, of a statement and of a
	// string that a function makes: max_allowed_packet of its connections. 0 is the
	// value of SET GLOBAL, or 64 MiB.
	MaxAllowedPacket int64
	// TempDir is the directory of temporary files; empty is os.TempDir.
	TempDir string
	// FileDir is the directory of the files that LOAD DATA INFILE, SELECT ... INTO
	// OUTFILE and LOAD_FILE() may name. If it is empty, they are refused.
	FileDir string
	// AllowAllFiles lets LOAD DATA LOCAL INFILE name any file, not only those
	// of RegisterLocalFile and RegisterReader.
	AllowAllFiles bool
	// Parallelism is the maximum number of goroutines that read a table for a
	// statement that aggregates it or wants the first rows of an order. 0 is
	// the number of processors, if the table is large enough.
	Parallelism int
	// ScanLimit is how many cells a statement may read, as EXPLAIN ANALYZE counts
	// them, before it fails with 1104 and its plan; 0 is no limit.
	ScanLimit int64
	// RefuseFullScan makes statements that would read a whole table fail with 1104
	// and their plan, as in fullScan=refuse.
	RefuseFullScan bool
	// Clock is the store's clock, for NOW() and for each T that the server
	// chooses; nil is the machine's. All users of a store share it.
	Clock Clock
	// Faults, if not nil, makes operations of the store fail, to test how a program
	// handles that. All users of a store share it.
	Faults Faults
	// SlowLog, if not nil, receives a warning for each statement that takes
	// longer than long_query_time.
	SlowLog *slog.Logger
	// MultiStatements allows several statements in one string.
	MultiStatements bool
	// ParseTime returns DATE and DATETIME columns as time.Time in Loc, and the
	// zero date as the zero time.
	ParseTime bool
	// Loc is the location in which time.Time arguments are written, and of the
	// times that ParseTime returns. It is not the session's time_zone.
	Loc *time.Location
	// TimeTruncate truncates time.Time arguments to a multiple of itself; 0
	// keeps their nanoseconds.
	TimeTruncate time.Duration
	// Charset is what connections pass to SET NAMES at their start: the first
	// known one of a comma-separated list. Empty is utf8mb4.
	Charset string
	// Collation is the connections' collation; empty is the charset's default.
	Collation string
	// ColumnsWithAlias names a result column that is a table's column
	// table.column, with the alias that the statement gave the table.
	ColumnsWithAlias bool
	// Params are system variables that connections set at their start: a name
	// and an expression as in SET, such as Params["time_zone"] = "'UTC'".
	Params map[string]string
	// StoreParams are parameters of the store that a URI names.
	StoreParams map[string]string
}

// NewConfig returns the configuration of the store at path, with all defaults.
func NewConfig(path string) *Config {
	cfg, _ := (&Config{Path: path}).complete()
	return cfg
}

// Clone returns a copy of cfg.
func (cfg *Config) Clone() *Config {
	c := *cfg
	c.Params, c.StoreParams = maps.Clone(cfg.Params), maps.Clone(cfg.StoreParams)
	return &c
}

// complete returns a checked copy of cfg with its defaults filled in. An error
// names the DSN's parameter; the copy must not be used then.
func (cfg *Config) complete() (*Config, error) {
	c := cfg.Clone()
	if c.DB == "" {
		c.DB = DefaultDB
	}
	if c.LockTimeout == 0 {
		c.LockTimeout = DefaultLockTimeout
	}
	if c.QueryMemory == 0 {
		c.QueryMemory = DefaultQueryMemory
	}
	if c.Loc == nil {
		c.Loc = time.UTC
	}
	c.MaxRegionSize = max(c.MaxRegionSize, -1)
	versions, err := parseVersions(c.Versions)
	if err != nil {
		return c, err
	}
	c.Versions = versions
	return c, c.check()
}

func (cfg *Config) check() error {
	switch {
	case cfg.Path == "":
		return mysqlerr.New(mysqlerr.WrongArguments, "the data source name is empty: name a directory, or %s", MemoryPath)
	case strings.ContainsRune(cfg.Path, 0):
		return mysqlerr.New(mysqlerr.WrongArguments, "the path %q of the data source name contains a zero byte", cfg.Path)
	case cfg.Path == MemoryPath && cfg.ReadOnly:
		return badValue("readOnly", "true", "an in-memory store begins empty and so cannot be read-only")
	case utf8.RuneCountInString(cfg.DB) > maxDB || !utf8.ValidString(cfg.DB) || strings.ContainsRune(cfg.DB, 0):
		return badValue("db", cfg.DB, fmt.Sprintf("a database has a name of 1 to %d characters", maxDB))
	case cfg.CacheSize < 0 || cfg.CacheSize > maxBytes:
		return badValue("cache", formatBytes(cfg.CacheSize), "a size from 1B to 1PiB is needed")
	case cfg.MaxRegionSize > maxBytes:
		return badValue("maxRegionSize", formatBytes(cfg.MaxRegionSize), regionSizeWanted)
	case cfg.QueryMemory < minQueryMemory || cfg.QueryMemory > maxBytes:
		return badValue("queryMemory", formatBytes(cfg.QueryMemory), "a size from 1KiB to 1PiB is needed")
	case cfg.TxnMemory != 0 && (cfg.TxnMemory < minQueryMemory || cfg.TxnMemory > maxBytes):
		return badValue("txnMemory", formatBytes(cfg.TxnMemory), "a size from 1KiB to 1PiB is needed, or 0 for the default")
	case cfg.SessionMemory != 0 && (cfg.SessionMemory < minSessionMemory || cfg.SessionMemory > maxBytes):
		return badValue("sessionMemory", formatBytes(cfg.SessionMemory), sessionMemoryWanted)
	case cfg.AllSessionsMemory != 0 && (cfg.AllSessionsMemory < minSessionMemory || cfg.AllSessionsMemory > maxBytes):
		return badValue("allSessionsMemory", formatBytes(cfg.AllSessionsMemory), sessionMemoryWanted)
	case cfg.MaxAllowedPacket != 0 && (cfg.MaxAllowedPacket < minAllowedPacket || cfg.MaxAllowedPacket > maxAllowedPacket):
		return badValue("maxAllowedPacket", formatBytes(cfg.MaxAllowedPacket), allowedPacketWanted)
	case cfg.Parallelism < 0 || cfg.Parallelism > sysvar.MaxParallelism:
		return badValue("parallelism", strconv.Itoa(cfg.Parallelism), parallelismWanted)
	case cfg.ScanLimit < 0:
		return badValue("scanLimit", strconv.FormatInt(cfg.ScanLimit, 10), scanLimitWanted)
	case strings.ContainsRune(cfg.TempDir, 0):
		return badValue("tmpDir", cfg.TempDir, "a path must not contain a zero byte")
	case strings.ContainsRune(cfg.FileDir, 0):
		return badValue("fileDir", cfg.FileDir, "a path must not contain a zero byte")
	case cfg.LockTimeout < 0:
		return badValue("lockTimeout", cfg.LockTimeout.String(), durationWanted)
	case cfg.TimeTruncate < 0:
		return badValue("timeTruncate", cfg.TimeTruncate.String(), durationWanted)
	}
	for name := range cfg.Params {
		if !isVariable(name) {
			return unknownParameter(name)
		}
	}
	return cfg.checkRemote()
}

func isVariable(name string) bool {
	return slices.Contains(sysvar.Names(), strings.ToLower(name))
}

// The bounds of MySQL's max_allowed_packet.
const (
	minAllowedPacket = 1 << 10
	maxAllowedPacket = 1 << 30
)

// minSessionMemory is MySQL's minimum of connection_memory_limit.
const minSessionMemory = 2 << 20

const sessionMemoryWanted = "a size from 2MiB to 1PiB is needed, or 0 for the default"

const allowedPacketWanted = "a size from 1KiB to 1GiB is needed, or 0 for the server's"

var parallelismWanted = fmt.Sprintf("a number from 0, which is as many as there are processors, to %d is needed", sysvar.MaxParallelism)

const scanLimitWanted = "a number of cells is needed, or 0 for any"

const regionSizeWanted = "a size from 1B to 1PiB is needed, as in 10GiB, or 0"

const durationWanted = "a duration above 0 with its unit is needed, as in 500ms or 10s"

// badValue is the error of a parameter's value; want says what is allowed.
func badValue(parameter, value, want string) error {
	return mysqlerr.New(mysqlerr.WrongValueForVar, "DSN parameter %s can't be set to the value of '%s': %s", parameter, value, want)
}

func parseVersions(s string) (string, error) {
	switch lower := strings.ToLower(s); lower {
	case "":
		return DefaultVersions, nil
	case "latest", "all":
		return lower, nil
	}
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil || n < 1 {
		return "", badValue("versions", s, fmt.Sprintf("latest, all or a number from 1 to %d is needed", math.MaxInt32))
	}
	return strconv.FormatUint(n, 10), nil
}

func parseBytes(parameter, s string) (int64, error) {
	n, err := humanize.ParseBytes(s)
	if err != nil || n < 1 || n > maxBytes {
		return 0, badValue(parameter, s, "a size from 1B to 1PiB is needed, as in 256MiB")
	}
	return int64(n), nil
}

// formatBytes is the shortest exact form that parseBytes reads.
func formatBytes(n int64) string {
	for _, unit := range []struct {
		name string
		size int64
	}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n != 0 && n%unit.size == 0 {
			return strconv.FormatInt(n/unit.size, 10) + unit.name
		}
	}
	return strconv.FormatInt(n, 10)
}

func parseBool(parameter, s string) (bool, error) {
	b, err := strconv.ParseBool(s)
	if err != nil {
		return false, badValue(parameter, s, "true or false is needed")
	}
	return b, nil
}

func parseDuration(parameter, s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		return 0, badValue(parameter, s, durationWanted)
	}
	return d, nil
}

// times says how times are bound and read.
func (cfg *Config) times() values.Times {
	return values.Times{Loc: cfg.Loc, Truncate: cfg.TimeTruncate, Parse: cfg.ParseTime}
}
