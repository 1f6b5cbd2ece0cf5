package driver

import (
	"bytes"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

func testNumbersAsAny(t *testing.T, open opener) {
	db := open("")
	harness.Must(t, db, "INSERT INTO c VALUES ('k', 'q', 9223372036854775807, 'v')")
	for _, args := range [][]any{nil, {"k"}} { // as text, and in binary form
		where := strings.Repeat(" WHERE K = ?", len(args))
		var big, small, float, exact, none any
		var huge uint64 // as text, go-sql-driver/mysql scans it into any as a []byte
		require.NoError(t, db.QueryRow("SELECT T, 127, CAST(18446744073709551615 AS UNSIGNED), 2.5e0, 1.25, NULL FROM c"+where, args...).
			Scan(&big, &small, &huge, &float, &exact, &none))
		require.Equal(t, []any{int64(math.MaxInt64), int64(127), uint64(math.MaxUint64), 2.5, []byte("1.25"), nil},
			[]any{big, small, huge, float, exact, none})
	}
}

func testEchoOfNumbers(t *testing.T, open opener) {
	db := open("")
	echo := func(in, out any) {
		t.Helper()
		require.NoError(t, db.QueryRow("SELECT ?", in).Scan(out))
		harness.Must(t, db, "DELETE FROM c")
		require.EqualValues(t, 1, harness.Affected(t, db, "INSERT INTO c VALUES ('k', 'q', 1, ?)", in))
		require.NoError(t, db.QueryRow("SELECT V FROM c WHERE T = ?", 1).Scan(out))
	}
	for _, in := range []int64{42, 0, -1, math.MinInt64, math.MaxInt64} {
		var out int64
		echo(in, &out)
		require.Equal(t, in, out)
	}
	for _, in := range []uint64{0, math.MaxInt64, math.MaxInt64 + 1, math.MaxUint64} {
		var out uint64
		echo(in, &out)
		require.Equal(t, in, out)
	}
	for _, in := range []float64{42.23, -0.001, 1e300, math.Pi} {
		var out float64
		echo(in, &out)
		require.Equal(t, in, out)
	}
	var narrow float32
	echo(float32(42.23), &narrow)
	require.Equal(t, float32(42.23), narrow)
}

func testEchoOfTexts(t *testing.T, open opener) {
	db := open("")
	for _, in := range []string{"", "plain", "Größe, naïve, Ελλάδα, Łódź, ひらがな, שלום, ไทย, \U0001F600", strings.Repeat("long text. ", 90)} {
		harness.Must(t, db, "DELETE FROM c")
		harness.Must(t, db, "INSERT INTO c VALUES ('k', 'q', 1, '')")
		require.EqualValues(t, min(1, len(in)), harness.Affected(t, db, "UPDATE c SET V = ?", in))
		require.Equal(t, in, harness.Single(t, db, "SELECT V FROM c WHERE T = ?", 1))
		require.Equal(t, in, harness.Single(t, db, "SELECT ?", in))
	}
}

func testRawBytes(t *testing.T, open opener) {
	db := open("")
	rows, err := db.Query("SELECT ?, ?, REPEAT('x', 100000)", []byte("aaa"), json.RawMessage(`{"b":1}`))
	require.NoError(t, err)
	defer rows.Close()
	require.True(t, rows.Next())
	var first, long sql.RawBytes
	var second json.RawMessage
	require.NoError(t, rows.Scan(&first, &second, &long))
	require.Equal(t, "aaa", string(first))
	_ = append(first, "overwrites what is behind"...)
	require.JSONEq(t, `{"b":1}`, string(second))
	require.True(t, bytes.Equal(long, bytes.Repeat([]byte("x"), 100000)))
	require.False(t, rows.Next())
}

// refusesEmpty is a Valuer that refuses the empty text. Its method has a value
// receiver.
type refusesEmpty string

func (v refusesEmpty) Value() (driver.Value, error) {
	if v == "" {
		return nil, errors.New("empty")
	}
	return "valued " + string(v), nil
}

func testValuers(t *testing.T, open opener) {
	db := open("")
	require.Equal(t, "valued a", harness.Single(t, db, "SELECT ?", refusesEmpty("a")))
	pointed := refusesEmpty("b")
	require.Equal(t, "valued b", harness.Single(t, db, "SELECT ?", &pointed))
	require.Equal(t, "NULL", harness.Single(t, db, "SELECT ?", (*refusesEmpty)(nil)))
	require.Equal(t, "NULL", harness.Single(t, db, "SELECT ?", nil))
	for _, bad := range []any{refusesEmpty(""), map[string]bool{}} {
		_, err := db.Exec("INSERT INTO c VALUES ('k', 'q', 1, ?)", bad)
		require.Error(t, err)
	}
	require.Equal(t, "0", harness.Single(t, db, "SELECT COUNT(*) FROM c"))
}

func testMoments(t *testing.T, open opener) {
	for _, zone := range []string{"UTC", "US/Central", "Asia/Kolkata"} {
		loc, err := time.LoadLocation(zone)
		require.NoError(t, err)
		db := open("parseTime=true&loc=" + strings.ReplaceAll(zone, "/", "%2F"))
		for _, at := range []time.Time{
			time.Date(2014, 5, 30, 18, 3, 17, 0, time.UTC), time.Date(2011, 11, 20, 21, 27, 37, 123456000, loc),
		} {
			harness.Must(t, db, "DELETE FROM c")
			harness.Must(t, db, "INSERT INTO c VALUES ('k', 'q', 1, '')")
			require.EqualValues(t, 1, harness.Affected(t, db, "UPDATE c SET V = ?", at))
			var got time.Time
			require.NoError(t, db.QueryRow("SELECT CAST(V AS DATETIME(6)) FROM c").Scan(&got))
			require.True(t, got.Equal(at), "%s, not %s", got, at)
			require.Equal(t, loc.String(), got.Location().String())
		}
		var day, none sql.NullTime
		require.NoError(t, db.QueryRow("SELECT CAST('2012-12-30' AS DATE), CAST(NULL AS DATETIME)").Scan(&day, &none))
		require.True(t, day.Time.Equal(time.Date(2012, 12, 30, 0, 0, 0, 0, loc)))
		require.False(t, none.Valid)
	}
	db := open("parseTime=false")
	for precision := range 7 {
		text := strings.TrimSuffix("2014-05-30 18:03:17."+"123412"[:precision], ".")
		require.Equal(t, text, harness.Single(t, db, fmt.Sprintf("SELECT CAST('2014-05-30 18:03:17.123412' AS DATETIME(%d))", precision)))
		require.Equal(t, text[11:], harness.Single(t, db, fmt.Sprintf("SELECT CAST(? AS TIME(%d))", precision), "18:03:17.123412"))
	}
}

func testNulls(t *testing.T, open opener) {
	db := open("")
	null, err := db.Prepare("SELECT NULL")
	require.NoError(t, err)
	defer null.Close()
	one, err := db.Prepare("SELECT 1")
	require.NoError(t, err)
	defer one.Close()
	var (
		b    sql.NullBool
		f    sql.NullFloat64
		i    sql.NullInt64
		s    sql.NullString
		n    sql.NullTime
		text []byte
	)
	for _, dest := range []any{&b, &f, &i, &s, &n, &text} {
		require.NoError(t, null.QueryRow().Scan(dest))
	}
	require.False(t, b.Valid || f.Valid || i.Valid || s.Valid || n.Valid || text != nil)
	for _, dest := range []any{&b, &f, &i, &s, &text} {
		require.NoError(t, one.QueryRow().Scan(dest))
	}
	require.Equal(t, []any{true, 1.0, int64(1), "1", []byte("1")}, []any{b.Bool, f.Float64, i.Int64, s.String, text})
	require.Equal(t, "1", harness.Single(t, db, "SELECT ? IS NULL", []byte(nil)))
	require.NoError(t, db.QueryRow("SELECT ?", []byte(nil)).Scan(&text))
	require.Nil(t, text)
	require.NoError(t, db.QueryRow("SELECT ?", []byte{}).Scan(&text))
	require.NotNil(t, text)
	harness.Must(t, db, "INSERT INTO c VALUES ('k', 'q', 1, 'v')")
	require.EqualValues(t, 1, harness.Affected(t, db, "UPDATE c SET V = ?", nil))
	var v any = "something"
	require.NoError(t, db.QueryRow("SELECT V FROM c").Scan(&v))
	require.Nil(t, v)
}

func testColumnTypes(t *testing.T, open opener) {
	db := open("parseTime=true")
	harness.Must(t, db, "INSERT INTO c VALUES ('k', 'q', 1, 'v')")
	rows, err := db.Query("SELECT K, T, V, COUNT(*), MAX(T), 1.50, 2.5e0, 'x', NOW(6), CAST(T AS UNSIGNED) FROM c GROUP BY K, Q, T, V HAVING 1 = ?", 1)
	require.NoError(t, err)
	defer rows.Close()
	types, err := rows.ColumnTypes()
	require.NoError(t, err)
	var got []string
	for _, c := range types {
		got = append(got, printColumn(c))
	}
	require.Equal(t, []string{"VARBINARY NOT NULL []uint8", "BIGINT NOT NULL int64", "VARBINARY []uint8", "BIGINT NOT NULL int64",
		"BIGINT sql.NullInt64", "DECIMAL(3,2) NOT NULL string", "DOUBLE NOT NULL float64", "VARCHAR NOT NULL string",
		"DATETIME(6) NOT NULL sql.NullTime", "UNSIGNED BIGINT NOT NULL uint64"}, got)
}
