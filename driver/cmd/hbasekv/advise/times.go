package advise

import (
	"encoding/binary"
	"math"
	"regexp"
	"strconv"
	"time"
)

// keyTime is a form of times with which keys begin.
type keyTime struct {
	name string
	read func(key []byte) (time.Time, bool)
	// millis is an expression for the time in milliseconds, with %s for the part
	// of the key that contains it; empty if there is no short one.
	millis string
}

// keyTimes are the known forms. They are narrow, so that other numbers are not
// mistaken for times.
var keyTimes = []keyTime{
	{"milliseconds in 13 digits", digits(13, time.UnixMilli), "CAST(%s AS SIGNED)"},
	{"microseconds in 16 digits", digits(16, time.UnixMicro), "CAST(%s AS SIGNED) DIV 1000"},
	{"seconds in 10 digits", digits(10, func(i int64) time.Time { return time.Unix(i, 0) }), "CAST(%s AS SIGNED) * 1000"},
	{"a date and time in digits", layout("20060102150405"), ""},
	{"a date and time in digits", layout("20060102T1504"), ""},
	{"a date and time in text", layout("2006-01-02T15"), ""},
	{"a date and time in text", layout("2006-01-02 15"), ""},
	{"a date in text", layout("2006-01-02"), ""},
	{"a date in digits", dateDigits, ""},
	{"milliseconds in 8 bytes", long(func(u uint64) uint64 { return u }), ""},
	{"milliseconds in 8 sortable bytes", long(func(u uint64) uint64 { return u ^ 1<<63 }), ""},
	{"reversed milliseconds in 8 bytes", long(func(u uint64) uint64 { return math.MaxInt64 - u }), ""},
	{"an ObjectId's time", hexTime(regexp.MustCompile(`^([0-9a-fA-F]{8})[0-9a-fA-F]{16}\b`), 1000), ""},
	{"a UUIDv7's time", hexTime(regexp.MustCompile(`^([0-9a-fA-F]{8})-([0-9a-fA-F]{4})-7`), 1), ""},
}

// timesOf finds the form of the times with which nearly all keys begin, and
// whether they reach to about the newest T.
func timesOf(rows []sampledRow, newest int64) (keyTime, bool) {
	for _, form := range keyTimes {
		if hits, last := readTimes(form, rows); len(rows) >= fewTimes && hits >= len(rows)*95/100 {
			return form, last.Sub(time.UnixMilli(newest)).Abs() < 30*24*time.Hour
		}
	}
	return keyTime{}, false
}

func readTimes(form keyTime, rows []sampledRow) (hits int, last time.Time) {
	for _, r := range rows {
		at, ok := form.read(r.key)
		if !ok || at.Year() < 2000 || at.Year() >= 2100 {
			continue
		}
		hits++
		if at.After(last) {
			last = at
		}
	}
	return hits, last
}

// digits reads exactly n digits.
func digits(n int, at func(int64) time.Time) func([]byte) (time.Time, bool) {
	return func(key []byte) (time.Time, bool) {
		if len(key) < n || len(key) > n && key[n] >= '0' && key[n] <= '9' {
			return time.Time{}, false
		}
		i, err := strconv.ParseUint(string(key[:n]), 10, 63)
		return at(int64(i)), err == nil
	}
}

func layout(form string) func([]byte) (time.Time, bool) {
	return func(key []byte) (time.Time, bool) {
		if len(key) < len(form) {
			return time.Time{}, false
		}
		at, err := time.Parse(form, string(key[:len(form)]))
		return at, err == nil
	}
}

func dateDigits(key []byte) (time.Time, bool) {
	if len(key) > 8 && key[8] >= '0' && key[8] <= '9' {
		return time.Time{}, false
	}
	return layout("20060102")(key)
}

func long(millis func(uint64) uint64) func([]byte) (time.Time, bool) {
	return func(key []byte) (time.Time, bool) {
		if len(key) < 8 {
			return time.Time{}, false
		}
		u := millis(binary.BigEndian.Uint64(key))
		return time.UnixMilli(int64(u)), u < 1<<43
	}
}

// hexTime reads the groups of the pattern as one hexadecimal number of time
// units, given in milliseconds.
func hexTime(pattern *regexp.Regexp, unit int64) func([]byte) (time.Time, bool) {
	return func(key []byte) (time.Time, bool) {
		text := ""
		groups := pattern.FindSubmatch(key)
		for _, g := range groups[min(1, len(groups)):] {
			text += string(g)
		}
		u, err := strconv.ParseUint(text, 16, 63)
		return time.UnixMilli(int64(u) * unit), err == nil
	}
}
