package kvtest

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
)

var scanTests = []test{
	{"Order", testOrder, 0},
	{"Values", testValues, nulls | anyRow},
	{"Timestamps", testTimestamps, anyTime},
	{"Versions", testVersions, 0},
	{"ManyVersions", testManyVersions, anyTime},
	{"Qualifiers", testQualifiers, 0},
	{"FirstPerRow", testFirstPerRow, 0},
	{"Ranges", testRanges, 0},
	{"RangesWithinARow", testRangesWithinARow, 0},
	{"Positions", testPositions, nulls | anyTime | anyRow},
	{"Families", testFamilies, 0},
	{"Partitions", testPartitions, 0},
	{"Unordered", testUnordered, nulls | anyTime | anyRow},
	{"Hints", testHints, 0},
	{"Unread", testUnread, manyRows},
	{"Columns", testColumns, manyRows},
	{"Wanted", testWanted, manyRows},
	{"Skips", testSkips, 0},
	{"Tallies", testTallies, manyRows},
	{"Budgets", testBudgets, 0},
	{"Divisions", testDivisions, 0},
	{"DivisionsOfOwnWrites", testDivisionsOfOwnWrites, manyRows},
	{"Ordered", testOrdered, 0},
	{"Empty", testEmpty, 0},
}

// inOrder are cells of awkward bytes in HBase's order.
var inOrder = []string{
	`//0=1`, `/\x00/0=2`, `/\x00\x00/0=3`, `/\x00\x01/0=4`, `/\xff/0=5`,
	`\x00//0=6`, `\x00/\xff/0=7`, `\x00\x00//0=8`, `\x00\x01//0=9`, `\x00\xff//0=10`, `\x01//0=11`,
	`a//5=12`, `a//-5=13`, `a/a/0=14`, `a/a\x00/0=15`, `a/a\x00\x01/0=16`, `a/a\x01/0=17`, `a/a\xff/0=18`, `a/b/0=19`,
	`a\x00//0=20`, `a\x00\xff/q/0=21`, `a\x01//0=22`, `aa//0=23`, `a\xff//0=24`, `a\xff\xff//0=25`, `b//0=26`,
	`\xff//0=27`, `\xff\x00//0=28`, `\xff\xff/\xff\xff/0=29`,
}

func testOrder(f *fixture) {
	shuffled := slices.Clone(f.inOrder())
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled), func(i, j int) {
		shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
	})
	f.put("s", shuffled...)
	reversed := slices.Clone(f.inOrder())
	slices.Reverse(reversed)
	f.storage(func() {
		require.Equal(f, strings.Join(f.inOrder(), " "), f.all("s"))
		require.Equal(f, strings.Join(reversed, " "), f.read(kv.Scan{Ordered: true, NeedValue: true, Reverse: true}, "s"))
	})
}

func testValues(f *fixture) {
	f.put("s", `r/bytes/1=\x00\xff`, `r/empty/1=`, `r/null/1=NULL`)
	f.storage(func() {
		require.Equal(f, `r/bytes/1=\x00\xff r/empty/1= r/null/1=NULL`, f.all("s"))
		require.Equal(f, `r/bytes/1 r/empty/1 r/null/1`, f.read(kv.Scan{}, "s"))
	})
	f.put("s", `r/bytes/1=NULL`, `r/empty/1=NULL`, `r/null/1=`)
	require.Equal(f, `r/bytes/1=NULL r/empty/1=NULL r/null/1=`, f.all("s"))

	long := kv.Cell{Row: slices.Repeat([]byte{0, 0xff}, 32_767), Qualifier: slices.Repeat([]byte{0}, 5_000),
		Value: make([]byte, 3<<20)}
	long.Value[len(long.Value)-1] = 1
	f.write(func(tx kv.Txn) error { return tx.Put(f.ctx, f.tables(tx, []string{"g$a"})[0], long) })
	f.storage(func() { require.Equal(f, cellText(long, true), f.all("g$a")) })
}

