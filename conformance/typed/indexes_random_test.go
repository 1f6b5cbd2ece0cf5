package typed

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestIndexedReads draws tables with indexes and statements, and compares what queries give by the indexes, without
// them, and as the plan chooses.
func TestIndexedReads(t *testing.T) {
	r := rand.New(rand.NewPCG(uint64(*harness.OracleSeed), 2))
	t.Logf("seed %d", *harness.OracleSeed)
	for range 12 {
		table := drawTable(r, "t")
		db := open(t, table.create(r))
		if len(table.indexes) == 0 {
			continue
		}
		names := "(" + strings.Join(table.indexes, ", ") + ")"
		for range 60 {
			_, _ = db.Exec(table.change(r))
			_, _ = db.Exec(table.change(r))
			query := table.query(r)
			if strings.Contains(query, "JOIN") {
				continue
			}
			want := harness.Lines(t, db, strings.Replace(query, "FROM t", "FROM t IGNORE INDEX "+names, 1))
			require.Equal(t, want, harness.Lines(t, db, query), query)
			forced := strings.Replace(query, "FROM t", "FROM t FORCE INDEX "+names, 1)
			require.Equal(t, want, harness.Lines(t, db, forced), forced)
		}
		checked := harness.Lines(t, db, "CHECK TABLE t")
		require.True(t, strings.HasSuffix(checked[len(checked)-1], " OK"), "%v", checked)
		db.Close()
	}
}
