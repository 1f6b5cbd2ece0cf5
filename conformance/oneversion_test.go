package conformance

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A table with MAX_VERSIONS = 1 has, in the view of all versions, one row for each
// K and Q. Its oracle is a table of MariaDB whose primary key they are: what a
// newer version does there is REPLACE.
const (
	oneVersionSelectsFile = "testdata/mariadb/oneversion_selects.jsonl.gz"
	oneVersionWritesFile  = "testdata/mariadb/oneversion_writes.jsonl.gz"
	oneVersionSeed        = 20261123
	oneVersionSelects     = 1200
	oneVersionWrites      = 800
)

// keepOne makes the oracle's tables, filled with several versions of some cells,
// keep the newest of each.
func keepOne(t *testing.T, db *sql.DB, tables ...string) {
	t.Helper()
	for _, table := range tables {
		must(t, db, "ALTER TABLE "+table+" MAX_VERSIONS = 1")
	}
}

func keepOneInMariaDB(t *testing.T, db *sql.DB, tables ...string) {
	t.Helper()
	for _, table := range tables {
		must(t, db, fmt.Sprintf("DELETE a FROM %s a JOIN %s b ON a.K = b.K AND a.Q = b.Q AND a.T < b.T", table, table),
			"ALTER TABLE "+table+" DROP PRIMARY KEY, ADD PRIMARY KEY (K, Q)")
	}
}

var writtenTables = []string{"o", "p", "r", "w"}

// withoutFuture leaves no T that oneVersionGen could not make a newer one of.
func withoutFuture(t *testing.T, db *sql.DB) {
	for _, table := range writtenTables {
		must(t, db, "DELETE FROM "+table+" WHERE T > 1000000000000")
	}
}

func TestRecordedSelectsOfOneVersion(t *testing.T) {
	if *mariadbFlag != "" && *recordFlag {
		recordSelectsOfOneVersion(t)
	}
	recorded := readRecorded[answer](t, oneVersionSelectsFile)
	require.Len(t, recorded, oneVersionSelects)
	stores := oracleStores(t)
	for _, s := range stores {
		keepOne(t, s.db, "o", "p", "r")
	}
	differ := 0
	asked := eachRecorded(t, recorded, stores, func(s recordedStore, want answer) {
		if !compare(t, s.layout, want, ask(s.db, generated{starless(want.SQL), want.Ordered})) {
			differ++
		}
	})
	require.LessOrEqual(t, differ, asked/100, "statements that fail on one side")
}

func recordSelectsOfOneVersion(t *testing.T) {
	peer := openMariaDB(t)
	keepOneInMariaDB(t, peer, "o", "p", "r")
	g := &selectGen{rand.New(rand.NewPCG(oneVersionSeed, 1))}
	var answers []answer
	for range oneVersionSelects {
		answers = append(answers, ask(peer, g.statement()))
	}
	writeRecorded(t, oneVersionSelectsFile, answers)
}

// oneVersionGen makes writing statements whose new versions are newer than all that
// there are.
type oneVersionGen struct {
	*writeGen
	t int64
}

// next is a T above all others, those that T + 1 has made too.
func (g *oneVersionGen) next() string {
	g.t += 1000
	return fmt.Sprint(g.t)
}

// statement writes to w. Of one that adds versions, REPLACE is what MariaDB is asked.
func (g *oneVersionGen) statement() string {
	g.depth = 1
	switch g.r.IntN(10) {
	case 0, 1, 2:
		var rows []string
		for range 1 + g.r.IntN(3) {
			rows = append(rows, fmt.Sprintf("(%s, %s, %s, %s)", g.key(), g.qualifier(), g.next(), g.value(false)))
		}
		return g.one("INSERT", "REPLACE") + " INTO w (K, Q, T, V) VALUES " + strings.Join(rows, ", ")
	case 3:
		from := g.one("p", "r", "w", "o")
		return fmt.Sprintf("REPLACE INTO w (K, Q, T, V) SELECT %s, %s, %s, %s FROM %s%s ORDER BY %s.K, %s.Q, %s.T", g.one("K", "K", "CONCAT(K, 'x')", "Q", "'new'"),
			g.one("Q", "'q'", "Q"), g.next(), g.clean(), from, g.filter(), from, from, from)
	case 4:
		return "DELETE FROM w" + g.filter() + g.some()
	case 5, 6:
		return g.updateJoin()
	}
	return "UPDATE w SET " + g.assignments() + g.filter() + g.some()
}

