package sql

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/generate"
	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// A table with MAX_VERSIONS = 1 has one row for each K and Q in the view of all
// versions. Its oracle is a MariaDB table with (K, Q) as the primary key, where a
// newer version is a REPLACE.
const (
	oneVersionWritesFile = "../testdata/mariadb/oneversion_writes.jsonl.gz"
	oneVersionSeed       = 20261123
	oneVersionSelects    = 1200
	oneVersionWrites     = 800
)

// keepOne reduces the oracle's tables, which are filled with several versions of
// some cells, to the newest of each.
func keepOne(t *testing.T, db *sql.DB, tables ...string) {
	t.Helper()
	for _, table := range tables {
		harness.Must(t, db, "ALTER TABLE "+table+" MAX_VERSIONS = 1")
	}
}

func keepOneInMariaDB(t *testing.T, db *sql.DB, tables ...string) {
	t.Helper()
	for _, table := range tables {
		harness.Must(t, db, fmt.Sprintf("DELETE a FROM %s a JOIN %s b ON a.K = b.K AND a.Q = b.Q AND a.T < b.T", table,
			table),
			"ALTER TABLE "+table+" DROP PRIMARY KEY, ADD PRIMARY KEY (K, Q)")
	}
}

var writtenTables = []string{"o", "p", "r", "w"}

// withoutFuture removes each T so large that oneVersionGen could not produce a newer
// one.
func withoutFuture(t *testing.T, db *sql.DB) {
	for _, table := range writtenTables {
		harness.Must(t, db, "DELETE FROM "+table+" WHERE T > 1000000000000")
	}
}

func TestRecordedSelectsOfOneVersion(t *testing.T) {
	if *harness.MariaDB != "" && *harness.Record {
		recordSelectsOfOneVersion(t)
	}
	recorded := oracle.ReadRecorded[oracle.Answer](t, oracle.OneVersionSelectsFile)
	require.Len(t, recorded, oneVersionSelects)
	stores := oracle.Stores(t)
	for _, s := range stores {
		keepOne(t, s.DB, "o", "p", "r")
	}
	differ := 0
	asked := oracle.EachRecorded(t, recorded, stores, func(s oracle.RecordedStore, want oracle.Answer) {
		if !oracle.Compare(t, s.Layout, want,
			oracle.Ask(s.DB, oracle.Generated{SQL: oracle.Starless(want.SQL), Ordered: want.Ordered})) {
			differ++
		}
	})
	require.LessOrEqual(t, differ, asked/100, "statements that fail on one side")
}

func recordSelectsOfOneVersion(t *testing.T) {
	peer := oracle.OpenMariaDB(t)
	keepOneInMariaDB(t, peer, "o", "p", "r")
	g := &generate.SelectGen{R: rand.New(rand.NewPCG(oneVersionSeed, 1))}
	var answers []oracle.Answer
	for range oneVersionSelects {
		answers = append(answers, oracle.Ask(peer, g.Statement()))
	}
	oracle.WriteRecorded(t, oracle.OneVersionSelectsFile, answers)
}

// oneVersionGen generates writing statements whose new versions are newer than all
// existing ones.
type oneVersionGen struct {
	*generate.WriteGen
	t int64
}

// next returns a T above all others, including those that T + 1 has produced.
func (g *oneVersionGen) next() string {
	g.t += 1000
	return fmt.Sprint(g.t)
}

// statement writes to w. For one that adds versions, MariaDB gets a REPLACE.
func (g *oneVersionGen) statement() string {
	g.Depth = 1
	switch g.R.IntN(10) {
	case 0, 1, 2:
		var rows []string
		for range 1 + g.R.IntN(3) {
			rows = append(rows, fmt.Sprintf("(%s, %s, %s, %s)", g.Key(), g.Qualifier(), g.next(), g.Value(false)))
		}
		return g.One("INSERT", "REPLACE") + " INTO w (K, Q, T, V) VALUES " + strings.Join(rows, ", ")
	case 3:
		from := g.One("p", "r", "w", "o")
		return fmt.Sprintf("REPLACE INTO w (K, Q, T, V) SELECT %s, %s, %s, %s FROM %s%s ORDER BY %s.K, %s.Q, %s.T", g.One("K", "K", "CONCAT(K, 'x')", "Q", "'new'"),
			g.One("Q", "'q'", "Q"), g.next(), g.Clean(), from, g.Filter(), from, from, from)
	case 4:
		return "DELETE FROM w" + g.Filter() + g.Some()
	case 5, 6:
		return g.UpdateJoin()
	}
	return "UPDATE w SET " + g.assignments() + g.Filter() + g.Some()
}

