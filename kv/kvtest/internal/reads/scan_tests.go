// Package reads has the suite's tests of scans and cursors.
package reads

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/tandem"
)

// ScanTests are the tests of scans (their order, bounds, filters and versions) and of the other methods of
// cursors.
var ScanTests = []fixture.Test{
	{Name: "Order", Run: testOrder},
	{Name: "Values", Run: testValues, Needs: fixture.Nulls | fixture.AnyRow},
	{Name: "Timestamps", Run: testTimestamps, Needs: fixture.AnyTime},
	{Name: "Versions", Run: testVersions},
	{Name: "ManyVersions", Run: testManyVersions, Needs: fixture.AnyTime},
	{Name: "Qualifiers", Run: testQualifiers},
	{Name: "FirstPerRow", Run: testFirstPerRow},
	{Name: "Ranges", Run: testRanges},
	{Name: "RangesWithinARow", Run: testRangesWithinARow},
	{Name: "Positions", Run: testPositions, Needs: fixture.Nulls | fixture.AnyTime | fixture.AnyRow},
	{Name: "Families", Run: testFamilies},
	{Name: "Partitions", Run: testPartitions},
	{Name: "Unordered", Run: testUnordered, Needs: fixture.Nulls | fixture.AnyTime | fixture.AnyRow},
	{Name: "Hints", Run: testHints},
	{Name: "Unread", Run: testUnread, Needs: fixture.ManyRows},
	{Name: "Columns", Run: testColumns, Needs: fixture.ManyRows},
	{Name: "Wanted", Run: testWanted, Needs: fixture.ManyRows},
	{Name: "Skips", Run: testSkips},
	{Name: "Tallies", Run: testRunCounts, Needs: fixture.ManyRows},
	{Name: "Budgets", Run: testBudgets},
	{Name: "Divisions", Run: testDivisions},
	{Name: "DivisionsOfOwnWrites", Run: testDivisionsOfOwnWrites, Needs: fixture.ManyRows},
	{Name: "Ordered", Run: testOrdered},
	{Name: "Empty", Run: testEmpty},
}

func testOrder(f *fixture.Fixture) {
	shuffled := slices.Clone(f.InOrder())
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled), func(i, j int) {
		shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
	})
	f.Put("s", shuffled...)
	reversed := slices.Clone(f.InOrder())
	slices.Reverse(reversed)
	f.Storage(func() {
		require.Equal(f, strings.Join(f.InOrder(), " "), f.All("s"))
		require.Equal(f, strings.Join(reversed, " "), f.Read(kv.Scan{Ordered: true, NeedValue: true, Reverse: true}, "s"))
	})
}

func testValues(f *fixture.Fixture) {
	f.Put("s", `r/bytes/1=\x00\xff`, `r/empty/1=`, `r/null/1=NULL`)
	f.Storage(func() {
		require.Equal(f, `r/bytes/1=\x00\xff r/empty/1= r/null/1=NULL`, f.All("s"))
		require.Equal(f, `r/bytes/1 r/empty/1 r/null/1`, f.Read(kv.Scan{}, "s"))
	})
	f.Put("s", `r/bytes/1=NULL`, `r/empty/1=NULL`, `r/null/1=`)
	require.Equal(f, `r/bytes/1=NULL r/empty/1=NULL r/null/1=`, f.All("s"))

	long := kv.Cell{Row: slices.Repeat([]byte{0, 0xff}, 32_767), Qualifier: slices.Repeat([]byte{0}, 5_000),
		Value: make([]byte, 3<<20)}
	long.Value[len(long.Value)-1] = 1
	f.Write(func(tx kv.Txn) error { return tx.Put(f.Ctx, f.Tables(tx, []string{"g$a"})[0], long) })
	f.Storage(func() { require.Equal(f, fixture.CellText(long, true), f.All("g$a")) })
}

func testTimestamps(f *fixture.Fixture) {
	want := `r/q/9223372036854775807=a r/q/9223372036854775806=b r/q/1=c r/q/0=d r/q/-1=e r/q/-9223372036854775807=f`
	if f.Layout.Oldest() == math.MinInt64 {
		want += ` r/q/-9223372036854775808=g`
	}
	f.Put("s", strings.Fields(want)...)
	f.Storage(func() {
		require.Equal(f, want, f.All("s"))
		for _, each := range strings.Fields(want) {
			c := fixture.ParseCell(f, each)
			at := kv.Scan{Time: kv.TimeRange{Min: c.Timestamp, Max: c.Timestamp, Bounded: true}, NeedValue: true}
			require.Equal(f, each, f.Read(at, "s"))
			cell := fixture.AtCell("r", "q", c.Timestamp)
			require.Equal(f, each, f.Read(kv.Scan{Ranges: []kv.Range{{Start: cell, End: fixture.After(cell)}}, NeedValue: true}, "s"))
		}
	})
}

