package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/advise"
)

// badEvents is the script of a table whose keys begin with the time and whose
// ranges end before the newest rows: events of 50 sensors over two months.
func badEvents() string {
	var b strings.Builder
	b.WriteString(`CREATE TABLE plant$events (K varbinary(64), Q varbinary(20), T bigint, V varbinary(200) NOT NULL, PRIMARY KEY (K, Q, T))
PARTITION BY RANGE COLUMNS(K) SPLITS ('1767000000000', '1768000000000', '1768400000000');
`)
	r := rand.New(rand.NewPCG(1, 2))
	at := int64(1_766_225_600_000)
	rows := make([]string, 4000)
	for i := range rows {
		at += r.Int64N(1_300_000)
		rows[i] = fmt.Sprintf("('%d#s%02d', 'v', %d, 'reading %d')", at, r.IntN(50), at, i)
	}
	b.WriteString("INSERT INTO plant$events VALUES " + strings.Join(rows, ", "))
	return b.String()
}

func runSQL(t *testing.T, dir, script string) string {
	t.Helper()
	cmd := command(dir, "sql", "store")
	cmd.Stdin = strings.NewReader(script + ";")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s\n%s", script, out)
	return string(out)
}

func runAdvise(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := command(dir, append([]string{"advise", "store"}, args...)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// copied returns the statements of a proposal, copied from the report as a
// reader would.
func copied(t *testing.T, report string, proposal int) string {
	t.Helper()
	_, rest, found := strings.Cut(report, fmt.Sprintf("\nProposal %d: ", proposal))
	require.True(t, found, report)
	rest, _, _ = strings.Cut(rest, "\nProposal ")
	var out []string
	for line := range strings.Lines(rest) {
		if text, ok := strings.CutPrefix(line, "    "); ok {
			out = append(out, text)
		}
	}
	require.NotEmpty(t, out, report)
	return strings.Join(out, "")
}

// newestSkew is the skew of the 200 rows with the highest T over a table's
// partitions: the ratio of the largest part to the mean.
func newestSkew(t *testing.T, dir, table string) float64 {
	t.Helper()
	show := runSQL(t, dir, "SELECT PARTITION_NAME FROM information_schema.PARTITIONS WHERE TABLE_NAME = '"+table+"'")
	since := field(runSQL(t, dir, "SELECT T FROM "+table+" ORDER BY T DESC LIMIT 1 OFFSET 199"))
	var script strings.Builder
	for _, p := range strings.Fields(show)[1:] {
		fmt.Fprintf(&script, "SELECT COUNT(*) FROM %s PARTITION (%s) WHERE T >= %s;\n", table, p, since)
	}
	var spread []int64
	for _, word := range strings.Fields(runSQL(t, dir, script.String())) {
		if n, err := strconv.ParseInt(word, 10, 64); err == nil {
			spread = append(spread, n)
		}
	}
	total := int64(0)
	for _, n := range spread {
		total += n
	}
	require.EqualValues(t, 200, total)
	return advise.NewSkew(spread).MaxMean
}

// field is the value of a result with one row and one column.
func field(out string) string { return strings.Split(out, "\n")[1] }

// TestAdviseHotspot runs the statements of the report, and finds that the
// hotspot is gone.
func TestAdviseHotspot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	runSQL(t, dir, badEvents())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "queries"), []byte(
		"SELECT * FROM plant$events WHERE K >= '1768000000000' AND K < '1768100000000'\nSELECT V FROM plant$events WHERE K = ? AND Q = 'v'\n"), 0o600))
	require.InDelta(t, 4, newestSkew(t, dir, "plant$events"), 1e-9, "all in the last of four")

	report := runAdvise(t, dir, "plant$events", "--queries", "queries")
	require.Contains(t, report, "WARNING hotspot: partition p3 takes 100 % of the newest rows (max/mean 4.00, Gini 0.75): keys begin with\n  milliseconds in 13 digits")
	require.Contains(t, report, "Proposal 1: salt the keys", "which suits ranges of time")
	require.Regexp(t, `SELECT V FROM plant\$events WHERE K = \? AND Q = 'v'\s*\|\s*1 \|\s*1 \|`, report)
	for _, p := range []struct {
		proposal     int
		tried, table string
	}{
		{1, "SALT(K, 16)", "plant_new$events"},
		{3, "time behind", "plant_new$events"},
		{2, "KEY(K)", "plant$events"},
	} {
		t.Run(p.tried, func(t *testing.T) {
			runSQL(t, dir, "DROP TABLE IF EXISTS plant_new$events")
			runSQL(t, dir, copied(t, report, p.proposal))
			require.Less(t, newestSkew(t, dir, p.table), 3.0)
			require.Equal(t, "4000", field(runSQL(t, dir, "SELECT COUNT(*) FROM "+p.table+" FOR SYSTEM_TIME ALL")))
			after := runAdvise(t, dir, p.table)
			require.NotContains(t, after, "WARNING")
			require.Contains(t, after, "Nothing to change.")
			// The table has the figures that were predicted by the trial.
			require.Equal(t, layoutLine(t, report, p.tried), layoutLine(t, after, "as it is"))
		})
	}
}

