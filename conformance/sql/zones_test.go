package sql

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// TestTimesOfZones tests local times that occur twice or never, and the names of zones.
func TestTimesOfZones(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	for _, c := range []struct{ zone, shown, query, want string }{
		{"Europe/Vilnius", "Europe/Vilnius", "SELECT UNIX_TIMESTAMP('2020-10-25 03:45'), UNIX_TIMESTAMP('2020-03-29 03:45')", "1603586700 1585443600"},
		{"europe/vilnius", "europe/vilnius", "SELECT UNIX_TIMESTAMP('2020-10-25 02:59:59'), UNIX_TIMESTAMP('2020-10-25 03:00'), UNIX_TIMESTAMP('2020-10-25 04:00')",
			"1603583999 1603584000 1603591200"},
		{"EUROPE/VILNIUS", "EUROPE/VILNIUS", "SELECT UNIX_TIMESTAMP('2020-03-29 02:59:59'), UNIX_TIMESTAMP('2020-03-29 03:00'), UNIX_TIMESTAMP('2020-03-29 04:00')",
			"1585443599 1585443600 1585443600"},
		{"Europe/Vilnius", "Europe/Vilnius", "SELECT UNIX_TIMESTAMP('2020-03-29 03:45:10.5'), UNIX_TIMESTAMP(TIMESTAMP '2020-10-25 03:45:10.25')", "1585443600.5 1603586710.25"},
		{"pacific/apia", "pacific/apia", "SELECT UNIX_TIMESTAMP('2011-12-30 12:00'), UNIX_TIMESTAMP('2011-12-31 00:00')", "1325239200 1325239200"},
		{"australia/lord_howe", "australia/lord_howe", "SELECT UNIX_TIMESTAMP('2020-04-05 01:45'), UNIX_TIMESTAMP('2020-10-04 02:15')", "1586011500 1601739000"},
		{"utc", "utc", "SELECT UNIX_TIMESTAMP('2020-03-29 03:45')", "1585453500"},
		{"+5:30", "+05:30", "SELECT UNIX_TIMESTAMP('1970-01-01 05:30:01')", "1"},
		{"-0:00", "+00:00", "SELECT UNIX_TIMESTAMP('1970-01-01 00:00:01')", "1"},
		{"+5:3", "+05:03", "SELECT UNIX_TIMESTAMP('1970-01-01 05:03:01')", "1"},
		{"system", "SYSTEM", "SELECT @@time_zone", "SYSTEM"},
	} {
		_, err := conn.ExecContext(t.Context(), "SET time_zone = '"+c.zone+"'")
		require.NoError(t, err, c.zone)
		require.Equal(t, []string{c.shown}, harness.Lines(t, conn, "SELECT @@time_zone"))
		require.Equal(t, []string{c.want}, harness.Lines(t, conn, c.query), "%s: %s", c.zone, c.query)
	}
	for _, zone := range []string{"", "local", " utc", "+", "+5", "+14:01", "-14:00", "+1:60", "+:30", "+5:", "../UTC", "/etc/localtime", "Europe", "Europe/Nowhere",
		strings.Repeat("x", 300)} {
		_, err := conn.ExecContext(t.Context(), "SET time_zone = ?", zone)
		harness.RequireErrorNumber(t, 1298, err)
		require.Equal(t, "NULL", harness.Single(t, conn, "SELECT CONVERT_TZ('2020-01-01', ?, '+00:00')", zone), zone)
	}
	for call, want := range map[string]string{
		"CONVERT_TZ('2020-10-25 03:45', 'europe/VILNIUS', 'utc')": "2020-10-25 00:45:00",
		"CONVERT_TZ('2020-03-29 03:45', 'Europe/Vilnius', 'UTC')": "2020-03-29 01:00:00",
		"CONVERT_TZ('2020-01-01', '+5:3', 'utc ')":                "2019-12-31 18:57:00",
	} {
		require.Equal(t, want, harness.Single(t, conn, "SELECT "+call), call)
	}
}

// TestSystemZone: SYSTEM is the machine's zone, also if the session uses another.
func TestSystemZone(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	before := time.Local
	time.Local = berlin
	defer func() { time.Local = before }()
	db := harness.OpenDB(t, ":memory:?time_zone=%27%2B09:00%27")
	require.Equal(t, "2020-07-01 10:00:00",
		harness.Single(t, db, "SELECT CONVERT_TZ('2020-07-01 12:00', 'SYSTEM', 'UTC')"))
	require.Equal(t, "2020-07-01 14:00:00",
		harness.Single(t, db, "SELECT CONVERT_TZ('2020-07-01 12:00', 'utc', 'system')"))
}