func testTimestamps(f *fixture) {
	want := `r/q/9223372036854775807=a r/q/9223372036854775806=b r/q/1=c r/q/0=d r/q/-1=e r/q/-9223372036854775807=f`
	if f.layout.oldest() == math.MinInt64 {
		want += ` r/q/-9223372036854775808=g`
	}
	f.put("s", strings.Fields(want)...)
	f.storage(func() {
		require.Equal(f, want, f.all("s"))
		for _, each := range strings.Fields(want) {
			c := parseCell(f, each)
			at := kv.Scan{Time: kv.TimeRange{Min: c.Timestamp, Max: c.Timestamp, Bounded: true}, NeedValue: true}
			require.Equal(f, each, f.read(at, "s"))
			cell := atCell("r", "q", c.Timestamp)
			require.Equal(f, each, f.read(kv.Scan{Ranges: []kv.Range{{Start: cell, End: after(cell)}}, NeedValue: true}, "s"))
		}
	})
}

func testVersions(f *fixture) {
	f.put("s", "a/p/3=1", "a/p/2=2", "a/p/1=3", "a/q/9=4", "b/p/2=5", "b/p/1=6", "c/p/0=7")
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
		{kv.Scan{MaxVersions: 1, Ranges: []kv.Range{{Start: atCell("a", "p", 2), End: atRow("b")}}}, "a/p/2 a/q/9"},
		{kv.Scan{MaxVersions: 1, Ranges: []kv.Range{
			{Start: atCell("a", "p", 3), End: after(atCell("a", "p", 3))}, {Start: atCell("a", "p", 1), End: after(atRow("a"))},
		}}, "a/p/3 a/q/9"},
	}
	f.storage(func() {
		for _, c := range cases {
			f.bothWays(c.scan, c.want)
		}
	})
}

// bothWays reads the table s forward and in reverse.
func (f *fixture) bothWays(s kv.Scan, want string) {
	f.Helper()
	s.Ordered = true
	require.Equal(f, want, f.read(s, "s"), describeScan(s))
	s.Reverse = true
	reversed := strings.Fields(want)
	slices.Reverse(reversed)
	require.Equal(f, strings.Join(reversed, " "), f.read(s, "s"), describeScan(s))
}

// testManyVersions has columns with more versions than a reader wants to step
// over.
func testManyVersions(f *fixture) {
	const versions = 300
	f.write(func(tx kv.Txn) error {
		for i := range int64(versions) {
			for _, row := range []string{"a", "b"} {
				c := kv.Cell{Row: []byte(row), Qualifier: []byte("q"), Timestamp: i, Value: []byte{byte(i)}}
				if err := tx.Put(f.ctx, f.tables(tx, []string{"s"})[0], c); err != nil {
					return err
				}
			}
		}
		return nil
	})
	f.put("s", "a/r/7=1", "b/q/-1=2", "c/q/1=3")
	f.storage(func() {
		f.bothWays(kv.Scan{MaxVersions: 1}, "a/q/299 a/r/7 b/q/299 c/q/1")
		f.bothWays(kv.Scan{MaxVersions: 2}, "a/q/299 a/q/298 a/r/7 b/q/299 b/q/298 c/q/1")
		f.bothWays(kv.Scan{MaxVersions: 1, Time: kv.TimeRange{Min: -5, Max: 150, Bounded: true}},
			"a/q/150 a/r/7 b/q/150 c/q/1")
		f.bothWays(kv.Scan{Time: kv.TimeRange{Min: -5, Max: 0, Bounded: true}}, "a/q/0 b/q/0 b/q/-1")
		require.Len(f, strings.Fields(f.all("s")), 2*versions+3)
	})
}

