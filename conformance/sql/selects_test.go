package sql

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/generate"
	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

const (
	recordedSeed  = 20261120
	recordedCount = 6000
)

// TestRecordedSelects compares the recorded answers on every layout.
func TestRecordedSelects(t *testing.T) {
	if *harness.MariaDB != "" && *harness.Record {
		record(t)
	}
	recorded := oracle.ReadRecorded[oracle.Answer](t, oracle.SelectsFile)
	require.GreaterOrEqual(t, len(recorded), 5000)
	differ := 0
	asked := oracle.EachRecorded(t, recorded, oracle.Stores(t), func(s oracle.RecordedStore, want oracle.Answer) {
		if !oracle.Compare(t, s.Layout, want,
			oracle.Ask(s.DB, oracle.Generated{SQL: oracle.Starless(want.SQL), Ordered: want.Ordered})) {
			differ++
		}
	})
	require.LessOrEqual(t, differ, asked/100, "statements that fail on one side")
}

// TestLiveSelects compares new statements with a live server.
func TestLiveSelects(t *testing.T) {
	if *harness.MariaDB == "" {
		t.Skip("no -mariadb: the recorded answers alone were compared")
	}
	peer := oracle.OpenMariaDB(t)
	db := oracle.OpenTables(t, "key")
	g := &generate.SelectGen{R: rand.New(rand.NewPCG(testseed.Of(t), 1))}
	count := oracle.Classes{}
	for range *harness.OracleN {
		stmt := g.Statement()
		want, got := oracle.Ask(peer, stmt), oracle.AskAgain(t, db,
			oracle.Generated{SQL: oracle.Starless(stmt.SQL), Ordered: stmt.Ordered})
		if want.Error == got.Error && slices.EqualFunc(got.Rows, want.Rows, slices.Equal) {
			continue
		}
		if class := oracle.ListedClass(want, got); class != "" {
			count[class]++
			continue
		}
		oracle.Compare(t, "live", want, got)
	}
	count.Check(t, *harness.OracleN)
}

func record(t *testing.T) {
	peer := oracle.OpenMariaDB(t)
	g := &generate.SelectGen{R: rand.New(rand.NewPCG(recordedSeed, 1))}
	var answers []oracle.Answer
	for range recordedCount {
		answers = append(answers, oracle.Ask(peer, g.Statement()))
	}
	oracle.WriteRecorded(t, oracle.SelectsFile, answers)
}
