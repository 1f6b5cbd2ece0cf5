package hbase

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
	"github.com/hbasekv/hbasekv/conformance/internal/suite"
	"github.com/hbasekv/hbasekv/kv"
)

// twins are the embedded store and HBase with the same cells in the same layout, as
// far as HBase's Limits allow.
type twins struct {
	*testing.T
	embedded, hbase *sql.DB
	limits          kv.Limits
	dsn, database   string // dsn is HBase's, to which parameters can be added
}

func newTwins(t *testing.T, parameters string) *twins {
	dsn, database := hbaseDatabase(t)
	return &twins{T: t, limits: hbaseStore(t).Limits(), dsn: dsn + "multiRow=apply&", database: database,
		hbase: harness.OpenDB(t, dsn+"multiRow=apply&"+parameters), embedded: harness.OpenDB(t, "file::memory:?db="+database+"&"+parameters)}
}

// both runs a statement on both.
func (w *twins) both(statements ...string) {
	w.Helper()
	harness.Must(w.T, w.embedded, statements...)
	harness.Must(w.T, w.hbase, statements...)
}

// insert writes cells, given as literals. What HBase cannot store is replaced by
// something similar that it can; of cells that thereby become the same version the
// last one stays.
func (w *twins) insert(table string, cells []string) {
	w.Helper()
	var held []string
	for _, cell := range cells {
		p := strings.Split(strings.Trim(cell, "()"), ", ")
		if !holds(w.limits, len(strings.Trim(p[0], "'")), "0", "") {
			p[0] = "X'00'"
		}
		if !holds(w.limits, 1, p[2], "") {
			p[2] = map[bool]string{true: "5", false: "9223372036854775806"}[strings.HasPrefix(p[2], "-")]
		}
		if !holds(w.limits, 1, "0", p[3]) {
			p[3] = "'null'"
		}
		held = append(held, "("+strings.Join(p, ", ")+")")
	}
	w.both("REPLACE INTO " + table + " (K, Q, T, V) VALUES " + strings.Join(held, ", "))
}

// holds reports whether a store can store a version with a row key of that length.
func holds(l kv.Limits, row int, timestamp, value string) bool {
	at, err := strconv.ParseInt(timestamp, 10, 64)
	return row >= l.MinRow && (l.Nulls || value != "NULL") && (err != nil || at >= l.MinTimestamp && at <= l.MaxTimestamp)
}

// versions are those of a text like harness.Viewed that both can store.
func (w *twins) versions(text string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(text), func(v string) bool {
		p := strings.SplitN(v, "/", 4)
		return !holds(w.limits, len(p[0]), p[2], p[3])
	}), " ")
}

// same compares the rows, or the errors, of a query.
func (w *twins) same(embedded, hbase harness.Execer, query string, args ...any) {
	w.Helper()
	want, failed := harness.TryLines(embedded, query, args...)
	got, err := harness.TryLines(hbase, query, args...)
	assert.Equal(w.T, harness.NumberOf(failed), harness.NumberOf(err), "%s: %v, %v", query, failed, err)
	assert.Equal(w.T, want, got, query)
}

// notReadOnHBase are the suite's tests of reading statements that are not run on HBase,
// and why.
var notReadOnHBase = map[string]string{
	"TestRandomStatements":              "TestTandemStatements draws statements, on cells that HBase can hold",
	"TestRandomJoins":                   "TestTandemStatements joins",
	"TestPivot":                         "the recorded reports pivot",
	"TestViewsInTransactions":           "transactions that write several rows",
	"TestShownViewsMakeThemselvesAgain": "what SHOW says of views is the catalog's, by the tests of kv/hbase",
	"TestTimeLayouts":                   "partitions by time, which its Limits do not have",
	"TestTimePruning":                   "partitions by time",
	"TestReadsUnderRetention":           "it gives the store a clock, which its Limits do not have",
	"TestTransactionsHaveOneClock":      "it gives the store a clock",
	"TestScanLimitOfWrites":             "transactions that write several rows",
	"TestContract":                      "programs for the driver that write NULL values and several rows",
	"TestPruning":                       "reads of partitions as they are counted, which servers tell later",
	"TestPartitionStatistics":           "cells as they are counted, which servers tell later",
	"TestReadsOfStatements":             "the seeks of the embedded store; kv/hbase has a test of what is pushed down",
	"TestEstimates":                     "the estimates of the embedded store",
	"TestCancelStopsAScan":              "kv/hbase has tests of calls and scans that end with their contexts",
	"TestReadProgress":                  "the session's, above the store",
	"TestPlaceholderCount":              "the driver's, above the store",
	"TestSelectsWithArguments":          "the driver's, above the store",
	"TestTextsOfOneShape":               "the cache of plans, above the store",
	"TestPreparedWhileItsTableChanges":  "the cache of plans, above the store",
	"TestSpillRecorded":                 "operators that use files, above the store",
	"TestBatchesDoNotShow":              "operators, above the store",
	"TestHugeStatements":                "operators, above the store",
	"TestJoinOfALargeRow":               "a cache of rows, above the store",
}

