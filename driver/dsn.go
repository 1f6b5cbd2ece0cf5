package driver

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// parameter is one parameter of the DSN.
type parameter struct {
	name string
	set  func(cfg *Config, value string) error
	// format returns the parameter's value, empty if it is the default.
	format func(cfg *Config) string
}

// parameters are all parameters, in the order of FormatDSN.
var parameters = []parameter{
	{"db", setDB, func(cfg *Config) string { return unless(cfg.DB, DefaultDB) }},
	{"versions", setVersions, func(cfg *Config) string { return unless(cfg.Versions, DefaultVersions) }},
	{"sync", setSync, func(cfg *Config) string { return formatBool(!cfg.NoSync, true) }},
	{"cache", setCache, func(cfg *Config) string { return formatSizeOrZero(cfg.CacheSize) }},
	{"clientFoundRows", setBool("clientFoundRows", func(cfg *Config) *bool { return &cfg.ClientFoundRows }),
		func(cfg *Config) string { return formatBool(cfg.ClientFoundRows, false) }},
	{"foreignKeys", setForeignKeys, func(cfg *Config) string {
		if cfg.IgnoreForeignKeys {
			return "ignore"
		}
		return ""
	}},
	{"readOnly", setBool("readOnly", func(cfg *Config) *bool { return &cfg.ReadOnly }),
		func(cfg *Config) string { return formatBool(cfg.ReadOnly, false) }},
	{"lockTimeout", setLockTimeout, func(cfg *Config) string {
		return unless(cfg.LockTimeout.String(), DefaultLockTimeout.String())
	}},
	{"maxRegionSize", setMaxRegionSize, formatMaxRegionSize},
	{"queryMemory", func(cfg *Config, value string) (err error) {
		cfg.QueryMemory, err = parseBytes("queryMemory", value)
		return err
	}, func(cfg *Config) string { return unless(formatBytes(cfg.QueryMemory), formatBytes(DefaultQueryMemory)) }},
	{"txnMemory", setSizeOrZero("txnMemory", func(cfg *Config) *int64 { return &cfg.TxnMemory }),
		func(cfg *Config) string { return formatSizeOrZero(cfg.TxnMemory) }},
	{"sessionMemory", setSizeOrZero("sessionMemory", func(cfg *Config) *int64 { return &cfg.SessionMemory }),
		func(cfg *Config) string { return formatSizeOrZero(cfg.SessionMemory) }},
	{"allSessionsMemory", setSizeOrZero("allSessionsMemory", func(cfg *Config) *int64 { return &cfg.AllSessionsMemory }),
		func(cfg *Config) string { return formatSizeOrZero(cfg.AllSessionsMemory) }},
	{"maxAllowedPacket", setSizeOrZero("maxAllowedPacket", func(cfg *Config) *int64 { return &cfg.MaxAllowedPacket }),
		func(cfg *Config) string { return formatSizeOrZero(cfg.MaxAllowedPacket) }},
	{"tmpDir", func(cfg *Config, value string) error { cfg.TempDir = value; return nil }, func(cfg *Config) string { return cfg.TempDir }},
	{"fileDir", func(cfg *Config, value string) error { cfg.FileDir = value; return nil }, func(cfg *Config) string { return cfg.FileDir }},
	{"allowAllFiles", setBool("allowAllFiles", func(cfg *Config) *bool { return &cfg.AllowAllFiles }),
		func(cfg *Config) string { return formatBool(cfg.AllowAllFiles, false) }},
	{"parallelism", func(cfg *Config, value string) (err error) {
		if cfg.Parallelism, err = strconv.Atoi(value); err != nil {
			return badValue("parallelism", value, parallelismWanted)
		}
		return nil
	}, func(cfg *Config) string { return unless(strconv.Itoa(cfg.Parallelism), "0") }},
	{"scanLimit", func(cfg *Config, value string) (err error) {
		if cfg.ScanLimit, err = strconv.ParseInt(value, 10, 64); err != nil {
			return badValue("scanLimit", value, scanLimitWanted)
		}
		return nil
	}, func(cfg *Config) string { return unless(strconv.FormatInt(cfg.ScanLimit, 10), "0") }},
	{"fullScan", setFullScan, func(cfg *Config) string {
		if cfg.RefuseFullScan {
			return "refuse"
		}
		return ""
	}},
	{"multiStatements", setBool("multiStatements", func(cfg *Config) *bool { return &cfg.MultiStatements }),
		func(cfg *Config) string { return formatBool(cfg.MultiStatements, false) }},
	{"clock", setClock, formatClock},
	{"parseTime", setBool("parseTime", func(cfg *Config) *bool { return &cfg.ParseTime }),
		func(cfg *Config) string { return formatBool(cfg.ParseTime, false) }},
	{"loc", setLoc, func(cfg *Config) string { return unless(cfg.Loc.String(), "UTC") }},
	{"timeTruncate", setTimeTruncate, func(cfg *Config) string { return unless(cfg.TimeTruncate.String(), "0s") }},
	{"charset", func(cfg *Config, value string) error { cfg.Charset = value; return nil },
		func(cfg *Config) string { return cfg.Charset }},
	{"collation", func(cfg *Config, value string) error { cfg.Collation = value; return nil },
		func(cfg *Config) string { return cfg.Collation }},
	{"columnsWithAlias", setBool("columnsWithAlias", func(cfg *Config) *bool { return &cfg.ColumnsWithAlias }),
		func(cfg *Config) string { return formatBool(cfg.ColumnsWithAlias, false) }},
}