// layoutLine returns the figures of a layout in a report.
func layoutLine(t *testing.T, report, layout string) []string {
	line := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(layout) + ` .*$`).FindString(report)
	require.NotEmpty(t, line, report)
	fields := strings.Fields(strings.ReplaceAll(line, "|", " "))
	return fields[len(strings.Fields(layout)):]
}

// TestAdviseRanges finds a skew of ranges that only their bounds have caused,
// and a table in which one tenant writes.
func TestAdviseRanges(t *testing.T) {
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	b.WriteString("CREATE TABLE t (K varbinary(64), Q varbinary(20), T bigint, V varbinary(200) NOT NULL, PRIMARY KEY (K, Q, T)) PARTITION BY RANGE COLUMNS(K) SPLITS ('1', '2', '3', 'd');\n")
	rows, keys := make([]string, 4000), make([]string, 4000)
	for i := range rows {
		keys[i] = fmt.Sprintf("%x", r.Uint64()|1<<63)
		rows[i] = fmt.Sprintf("('%s', 'v', %d, '')", keys[i], 1_700_000_000_000+int64(i)*60_000)
	}
	b.WriteString("INSERT INTO t VALUES " + strings.Join(rows, ", "))
	runSQL(t, dir, b.String())
	runSQL(t, dir, "CREATE TABLE other (K varbinary(9), Q varbinary(9), T bigint, V blob, PRIMARY KEY (K, Q, T))")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "queries"), []byte("SELECT * FROM other; SELECT * FROM none; SELECT * FROM t WHERE K = 'a'"), 0o600))
	report := runAdvise(t, dir, "t", "--sample", "1000", "--queries", "queries")
	require.Contains(t, report, "so that the figures are estimates")
	require.Contains(t, report, "WARNING skew: the fullest partition has")
	require.Contains(t, report, "Not explained: SELECT * FROM other: it does not read this table")
	require.Contains(t, report, "Not explained: SELECT * FROM none: Error 1146")
	require.Contains(t, report, "Proposal 1: divide the ranges evenly, 7 partitions")
	require.Equal(t, 7, strings.Count(copied(t, report, 1), "'")/2+1)
	runSQL(t, dir, copied(t, report, 1))
	require.Contains(t, runAdvise(t, dir, "t"), "Nothing to change.")
	spread := make([]int64, 7)
	for _, k := range keys {
		at := 0
		for _, split := range regexp.MustCompile(`'(\w+)'`).FindAllStringSubmatch(copied(t, report, 1), -1) {
			if k >= split[1] {
				at++
			}
		}
		spread[at]++
	}
	require.Less(t, advise.NewSkew(spread).MaxMean, 1.3, report)
}

// thinnedData is a copy of the demo's data with every eighth ZIP code.
func thinnedData(t *testing.T) string {
	from, dir := "demodata", t.TempDir()
	stocks, err := os.ReadFile(filepath.Join(from, "stocks.csv"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "stocks.csv"), stocks, 0o600))
	packed, err := os.ReadFile(filepath.Join(from, "zipcodes.csv.gz"))
	require.NoError(t, err)
	in, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	all, err := io.ReadAll(in)
	require.NoError(t, err)
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	for i, line := range bytes.SplitAfter(all, []byte("\n")) {
		if i%8 == 0 {
			_, err = w.Write(line)
			require.NoError(t, err)
		}
	}
	require.NoError(t, w.Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "zipcodes.csv.gz"), out.Bytes(), 0o600))
	return dir
}

// TestAdviseGoodTables: the demo's tables cause no warnings.
func TestAdviseGoodTables(t *testing.T) {
	dir := t.TempDir()
	out, err := command(dir, "demo", "--data", thinnedData(t), "store").CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, table := range []string{"market$price", "zip$place"} {
		for _, flags := range [][]string{{table}, {table, "--sample", "2000"}} { // all rows, and some
			report := runAdvise(t, dir, flags...)
			require.NotContains(t, report, "WARNING")
			require.NotContains(t, report, "Proposal")
			require.Contains(t, report, "Nothing to change.")
		}
	}
}