// TestZoneOfTimes: the names of zones are case-insensitive in the data source name, too.
func TestZoneOfTimes(t *testing.T) {
	for loc, want := range map[string]string{"europe/berlin": "2020-07-01 10:00", "UTC": "2020-07-01 12:00", "utc": "2020-07-01 12:00", "America%2FPORT-AU-PRINCE": "2020-07-01 16:00"} {
		var at time.Time
		require.NoError(t, harness.OpenEmbedded(t, ":memory:?parseTime=true&loc="+loc).QueryRow("SELECT TIMESTAMP '2020-07-01 12:00:00'").Scan(&at))
		require.Equal(t, want, at.UTC().Format("2006-01-02 15:04"), loc)
	}
	_, err := sql.Open("hbasekv", ":memory:?loc=europe/nowhere")
	require.Error(t, err)
}

// changingZones put clocks forward and back, by hours, parts of hours and days; some names are
// in unusual case.
var changingZones = []string{"Europe/Berlin", "Europe/Vilnius", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Monrovia",
	"America/St_Johns", "America/Argentina/ComodRivadavia", "Antarctica/Troll", "Asia/Gaza", "Africa/Casablanca", "America/Port-au-Prince",
	"Europe/Dublin", "Pacific/Kwajalein", "Asia/Pyongyang", "Europe/Moscow", "Etc/GMT+5", "UTC"}

// TestRandomTimesOfZones compares random moments, most of them near clock changes, with a
// search in Go's zone tables, and with MariaDB if there is a server.
func TestRandomTimesOfZones(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	db := harness.OpenDB(t, ":memory:?time_zone=%27%2B00:00%27")
	maria := zonesOfMariaDB(t)
	for range 20 {
		name := harness.Pick(r, changingZones)
		zone, err := time.LoadLocation(name)
		require.NoError(t, err)
		var calls, want []string
		for range 20 {
			clock := clockNear(r, zone)
			text := clock.Format(time.DateTime)
			calls = append(calls, fmt.Sprintf("CONVERT_TZ('%s', '%s', '+00:00')", text, name))
			want = append(want, momentOf(clock, zone).UTC().Format(time.DateTime))
		}
		query := "SELECT CONCAT_WS('\n', " + strings.Join(calls, ", ") + ")"
		require.Equal(t, strings.Join(want, "\n"), harness.Single(t, db, query), query)
		if maria != nil {
			require.Equal(t, strings.Join(want, "\n"), harness.Single(t, maria, query), query)
		}
		anyCase := strings.ReplaceAll(query, name,
			harness.Pick(r, []string{strings.ToLower(name), strings.ToUpper(name)}))
		require.Equal(t, strings.Join(want, "\n"), harness.Single(t, db, anyCase), anyCase)
	}
}

// clockNear returns a zone's local time in the years of a TIMESTAMP, most often within a day
// of a clock change.
func clockNear(r *rand.Rand, zone *time.Location) time.Time {
	at := time.Unix(86400*3+r.Int64N(2<<30-86400*6), 0).In(zone)
	if from, to := at.ZoneBounds(); r.IntN(8) > 0 {
		for _, change := range []time.Time{from, to} {
			if change.Unix() > 86400*3 && change.Unix() < 2<<30-86400*3 {
				at = change
			}
		}
	}
	by := harness.Pick(r, []int64{2, 60, 3600, 7200, 86400})
	_, offset := at.Zone()
	return at.UTC().Add(time.Duration(int64(offset)+r.Int64N(2*by+1)-by) * time.Second)
}

// momentOf searches the moments within two days of a local time for the first one at which the
// zone's clock shows it, or at which the clock jumps past it.
func momentOf(clock time.Time, zone *time.Location) time.Time {
	const around = 2 * 86400
	shown := func(t int64) int64 {
		_, offset := time.Unix(t, 0).In(zone).Zone()
		return t + int64(offset)
	}
	for t := clock.Unix() - around; t < clock.Unix()+around; t++ {
		if shown(t) == clock.Unix() || shown(t) > clock.Unix() && shown(t-1) < clock.Unix() {
			return time.Unix(t, 0)
		}
	}
	panic("no clock shows " + clock.String())
}

// zonesOfMariaDB returns a server that knows the zones, nil if the flag names none.
func zonesOfMariaDB(t *testing.T) *sql.DB {
	if *harness.MariaDB == "" {
		return nil
	}
	db := oracle.OpenMariaDB(t)
	for _, zone := range changingZones {
		var known sql.NullString
		require.NoError(t, db.QueryRow("SELECT CONVERT_TZ('2020-01-01', ?, '+00:00')", zone).Scan(&known))
		if known.Valid {
			continue
		}
		out, err := exec.Command("mysql_tzinfo_to_sql", "/usr/share/zoneinfo/"+zone, zone).Output()
		require.NoError(t, err)
		for statement := range strings.SplitSeq(string(out), ";\n") {
			if strings.HasPrefix(statement, "INSERT INTO ") || strings.HasPrefix(statement, "SET @time_zone_id") {
				harness.Must(t, db, strings.Replace(statement, "INSERT INTO ", "INSERT INTO mysql.", 1))
			}
		}
	}
	return db
}
