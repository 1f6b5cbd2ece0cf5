package reports

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// mostWarnings is how many a statement keeps: which ones, for a join, is not defined.
const mostWarnings = 64

// TestOneGrouping: derived tables that group one table by the same columns have the same
// result whether they are combined or joined: one with an explicit choice of versions, even of
// all, is joined.
func TestOneGrouping(t *testing.T) {
	db := harness.OpenDB(t, ":memory:?versions=all")
	fillReports(t, db, "key", oracle.RecordedFlights)
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	seed, together := testseed.Of(t), 0
	for range 400 {
		texts := []string{}
		for _, versions := range []string{"", " FOR SYSTEM_TIME ALL"} {
			g := &reportGen{rand.New(rand.NewPCG(seed, 5))}
			text, _, _ := strings.Cut(g.list(g.sameGroups(versions)).SQL, " LIMIT ") // a LIMIT lets less be read
			texts = append(texts, text)
		}
		seed++
		if strings.Contains(strings.Join(harness.Lines(t, conn, "EXPLAIN FORMAT=TREE "+texts[0]), "\n"),
			"same groups") {
			together++
		}
		want, got := harness.AnswerOf(t, conn, texts[1]), harness.AnswerOf(t, conn, texts[0])
		if warnings := len(harness.Lines(t, conn, "SHOW WARNINGS")); warnings == mostWarnings {
			want, got = want[:max(0, len(want)-warnings)], got[:max(0, len(got)-warnings)]
		}
		require.Equal(t, want, got, "%d: %s", seed-1, texts[0])
	}
	require.Greater(t, together, 40)
}