// TestAdviseRefuses: errors name what is wrong.
func TestAdviseRefuses(t *testing.T) {
	dir := t.TempDir()
	runSQL(t, dir, "CREATE TABLE g$f (K varbinary(9), Q varbinary(9), T bigint, V blob, PRIMARY KEY (K, Q, T)); CREATE VIEW w AS SELECT * FROM g$f")
	require.Contains(t, runAdvise(t, dir, "g$f"), "The table is empty")
	for args, want := range map[string]string{
		"w":                      "w is a view",
		"none":                   "none",
		"nodb.t":                 "nodb",
		"g$f --sample 0":         "--sample",
		"g$f --queries ./absent": "absent",
	} {
		out, err := command(dir, append([]string{"advise", "store"}, strings.Fields(args)...)...).CombinedOutput()
		require.Error(t, err, args)
		require.Contains(t, string(out), want)
		require.NotContains(t, string(out), "panic")
	}
}

// TestAdviseTimes: partitions by time do not count as skew.
func TestAdviseTimes(t *testing.T) {
	const columns = "(K varbinary(64), Q varbinary(20), T bigint, V varbinary(200), G bigint GENERATED ALWAYS AS (ABS(T)), PRIMARY KEY (K, Q, T)) "
	for layout, partitions := range map[string]string{
		"PARTITION BY RANGE COLUMNS(G) (PARTITION p0 VALUES LESS THAN (3000), PARTITION p1 VALUES LESS THAN MAXVALUE)":                                                                 "1",
		"PARTITION BY RANGE COLUMNS(G) SUBPARTITION BY KEY(K) SUBPARTITIONS 3 (PARTITION p0 VALUES LESS THAN (3000), PARTITION p1 VALUES LESS THAN MAXVALUE)":                          "3",
		"PARTITION BY KEY(K) PARTITIONS 3 SUBPARTITION BY RANGE COLUMNS(G) SUBPARTITION TEMPLATE (SUBPARTITION s0 VALUES LESS THAN (3000), SUBPARTITION s1 VALUES LESS THAN MAXVALUE)": "3",
	} {
		dir := t.TempDir()
		var rows []string
		for i := range 600 {
			rows = append(rows, fmt.Sprintf("('%x', 'q', %d, 'v')", i*7919%1000, 10*i))
		}
		runSQL(t, dir, "CREATE TABLE m "+columns+layout+";\nINSERT INTO m (K, Q, T, V) VALUES "+strings.Join(rows, ", "))
		report := runAdvise(t, dir, "m")
		require.Regexp(t, `\| as it is +\| +`+partitions+` \| +1\.\d\d `, report)
		require.Contains(t, report, "layouts by row alone")
	}
}

// TestAdviseShortScans warns about queries that seek more than they read, but not about a row, the whole
// table, or a range within one partition.
func TestAdviseShortScans(t *testing.T) {
	dir := t.TempDir()
	for name, layout := range map[string]string{"hashed": "KEY(K) PARTITIONS 97", "ranges": "RANGE COLUMNS(K) SPLITS (X'31', X'32')"} {
		runSQL(t, dir, "CREATE TABLE "+name+"$f (K varbinary(64), Q varbinary(20), T bigint, V varbinary(9), PRIMARY KEY (K, Q, T)) PARTITION BY "+layout+`;
INSERT INTO `+name+`$f WITH RECURSIVE s AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM s WHERE i < 999)
SELECT LPAD(i * 7, 5, '0'), 'q', 1, 'x' FROM s`)
		queries := filepath.Join(dir, name+".sql")
		require.NoError(t, os.WriteFile(queries, []byte("SELECT 1 FROM "+name+"$f WHERE K >= ? ORDER BY K LIMIT 10; SELECT 2 FROM "+name+"$f WHERE K BETWEEN '00007' AND '00020';\n"+
			"SELECT 3 FROM "+name+"$f WHERE K >= '00700'; SELECT COUNT(*) FROM "+name+"$f; SELECT 4 FROM "+name+"$f WHERE K = ?"), 0o644))
		warned := regexp.MustCompile(`short scan: SELECT (\w)`).FindAllStringSubmatch(runAdvise(t, dir, name+"$f", "--queries", queries), -1)
		if name == "ranges" {
			require.Empty(t, warned)
			continue
		}
		require.Len(t, warned, 2)
		require.Equal(t, "1", warned[0][1])
		require.Equal(t, "2", warned[1][1])
	}
}
