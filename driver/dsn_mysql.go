package driver

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
)

// withoutEffect are parameters of github.com/go-sql-driver/mysql that concern
// its network, its login, or whether arguments are interpolated. Their values
// are checked and otherwise ignored.
var withoutEffect = map[string]func(parameter, value string) error{
	"allowCleartextPasswords":  checkBool,
	"allowFallbackToPlaintext": checkBool,
	"allowNativePasswords":     checkBool,
	"allowOldPasswords":        checkBool,
	"checkConnLiveness":        checkBool,
	"compress":                 checkBool,
	"connectionAttributes":     anyValue,
	"interpolateParams":        checkBool,
	"readTimeout":              checkDuration,
	"rejectReadOnly":           checkBool,
	"serverPubKey":             anyValue,
	"timeout":                  checkDuration,
	"tls":                      anyValue,
	"writeTimeout":             checkDuration,
}

func anyValue(string, string) error { return nil }

func checkBool(parameter, value string) error {
	_, err := parseBool(parameter, value)
	return err
}

func checkDuration(parameter, value string) error {
	if _, err := time.ParseDuration(value); err != nil {
		return badValue(parameter, value, durationWanted)
	}
	return nil
}

func setLoc(cfg *Config, name string) error {
	loc, err := locationNamed(name)
	if err != nil {
		return badValue("loc", name, "UTC, Local or a name of the time zone database is needed, as in Europe/Berlin")
	}
	cfg.Loc = loc
	return nil
}

// locationNamed is time.LoadLocation with names that ignore case, as MySQL's zones do.
func locationNamed(name string) (*time.Location, error) {
	switch {
	case name == "":
		return time.UTC, nil
	case strings.EqualFold(name, "Local"):
		return time.Local, nil
	}
	return calendar.NamedZone(name)
}

func setTimeTruncate(cfg *Config, value string) (err error) {
	if cfg.TimeTruncate, err = time.ParseDuration(value); err != nil {
		return badValue("timeTruncate", value, durationWanted)
	}
	return nil
}

// unknownParameter is the error for a name that is neither a parameter nor a
// system variable. It suggests the nearest one.
func unknownParameter(name string) error {
	known := sysvar.Names()
	for _, p := range parameters {
		known = append(known, p.name)
	}
	for p := range withoutEffect {
		known = append(known, p)
	}
	slices.Sort(known)
	return mysqlerr.New(mysqlerr.UnknownSystemVar,
		"Unknown DSN parameter or system variable '%s'; the nearest is '%s'", name, mysqlerr.Nearest(name, known))
}

// prepareSession applies the configuration to a new session, as
// github.com/go-sql-driver/mysql does: first SET NAMES, with the first known
// character set of the list, then the variables.
func (cfg *Config) prepareSession(ctx context.Context, session *sqlfront.Session) error {
	var err error
	for _, names := range cfg.setNames() {
		if err = execute(ctx, session, names); err == nil {
			break
		}
	}
	if err != nil || len(cfg.Params) == 0 {
		return err
	}
	var sets []string
	for _, name := range slices.Sorted(maps.Keys(cfg.Params)) {
		sets = append(sets, name+" = "+cfg.Params[name])
	}
	return execute(ctx, session, "SET "+strings.Join(sets, ", "))
}

// setNames returns the SET NAMES statements to try until one succeeds.
func (cfg *Config) setNames() []string {
	var collate string
	charsets := cfg.Charset
	if cfg.Collation != "" {
		collate = " COLLATE " + cfg.Collation
		if charsets == "" {
			charsets, _, _ = strings.Cut(cfg.Collation, "_")
		}
	}
	if charsets == "" {
		return nil
	}
	var out []string
	for charset := range strings.SplitSeq(charsets, ",") {
		out = append(out, "SET NAMES "+charset+collate)
	}
	return out
}

func execute(ctx context.Context, session *sqlfront.Session, statement string) error {
	prepared, err := session.Prepare(ctx, statement)
	if err == nil {
		_, err = session.Exec(ctx, prepared, nil)
	}
	return userError(err)
}