// ParseDSN reads a data source name: a path, a file: URI whose path may hold
// %-escapes, or :memory:, each with parameters behind a question mark.
//
//	./data
//	file:./data?db=shop&versions=all
//	file:///var/lib/a%3Fb
//	:memory:?versions=3&parseTime=true&time_zone=%27UTC%27
//	hbase://host1,host2:2181/shop?znode=/hbase
//
// A name with a scheme is a store on other machines, whose package must be
// imported: the database comes after its hosts, and the parameters may be its own
// kind's. A parameter is a field of Config, a system variable with an expression as
// in SET, or one of github.com/go-sql-driver/mysql that has no effect here. A path
// that has a question mark, or that looks like the address of a server in another
// driver's notation, must be written as a file: URI; such an address is refused.
// The error, a *mysql.MySQLError, names the parameter that is wrong.
func ParseDSN(dsn string) (*Config, error) {
	if err := refuseAddress(dsn); err != nil {
		return nil, err
	}
	path, query, _ := strings.Cut(dsn, "?")
	cfg := &Config{}
	var err error
	if scheme(path) != "" {
		cfg.Path, cfg.DB = splitNamespace(path)
	} else if cfg.Path, err = parsePath(path); err != nil {
		return nil, err
	}
	if err := cfg.setParameters(query); err != nil {
		return nil, err
	}
	cfg, err = cfg.complete()
	if err != nil {
		return nil, err
	}
	return cfg, nil
}

// parsePath reads the part before the question mark. In file://host/path the
// host must be empty or localhost.
func parsePath(s string) (string, error) {
	rest, ok := strings.CutPrefix(s, "file:")
	if !ok {
		return s, nil
	}
	if authority, ok := strings.CutPrefix(rest, "//"); ok {
		host, path, _ := strings.Cut(authority, "/")
		if host != "" && host != "localhost" {
			return "", mysqlerr.New(mysqlerr.WrongArguments,
				"the data source name %q names the host %q: a store is a local directory, as in file:./data or file:///var/lib/data", s, host)
		}
		rest = "/" + path
	}
	path, err := url.PathUnescape(rest)
	if err != nil {
		return "", mysqlerr.New(mysqlerr.WrongArguments, "the path of the data source name %q: %v; a %% itself is written %%25", s, err)
	}
	return path, nil
}

func (cfg *Config) setParameters(query string) error {
	seen := map[string]bool{}
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		if pair == "" {
			continue
		}
		name, value, err := parsePair(pair)
		if err != nil {
			return err
		}
		if seen[name] {
			return mysqlerr.New(mysqlerr.WrongArguments, "DSN parameter %s is given twice", name)
		}
		seen[name] = true
		if err := cfg.setParameter(name, value); err != nil {
			return err
		}
	}
	return nil
}

func parsePair(pair string) (name, value string, err error) {
	name, value, _ = strings.Cut(pair, "=")
	if name, err = url.QueryUnescape(name); err == nil {
		value, err = url.QueryUnescape(value)
	}
	if err != nil {
		return "", "", mysqlerr.New(mysqlerr.WrongArguments, "DSN parameter %q: %v; a %% itself is written %%25", pair, err)
	}
	return name, value, nil
}

func (cfg *Config) setParameter(name, value string) error {
	for _, p := range parameters {
		if p.name == name {
			return p.set(cfg, value)
		}
	}
	if check, ok := withoutEffect[name]; ok && (name != "tls" || scheme(cfg.Path) == "") {
		return check(name, value)
	}
	params := &cfg.Params // check knows the variables
	if scheme(cfg.Path) != "" && !isVariable(name) {
		params = &cfg.StoreParams
	}
	if *params == nil {
		*params = map[string]string{}
	}
	(*params)[name] = value
	return nil
}

