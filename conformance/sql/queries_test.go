package sql

import (
	"database/sql"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/generate"
	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

const (
	queriesSeed  = 20261121
	queriesCount = 4000
	setsSeed     = 20261126
	setsCount    = 600
)

// TestRecordedQueries compares the recorded answers to statements of every form
// on every layout.
func TestRecordedQueries(t *testing.T) {
	testRecorded(t, oracle.QueriesFile, queriesSeed, queriesCount, (*generate.QueryGen).Statement)
}

// TestRecordedSets does the same for INTERSECT, EXCEPT and UNION, nested in each other.
func TestRecordedSets(t *testing.T) {
	testRecorded(t, oracle.SetsFile, setsSeed, setsCount, (*generate.QueryGen).SetQuery)
}

func testRecorded(t *testing.T, file string, seed uint64, count int, draw func(*generate.QueryGen) generate.Query) {
	if *harness.MariaDB != "" && *harness.Record {
		recordQueries(t, file, seed, count, draw)
	}
	recorded := oracle.ReadRecorded[oracle.Answer](t, file)
	require.GreaterOrEqual(t, len(recorded), count*99/100)
	oracle.EachRecorded(t, recorded, oracle.Stores(t), func(s oracle.RecordedStore, want oracle.Answer) {
		if got := oracle.AskQuery(s.DB, want.SQL, want.Ordered); oracle.Unlisted(want, got) != "" {
			t.Errorf("%s: %s", s.Name, oracle.Explain(want, got))
		}
	})
}

// recordQueries leaves out the few statements whose answers differ from
// MariaDB's; TestLiveQueries reports those.
func recordQueries(t *testing.T, file string, seed uint64, count int, draw func(*generate.QueryGen) generate.Query) {
	peer, db := oracle.OpenMariaDB(t), oracle.OpenTables(t, "key")
	g := generate.NewQueryGen(rand.New(rand.NewPCG(seed, 2)))
	var answers []oracle.Answer
	for range count {
		q := draw(g)
		want := oracle.AskQuery(peer, q.Root.String(), q.Ordered)
		if got := oracle.AskQuery(db, want.SQL, q.Ordered); oracle.Difference(want, got) != "" {
			t.Log(oracle.Explain(want, got))
			continue
		}
		answers = append(answers, want)
	}
	oracle.WriteRecorded(t, file, answers)
}

// TestLiveQueries compares new statements of every form with a live server. Differences of
// the classes listed on the page of differences are counted; any other fails the test, after
// the statement is reduced as far as possible.
func TestLiveQueries(t *testing.T) {
	if *harness.MariaDB == "" {
		t.Skip("no -mariadb: the recorded answers alone were compared")
	}
	peer := oracle.OpenMariaDB(t)
	db := oracle.OpenTables(t, "key")
	g := generate.NewQueryGen(rand.New(rand.NewPCG(testseed.Of(t), 2)))
	count := oracle.Classes{}
	for i := range *harness.OracleN {
		q := g.Statement()
		if i%5 == 4 {
			q = g.SetQuery()
		}
		text := q.Root.String()
		want, got := oracle.AskQuery(peer, text, q.Ordered), askQueryAgain(t, db, text, q.Ordered)
		if oracle.Difference(want, got) == "" {
			continue
		}
		if class := oracle.ListedClass(want, got); class != "" {
			count[class]++
			continue
		}
		t.Error("unlisted: " + oracle.Explain(want, got))
		generate.Shrink(q.Root, func(text string) bool {
			return oracle.Unlisted(oracle.AskQuery(peer, text, q.Ordered), oracle.AskQuery(db, text, q.Ordered)) != ""
		})
		text = q.Root.String()
		t.Log("smaller: " + oracle.Explain(oracle.AskQuery(peer, text, q.Ordered),
			oracle.AskQuery(db, text, q.Ordered)))
	}
	count.Check(t, *harness.OracleN)
}

// askQueryAgain runs oracle.AskQuery twice, as oracle.AskAgain does.
func askQueryAgain(t *testing.T, db *sql.DB, text string, ordered bool) oracle.Answer {
	t.Helper()
	first, again := oracle.AskQuery(db, text, ordered), oracle.AskQuery(db, text, ordered)
	if oracle.Unlisted(first, again) != "" {
		t.Error("asked again: " + oracle.Explain(first, again))
	}
	return again
}
