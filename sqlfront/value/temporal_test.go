package value

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
)

func TestParseDateTime(t *testing.T) {
	for text, want := range map[string]string{
		"2020-01-31": "2020-01-31", "2020-1-3": "2020-01-03", "20200131": "2020-01-31", "200131": "2020-01-31",
		"70-01-01": "1970-01-01", "69-01-01": "2069-01-01",
		"2020-01-31 10:20:30": "2020-01-31 10:20:30", "2020-01-31T10:20:30.5": "2020-01-31 10:20:30.5",
		"20200131102030":      "2020-01-31 10:20:30",
		"2020/01/31 10.20.30": "2020-01-31 10:20:30", " 2020-01-31 ": "2020-01-31", "2020-01-31 10": "2020-01-31 10:00:00",
		"2020-02-29": "2020-02-29",
		"2021-02-29": "", "2020-13-01": "", "2020-00-01": "", "2020-01-31 25:00": "", "abc": "", "": "", "2020": "",
		"2020-01": "", "10:20:30": "",
	} {
		v, ok := ParseDateTime(NewString(text))
		require.Equal(t, want != "", ok, text)
		if ok {
			require.Equal(t, want, v.String(), text)
		}
	}
	_, whole, ok := ReadDateTime(NewString("2020-01-31x"))
	require.True(t, ok && !whole)
}

func TestParseTime(t *testing.T) {
	for text, want := range map[string]string{
		"10:20:30": "10:20:30", "10:20": "10:20:00", "102030": "10:20:30", "30": "00:00:30", "1 10:20:30": "34:20:30",
		"-10:20:30.25": "-10:20:30.25",
		"838:59:59":    "838:59:59", "900:00:00": "838:59:59", "10:60:00": "", "abc": "", "": "",
		"2020-01-31 10:20:30": "10:20:30", "-": "",
	} {
		v, ok := ParseTime(NewString(text))
		require.Equal(t, want != "", ok, text)
		if ok {
			require.Equal(t, want, v.String(), text)
		}
	}
}

// TestDays compares the calendar with Go's over four centuries.
func TestDays(t *testing.T) {
	require.Equal(t, int64(719528), calendar.Fields{Year: 1970, Month: 1, Day: 1}.Days())
	day := time.Date(1599, 12, 30, 0, 0, 0, 0, time.UTC)
	for n := (calendar.Fields{Year: 1599, Month: 12, Day: 30}).Days(); day.Year() < 2001; n, day = n+1, day.AddDate(0, 0, 1) {
		f, ok := calendar.DateOfDays(n)
		require.True(t, ok)
		require.Equal(t, calendar.FieldsOf(day), f)
		require.Equal(t, n, f.Days())
	}
}

// TestDaysOfYearZero: as MySQL counts them, in a year of 365 days.
func TestDaysOfYearZero(t *testing.T) {
	for n := int64(1); n <= 366; n++ {
		f, ok := calendar.DateOfDays(n)
		require.True(t, ok)
		require.Equal(t, n, f.Days(), "%+v", f)
	}
	require.Equal(t, int64(59), calendar.Fields{Month: 2, Day: 28}.Days())
	require.Equal(t, int64(60), calendar.Fields{Month: 3, Day: 1}.Days())
	require.Equal(t, int64(366), calendar.Fields{Year: 1, Month: 1, Day: 1}.Days())
}

func TestPackedFieldsOrder(t *testing.T) {
	early := calendar.Fields{Year: 2019, Month: 12, Day: 31, Hour: 23, Minute: 59, Second: 59, Micro: 999999}
	late := calendar.Fields{Year: 2020, Month: 1, Day: 1}
	order, _ := Compare(NewDateTime(early, 6), NewDateTime(late, 0))
	require.Negative(t, order)
	require.Equal(t, early, NewDateTime(early, 6).Fields())
	require.Equal(t, "20191231235959.999999", NewDateTime(early, 6).temporalNumber().String())
	require.Equal(t, "-102030", NewTime(-(10*3600+20*60+30)*1e6, 0).temporalNumber().String())
	back, ok := calendar.FieldsOfMicros(early.Micros())
	require.True(t, ok)
	require.Equal(t, early, back)
}