func testQualifiers(f *fixture) {
	f.put("s", "a//1=1", "a/b/2=2", "a/b/1=3", `a/b\x00/1=4`, "a/d/1=5", "b/b/1=6", `b/\xff/1=7`, "c/a/1=8")
	one := func(lo, hi string) []kv.QualifierRange {
		r := kv.QualifierRange{Start: []byte(lo), End: []byte(hi)}
		if hi == "" {
			r.End = nil
		}
		return []kv.QualifierRange{r}
	}
	f.storage(func() {
		f.bothWays(kv.Scan{Qualifiers: one("", "")}, `a//1 a/b/2 a/b/1 a/b\x00/1 a/d/1 b/b/1 b/\xff/1 c/a/1`)
		f.bothWays(kv.Scan{Qualifiers: one("", "\x00")}, "a//1")
		f.bothWays(kv.Scan{Qualifiers: one("b", "b\x00")}, "a/b/2 a/b/1 b/b/1")
		f.bothWays(kv.Scan{Qualifiers: one("b", "b\x00"), MaxVersions: 1}, "a/b/2 b/b/1")
		f.bothWays(kv.Scan{Qualifiers: one("b\x00", "")}, `a/b\x00/1 a/d/1 b/\xff/1`)
		f.bothWays(kv.Scan{Qualifiers: append(one("", "a"), one("d", "e")...)}, "a//1 a/d/1")
		f.bothWays(kv.Scan{Qualifiers: append(one("a", "b"), one("c", "")...)}, `a/d/1 b/\xff/1 c/a/1`)
		f.bothWays(kv.Scan{Qualifiers: one("x", "z")}, "")
		f.bothWays(kv.Scan{Qualifiers: one("b", "c"), Time: kv.TimeRange{Min: 1, Max: 1, Bounded: true}},
			`a/b/1 a/b\x00/1 b/b/1`)
		f.bothWays(kv.Scan{Qualifiers: one("b", "c"), Ranges: []kv.Range{{Start: after(atColumn("a", "b")),
			End: atRow("c")}}},
			`a/b\x00/1 b/b/1`)
	})
}

func testFirstPerRow(f *fixture) {
	f.put("s", "a/p/2=1", "a/p/1=2", "a/q/1=3", "b/q/3=4", "b/q/2=5", "c/p/1=6")
	first := func(s kv.Scan) string {
		s.Ordered, s.FirstPerRow = true, true
		return f.read(s, "s")
	}
	onlyQ := []kv.QualifierRange{{Start: []byte("q")}}
	f.storage(func() {
		require.Equal(f, "a/p/2 b/q/3 c/p/1", first(kv.Scan{}))
		require.Equal(f, "c/p/1 b/q/2 a/q/1", first(kv.Scan{Reverse: true}))
		require.Equal(f, "c/p/1 b/q/3 a/q/1", first(kv.Scan{Reverse: true, MaxVersions: 1}))
		require.Equal(f, "a/q/1 b/q/3", first(kv.Scan{Qualifiers: onlyQ}))
		require.Equal(f, "a/p/1 b/q/2 c/p/1", first(kv.Scan{Time: kv.TimeRange{Min: 0, Max: 2, Bounded: true}, MaxVersions: 1,
			Ranges: []kv.Range{{Start: after(atCell("a", "p", 2))}}}))
	})
}

func testRanges(f *fixture) {
	f.put("s", "a/p/2=", "a/p/1=", "a/q/1=", "b/p/1=", "b/q/2=", "b/q/1=", "c/p/1=", "d/p/1=")
	a, b, c, d := atRow("a"), atRow("b"), atRow("c"), atRow("d")
	cases := []struct {
		ranges []kv.Range
		want   string
	}{
		{[]kv.Range{{Start: a, End: after(a)}}, "a/p/2 a/p/1 a/q/1"},
		{[]kv.Range{{Start: after(a), End: c}}, "b/p/1 b/q/2 b/q/1"},
		{[]kv.Range{{End: b}}, "a/p/2 a/p/1 a/q/1"},
		{[]kv.Range{{Start: after(c)}}, "d/p/1"},
		{[]kv.Range{{Start: a, End: after(a)}, {Start: d, End: after(d)}}, "a/p/2 a/p/1 a/q/1 d/p/1"},
		{[]kv.Range{{End: a}, {Start: c, End: after(c)}, {Start: after(d)}}, "c/p/1"},
		{[]kv.Range{{Start: a, End: b}, {Start: b, End: c}}, "a/p/2 a/p/1 a/q/1 b/p/1 b/q/2 b/q/1"},
		{[]kv.Range{{Start: after(atColumn("a", "p")), End: atColumn("b", "q")}}, "a/q/1 b/p/1"},
		{[]kv.Range{{Start: after(atCell("a", "p", 2)), End: atCell("b", "q", 1)}}, "a/p/1 a/q/1 b/p/1 b/q/2"},
		{[]kv.Range{{Start: atColumn("a", "p"), End: after(atColumn("a", "p"))},
			{Start: atColumn("b", "q"), End: after(atColumn("b", "q"))}},
			"a/p/2 a/p/1 b/q/2 b/q/1"},
		{[]kv.Range{{Start: atRow("aa"), End: atRow("ab")}}, ""},
	}
	f.storage(func() {
		for _, each := range cases {
			f.bothWays(kv.Scan{Ranges: each.ranges}, each.want)
		}
	})
}