// TestNotReadOnHBase: the tests that are omitted exist.
func TestNotReadOnHBase(t *testing.T) {
	files, err := filepath.Glob("../*/*_test.go")
	require.NoError(t, err)
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		all.Write(text)
	}
	for name := range notReadOnHBase {
		require.Contains(t, all.String(), "\nfunc "+name+"(t *testing.T)")
	}
}

// TestReadsOnHBase runs the suite's cases of reading statements on HBase and on the
// embedded store.
func TestReadsOnHBase(t *testing.T) {
	t.Run("Views", func(t *testing.T) { viewsOnHBase(newTwins(t, "")) })
	t.Run("Groups", func(t *testing.T) { groupsOnHBase(newTwins(t, "")) })
	t.Run("Recorded", func(t *testing.T) { recordedOnHBase(newTwins(t, "versions=all&parallelism=1")) })
	t.Run("RecordedInParallel", func(t *testing.T) { recordedInParallel(newTwins(t, "versions=all&parallelism=3")) })
	t.Run("Reports", func(t *testing.T) { reportsOnHBase(newTwins(t, "versions=all&parallelism=1")) })
	t.Run("Mistakes", func(t *testing.T) { mistakesOnHBase(newTwins(t, "")) })
	t.Run("BadInput", func(t *testing.T) { badInputOnHBase(newTwins(t, "")) })
	t.Run("LongKeys", func(t *testing.T) {
		w := newTwins(t, "")
		suite.CheckLongKeys(t, w.hbase, w.limits.MinRow, w.limits.MaxRow, oracle.Partitionings["range"])
	})
	t.Run("ManyVersions", func(t *testing.T) { manyVersionsOnHBase(newTwins(t, "")) })
	t.Run("ScanLimit", func(t *testing.T) {
		w := newTwins(t, "")
		harness.Must(t, w.hbase, "CREATE TABLE t "+harness.PlainTable+oracle.Partitionings["range"],
			"REPLACE INTO t VALUES "+suite.GuardCells(3))
		suite.CheckScanLimit(t, w.hbase, suite.ScanLimited)
	})
	t.Run("Shown", func(t *testing.T) { shownOnHBase(newTwins(t, "")) })
}

// viewsOnHBase are TestViews, TestViewOfTheDSN and TestViewsOfOneStatementText, in
// memory and in files.
func viewsOnHBase(w *twins) {
	w.both("CREATE TABLE t " + notNull(harness.PlainTable) + oracle.Partitionings["range"])
	for _, db := range []*sql.DB{w.embedded, w.hbase} {
		harness.PutVersions(w.T, db, w.versions(harness.Viewed))
	}
	for range 2 {
		for _, c := range suite.ViewCases {
			w.view(&c)
		}
		for _, versions := range []string{"latest", "all", "2"} {
			w.viewOfTheDSN(versions)
		}
		embedded, hbase := w.conns()
		require.Equal(w.T, suite.ViewsOfOneText(w.T, embedded), suite.ViewsOfOneText(w.T, hbase))
		w.both("OPTIMIZE TABLE t")
	}
}

// notNull declares a table for a store without NULL.
func notNull(columns string) string {
	return regexp.MustCompile(`\b(varbinary\(\d+\)|bigint)( NOT NULL)?,`).ReplaceAllString(columns, "$1 NOT NULL,")
}

func (w *twins) conns() (embedded, hbase *sql.Conn) {
	var conns [2]*sql.Conn
	for i, db := range []*sql.DB{w.embedded, w.hbase} {
		conn, err := db.Conn(context.Background())
		require.NoError(w.T, err)
		w.Cleanup(func() { _ = conn.Close() })
		conns[i] = conn
	}
	return conns[0], conns[1]
}

