package conformance

import (
	"database/sql"
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// reportFlights makes tables so large that they are cut into parts of their own accord.
var reportFlights = flag.Int("report.flights", recordedFlights, "flights of the live comparison of reports")

const (
	recordedFlights = 70
	reportsFile     = "testdata/mariadb/reports.jsonl.gz"
	reportsSeed     = 20261124
	reportsCount    = 3000
)

// reportSettings are the ways to read on which a report must say the same.
var reportSettings = []string{"parallelism=1", "parallelism=3",
	"parallelism=1&hbasekv_batch_cells=1", "parallelism=1&hbasekv_batch_cells=7&hbasekv_join_rows=1", "parallelism=1&hbasekv_batch_cells=1024",
	"parallelism=3&hbasekv_batch_cells=1", "parallelism=3&hbasekv_batch_cells=7&hbasekv_join_rows=1", "parallelism=3&hbasekv_batch_cells=1024&hbasekv_join_rows=1",
	"parallelism=1&queryMemory=2KiB", "parallelism=3&queryMemory=2KiB"}

// reportStores are the tables of reports in each layout, under each of the settings
// one behind the other.
func reportStores(t *testing.T, flights int) (stores []recordedStore) {
	for layout := range partitionings {
		for _, setting := range reportSettings {
			db := openDB(t, "file::memory:?versions=all&"+commonParameters+"&"+setting)
			fillReports(t, db, layout, flights)
			stores = append(stores, recordedStore{layout + " " + setting, layout, db})
		}
	}
	return stores
}

func fillReports(t *testing.T, db *sql.DB, layout string, flights int) {
	t.Helper()
	for _, table := range reportTables {
		must(t, db, "DROP TABLE IF EXISTS "+table, oracleTable(table, layout),
			"INSERT INTO "+table+" (K, Q, T, V) VALUES "+strings.Join(reportCells(table, flights), ", "))
	}
}

// TestRecordedReports compares the recorded answers to reports, on each layout under
// each of the settings.
func TestRecordedReports(t *testing.T) {
	if *mariadbFlag != "" && *recordFlag {
		recordReports(t)
	}
	recorded := readRecorded[answer](t, reportsFile)
	require.GreaterOrEqual(t, len(recorded), reportsCount*9/10)
	eachRecorded(t, recorded, reportStores(t, recordedFlights), func(s recordedStore, want answer) {
		if got := askQuery(s.db, want.SQL, want.Ordered); reportDifference(want, got) != "" {
			t.Errorf("%s: %s", s.name, explainRows(want, got))
		}
	})
}

// recordReports leaves out the few statements whose answers differ from MariaDB's.
func recordReports(t *testing.T) {
	peer, db := openMariaDBReports(t, recordedFlights), openDB(t, "file::memory:?versions=all")
	fillReports(t, db, "key", recordedFlights)
	g := &reportGen{rand.New(rand.NewPCG(reportsSeed, 4))}
	var answers []answer
	for range reportsCount {
		s := g.statement()
		want := askQuery(peer, s.sql, s.ordered)
		if got := askQuery(db, s.sql, s.ordered); windowDifference(want, got) == "" && len(want.Rows) < 100 {
			answers = append(answers, want)
		}
	}
	writeRecorded(t, reportsFile, answers)
}

func openMariaDBReports(t *testing.T, flights int) *sql.DB {
	peer := openMariaDB(t)
	fillReports(t, peer, "none", flights)
	return peer
}

// TestLiveReports compares fresh reports with a live server, each in one layout under
// all settings.
func TestLiveReports(t *testing.T) {
	if *mariadbFlag == "" {
		t.Skip("no -mariadb: the recorded answers alone were compared")
	}
	peer := openMariaDBReports(t, *reportFlights)
	stores := reportStores(t, *reportFlights)
	t.Logf("-oracle.seed=%d", *oracleSeed)
	g := &reportGen{rand.New(rand.NewPCG(*oracleSeed, 4))}
	count, failed := classes{}, 0
	for i := range *oracleN {
		s := g.statement()
		want := askQuery(peer, s.sql, s.ordered)
		listed := map[string]bool{} // of the statement
		first := i % (len(stores) / len(reportSettings)) * len(reportSettings)
		for j := first; j < first+len(reportSettings); j++ {
			got := askQuery(stores[j].db, s.sql, s.ordered)
			kind := windowDifference(want, got)
			if kind == "" {
				continue
			}
			if class := reportClass(want, got); class != "" {
				if !listed[class] {
					count[class]++
					t.Log(class + ": " + explainRows(want, got))
				}
				listed[class] = true
				continue
			}
			if failed++; failed < 30 {
				t.Errorf("%s: %s: %s", stores[j].name, kind, explainRows(want, got))
			}
		}
	}
	t.Log("unlisted: ", failed)
	count.check(t, *oracleN)
}

// reportDifference says in what the answers differ that no page lists.
func reportDifference(want, got answer) string {
	kind := windowDifference(want, got)
	if kind != "" && reportClass(want, got) != "" {
		return ""
	}
	return kind
}

// reportClasses are the listed differences that reports have. Others let pass rows that
// have nothing in common.
var reportClasses = []string{"1690", "doubles as text", "order of additions", "order of additions, rounded", "digits of a double", "digits of a quotient",
	"digits of an AVG in a derived table"}

func reportClass(want, got answer) string {
	if class := listedClass(want, got); slices.Contains(reportClasses, class) {
		return class
	}
	return ""
}
