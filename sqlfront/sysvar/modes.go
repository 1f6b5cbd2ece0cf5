package sysvar

import (
	"slices"
	"strings"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
)

// sqlMode is the variable with the list of modes.
const sqlMode = "sql_mode"

// sqlModes are MySQL 5.7's (https://dev.mysql.com/doc/refman/5.7/en/sql-mode.html). Those with an effect are
// ONLY_FULL_GROUP_BY, the strict modes, ERROR_FOR_DIVISION_BY_ZERO, and those of Text.
var sqlModes = []string{
	"ALLOW_INVALID_DATES", "ANSI_QUOTES", "ERROR_FOR_DIVISION_BY_ZERO", "IGNORE_SPACE", "NO_AUTO_CREATE_USER",
	"NO_AUTO_VALUE_ON_ZERO", "NO_BACKSLASH_ESCAPES", "NO_DIR_IN_CREATE", "NO_ENGINE_SUBSTITUTION", "NO_FIELD_OPTIONS", "NO_KEY_OPTIONS",
	"NO_TABLE_OPTIONS", "NO_ZERO_DATE", "NO_ZERO_IN_DATE", "ONLY_FULL_GROUP_BY",
	"PAD_CHAR_TO_FULL_LENGTH", "PIPES_AS_CONCAT", "REAL_AS_FLOAT", "STRICT_ALL_TABLES", "STRICT_TRANS_TABLES", traditional, ansi,
}

// Modes that stand for themselves and others.
const (
	traditional = "TRADITIONAL"
	ansi        = "ANSI"
)

var combinedModes = map[string][]string{
	traditional: {"STRICT_TRANS_TABLES", "STRICT_ALL_TABLES", "NO_ZERO_IN_DATE", "NO_ZERO_DATE",
		"ERROR_FOR_DIVISION_BY_ZERO", traditional, "NO_AUTO_CREATE_USER", "NO_ENGINE_SUBSTITUTION"},
	ansi: {"REAL_AS_FLOAT", "PIPES_AS_CONCAT", "ANSI_QUOTES", "IGNORE_SPACE", "ONLY_FULL_GROUP_BY", ansi},
}

// Text is the modes that change how the texts of statements are read, as package lex has them.
type Text struct{ ANSIQuotes, PipesAsConcat, NoBackslashEscapes bool }

func (v *Vars) text() Text {
	return Text{v.hasSQLMode("ANSI_QUOTES"), v.hasSQLMode("PIPES_AS_CONCAT"), v.hasSQLMode("NO_BACKSLASH_ESCAPES")}
}

// refusedModes would change the meaning of a text.
var refusedModes = []string{"HIGH_NOT_PRECEDENCE", "NO_UNSIGNED_SUBTRACTION",
	"DB2", "MAXDB", "MSSQL", "MYSQL323", "MYSQL40", "ORACLE", "POSTGRESQL"}

// checkSQLMode returns the modes in upper case. Its errors are 1231 for an unknown mode and 1235 for one that
// changes how statements are read.
func checkSQLMode(v value.Value) (string, error) {
	text := strings.ToUpper(v.String())
	if text == "0" {
		text = ""
	}
	var modes []string
	for mode := range strings.SplitSeq(text, ",") {
		mode = strings.TrimSpace(mode)
		switch {
		case mode == "" || slices.Contains(modes, mode):
			continue
		case combinedModes[mode] != nil:
			for _, one := range combinedModes[mode] {
				if !slices.Contains(modes, one) {
					modes = append(modes, one)
				}
			}
			continue
		case slices.Contains(refusedModes, mode):
			return "", mysqlerr.Unsupported("sql_mode " + mode)
		case !slices.Contains(sqlModes, mode):
			return "", wrongValue("sql_mode", mode)
		}
		modes = append(modes, mode)
	}
	return strings.Join(modes, ","), nil
}

// location parses time_zone, and returns how @@time_zone shows it; the error is 1298 for an unknown zone.
func location(zone string) (*time.Location, string, error) {
	l, shown, err := calendar.LoadZone(zone)
	if err != nil {
		err = mysqlerr.New(mysqlerr.UnknownTimeZone, "Unknown or incorrect time zone: '%s'", zone)
	}
	return l, shown, err
}