// view runs a case on its own, and together with a transaction's own writes.
func (w *twins) view(c *suite.ViewCase) {
	embedded, hbase := w.conns()
	defer embedded.Close()
	defer hbase.Close()
	if c.Session == "" {
		a, b := harness.Begin(w.T, w.embedded), harness.Begin(w.T, w.hbase)
		for _, tx := range []*sql.Tx{a, b} {
			harness.Must(w.T, tx, "REPLACE INTO t (K, Q, T, V) VALUES ('a', 'q', 6, 'mine')")
		}
		w.same(a, b, c.Statement(), c.Args...)
		for _, tx := range []*sql.Tx{a, b} {
			harness.Must(w.T, tx, "DELETE /*+ VERSIONS(ALL) */ FROM t WHERE K = 'a' AND T = 6")
		}
		w.same(a, b, c.Statement(), c.Args...)
		require.NoError(w.T, a.Rollback())
		require.NoError(w.T, b.Rollback())
	} else {
		harness.Must(w.T, embedded, c.Session)
		harness.Must(w.T, hbase, c.Session)
	}
	w.same(embedded, hbase, c.Statement(), c.Args...)
	if c.Session != "" {
		harness.Must(w.T, embedded, "SET hbasekv_versions = DEFAULT")
		harness.Must(w.T, hbase, "SET hbasekv_versions = DEFAULT")
	}
}

func (w *twins) viewOfTheDSN(versions string) {
	db := harness.OpenDB(w.T, w.dsn+"versions="+versions)
	beside := must1(w.embedded.Conn(context.Background()))(w.T)
	defer beside.Close()
	harness.Must(w.T, beside, "SET hbasekv_versions = '"+versions+"'")
	defer harness.Must(w.T, beside, "SET hbasekv_versions = DEFAULT")
	for _, query := range []string{"SELECT K, Q, T FROM t ORDER BY K, Q, T DESC", "SELECT /*+ VERSIONS(1) */ K FROM t ORDER BY K",
		"SELECT K FROM t FOR SYSTEM_TIME AS OF 4 ORDER BY K", "SELECT @@hbasekv_versions"} {
		w.same(beside, db, query)
	}
}

func must1[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		require.NoError(t, err)
		return v
	}
}

// groupsOnHBase is TestGroupIsOneTable.
func groupsOnHBase(w *twins) {
	for _, family := range []string{"g$b", "g$a", "g$c"} {
		w.both("CREATE TABLE " + family + " " + notNull(harness.PlainTable) + oracle.Partitionings["range"])
	}
	for family, cells := range suite.GroupCells {
		w.insert(family, cells)
	}
	for _, c := range suite.GroupCases {
		w.same(w.embedded, w.hbase, c.Query)
	}
	for _, statement := range suite.GroupWrites {
		_, err := w.hbase.Exec(statement)
		harness.RequireErrorNumber(w.T, 1288, err)
	}
}

// oracle creates the oracle's tables.
func (w *twins) oracle() {
	for i, table := range oracle.Tables {
		w.both(notNull(oracle.CreateTable(table.Name, "range")))
		w.insert(table.Name, oracle.Cells(uint64(7+i), table.Cells))
	}
}

// keptView is the view of the oracle, which HBase does not store.
var keptView = regexp.MustCompile(`(FROM|JOIN|,) v\b`)

// recordedOnHBase runs statements of each kind that MariaDB has answered. Their
// answers are those for the cells that HBase can store.
func recordedOnHBase(w *twins) {
	w.oracle()
	view := oracle.TypedSelect("K", "Q", "T", "V") + "p"
	if w.limits.Allows(kv.ChangeViews) == nil {
		w.both("CREATE VIEW v AS " + view)
	}
	for _, each := range []struct {
		file string
		step int
	}{{oracle.SelectsFile, 10}, {oracle.QueriesFile, 8}, {oracle.WindowsFile, 6}, {oracle.OneVersionSelectsFile, 6}} {
		for i, recorded := range oracle.ReadRecorded[oracle.Answer](w.T, each.file) {
			if i%each.step == 0 {
				w.ask(keptView.ReplaceAllString(oracle.Starless(recorded.SQL), "$1 ("+view+") v"), recorded.Ordered)
			}
		}
	}
}