func testVersions(f *fixture.Fixture) {
	f.Put("s", "a/p/3=1", "a/p/2=2", "a/p/1=3", "a/q/9=4", "b/p/2=5", "b/p/1=6", "c/p/0=7")
	time := func(lo, hi int64) kv.TimeRange { return kv.TimeRange{Min: lo, Max: hi, Bounded: true} }
	cases := []struct {
		scan kv.Scan
		want string
	}{
		{kv.Scan{MaxVersions: 1}, "a/p/3 a/q/9 b/p/2 c/p/0"},
		{kv.Scan{MaxVersions: 2}, "a/p/3 a/p/2 a/q/9 b/p/2 b/p/1 c/p/0"},
		{kv.Scan{MaxVersions: math.MaxInt}, "a/p/3 a/p/2 a/p/1 a/q/9 b/p/2 b/p/1 c/p/0"},
		{kv.Scan{Time: time(2, 3)}, "a/p/3 a/p/2 b/p/2"},
		{kv.Scan{Time: time(math.MinInt64, 2), MaxVersions: 1}, "a/p/2 b/p/2 c/p/0"},
		{kv.Scan{Time: time(2, math.MaxInt64), MaxVersions: 1}, "a/p/3 a/q/9 b/p/2"},
		{kv.Scan{Time: time(1, 2), MaxVersions: 2}, "a/p/2 a/p/1 b/p/2 b/p/1"},
		{kv.Scan{Time: time(4, 8)}, ""},
		{kv.Scan{Time: time(2, 1)}, ""},
		{kv.Scan{Time: time(math.MaxInt64, math.MinInt64)}, ""},
		{kv.Scan{MaxVersions: 1, Ranges: []kv.Range{{Start: fixture.AtCell("a", "p", 2), End: fixture.AtRow("b")}}}, "a/p/2 a/q/9"},
		{kv.Scan{MaxVersions: 1, Ranges: []kv.Range{
			{Start: fixture.AtCell("a", "p", 3), End: fixture.After(fixture.AtCell("a", "p", 3))}, {Start: fixture.AtCell("a", "p", 1), End: fixture.After(fixture.AtRow("a"))},
		}}, "a/p/3 a/q/9"},
	}
	f.Storage(func() {
		for _, c := range cases {
			f.BothWays(c.scan, c.want)
		}
	})
}

// testManyVersions has columns with more versions than a reader should step through.
func testManyVersions(f *fixture.Fixture) {
	const versions = 300
	f.Write(func(tx kv.Txn) error {
		for i := range int64(versions) {
			for _, row := range []string{"a", "b"} {
				c := kv.Cell{Row: []byte(row), Qualifier: []byte("q"), Timestamp: i, Value: []byte{byte(i)}}
				if err := tx.Put(f.Ctx, f.Tables(tx, []string{"s"})[0], c); err != nil {
					return err
				}
			}
		}
		return nil
	})
	f.Put("s", "a/r/7=1", "b/q/-1=2", "c/q/1=3")
	f.Storage(func() {
		f.BothWays(kv.Scan{MaxVersions: 1}, "a/q/299 a/r/7 b/q/299 c/q/1")
		f.BothWays(kv.Scan{MaxVersions: 2}, "a/q/299 a/q/298 a/r/7 b/q/299 b/q/298 c/q/1")
		f.BothWays(kv.Scan{MaxVersions: 1, Time: kv.TimeRange{Min: -5, Max: 150, Bounded: true}},
			"a/q/150 a/r/7 b/q/150 c/q/1")
		f.BothWays(kv.Scan{Time: kv.TimeRange{Min: -5, Max: 0, Bounded: true}}, "a/q/0 b/q/0 b/q/-1")
		require.Len(f, strings.Fields(f.All("s")), 2*versions+3)
	})
}

