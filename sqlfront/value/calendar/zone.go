package calendar

import (
	_ "embed" // of the names of zones
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// In is the moment at which the clocks of a zone show f: the first one if they show it twice, and the moment
// of the change if they skip it, as in MySQL. time.Date leaves both undefined.
func (f Fields) In(zone *time.Location) time.Time {
	t := time.Date(f.Year, time.Month(f.Month), f.Day, f.Hour, f.Minute, f.Second, f.Micro*1000, zone)
	from, to := t.ZoneBounds()
	if (from.IsZero() || t.Sub(from) > maxChange) && (to.IsZero() || to.Sub(t) > maxChange) {
		return t
	}
	clock := time.Date(f.Year, time.Month(f.Month), f.Day, f.Hour, f.Minute, f.Second, 0, time.UTC)
	return firstAt(clock, zone).Add(time.Duration(f.Micro) * time.Microsecond)
}

// maxChange is more than clocks were ever changed, which is a day, and more than any offset from UTC.
const maxChange = 48 * time.Hour

// firstAt searches the periods in which a zone keeps its offset.
func firstAt(clock time.Time, zone *time.Location) time.Time {
	at := clock.Add(-maxChange).In(zone)
	for {
		_, offset := at.Zone()
		from, to := at.ZoneBounds()
		if !to.IsZero() && !to.After(at) {
			// Package time ends periods a day early in leap years after the last change in a zone's file:
			// there is no change on New Year's Eve.
			to = at.Add(24 * time.Hour)
		}
		moment := clock.Add(-time.Duration(offset) * time.Second).In(zone)
		switch {
		case !from.IsZero() && moment.Before(from):
			return from
		case to.IsZero() || moment.Before(to):
			return moment
		}
		at = to
	}
}

// ErrZone is the error for an unknown time zone.
var ErrZone = errors.New("unknown time zone")

// LoadZone is a zone by MySQL's names: SYSTEM, which is the machine's, an offset from -13:59 to +14:00, or a
// name of the time zone database in any case. shown is the name by which @@time_zone shows the zone. The
// error is ErrZone, or that of reading the database.
func LoadZone(name string) (zone *time.Location, shown string, err error) {
	if strings.EqualFold(name, "SYSTEM") {
		return time.Local, "SYSTEM", nil
	}
	if name != "" && (name[0] == '+' || name[0] == '-') {
		seconds, ok := zoneOffset(name)
		if !ok {
			return nil, "", ErrZone
		}
		shown = offsetName(seconds)
		return time.FixedZone(shown, seconds), shown, nil
	}
	zone, err = NamedZone(name)
	return zone, name, err
}

// NamedZone is a zone of the time zone database, by its name in any case. The error is ErrZone, or that of
// reading the database.
func NamedZone(name string) (*time.Location, error) {
	name = strings.TrimRight(name, " ")
	if name == "" || len(name) > maxZoneName || strings.EqualFold(name, "local") {
		return nil, ErrZone
	}
	known, ok := zoneNames()[strings.ToLower(name)]
	if !ok {
		return time.LoadLocation(name)
	}
	if zone, ok := zones.Load(known); ok {
		return zone.(*time.Location), nil
	}
	zone, err := time.LoadLocation(known)
	if err == nil {
		zones.Store(known, zone)
	}
	return zone, err
}

// zones caches zones that were looked up: reading one again takes longer than a row.
var zones sync.Map

// maxZoneName is longer than any name of a time zone.
const maxZoneName = 255

//go:embed zones.txt
var zoneList string

// zoneNames are the names of the time zone database, by their lower case.
var zoneNames = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	for _, name := range strings.Fields(zoneList) {
		names[strings.ToLower(name)] = name
	}
	return names
})

// zoneOffset is the number of seconds east of UTC in [+-]hh:mm.
func zoneOffset(name string) (seconds int, ok bool) {
	hours, minutes, ok := strings.Cut(name[1:], ":")
	h, err1 := strconv.ParseUint(hours, 10, 16)
	m, err2 := strconv.ParseUint(minutes, 10, 16)
	if !ok || err1 != nil || err2 != nil || m > 59 || h*60+m > 14*60 {
		return 0, false
	}
	seconds = int(h*60+m) * 60
	if name[0] == '-' {
		seconds = -seconds
	}
	return seconds, seconds > -14*3600
}

func offsetName(seconds int) string {
	sign := '+'
	if seconds < 0 {
		sign, seconds = '-', -seconds
	}
	return fmt.Sprintf("%c%02d:%02d", sign, seconds/3600, seconds/60%60)
}