// FormatDSN returns a DSN that ParseDSN reads as the same configuration.
// Parameters with their default value are left out.
func (cfg *Config) FormatDSN() string {
	c, _ := cfg.complete()
	var query []string
	for _, p := range parameters {
		if v := p.format(c); v != "" {
			query = append(query, p.name+"="+url.QueryEscape(v))
		}
	}
	for _, params := range []map[string]string{c.Params, c.StoreParams} {
		for _, name := range slices.Sorted(maps.Keys(params)) {
			query = append(query, url.QueryEscape(name)+"="+url.QueryEscape(params[name]))
		}
	}
	if len(query) == 0 {
		return formatPath(c.Path, false)
	}
	return formatPath(c.Path, true) + "?" + strings.Join(query, "&")
}

// formatPath is the path itself if that is unambiguous, else a URI.
func formatPath(path string, parameters bool) string {
	plain := !strings.Contains(path, "?") && !strings.HasPrefix(path, "file:") && addressOf(path) == ""
	if plain && (path == MemoryPath || !parameters || scheme(path) != "") {
		return path
	}
	escaped := strings.NewReplacer("%", "%25", "?", "%3F", "#", "%23").Replace(path)
	if strings.HasPrefix(escaped, "//") {
		escaped = "//" + escaped // an empty host, so that the path is not read as one
	}
	return "file:" + escaped
}

func setDB(cfg *Config, value string) error {
	if value == "" {
		return badValue("db", value, fmt.Sprintf("a database has a name of 1 to %d characters", maxDB))
	}
	cfg.DB = value
	return nil
}

func setVersions(cfg *Config, value string) (err error) {
	if value == "" {
		return badValue("versions", value, "latest, all or a number of versions is needed")
	}
	cfg.Versions, err = parseVersions(value)
	return err
}

func setSync(cfg *Config, value string) error {
	sync, err := parseBool("sync", value)
	cfg.NoSync = !sync
	return err
}

func setCache(cfg *Config, value string) (err error) {
	cfg.CacheSize, err = parseBytes("cache", value)
	return err
}

func setLockTimeout(cfg *Config, value string) (err error) {
	cfg.LockTimeout, err = parseDuration("lockTimeout", value)
	return err
}

func setBool(name string, field func(*Config) *bool) func(*Config, string) error {
	return func(cfg *Config, value string) (err error) {
		*field(cfg), err = parseBool(name, value)
		return err
	}
}

// setSizeOrZero reads a size, or 0 for the default.
func setSizeOrZero(name string, field func(*Config) *int64) func(*Config, string) error {
	return func(cfg *Config, value string) (err error) {
		if value == "0" {
			*field(cfg) = 0
			return nil
		}
		*field(cfg), err = parseBytes(name, value)
		return err
	}
}

func formatSizeOrZero(n int64) string {
	if n == 0 {
		return ""
	}
	return formatBytes(n)
}

func setFullScan(cfg *Config, value string) error {
	switch value {
	case "allow", "refuse":
		cfg.RefuseFullScan = value == "refuse"
		return nil
	}
	return badValue("fullScan", value, "allow or refuse is needed")
}

func setForeignKeys(cfg *Config, value string) error {
	switch value {
	case "refuse", "ignore":
		cfg.IgnoreForeignKeys = value == "ignore"
		return nil
	}
	return badValue("foreignKeys", value, "refuse or ignore is needed")
}

// setMaxRegionSize reads a size, or 0 for no limit.
func setMaxRegionSize(cfg *Config, value string) error {
	n, err := humanize.ParseBytes(value)
	switch {
	case err != nil || n > maxBytes:
		return badValue("maxRegionSize", value, regionSizeWanted)
	case n == 0:
		cfg.MaxRegionSize = -1
	default:
		cfg.MaxRegionSize = int64(n)
	}
	return nil
}

func formatMaxRegionSize(cfg *Config) string {
	switch {
	case cfg.MaxRegionSize == 0:
		return ""
	case cfg.MaxRegionSize < 0:
		return "0"
	}
	return formatBytes(cfg.MaxRegionSize)
}

func formatBool(b, unset bool) string {
	if b == unset {
		return ""
	}
	return strconv.FormatBool(b)
}

func unless(s, unset string) string {
	if s == unset {
		return ""
	}
	return s
}