func testQualifiers(f *fixture.Fixture) {
	f.Put("s", "a//1=1", "a/b/2=2", "a/b/1=3", `a/b\x00/1=4`, "a/d/1=5", "b/b/1=6", `b/\xff/1=7`, "c/a/1=8")
	one := func(lo, hi string) []kv.QualifierRange {
		r := kv.QualifierRange{Start: []byte(lo), End: []byte(hi)}
		if hi == "" {
			r.End = nil
		}
		return []kv.QualifierRange{r}
	}
	f.Storage(func() {
		f.BothWays(kv.Scan{Qualifiers: one("", "")}, `a//1 a/b/2 a/b/1 a/b\x00/1 a/d/1 b/b/1 b/\xff/1 c/a/1`)
		f.BothWays(kv.Scan{Qualifiers: one("", "\x00")}, "a//1")
		f.BothWays(kv.Scan{Qualifiers: one("b", "b\x00")}, "a/b/2 a/b/1 b/b/1")
		f.BothWays(kv.Scan{Qualifiers: one("b", "b\x00"), MaxVersions: 1}, "a/b/2 b/b/1")
		f.BothWays(kv.Scan{Qualifiers: one("b\x00", "")}, `a/b\x00/1 a/d/1 b/\xff/1`)
		f.BothWays(kv.Scan{Qualifiers: append(one("", "a"), one("d", "e")...)}, "a//1 a/d/1")
		f.BothWays(kv.Scan{Qualifiers: append(one("a", "b"), one("c", "")...)}, `a/d/1 b/\xff/1 c/a/1`)
		f.BothWays(kv.Scan{Qualifiers: one("x", "z")}, "")
		f.BothWays(kv.Scan{Qualifiers: one("b", "c"), Time: kv.TimeRange{Min: 1, Max: 1, Bounded: true}},
			`a/b/1 a/b\x00/1 b/b/1`)
		f.BothWays(kv.Scan{Qualifiers: one("b", "c"), Ranges: []kv.Range{{Start: fixture.After(fixture.AtColumn("a", "b")),
			End: fixture.AtRow("c")}}},
			`a/b\x00/1 b/b/1`)
	})
}

func testFirstPerRow(f *fixture.Fixture) {
	f.Put("s", "a/p/2=1", "a/p/1=2", "a/q/1=3", "b/q/3=4", "b/q/2=5", "c/p/1=6")
	first := func(s kv.Scan) string {
		s.Ordered, s.FirstPerRow = true, true
		return f.Read(s, "s")
	}
	onlyQ := []kv.QualifierRange{{Start: []byte("q")}}
	f.Storage(func() {
		require.Equal(f, "a/p/2 b/q/3 c/p/1", first(kv.Scan{}))
		require.Equal(f, "c/p/1 b/q/2 a/q/1", first(kv.Scan{Reverse: true}))
		require.Equal(f, "c/p/1 b/q/3 a/q/1", first(kv.Scan{Reverse: true, MaxVersions: 1}))
		require.Equal(f, "a/q/1 b/q/3", first(kv.Scan{Qualifiers: onlyQ}))
		require.Equal(f, "a/p/1 b/q/2 c/p/1", first(kv.Scan{Time: kv.TimeRange{Min: 0, Max: 2, Bounded: true}, MaxVersions: 1,
			Ranges: []kv.Range{{Start: fixture.After(fixture.AtCell("a", "p", 2))}}}))
	})
}

func testRanges(f *fixture.Fixture) {
	f.Put("s", "a/p/2=", "a/p/1=", "a/q/1=", "b/p/1=", "b/q/2=", "b/q/1=", "c/p/1=", "d/p/1=")
	a, b, c, d := fixture.AtRow("a"), fixture.AtRow("b"), fixture.AtRow("c"), fixture.AtRow("d")
	cases := []struct {
		ranges []kv.Range
		want   string
	}{
		{[]kv.Range{{Start: a, End: fixture.After(a)}}, "a/p/2 a/p/1 a/q/1"},
		{[]kv.Range{{Start: fixture.After(a), End: c}}, "b/p/1 b/q/2 b/q/1"},
		{[]kv.Range{{End: b}}, "a/p/2 a/p/1 a/q/1"},
		{[]kv.Range{{Start: fixture.After(c)}}, "d/p/1"},
		{[]kv.Range{{Start: a, End: fixture.After(a)}, {Start: d, End: fixture.After(d)}}, "a/p/2 a/p/1 a/q/1 d/p/1"},
		{[]kv.Range{{End: a}, {Start: c, End: fixture.After(c)}, {Start: fixture.After(d)}}, "c/p/1"},
		{[]kv.Range{{Start: a, End: b}, {Start: b, End: c}}, "a/p/2 a/p/1 a/q/1 b/p/1 b/q/2 b/q/1"},
		{[]kv.Range{{Start: fixture.After(fixture.AtColumn("a", "p")), End: fixture.AtColumn("b", "q")}}, "a/q/1 b/p/1"},
		{[]kv.Range{{Start: fixture.After(fixture.AtCell("a", "p", 2)), End: fixture.AtCell("b", "q", 1)}}, "a/p/1 a/q/1 b/p/1 b/q/2"},
		{[]kv.Range{{Start: fixture.AtColumn("a", "p"), End: fixture.After(fixture.AtColumn("a", "p"))},
			{Start: fixture.AtColumn("b", "q"), End: fixture.After(fixture.AtColumn("b", "q"))}},
			"a/p/2 a/p/1 b/q/2 b/q/1"},
		{[]kv.Range{{Start: fixture.AtRow("aa"), End: fixture.AtRow("ab")}}, ""},
	}
	f.Storage(func() {
		for _, each := range cases {
			f.BothWays(kv.Scan{Ranges: each.ranges}, each.want)
		}
	})
}

