package temporary_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/kv/temporary"
	"github.com/hbasekv/hbasekv/partition"
)

// counter is a Memory with a limit, if it is not 0.
type counter struct{ kept, limit int64 }

var errFull = fmt.Errorf("the memory is full")

func (c *counter) Take(n int64) error {
	if c.limit > 0 && c.kept+n > c.limit {
		return errFull
	}
	c.kept += n
	return nil
}

func (c *counter) Give(n int64) { c.kept -= n }

func newModel(t testing.TB) *kvtest.Model {
	m := kvtest.NewModel()
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	require.NoError(t, m.ChangeCatalog(t.Context(), func(c *kv.CatalogChange) error {
		return c.CreateDatabase(kv.Database{Name: "d"})
	}))
	return m
}

func create(t testing.TB, s kv.Store, name string) {
	none := &partition.Scheme{}
	require.NoError(t, s.ChangeCatalog(t.Context(), func(c *kv.CatalogChange) error {
		_, err := c.CreateTable(kv.Table{Database: "d", Name: name, MaxRow: 64, MaxQualifier: 64,
			Value: kv.ValueType{Nullable: true}, Partitioning: none, Temporary: true})
		return err
	}))
}

// side is a store and its open transaction.
type side struct {
	kv.Txn
	table      *kv.Table
	savepoints []kv.Savepoint
}

func (s *side) begin(t testing.TB, store kv.Store) {
	txn, err := store.Begin(t.Context(), kv.TxnOptions{})
	require.NoError(t, err)
	*s = side{Txn: txn, table: txn.Catalog().Table("d", "t")}
}

// TestRandomOperations runs the same writes, scans, savepoints and ends of transactions on a
// session's own table in memory and on the model of all stores.
func TestRandomOperations(t *testing.T) {
	r := generator{rand.New(rand.NewPCG(testseed.Of(t), 1))}
	model, memory := newModel(t), &counter{}
	tables := temporary.New(newModel(t), memory, nil)
	create(t, model, "t")
	create(t, tables.Own(), "t")
	var want, got side
	want.begin(t, model)
	got.begin(t, tables)
	for range 4000 {
		what := r.op()
		expected, answer := what.run(t.Context(), &want), what.run(t.Context(), &got)
		require.Equal(t, expected, answer, "%v", what)
		if r.IntN(40) > 0 {
			continue
		}
		for i, store := range []kv.Store{model, tables} {
			s := []*side{&want, &got}[i]
			if what.commits {
				require.NoError(t, s.Commit(t.Context()))
			} else {
				s.Rollback()
			}
			s.begin(t, store)
		}
	}
	want.Rollback()
	got.Rollback()
	require.Positive(t, memory.kept)
	require.NoError(t, tables.Close())
	require.Zero(t, memory.kept, "bytes that nobody gave back")
}

type generator struct{ *rand.Rand }

var someParts = [][]byte{{}, {0}, []byte("a"), {'a', 0}, []byte("b"), []byte("c"), {0xff}, {0xff, 0xff}}

var someTimes = []int64{math.MinInt64, -1, 0, 1, 2, 3, math.MaxInt64 - 1, math.MaxInt64}

func (r generator) part() []byte { return someParts[r.IntN(len(someParts))] }

func (r generator) time() int64 { return someTimes[r.IntN(len(someTimes))] }

func (r generator) position() kv.Position {
	p := kv.Position{Row: r.part(), Depth: kv.Depth(1 + r.IntN(3)), After: r.IntN(2) == 0}
	if p.Depth >= kv.DepthColumn {
		p.Qualifier = r.part()
	}
	if p.Depth == kv.DepthCell {
		p.Timestamp = r.time()
	}
	return p
}

func comparePositions(a, b kv.Position) int {
	key := func(p kv.Position) string { // of the parts that order them, with a separator after each part
		part := func(b []byte) string { return strings.ReplaceAll(string(b), "\x00", "\x00\xff") + "\x00" }
		s := part(p.Row)
		if p.Depth >= kv.DepthColumn {
			s += "\x01" + part(p.Qualifier)
		}
		if p.Depth == kv.DepthCell {
			s += "\x01" + fmt.Sprintf("%020d", math.MaxUint64-uint64(p.Timestamp)^(1<<63))
		}
		if p.After {
			return s + "\x02"
		}
		return s
	}
	return strings.Compare(key(a), key(b))
}