func (g *oneVersionGen) assignments() string {
	return g.One("V = "+g.Value(true), "V = "+g.Value(true), "T = T + 1", "T = 7", "T = T DIV 2, V = 'older'", "T = -5", "K = CONCAT(K, 'z')", "Q = 'moved'",
		"K = Q, Q = K", "V = 'a', V = CONCAT(V, 'b')", "V = K, K = 'k'", "K = "+g.Key()+", T = T + 1")
}

// asked returns the statement for MariaDB.
func asked(statement string) string {
	if strings.HasPrefix(statement, "INSERT") {
		return "REPLACE" + strings.TrimPrefix(statement, "INSERT")
	}
	return statement
}

// unlistedOneVersionWrite is oracle.UnlistedWrite for a table with one version of each
// cell. What a new version replaces is not counted, and MariaDB may evaluate a bad
// value of a row that has no partner in the join.
func unlistedOneVersionWrite(want, got oracle.Written) string {
	sameRows := slices.Equal(want.Rows, got.Rows)
	switch {
	case strings.HasPrefix(want.SQL, "INSERT") && want.Error == got.Error && sameRows,
		strings.HasPrefix(want.SQL, "UPDATE") && oracle.BadValues[want.Error] && got.Error == 0 && got.Affected == 0:
		return ""
	}
	return oracle.UnlistedWrite(want, got)
}

func TestRecordedWritesOfOneVersion(t *testing.T) {
	if *harness.MariaDB != "" && *harness.Record {
		recordWritesOfOneVersion(t)
	}
	recorded := oracle.ReadRecorded[oracle.Written](t, oneVersionWritesFile)
	require.Greater(t, len(recorded), oneVersionWrites*3/4)
	for layout := range oracle.Partitionings {
		t.Run(layout, func(t *testing.T) {
			db := oracle.OpenWrites(t, layout)
			keepOne(t, db, writtenTables...)
			withoutFuture(t, db)
			for _, want := range recorded {
				if got := oracle.Write(t, db, want.SQL, want.Reset, oracle.EmptyOwn); unlistedOneVersionWrite(want,
					got) != "" {
					t.Errorf("%s: %s\n MariaDB: %s\n hbasekv: %s", oracle.WriteDifference(want, got), want.SQL, want.Print(), got.Print())
				}
			}
		})
	}
}

// TestLiveOneVersion compares new statements with a live server.
func TestLiveOneVersion(t *testing.T) {
	if *harness.MariaDB == "" {
		t.Skip("no -mariadb: the recorded answers alone were compared")
	}
	eachWriteOfOneVersion(t, testseed.Of(t), *harness.OracleN, func(want, got oracle.Written) {
		if unlistedOneVersionWrite(want, got) != "" {
			t.Errorf("unlisted %s: %s\n MariaDB: %s\n hbasekv: %s", oracle.WriteDifference(want, got), want.SQL, want.Print(), got.Print())
		}
	})
}

// eachWriteOfOneVersion runs statements on both sides. A duplicate key means (K, Q)
// in MariaDB and (K, Q, T) here, so such statements are left out.
func eachWriteOfOneVersion(t *testing.T, seed uint64, count int, see func(want, got oracle.Written)) {
	peer, db := oracle.OpenMariaDBWrites(t), oracle.OpenWrites(t, "key")
	keepOne(t, db, writtenTables...)
	withoutFuture(t, db)
	keepOneInMariaDB(t, peer, writtenTables...)
	withoutFuture(t, peer)
	g := &oneVersionGen{generate.NewWriteGen(rand.New(rand.NewPCG(seed, 3))), 1e15}
	same := false
	for i := range count {
		statement, reset := g.statement(), !same || i%oracle.Episode == 0
		want := oracle.Write(t, peer, asked(statement), reset, oracle.EmptyPeer)
		if want.SQL = statement; want.Error == harness.DupEntry {
			same = false
			continue
		}
		got := oracle.Write(t, db, statement, reset, oracle.EmptyOwn)
		same = unlistedOneVersionWrite(want, got) == "" && slices.Equal(want.Rows, got.Rows)
		see(want, got)
	}
}

func recordWritesOfOneVersion(t *testing.T) {
	var lines []oracle.Written
	eachWriteOfOneVersion(t, oneVersionSeed, oneVersionWrites, func(want, got oracle.Written) {
		if unlistedOneVersionWrite(want, got) == "" {
			lines = append(lines, want)
		}
	})
	oracle.WriteRecorded(t, oneVersionWritesFile, lines)
}