// testRangesWithinARow requires that anything a scan counts or drops by row or by column applies to all
// ranges in that row or column together.
func testRangesWithinARow(f *fixture.Fixture) {
	f.Put("s", "a/p/5=", "a/p/4=", "a/p/3=", "a/p/2=", "a/q/5=", "a/q/4=", "a/q/3=", "b/p/1=")
	cells := func(p ...kv.Position) (out []kv.Range) {
		for _, at := range p {
			out = append(out, kv.Range{Start: at, End: fixture.After(at)})
		}
		return out
	}
	versions := append(cells(fixture.AtCell("a", "p", 5), fixture.AtCell("a", "p", 4), fixture.AtCell("a", "p", 2), fixture.AtCell("a", "q", 5),
		fixture.AtCell("a", "q", 3)),
		kv.Range{Start: fixture.AtRow("b")})
	columns := append(cells(fixture.AtColumn("a", "p"), fixture.AtColumn("a", "q")), kv.Range{Start: fixture.AtRow("b")})
	onlyQ := []kv.QualifierRange{{Start: []byte("q"), End: []byte("r")}}
	f.Storage(func() {
		f.BothWays(kv.Scan{Ranges: versions}, "a/p/5 a/p/4 a/p/2 a/q/5 a/q/3 b/p/1")
		f.BothWays(kv.Scan{Ranges: versions, MaxVersions: 1}, "a/p/5 a/q/5 b/p/1")
		f.BothWays(kv.Scan{Ranges: versions, MaxVersions: 2}, "a/p/5 a/p/4 a/q/5 a/q/3 b/p/1")
		f.BothWays(kv.Scan{Ranges: versions, Qualifiers: onlyQ}, "a/q/5 a/q/3")
		f.BothWays(kv.Scan{Ranges: versions, Qualifiers: onlyQ, MaxVersions: 1}, "a/q/5")
		f.BothWays(kv.Scan{Ranges: versions[1:], MaxVersions: 1, Time: kv.TimeRange{Min: 1, Max: 4, Bounded: true}},
			"a/p/4 a/q/3 b/p/1")
		for _, ranges := range [][]kv.Range{versions, columns} {
			require.Equal(f, "a/p/5 b/p/1", f.Read(kv.Scan{Ordered: true, FirstPerRow: true, Ranges: ranges}, "s"))
			require.Equal(f, "b/p/1 a/q/3", f.Read(kv.Scan{Ordered: true, FirstPerRow: true, Ranges: ranges, Reverse: true},
				"s"))
		}
	})
}

// testPositions compares scans from and to every position among a few cells with the Model's.
func testPositions(f *fixture.Fixture) {
	r := rand.New(rand.NewPCG(3, 4))
	g, both := tandem.NewGenerator(r), tandem.New(f)
	for range 120 {
		require.NoError(f, both.Put("s", g.CellIn(f.Layout)))
	}
	for i, p := range tandem.AllPositions() {
		s := fixture.Everything
		s.Reverse, s.MaxVersions = i%2 == 1, i%3
		s.Ranges = []kv.Range{{Start: p}}
		both.Compare(&s, "s")
		s.Ranges = []kv.Range{{End: p}}
		both.Compare(&s, "s")
	}
	for range fixture.Scans(r, 300) {
		both.Compare(ptr(g.Scan()), "s")
	}
}

func ptr[T any](v T) *T { return &v }

