package calendar

import (
	"archive/zip"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestZoneNames: zones.txt has the names of Go's time zone database, and all can be loaded in any case.
func TestZoneNames(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("no go command: ", err)
	}
	z, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Skip("no time zone database: ", err)
	}
	defer z.Close()
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		require.Equal(t, f.Name, zoneNames()[strings.ToLower(f.Name)], "add it to zones.txt")
		for _, name := range []string{f.Name, strings.ToLower(f.Name), strings.ToUpper(f.Name), f.Name + " "} {
			zone, err := NamedZone(name)
			require.NoError(t, err, name)
			require.Equal(t, f.Name, zone.String())
		}
	}
}

// TestFirstMoments: a day that clocks skip is the moment at which it would begin.
func TestFirstMoments(t *testing.T) {
	zone, err := time.LoadLocation("Pacific/Apia") // skips the 30th of December 2011
	require.NoError(t, err)
	for clock, want := range map[Fields]int64{
		{2011, 12, 29, 23, 59, 59, 0}:      1325239199,
		{2011, 12, 30, 0, 0, 0, 0}:         1325239200,
		{2011, 12, 30, 23, 59, 59, 999999}: 1325239200,
		{2011, 12, 31, 0, 0, 0, 0}:         1325239200,
		{2011, 12, 31, 0, 0, 1, 0}:         1325239201,
	} {
		require.Equal(t, want, clock.In(zone).Unix(), "%v", clock)
	}
}

// TestYearsEnds: package time ends the periods of a zone too early if a leap year's last day is after the
// changes in the zone's file.
func TestYearsEnds(t *testing.T) {
	for _, name := range []string{"Europe/Berlin", "America/New_York", "Europe/Dublin", "Australia/Lord_Howe",
		"America/Santiago", "Asia/Gaza", "Africa/Casablanca", "Pacific/Chatham"} {
		zone, err := time.LoadLocation(name)
		require.NoError(t, err)
		for day := time.Date(2030, 12, 26, 0, 0, 0, 0, time.UTC); day.Year() < 2200; day = day.AddDate(0, 0, 1) {
			if day.YearDay() > 7 && day.YearDay() < 359 {
				day = day.AddDate(0, 0, 359-day.YearDay())
			}
			clock := Fields{Year: day.Year(), Month: int(day.Month()), Day: day.Day(), Hour: 12}
			want := time.Date(clock.Year, day.Month(), clock.Day, 12, 0, 0, 0, zone)
			require.True(t, want.Equal(clock.In(zone)), "%v in %s", clock, name)
		}
	}
}