// testRangesWithinARow: what a scan counts or drops by row or by column, it
// counts and drops over all ranges in them.
func testRangesWithinARow(f *fixture) {
	f.put("s", "a/p/5=", "a/p/4=", "a/p/3=", "a/p/2=", "a/q/5=", "a/q/4=", "a/q/3=", "b/p/1=")
	cells := func(p ...kv.Position) (out []kv.Range) {
		for _, at := range p {
			out = append(out, kv.Range{Start: at, End: after(at)})
		}
		return out
	}
	versions := append(cells(atCell("a", "p", 5), atCell("a", "p", 4), atCell("a", "p", 2), atCell("a", "q", 5),
		atCell("a", "q", 3)),
		kv.Range{Start: atRow("b")})
	columns := append(cells(atColumn("a", "p"), atColumn("a", "q")), kv.Range{Start: atRow("b")})
	onlyQ := []kv.QualifierRange{{Start: []byte("q"), End: []byte("r")}}
	f.storage(func() {
		f.bothWays(kv.Scan{Ranges: versions}, "a/p/5 a/p/4 a/p/2 a/q/5 a/q/3 b/p/1")
		f.bothWays(kv.Scan{Ranges: versions, MaxVersions: 1}, "a/p/5 a/q/5 b/p/1")
		f.bothWays(kv.Scan{Ranges: versions, MaxVersions: 2}, "a/p/5 a/p/4 a/q/5 a/q/3 b/p/1")
		f.bothWays(kv.Scan{Ranges: versions, Qualifiers: onlyQ}, "a/q/5 a/q/3")
		f.bothWays(kv.Scan{Ranges: versions, Qualifiers: onlyQ, MaxVersions: 1}, "a/q/5")
		f.bothWays(kv.Scan{Ranges: versions[1:], MaxVersions: 1, Time: kv.TimeRange{Min: 1, Max: 4, Bounded: true}},
			"a/p/4 a/q/3 b/p/1")
		for _, ranges := range [][]kv.Range{versions, columns} {
			require.Equal(f, "a/p/5 b/p/1", f.read(kv.Scan{Ordered: true, FirstPerRow: true, Ranges: ranges}, "s"))
			require.Equal(f, "b/p/1 a/q/3", f.read(kv.Scan{Ordered: true, FirstPerRow: true, Ranges: ranges, Reverse: true},
				"s"))
		}
	})
}

// testPositions compares scans from and to every position among a few cells
// with the Model's.
func testPositions(f *fixture) {
	g := newGenerator(rand.New(rand.NewPCG(3, 4)))
	tandem := newTandem(f)
	for range 120 {
		require.NoError(f, tandem.put("s", g.cellIn(f.layout)))
	}
	for i, p := range allPositions() {
		s := everything
		s.Reverse, s.MaxVersions = i%2 == 1, i%3
		s.Ranges = []kv.Range{{Start: p}}
		tandem.compare(&s, "s")
		s.Ranges = []kv.Range{{End: p}}
		tandem.compare(&s, "s")
	}
	for range 300 {
		tandem.compare(ptr(g.scan()), "s")
	}
}

func ptr[T any](v T) *T { return &v }

