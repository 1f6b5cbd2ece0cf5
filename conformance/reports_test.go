package conformance

import (
	"database/sql"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	reportsFile  = "testdata/mariadb/reports.jsonl.gz"
	reportsSeed  = 20261124
	reportsCount = 3000
)

// reportSettings are the ways to read on which a report must say the same.
var reportSettings = []string{"parallelism=1", "parallelism=3"}

// reportStores are the tables of reports in each layout, under each of the settings.
func reportStores(t *testing.T) (stores []*sql.DB, names []string) {
	for layout := range partitionings {
		for _, setting := range reportSettings {
			db := openDB(t, "file::memory:?versions=all&"+setting)
			fillReports(t, db, layout)
			stores, names = append(stores, db), append(names, layout+" "+setting)
		}
	}
	return stores, names
}

func fillReports(t *testing.T, db *sql.DB, layout string) {
	t.Helper()
	for _, table := range reportTables {
		must(t, db, "DROP TABLE IF EXISTS "+table, oracleTable(table, layout),
			"INSERT INTO "+table+" (K, Q, T, V) VALUES "+strings.Join(reportCells(table), ", "))
	}
}

// TestRecordedReports compares the recorded answers to reports, each on one of the
// layouts and settings, or on all of them in a long run.
func TestRecordedReports(t *testing.T) {
	if *mariadbFlag != "" && *recordFlag {
		recordReports(t)
	}
	recorded := readRecorded[answer](t, reportsFile)
	require.GreaterOrEqual(t, len(recorded), reportsCount*9/10)
	stores, names := reportStores(t)
	for i, want := range recorded {
		for j, db := range stores {
			if !*long && j != i%len(stores) || testing.Short() && i%10 != 0 {
				continue
			}
			if i%2 == 0 {
				announce(t, db, want.SQL)
			}
			if got := askQuery(db, want.SQL, want.Ordered); reportDifference(want, got) != "" {
				t.Errorf("%s: %s", names[j], explainRows(want, got))
			}
		}
	}
}

// recordReports leaves out the few statements whose answers differ from MariaDB's.
func recordReports(t *testing.T) {
	peer, db := openMariaDBReports(t), openDB(t, "file::memory:?versions=all")
	fillReports(t, db, "key")
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

func openMariaDBReports(t *testing.T) *sql.DB {
	peer := openMariaDB(t)
	fillReports(t, peer, "none")
	return peer
}

// TestLiveReports compares fresh reports with a live server, each in one layout under
// all settings.
func TestLiveReports(t *testing.T) {
	if *mariadbFlag == "" {
		t.Skip("no -mariadb: the recorded answers alone were compared")
	}
	peer := openMariaDBReports(t)
	stores, names := reportStores(t)
	t.Logf("-oracle.seed=%d", *oracleSeed)
	g := &reportGen{rand.New(rand.NewPCG(*oracleSeed, 4))}
	count, failed := classes{}, 0
	for i := range *oracleN {
		s := g.statement()
		want := askQuery(peer, s.sql, s.ordered)
		first := i % (len(stores) / len(reportSettings)) * len(reportSettings)
		for j := first; j < first+len(reportSettings); j++ {
			got := askQuery(stores[j], s.sql, s.ordered)
			kind := windowDifference(want, got)
			if kind == "" {
				continue
			}
			if class := listedClass(want, got); class != "" {
				if count[class]++; count[class] < 3 {
					t.Log(class + ": " + explainRows(want, got))
				}
				continue
			}
			if failed++; failed < 30 {
				t.Errorf("%s: %s: %s", names[j], kind, explainRows(want, got))
			}
		}
	}
	t.Log("unlisted: ", failed)
	count.check(t, *oracleN)
}

// reportDifference says in what the answers differ that no page lists.
func reportDifference(want, got answer) string {
	kind := windowDifference(want, got)
	if kind != "" && listedClass(want, got) != "" {
		return ""
	}
	return kind
}
