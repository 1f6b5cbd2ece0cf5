package typed

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestIndexesOfTypes compares what conditions on columns of the rarer types find by indexes with the result
// of a scan, in time zones with one offset and with several.
func TestIndexesOfTypes(t *testing.T) {
	columns := map[string]struct {
		declared, values string
		spans            string // a condition that allows spans of entries
	}{
		"e":  {"enum('b','a','C')", "'a', 'b', 'C', NULL, 'c', 1, 'B '", "e = 'a'"},
		"s":  {"set('x','y','z')", "'x', 'y,x', 'x,y', '', NULL, 3, 'z'", "s = 'x,y'"},
		"b":  {"bit(10)", "0, 1, 5, 1023, NULL, b'101', 2.5", "b = 5"},
		"f":  {"float", "0, -1.5, 0.1, 0.5, 1e10, NULL, -0.0, 16777217", "f >= 0.5"},
		"d":  {"double", "0, -1.5, 0.1, 0.5, 1e10, NULL, 0.30000000000000004", "d = 0.1"},
		"ts": {"timestamp(2) NULL", "'2024-02-29 12:30:00.5', '2024-10-27 01:30:00', '2024-10-27 02:30:00', '2000-01-01', NULL, '1999-12-31 23:59:59.99'", "ts = '2000-01-01'"},
		"y":  {"year", "2024, 1999, 70, '05', NULL, 0", "y = 2024"},
		"n":  {"decimal(20,4)", "0, -1.5, 0.1, 99999999.9999, NULL, 1e3", "n = 0.1"},
		"tm": {"time(1)", "'10:00:00', '-01:30:00.5', '838:59:59', NULL, '00:00:00'", "tm < '10:00:00'"},
	}
	db := open(t)
	db.SetMaxOpenConns(1)
	for name, c := range columns {
		harness.Must(t, db, fmt.Sprintf("CREATE TABLE t_%s (id int AUTO_INCREMENT PRIMARY KEY, %s %s, KEY i (%s))", name, name, c.declared, name))
		values := strings.Split(c.values, ", ")
		for range 3 {
			for _, v := range values {
				_, _ = db.Exec(fmt.Sprintf("INSERT INTO t_%s (%s) VALUES (%s)", name, name, v))
			}
		}
		for _, zone := range []string{"+00:00", "+05:30", "Europe/Berlin"} {
			harness.Must(t, db, "SET time_zone = '"+zone+"'")
			for _, v := range values {
				for _, op := range []string{"=", "<", ">=", "<=>", "<>"} {
					query := fmt.Sprintf("SELECT id, HEX(%s), %s FROM t_%s # WHERE %s %s %s", name, name, name, name, op, v)
					requireSame(t, query, harness.Lines(t, db, strings.Replace(query, "#", "IGNORE INDEX (i)", 1)),
						harness.Lines(t, db, strings.Replace(query, "#", "FORCE INDEX (i)", 1)))
				}
			}
			query := fmt.Sprintf("SELECT id, %s FROM t_%s # WHERE %s IN (%s) OR %s IS NULL", name, name, name, strings.ReplaceAll(c.values, "NULL, ", ""), name)
			requireSame(t, query, harness.Lines(t, db, strings.Replace(query, "#", "IGNORE INDEX (i)", 1)),
				harness.Lines(t, db, strings.Replace(query, "#", "FORCE INDEX (i)", 1)))
		}
		harness.Must(t, db, "SET time_zone = '+01:00'")
		plan := strings.Join(harness.Lines(t, db, fmt.Sprintf("EXPLAIN FORMAT=TREE SELECT %s FROM t_%s WHERE %s", name, name, c.spans)), "\n")
		require.Regexp(t, `spans: \[/`, plan, "%s: %s", name, plan)
	}
}

// requireSame compares rows, in any order if the query has no ORDER BY.
func requireSame(t *testing.T, query string, want, got []string) {
	t.Helper()
	if !strings.Contains(query, "ORDER BY") {
		slices.Sort(want)
		slices.Sort(got)
	}
	require.Equal(t, want, got, query)
}
