package kvtest

import (
	"fmt"
	"math/rand/v2"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
)

var bulkTests = []test{
	{"Scans", testBulkScans, manyRows},
}

// Bulk data is many rows written in several flushed rounds, each at later
// timestamps and with removals of what the rounds before wrote, so that a
// store has reason to skip: files by time, blocks, versions, rows.
const (
	bulkRounds = 4
	bulkRows   = 500
)

func bulkRow(i int) []byte { return fmt.Appendf(nil, "row%03d", i) }

func testBulkScans(f *fixture) {
	r := newTandem(f)
	g := newGenerator(rand.New(rand.NewPCG(7, 8)))
	for round := range bulkRounds {
		require.NoError(f, r.bulkRound(g, round))
		f.flush()
		if round == 1 {
			f.compact()
		}
	}
	for range 60 {
		s := g.bulkScan()
		r.compare(&s, pick(g, [][]string{{"s"}, {"g$a"}, {"g$a", "g$b"}})...)
	}
}

// bulkRound commits the writes of one round on both sides.
func (r *tandem) bulkRound(g *generator, round int) error {
	for _, table := range tableNames {
		puts, deletes, columns := writeOp{kind: "put"}, writeOp{kind: "deleteVersion"}, writeOp{kind: "deleteColumn"}
		for range bulkRows * 2 {
			c := kv.Cell{
				Row: bulkRow(g.IntN(bulkRows)), Qualifier: fmt.Appendf(nil, "q%d", g.IntN(6)),
				Timestamp: int64(1000*round + g.IntN(500)), Value: g.value(),
			}
			puts.cells = append(puts.cells, c)
			c.Timestamp -= 1000
			deletes.cells = append(deletes.cells, c)
		}
		columns.cells = deletes.cells[:20]
		for _, w := range []writeOp{columns, deletes, puts} {
			w.slot, w.table = own, table
			if model, tested := w.run(r.ctx, r.model), w.run(r.ctx, r.tested); model != "ok" || tested != "ok" {
				return fmt.Errorf("%s: %s and %s", w.kind, model, tested)
			}
		}
	}
	return nil
}

// bulkScan is a scan that fits bulk data.
func (g *generator) bulkScan() kv.Scan {
	s := kv.Scan{Ordered: g.IntN(2) == 0, ByPartition: g.IntN(2) == 0, Reverse: g.IntN(3) == 0, NeedValue: g.IntN(3) > 0,
		FirstPerRow: g.IntN(6) == 0, MaxVersions: g.IntN(4)}
	if g.IntN(2) == 0 {
		first := g.IntN(bulkRows)
		s.Ranges = []kv.Range{{Start: atRow(string(bulkRow(first))), End: atRow(string(bulkRow(first+g.IntN(100))) + "\x00")}}
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