func testFamilies(f *fixture.Fixture) {
	f.Put("g$a", "a/p/1=a1", "a/q/2=a2", "a/q/1=a3", "c/p/1=a4")
	f.Put("g$b", "a/o/1=b1", "b/p/1=b2", "c/p/2=b3", "c/p/1=b4")
	s := fixture.Everything
	f.Storage(func() {
		require.Equal(f, "0:a/p/1=a1 0:a/q/2=a2 0:a/q/1=a3 1:a/o/1=b1 1:b/p/1=b2 0:c/p/1=a4 1:c/p/2=b3 1:c/p/1=b4",
			f.Read(s, "g$a", "g$b"))
		require.Equal(f, "0:a/o/1=b1 1:a/p/1=a1 1:a/q/2=a2 1:a/q/1=a3 0:b/p/1=b2 0:c/p/2=b3 0:c/p/1=b4 1:c/p/1=a4",
			f.Read(s, "g$b", "g$a"), "in the order given")
		require.Equal(f, "1:c/p/1 1:c/p/2 0:c/p/1 1:b/p/1 1:a/o/1 0:a/q/1 0:a/q/2 0:a/p/1",
			f.Read(kv.Scan{Ordered: true, Reverse: true}, "g$a", "g$b"))
		require.Equal(f, "0:a/p/1 0:a/q/2 1:a/o/1 1:b/p/1 0:c/p/1 1:c/p/2",
			f.Read(kv.Scan{Ordered: true, MaxVersions: 1}, "g$a", "g$b"))
		require.Equal(f, "0:a/p/1 1:a/o/1 1:b/p/1 0:c/p/1 1:c/p/2",
			f.Read(kv.Scan{Ordered: true, FirstPerRow: true}, "g$a", "g$b"))
		fromColumn := []kv.Range{{Start: fixture.AtColumn("a", "p"), End: fixture.After(fixture.AtColumn("a", "p"))},
			{Start: fixture.AtColumn("c", "p"), End: fixture.After(fixture.AtColumn("c", "p"))}}
		require.Equal(f, "0:a/p/1 0:c/p/1 1:c/p/2 1:c/p/1", f.Read(kv.Scan{Ordered: true, Ranges: fromColumn}, "g$a", "g$b"),
			"a range holds in each family")
	})
}

func testPartitions(f *fixture.Fixture) {
	f.Put("s", f.InOrder()...)
	scheme := f.Layout.Scheme
	f.Storage(func() {
		for partition := range scheme.Len() {
			var want []string
			for _, text := range f.InOrder() {
				if i, ok := scheme.Locate(fixture.ParseCell(f, text).Row); ok && i == partition {
					want = append(want, text)
				}
			}
			s := fixture.Everything
			s.Partitions = []int{partition}
			require.Equal(f, strings.Join(want, " "), f.Read(s, "s"), "partition %d", partition)
		}
	})
	one := fixture.Everything
	one.Ranges = []kv.Range{{Start: fixture.AtRow("b"), End: fixture.After(fixture.AtRow("b"))}}
	one.Partitions = []int{}
	for i := range scheme.Len() {
		if at, _ := scheme.Locate([]byte("b")); i != at {
			one.Partitions = append(one.Partitions, i)
		}
	}
	require.Empty(f, f.Read(one, "s"), "the row is in another partition")
}

func testUnordered(f *fixture.Fixture) {
	both := tandem.New(f)
	g := tandem.NewGenerator(rand.New(rand.NewPCG(5, 6)))
	for range 200 {
		require.NoError(f, both.Put("g$a", g.CellIn(f.Layout)))
		require.NoError(f, both.Put("g$b", g.CellIn(f.Layout)))
	}
	for _, reverse := range []bool{false, true} {
		for _, versions := range []int{0, 1} {
			both.Compare(&kv.Scan{NeedValue: true, Reverse: reverse, MaxVersions: versions}, "g$a")
			both.Compare(&kv.Scan{NeedValue: true, Reverse: reverse, MaxVersions: versions}, "g$a", "g$b")
		}
	}
}

// testHints requires that a limit and the request for values do not change the cells.
func testHints(f *fixture.Fixture) {
	f.Put("s", f.InOrder()...)
	for _, limit := range []int{1, 3, len(f.InOrder()), math.MaxInt} {
		s := fixture.Everything
		s.Limit = limit
		require.Equal(f, strings.Join(f.InOrder(), " "), f.Read(s, "s"))
	}
}

func testEmpty(f *fixture.Fixture) {
	require.Empty(f, f.All("s"))
	f.Put("s", "a/q/1=")
	for _, s := range []kv.Scan{
		{Ranges: []kv.Range{}}, {Qualifiers: []kv.QualifierRange{}}, {Partitions: []int{}},
	} {
		s.Ordered = true
		require.Empty(f, f.Read(s, "s"))
		s.Reverse = true
		require.Empty(f, f.Read(s, "s"))
	}
	require.Empty(f, f.All("g$a"))
	require.Empty(f, f.Read(fixture.Everything, "g$a", "g$b"))
}
