package writes

import (
	"database/sql"
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
	writesSeed  = 20261122
	writesCount = 1500
)

// TestRecordedWrites compares the effects of recorded statements on every layout.
func TestRecordedWrites(t *testing.T) {
	if *harness.MariaDB != "" && *harness.Record {
		recordWrites(t)
	}
	recorded := oracle.ReadRecorded[oracle.Written](t, oracle.WritesFile)
	require.Greater(t, len(recorded), writesCount*9/10)
	for layout := range oracle.Partitionings {
		t.Run(layout, func(t *testing.T) {
			db := oracle.OpenWrites(t, layout)
			for _, want := range recorded {
				if got := oracle.Write(t, db, want.SQL, want.Reset, oracle.EmptyOwn); oracle.UnlistedWrite(want,
					got) != "" {
					t.Errorf("%s: %s\n MariaDB: %s\n hbasekv: %s", oracle.WriteDifference(want, got), want.SQL, want.Print(), got.Print())
				}
			}
		})
	}
}

// TestLiveWrites compares the effects of new statements with a live server.
// After a difference both tables are created again.
func TestLiveWrites(t *testing.T) {
	if *harness.MariaDB == "" {
		t.Skip("no -mariadb: the recorded answers alone were compared")
	}
	listsWrites(t, oracle.OpenMariaDBWrites(t), oracle.OpenWrites(t, "key"))
}

// listsWrites checks that generated writes have the same effects on both sides except
// for the listed differences.
func listsWrites(t *testing.T, peer, db *sql.DB) {
	count := oracle.Classes{}
	eachWriteOf(t, peer, db, testseed.Of(t), *harness.OracleN, func(want, got oracle.Written) {
		if oracle.UnlistedWrite(want, got) != "" {
			t.Errorf("unlisted %s: %s\n MariaDB: %s\n hbasekv: %s", oracle.WriteDifference(want, got), want.SQL, want.Print(), got.Print())
		} else if oracle.WriteDifference(want, got) != "" {
			count[oracle.ListedWrite(want, got)]++
		}
	})
	for name, n := range count {
		t.Logf("listed: %d %s", n, name)
	}
}

func eachWrite(t *testing.T, seed uint64, count int, see func(want, got oracle.Written)) {
	eachWriteOf(t, oracle.OpenMariaDBWrites(t), oracle.OpenWrites(t, "key"), seed, count, see)
}

func eachWriteOf(t *testing.T, peer, db *sql.DB, seed uint64, count int, see func(want, got oracle.Written)) {
	g := generate.NewWriteGen(rand.New(rand.NewPCG(seed, 3)))
	same := false
	for i := range count {
		statement, reset := g.Statement(), !same || i%oracle.Episode == 0
		want, got := oracle.Write(t, peer, statement, reset, oracle.EmptyPeer), oracle.Write(t, db, statement, reset,
			oracle.EmptyOwn)
		same = oracle.UnlistedWrite(want, got) == "" && slices.Equal(want.Rows, got.Rows)
		see(want, got)
	}
}

func recordWrites(t *testing.T) {
	var lines []oracle.Written
	eachWrite(t, writesSeed, writesCount, func(want, got oracle.Written) {
		if oracle.UnlistedWrite(want, got) == "" {
			lines = append(lines, want)
		}
	})
	oracle.WriteRecorded(t, oracle.WritesFile, lines)
}