func testFamilies(f *fixture) {
	f.put("g$a", "a/p/1=a1", "a/q/2=a2", "a/q/1=a3", "c/p/1=a4")
	f.put("g$b", "a/o/1=b1", "b/p/1=b2", "c/p/2=b3", "c/p/1=b4")
	s := everything
	f.storage(func() {
		require.Equal(f, "0:a/p/1=a1 0:a/q/2=a2 0:a/q/1=a3 1:a/o/1=b1 1:b/p/1=b2 0:c/p/1=a4 1:c/p/2=b3 1:c/p/1=b4",
			f.read(s, "g$a", "g$b"))
		require.Equal(f, "0:a/o/1=b1 1:a/p/1=a1 1:a/q/2=a2 1:a/q/1=a3 0:b/p/1=b2 0:c/p/2=b3 0:c/p/1=b4 1:c/p/1=a4",
			f.read(s, "g$b", "g$a"), "in the order given")
		require.Equal(f, "1:c/p/1 1:c/p/2 0:c/p/1 1:b/p/1 1:a/o/1 0:a/q/1 0:a/q/2 0:a/p/1",
			f.read(kv.Scan{Ordered: true, Reverse: true}, "g$a", "g$b"))
		require.Equal(f, "0:a/p/1 0:a/q/2 1:a/o/1 1:b/p/1 0:c/p/1 1:c/p/2",
			f.read(kv.Scan{Ordered: true, MaxVersions: 1}, "g$a", "g$b"))
		require.Equal(f, "0:a/p/1 1:a/o/1 1:b/p/1 0:c/p/1 1:c/p/2",
			f.read(kv.Scan{Ordered: true, FirstPerRow: true}, "g$a", "g$b"))
		fromColumn := []kv.Range{{Start: atColumn("a", "p"), End: after(atColumn("a", "p"))},
			{Start: atColumn("c", "p"), End: after(atColumn("c", "p"))}}
		require.Equal(f, "0:a/p/1 0:c/p/1 1:c/p/2 1:c/p/1", f.read(kv.Scan{Ordered: true, Ranges: fromColumn}, "g$a", "g$b"),
			"a range holds in each family")
	})
}

func testPartitions(f *fixture) {
	f.put("s", f.inOrder()...)
	scheme := f.layout.Scheme
	f.storage(func() {
		for partition := range scheme.Len() {
			var want []string
			for _, text := range f.inOrder() {
				if i, ok := scheme.Locate(parseCell(f, text).Row); ok && i == partition {
					want = append(want, text)
				}
			}
			s := everything
			s.Partitions = []int{partition}
			require.Equal(f, strings.Join(want, " "), f.read(s, "s"), "partition %d", partition)
		}
	})
	one := everything
	one.Ranges = []kv.Range{{Start: atRow("b"), End: after(atRow("b"))}}
	one.Partitions = []int{}
	for i := range scheme.Len() {
		if at, _ := scheme.Locate([]byte("b")); i != at {
			one.Partitions = append(one.Partitions, i)
		}
	}
	require.Empty(f, f.read(one, "s"), "the row is in another partition")
}

func testUnordered(f *fixture) {
	tandem := newTandem(f)
	g := newGenerator(rand.New(rand.NewPCG(5, 6)))
	for range 200 {
		require.NoError(f, tandem.put("g$a", g.cellIn(f.layout)))
		require.NoError(f, tandem.put("g$b", g.cellIn(f.layout)))
	}
	for _, reverse := range []bool{false, true} {
		for _, versions := range []int{0, 1} {
			tandem.compare(&kv.Scan{NeedValue: true, Reverse: reverse, MaxVersions: versions}, "g$a")
			tandem.compare(&kv.Scan{NeedValue: true, Reverse: reverse, MaxVersions: versions}, "g$a", "g$b")
		}
	}
}

// testHints: a limit and the wish for values change no cell.
func testHints(f *fixture) {
	f.put("s", f.inOrder()...)
	for _, limit := range []int{1, 3, len(f.inOrder()), math.MaxInt} {
		s := everything
		s.Limit = limit
		require.Equal(f, strings.Join(f.inOrder(), " "), f.read(s, "s"))
	}
}

func testEmpty(f *fixture) {
	require.Empty(f, f.all("s"))
	f.put("s", "a/q/1=")
	for _, s := range []kv.Scan{
		{Ranges: []kv.Range{}}, {Qualifiers: []kv.QualifierRange{}}, {Partitions: []int{}},
	} {
		s.Ordered = true
		require.Empty(f, f.read(s, "s"))
		s.Reverse = true
		require.Empty(f, f.read(s, "s"))
	}
	require.Empty(f, f.all("g$a"))
	require.Empty(f, f.read(everything, "g$a", "g$b"))
}
