package reports

import (
	"database/sql"
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// reportFlights makes tables so large that they are split automatically.
var reportFlights = flag.Int("report.flights", oracle.RecordedFlights, "flights of the live comparison of reports")

const (
	reportsSeed  = 20261124
	reportsCount = 3000
)

// reportSettings are the ways of reading, for all of which a report must be the same.
var reportSettings = []string{"parallelism=1", "parallelism=3",
	"parallelism=1&hbasekv_batch_cells=1", "parallelism=1&hbasekv_batch_cells=7&hbasekv_join_rows=1", "parallelism=1&hbasekv_batch_cells=1024",
	"parallelism=3&hbasekv_batch_cells=1", "parallelism=3&hbasekv_batch_cells=7&hbasekv_join_rows=1", "parallelism=3&hbasekv_batch_cells=1024&hbasekv_join_rows=1",
	"parallelism=1&queryMemory=2KiB", "parallelism=3&queryMemory=2KiB"}

// reportStores are the reports' tables in each layout, with each of the settings in
// turn.
func reportStores(t *testing.T, flights int) (stores []oracle.RecordedStore) {
	for layout := range oracle.Partitionings {
		for _, setting := range reportSettings {
			db := harness.OpenDB(t, "file::memory:?versions=all&"+harness.CommonParameters+"&"+setting)
			fillReports(t, db, layout, flights)
			stores = append(stores, oracle.RecordedStore{Name: layout + " " + setting, Layout: layout, DB: db})
		}
	}
	return stores
}

func fillReports(t *testing.T, db *sql.DB, layout string, flights int) {
	t.Helper()
	for _, table := range oracle.ReportTables {
		harness.Must(t, db, "DROP TABLE IF EXISTS "+table, oracle.CreateTable(table, layout),
			"INSERT INTO "+table+" (K, Q, T, V) VALUES "+strings.Join(oracle.ReportCells(table, flights), ", "))
	}
}

// TestRecordedReports compares reports with the recorded answers, in each layout
// with each of the settings.
func TestRecordedReports(t *testing.T) {
	if *harness.MariaDB != "" && *harness.Record {
		recordReports(t)
	}
	recorded := oracle.ReadRecorded[oracle.Answer](t, oracle.ReportsFile)
	require.GreaterOrEqual(t, len(recorded), reportsCount*9/10)
	oracle.EachRecorded(t, recorded, reportStores(t, oracle.RecordedFlights),
		func(s oracle.RecordedStore, want oracle.Answer) {
			if got := oracle.AskQuery(s.DB, want.SQL, want.Ordered); reportDifference(want, got) != "" {
				t.Errorf("%s: %s", s.Name, explainRows(want, got))
			}
		})
}

// recordReports omits the few statements whose answers differ from MariaDB's.
func recordReports(t *testing.T) {
	peer, db := openMariaDBReports(t, oracle.RecordedFlights), harness.OpenDB(t, "file::memory:?versions=all")
	fillReports(t, db, "key", oracle.RecordedFlights)
	g := &reportGen{rand.New(rand.NewPCG(reportsSeed, 4))}
	var answers []oracle.Answer
	for range reportsCount {
		s := g.statement()
		want := oracle.AskQuery(peer, s.SQL, s.Ordered)
		if got := oracle.AskQuery(db, s.SQL, s.Ordered); windowDifference(want, got) == "" && len(want.Rows) < 100 {
			answers = append(answers, want)
		}
	}
	oracle.WriteRecorded(t, oracle.ReportsFile, answers)
}

func openMariaDBReports(t *testing.T, flights int) *sql.DB {
	peer := oracle.OpenMariaDB(t)
	fillReports(t, peer, "none", flights)
	return peer
}

// TestLiveReports compares new reports with a live server, each in one layout with
// all settings.
func TestLiveReports(t *testing.T) {
	if *harness.MariaDB == "" {
		t.Skip("no -mariadb: the recorded answers alone were compared")
	}
	peer := openMariaDBReports(t, *reportFlights)
	stores := reportStores(t, *reportFlights)
	g := &reportGen{rand.New(rand.NewPCG(testseed.Of(t), 4))}
	count, failed := oracle.Classes{}, 0
	for i := range *harness.OracleN {
		s := g.statement()
		want := oracle.AskQuery(peer, s.SQL, s.Ordered)
		listed := map[string]bool{} // of the statement
		first := i % (len(stores) / len(reportSettings)) * len(reportSettings)
		for j := first; j < first+len(reportSettings); j++ {
			got := oracle.AskQuery(stores[j].DB, s.SQL, s.Ordered)
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
				t.Errorf("%s: %s: %s", stores[j].Name, kind, explainRows(want, got))
			}
		}
	}
	t.Log("unlisted: ", failed)
	count.Check(t, *harness.OracleN)
}

// reportDifference says how the answers differ in a way that no page lists.
func reportDifference(want, got oracle.Answer) string {
	kind := windowDifference(want, got)
	if kind != "" && reportClass(want, got) != "" {
		return ""
	}
	return kind
}

// reportClasses are the listed differences that reports have. Other classes would
// accept rows that have nothing in common.
var reportClasses = []string{"1690", "doubles as text", "order of additions", "order of additions, rounded", "digits of a double", "digits of a quotient",
	"digits of an AVG in a derived table"}

func reportClass(want, got oracle.Answer) string {
	if class := oracle.ListedClass(want, got); slices.Contains(reportClasses, class) {
		return class
	}
	return ""
}
