package values

import (
	"database/sql/driver"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
)

// Times says how a configuration treats times.
type Times struct {
	Loc      *time.Location
	Truncate time.Duration
	Parse    bool
}

// bind returns the date and time in the location, with nanoseconds, and the
// zero date for the zero time, as github.com/go-sql-driver/mysql sends them.
func (c Times) bind(t time.Time) (value.Value, error) {
	if t.IsZero() {
		return value.NewString("0000-00-00"), nil
	}
	t = t.In(c.Loc).Truncate(c.Truncate)
	if year := t.Year(); year < 1 || year > 9999 {
		return value.Value{}, mysqlerr.New(mysqlerr.WrongArguments,
			"Incorrect arguments to EXECUTE: the year %d is not in the range from 1 to 9999", year)
	}
	layout := "2006-01-02 15:04:05.999999999"
	if h, m, s := t.Clock(); h == 0 && m == 0 && s == 0 && t.Nanosecond() == 0 {
		layout = time.DateOnly
	}
	return value.NewString(t.Format(layout)), nil
}

// ParseTimes sets the dates among the row's columns as time.Time.
func (c Times) ParseTimes(dest []driver.Value, columns []sqlfront.Column, row []value.Value) {
	for i := range columns {
		if !IsDate(columns[i].Type) {
			continue
		}
		if v := row[i]; v.Kind() == value.Date || v.Kind() == value.DateTime {
			dest[i] = c.parsed(v)
		}
	}
}

func IsDate(t value.Type) bool { return t.Kind == value.Date || t.Kind == value.DateTime }

// parsed is a date as time.Time, and the zero date as the zero time. A month or
// day that is 0 becomes the one before the first.
func (c Times) parsed(v value.Value) time.Time {
	f := v.Fields()
	if f == (calendar.Fields{}) {
		return time.Time{}
	}
	return time.Date(f.Year, time.Month(f.Month), f.Day, f.Hour, f.Minute, f.Second, f.Micro*1000, c.Loc)
}