// recordedInParallel runs them with parallel reads of regions. It omits aggregates
// that concatenate values, because the partitions determine their order.
func recordedInParallel(w *twins) {
	w.oracle()
	for i, recorded := range oracle.ReadRecorded[oracle.Answer](w.T, oracle.QueriesFile) {
		if i%16 == 7 && !joinsValues.MatchString(recorded.SQL) {
			w.ask(oracle.Starless(recorded.SQL), recorded.Ordered)
		}
	}
}

var joinsValues = regexp.MustCompile(`GROUP_CONCAT|JSON_(ARRAY|OBJECT)AGG`)

// ask compares the answers to a query, with their columns and types.
func (w *twins) ask(query string, ordered bool) {
	want, got := oracle.AskQuery(w.embedded, query, ordered), oracle.AskQuery(w.hbase, query, ordered)
	if (want.Error == oracle.OutOfRange) != (got.Error == oracle.OutOfRange) && (want.Error == 0 || got.Error == 0) {
		return // the plan decides whether a value is needed
	}
	if kind := oracle.Difference(want, got); kind != "" {
		w.Errorf("%s: %s\n embedded: %q %v %s\n    HBase: %q %v %s", kind, query, want.Columns, want.Types, want.Print(), got.Columns, got.Types, got.Print())
	}
}

// reportsOnHBase are pivots, joins, groups and windows over more cells.
func reportsOnHBase(w *twins) {
	for _, table := range oracle.ReportTables {
		w.both(notNull(oracle.CreateTable(table, "range")))
		w.insert(table, oracle.ReportCells(table, oracle.RecordedFlights))
	}
	for i, recorded := range oracle.ReadRecorded[oracle.Answer](w.T, oracle.ReportsFile) {
		if i%10 == 0 {
			w.ask(recorded.SQL, recorded.Ordered)
		}
	}
}

// mistakesOnHBase is TestMistakes.
func mistakesOnHBase(w *twins) {
	w.oracle()
	for i, bad := range suite.BadStatements() {
		if i%5 != 0 {
			continue
		}
		want, got := suite.Complaint(w.T, w.embedded, bad), suite.Complaint(w.T, w.hbase, bad)
		if got == "1235" && !strings.HasPrefix(bad, "SELECT") { // it would write several rows
			continue
		}
		assert.Equal(w.T, want, got, bad)
	}
}

// badInputOnHBase is TestBadInput: the errors are the same, except for DDL that HBase
// refuses.
func badInputOnHBase(w *twins) {
	for _, table := range []string{"g$f " + suite.FourColumns, "pre " + suite.BadPrefixed, "r " + suite.FourColumns + oracle.Partitionings["range"]} {
		w.both("CREATE TABLE " + table)
	}
	harness.Must(w.T, w.embedded, "CREATE DATABASE `default`") // HBase always has it
	w.both("INSERT INTO g$f VALUES ('k', 'q', 1, 'v')")
	for _, bad := range suite.BadInputs {
		_, failed := w.embedded.Exec(bad.SQL, bad.Args...)
		_, err := w.hbase.Exec(bad.SQL, bad.Args...)
		if harness.NumberOf(err) != 1235 {
			assert.Equal(w.T, harness.NumberOf(failed), harness.NumberOf(err), "%s: %v, %v", bad.SQL, failed, err)
		}
	}
}

// manyVersionsOnHBase is TestViewsAcrossManyVersions.
func manyVersionsOnHBase(w *twins) {
	harness.Must(w.T, w.hbase, "CREATE TABLE t "+harness.PlainTable+" PARTITION BY RANGE COLUMNS(K) SPLITS ('y')")
	const n = 900
	var cells []string
	for version := range n {
		at := (version * 7) % n
		for _, k := range []string{"x", "y"} {
			cells = append(cells, fmt.Sprintf("('%s', 'q', %d, '%[2]d')", k, at))
		}
		if version%300 == 299 {
			harness.Must(w.T, w.hbase, "REPLACE INTO t VALUES "+strings.Join(cells, ", "), "FLUSH TABLES t")
			cells = nil
		}
	}
	suite.CheckManyVersions(w.T, w.hbase)
	harness.Must(w.T, w.hbase, "OPTIMIZE TABLE t")
	suite.CheckManyVersions(w.T, w.hbase)
}
