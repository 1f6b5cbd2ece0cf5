package typed

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// timesCompared are conditions on times, and the rows that MariaDB finds.
var timesCompared = map[string][]string{
	"a = 9223372036854775807": {}, "a = 8385959": {"1"}, "a = 9000000.5": {}, "a = 9e18": {},
	"a < 8390000": {"1", "2", "3", "4"}, "a >= 9000000": {}, "a > -9000000": {"1", "2", "3", "4"}, "a = '900:00:00'": {},
	"a <= '900:00:00'": {"1", "2", "3", "4"}, "a IN (9223372036854775807, 5)": {"3"},
	"a BETWEEN 5 AND 9223372036854775807": {"1", "3"}, "a = 'x'": {"4"}, "a < 'x'": {"2"}, "a = n": {"2", "3", "4"}, "a < n": {"1"},
	"d > '2024-02-30'": {"2"}, "d < '2024-02-30'": {"1", "3", "4"}, "d < '2024-00-00'": {"3", "4"}, "d >= 20240230": {"2"},
	"d BETWEEN '2024-00-00' AND '2024-02-31'": {"1"}, "dt < '2024-02-30 00:00:00'": {"1", "2"}, "d = 'x'": {"4"},
	"d > '2024-13-01'": {"1", "2", "3"}, "d = '2024-02-29x'": {"1"}, "d IN ('x', '2024-03-01')": {"2", "4"},
}

// TestTimesCompared compares dates and times with constants and columns that may be none or too long, without an
// index and by one.
func TestTimesCompared(t *testing.T) {
	db := one(t, "SET sql_mode = ''",
		"CREATE TABLE c (id int PRIMARY KEY, a time, d date, dt datetime(3), n bigint, KEY a (a), KEY d (d), KEY dt (dt))",
		"INSERT INTO c VALUES (1, '838:59:59', '2024-02-29', '2024-02-29 10:00:00', 9223372036854775807), "+
			"(2, '-838:59:59', '2024-03-01', '2019-12-31', -8385959), (3, '00:00:05', '2023-12-31', NULL, 5), "+
			"(4, '00:00:00', '0000-00-00', NULL, 0)")
	for where, want := range timesCompared {
		for _, hint := range []string{"", "IGNORE INDEX (a, d, dt)", "FORCE INDEX (a, d, dt)"} {
			require.Equal(t, want, harness.Lines(t, db, "SELECT id FROM c "+hint+" WHERE "+where+" ORDER BY id"), where+hint)
		}
	}
	require.Equal(t, []string{"2 2", "3 3", "4 4"}, harness.Lines(t, db, "SELECT x.id, y.id FROM c x JOIN c y ON x.a = y.n ORDER BY 1"))
}

// TestTimesWarned: a text that is compared with a date or time and is none warns, and fails in a change with strict
// mode.
func TestTimesWarned(t *testing.T) {
	db := one(t, "CREATE TABLE c (id int PRIMARY KEY, a time, d date, dt datetime, s varchar(20))",
		"INSERT INTO c VALUES (1, '10:00:00', '2024-02-29', '2024-02-29 10:00:00', 'a day')")
	for where, want := range map[string]string{
		"d = 'x'": "datetime value: 'x'", "d > '2024-02-29x'": "date value: '2024-02-29x'", "dt <> ''": "datetime value: ''",
		"dt BETWEEN '2000-01-01' AND 'x'": "datetime value: 'x'", "d IN ('2000-01-01', 'y')": "datetime value: 'y'",
		"a = 'x'": "time value: 'x'", "a < '900:00:00'": "time value: '900:00:00'", "d = s": "datetime value: 'a day'",
		"d > '2024-13-01'": "datetime value: '2024-13-01'",
	} {
		harness.Lines(t, db, "SELECT id FROM c WHERE "+where)
		require.Equal(t, []string{"Warning 1292 Truncated incorrect " + want}, harness.Lines(t, db, "SHOW WARNINGS"), where)
		harness.RequireErrorNumbers(t, db, map[string]uint16{"DELETE FROM c WHERE " + where: 1292, "UPDATE c SET a = NULL WHERE " + where: 1292})
		harness.Must(t, db, "SET sql_mode = ''", "UPDATE c SET id = id WHERE "+where, "SET sql_mode = DEFAULT")
	}
	for _, where := range []string{"d > '2024-02-30'", "d < '2025-00-00'", "dt > 20240101", "a = 100000", "d > 7"} {
		harness.Lines(t, db, "SELECT id FROM c WHERE "+where)
		require.Empty(t, harness.Lines(t, db, "SHOW WARNINGS"), where)
	}
}

// TestTimesOfPartners: rows of a subquery are found by dates that equal the texts of outer rows, in whatever way.
func TestTimesOfPartners(t *testing.T) {
	db := one(t, "CREATE TABLE c (id int PRIMARY KEY, d date, a time, s varchar(20))", "SET sql_mode = ''",
		"INSERT INTO c VALUES (1, '2024-02-29', '10:00:00', '7'), (2, '0000-00-00', '00:00:00', '2024-02-29'), "+
			"(3, '1999-12-31', '00:00:07', '1999-12-31 00:00:00'), (4, NULL, NULL, '2024'), (5, NULL, NULL, '100000')")
	for rows := range 4 {
		harness.SetJoinRows(t, db, rows)
		for _, with := range [][]string{{"d", "1", "2", "3", "4"}, {"a", "1", "3", "5"}} {
			for _, query := range []string{
				"SELECT o.id FROM c o WHERE EXISTS (SELECT 1 FROM c WHERE c.%s = o.s AND c.id < 99 - o.id) ORDER BY 1",
				"SELECT o.id FROM c o WHERE o.s IN (SELECT c.%s FROM c) ORDER BY 1",
				"SELECT DISTINCT o.id FROM c o JOIN c ON c.%s = o.s ORDER BY 1",
			} {
				require.Equal(t, with[1:], harness.Lines(t, db, fmt.Sprintf(query, with[0])), "%s %d", query, rows)
			}
		}
	}
}