// ranges are sorted, disjoint and not empty.
func (r generator) ranges() (out []kv.Range) {
	if r.IntN(3) == 0 {
		return nil
	}
	var ends []kv.Position
	for range 2 * (1 + r.IntN(4)) {
		ends = append(ends, r.position())
	}
	slices.SortFunc(ends, comparePositions)
	out = []kv.Range{}
	for i := 0; i+1 < len(ends); i += 2 {
		if comparePositions(ends[i], ends[i+1]) < 0 {
			out = append(out, kv.Range{Start: ends[i], End: ends[i+1]})
		}
	}
	if len(out) > 0 && r.IntN(4) == 0 {
		out[0].Start = kv.Position{}
	}
	if len(out) > 0 && r.IntN(4) == 0 {
		out[len(out)-1].End = kv.Position{}
	}
	return out
}

func (r generator) qualifiers() (out []kv.QualifierRange) {
	if r.IntN(2) == 0 {
		return nil
	}
	var ends [][]byte
	for range 2 * (1 + r.IntN(3)) {
		ends = append(ends, r.part())
	}
	slices.SortFunc(ends, slices.Compare)
	ends = slices.CompactFunc(ends, slices.Equal)
	out = []kv.QualifierRange{}
	for i := 0; i < len(ends); i += 2 {
		if i+1 < len(ends) {
			out = append(out, kv.QualifierRange{Start: ends[i], End: ends[i+1]})
		} else if r.IntN(2) == 0 {
			out = append(out, kv.QualifierRange{Start: ends[i]})
		}
	}
	return out
}

func (r generator) scan() *kv.Scan {
	s := &kv.Scan{Ranges: r.ranges(), Qualifiers: r.qualifiers(), Reverse: r.IntN(2) == 0, NeedValue: true, Ordered: true,
		MaxVersions: r.IntN(4), FirstPerRow: r.IntN(5) == 0}
	if r.IntN(2) == 0 {
		s.Time = kv.TimeRange{Min: r.time(), Max: r.time(), Bounded: true}
	}
	if r.IntN(4) == 0 {
		s.Rows = partition.RowRange{Start: r.part(), End: r.part()}
	}
	return s
}

// op is a write, a scan or a step of savepoints.
type op struct {
	kind    int
	cell    kv.Cell
	scan    *kv.Scan
	at      int // index of the savepoint
	commits bool
}

func (o op) String() string { return fmt.Sprintf("%d %+v %+v at %d", o.kind, o.cell, o.scan, o.at) }

func (r generator) op() op {
	o := op{kind: r.IntN(12), scan: r.scan(), at: r.IntN(1000), commits: r.IntN(2) == 0,
		cell: kv.Cell{Row: r.part(), Qualifier: r.part(), Timestamp: r.time()}}
	if r.IntN(4) > 0 {
		o.cell.Value = append([]byte{}, r.part()...)
	}
	return o
}

func (o op) run(ctx context.Context, s *side) string {
	c := o.cell
	switch o.kind {
	case 0, 1:
		return fmt.Sprint(s.Put(ctx, s.table, c))
	case 2:
		done, err := s.PutIfAbsent(ctx, s.table, c)
		return fmt.Sprint(done, err)
	case 3:
		at, err := s.PutNext(ctx, s.table, c)
		return fmt.Sprint(at, err)
	case 4:
		return fmt.Sprint(s.DeleteVersion(ctx, s.table, c.Row, c.Qualifier, c.Timestamp))
	case 5:
		if o.at%4 > 0 {
			return ""
		}
		return fmt.Sprint(s.DeleteColumn(ctx, s.table, c.Row, c.Qualifier))
	case 6:
		s.savepoints = append(s.savepoints, s.Savepoint())
		return ""
	case 7:
		if n := len(s.savepoints); n > 0 {
			at := o.at % n
			s.RollbackTo(s.savepoints[at])
			s.savepoints = s.savepoints[:at+1]
		}
		return ""
	}
	scan := *o.scan
	if n := len(s.savepoints); n > 0 && o.at%3 == 0 {
		scan.At = s.savepoints[o.at%n]
	}
	return cellsOf(ctx, s, &scan)
}

// cellsOf reads a scan to its end.
func cellsOf(ctx context.Context, s *side, scan *kv.Scan) string {
	cursor, err := s.Scan(ctx, []*kv.Table{s.table}, scan)
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for cursor.Next() {
		c := cursor.Cell()
		v, err := cursor.Value()
		fmt.Fprintf(&b, "%q/%q/%d=%q,%v,%v\n", c.Row, c.Qualifier, c.Timestamp, v, v == nil, err)
	}
	return fmt.Sprint(b.String(), cursor.Err(), cursor.Close())
}