func (g *oneVersionGen) assignments() string {
	return g.one("V = "+g.value(true), "V = "+g.value(true), "T = T + 1", "T = 7", "T = T DIV 2, V = 'older'", "T = -5", "K = CONCAT(K, 'z')", "Q = 'moved'",
		"K = Q, Q = K", "V = 'a', V = CONCAT(V, 'b')", "V = K, K = 'k'", "K = "+g.key()+", T = T + 1")
}

// asked is the statement for MariaDB.
func asked(statement string) string {
	if strings.HasPrefix(statement, "INSERT") {
		return "REPLACE" + strings.TrimPrefix(statement, "INSERT")
	}
	return statement
}

// unlistedOneVersionWrite is unlistedWrite for a table with one version of each
// cell. What a new version replaces is not counted, and MariaDB may look at a bad
// value of a row that finds nothing to join.
func unlistedOneVersionWrite(want, got written) string {
	sameRows := slices.Equal(want.Rows, got.Rows)
	switch {
	case strings.HasPrefix(want.SQL, "INSERT") && want.Error == got.Error && sameRows,
		strings.HasPrefix(want.SQL, "UPDATE") && badValues[want.Error] && got.Error == 0 && got.Affected == 0:
		return ""
	}
	return unlistedWrite(want, got)
}

func TestRecordedWritesOfOneVersion(t *testing.T) {
	if *mariadbFlag != "" && *recordFlag {
		recordWritesOfOneVersion(t)
	}
	recorded := readRecorded[written](t, oneVersionWritesFile)
	require.Greater(t, len(recorded), oneVersionWrites*3/4)
	for layout := range partitionings {
		t.Run(layout, func(t *testing.T) {
			db := openWrites(t, layout)
			keepOne(t, db, writtenTables...)
			withoutFuture(t, db)
			for _, want := range recorded {
				if got := write(t, db, want.SQL, want.Reset, emptyOwn); unlistedOneVersionWrite(want, got) != "" {
					t.Errorf("%s: %s\n MariaDB: %s\n hbasekv: %s", writeDifference(want, got), want.SQL, want.print(), got.print())
				}
			}
		})
	}
}

// TestLiveOneVersion compares fresh statements with a live server.
func TestLiveOneVersion(t *testing.T) {
	if *mariadbFlag == "" {
		t.Skip("no -mariadb: the recorded answers alone were compared")
	}
	t.Logf("-oracle.seed=%d", *oracleSeed)
	eachWriteOfOneVersion(t, *oracleSeed, *oracleN, func(want, got written) {
		if unlistedOneVersionWrite(want, got) != "" {
			t.Errorf("unlisted %s: %s\n MariaDB: %s\n hbasekv: %s", writeDifference(want, got), want.SQL, want.print(), got.print())
		}
	})
}

// eachWriteOfOneVersion runs statements on both sides. A duplicate key is of K and Q
// in MariaDB and of K, Q and T here: such statements are left out.
func eachWriteOfOneVersion(t *testing.T, seed uint64, count int, see func(want, got written)) {
	peer, db := openMariaDBWrites(t), openWrites(t, "key")
	keepOne(t, db, writtenTables...)
	withoutFuture(t, db)
	keepOneInMariaDB(t, peer, writtenTables...)
	withoutFuture(t, peer)
	g := &oneVersionGen{newWriteGen(rand.New(rand.NewPCG(seed, 3))), 1e15}
	same := false
	for i := range count {
		statement, reset := g.statement(), !same || i%episode == 0
		want := write(t, peer, asked(statement), reset, emptyPeer)
		if want.SQL = statement; want.Error == dupEntry {
			same = false
			continue
		}
		got := write(t, db, statement, reset, emptyOwn)
		same = unlistedOneVersionWrite(want, got) == "" && slices.Equal(want.Rows, got.Rows)
		see(want, got)
	}
}

func recordWritesOfOneVersion(t *testing.T) {
	var lines []written
	eachWriteOfOneVersion(t, oneVersionSeed, oneVersionWrites, func(want, got written) {
		if unlistedOneVersionWrite(want, got) == "" {
			lines = append(lines, want)
		}
	})
	writeRecorded(t, oneVersionWritesFile, lines)
}
