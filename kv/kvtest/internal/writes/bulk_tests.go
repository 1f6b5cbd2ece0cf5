package writes

import (
	"fmt"
	"math/rand/v2"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/tandem"
)

// BulkTests are the tests of scans of many cells.
var BulkTests = []fixture.Test{
	{Name: "Scans", Run: testBulkScans, Needs: fixture.ManyRows},
}

// Bulk data is many rows, written in several rounds with a flush after each.
// Each round uses later timestamps and removes some writes of earlier rounds,
// so that a store has reason to skip files by time, blocks, versions and rows.
const (
	bulkRounds = 4
	bulkRows   = 500
)

func bulkRow(i int) []byte { return fmt.Appendf(nil, "row%03d", i) }

func testBulkScans(f *fixture.Fixture) {
	r := tandem.New(f)
	g := tandem.NewGenerator(rand.New(rand.NewPCG(7, 8)))
	for round := range bulkRounds {
		require.NoError(f, bulkRound(r, g, round))
		f.Flush()
		if round == 1 {
			f.Compact()
		}
	}
	for range 60 {
		s := bulkScan(g)
		r.Compare(&s, tandem.Pick(g, [][]string{{"s"}, {"g$a"}, {"g$a", "g$b"}})...)
	}
}

// bulkRound commits the writes of one round on both sides.
func bulkRound(r *tandem.Tandem, g *tandem.Generator, round int) error {
	for _, table := range fixture.TableNames {
		puts, deletes, columns := tandem.WriteOp{Kind: "put"}, tandem.WriteOp{Kind: "deleteVersion"}, tandem.WriteOp{Kind: "deleteColumn"}
		for range bulkRows * 2 {
			c := kv.Cell{
				Row: bulkRow(g.IntN(bulkRows)), Qualifier: fmt.Appendf(nil, "q%d", g.IntN(6)),
				Timestamp: int64(1000*round + g.IntN(500)), Value: g.Value(),
			}
			puts.Cells = append(puts.Cells, c)
			c.Timestamp -= 1000
			deletes.Cells = append(deletes.Cells, c)
		}
		columns.Cells = deletes.Cells[:20]
		for _, w := range []tandem.WriteOp{columns, deletes, puts} {
			w.Slot, w.Table = tandem.Own, table
			if model, tested := w.Run(r.Ctx, r.Model), w.Run(r.Ctx, r.Tested); model != "ok" || tested != "ok" {
				return fmt.Errorf("%s: %s and %s", w.Kind, model, tested)
			}
		}
	}
	return nil
}

// bulkScan returns a scan that fits bulk data.
func bulkScan(g *tandem.Generator) kv.Scan {
	s := kv.Scan{Ordered: g.IntN(2) == 0, ByPartition: g.IntN(2) == 0, Reverse: g.IntN(3) == 0, NeedValue: g.IntN(3) > 0,
		FirstPerRow: g.IntN(6) == 0, MaxVersions: g.IntN(4)}
	if g.IntN(2) == 0 {
		first := g.IntN(bulkRows)
		s.Ranges = []kv.Range{{Start: fixture.AtRow(string(bulkRow(first))), End: fixture.AtRow(string(bulkRow(first+g.IntN(100))) + "\x00")}}
	}
	if g.IntN(2) == 0 {
		from := int64(g.IntN(1000 * bulkRounds))
		s.Time = kv.TimeRange{Min: from, Max: from + int64(g.IntN(2000)), Bounded: true}
	}
	if g.IntN(3) == 0 {
		q := fmt.Appendf(nil, "q%d", g.IntN(7))
		s.Qualifiers = []kv.QualifierRange{{Start: q, End: fmt.Appendf(nil, "q%d\x00", g.IntN(3)+int(q[1]-'0'))}}
	}
	return s
}
