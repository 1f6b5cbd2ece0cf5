package partition

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// scheme reads key=7, prefix=(3,1) or range=(a,m,MAXVALUE). Bounds are written
// as in Go strings.
func scheme(t *testing.T, d *datadriven.TestData) *Scheme {
	for _, arg := range d.CmdArgs {
		switch arg.Key {
		case "key":
			return newKey(t, atoi(t, arg.Vals[0]))
		case "prefix":
			return newPrefixKey(t, atoi(t, arg.Vals[0]), atoi(t, arg.Vals[1]))
		case "range":
			for i, v := range arg.Vals {
				arg.Vals[i] = string(unquote(t, v))
			}
			return newRange(t, arg.Vals...)
		}
	}
	return &Scheme{}
}

func atoi(t *testing.T, text string) int {
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

func unquote(t testing.TB, text string) []byte {
	s, err := strconv.Unquote(`"` + text + `"`)
	require.NoError(t, err)
	return []byte(s)
}

// rowRanges reads "[a - c) [x]". "[m - )" is open above, and "[x]" is a single row.
func rowRanges(t *testing.T, text string) (out []RowRange) {
	for _, part := range strings.Split(strings.TrimPrefix(text, "["), " [") {
		start, end, ok := strings.Cut(strings.TrimRight(part, ")]"), " - ")
		r := RowRange{Start: unquote(t, start), End: append(unquote(t, start), 0)}
		if ok {
			r.End = nil
		}
		if end != "" {
			r.End = unquote(t, end)
		}
		out = append(out, r)
	}
	return out
}

func partitionsText(s *Scheme, partitions []int) string {
	switch len(partitions) {
	case 0:
		return "none"
	case s.Len():
		return "all"
	}
	return strings.Trim(fmt.Sprint(partitions), "[]")
}

// TestPrune prints, for each line of ranges, the partitions to read.
func TestPrune(t *testing.T) {
	datadriven.Walk(t, "testdata/prune", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			s := scheme(t, d)
			var out strings.Builder
			for _, line := range strings.Split(d.Input, "\n") {
				fmt.Fprintf(&out, "%s: %s\n", line, partitionsText(s, s.Prune(rowRanges(t, line))))
			}
			return out.String()
		})
	})
}

func TestPruneNothing(t *testing.T) {
	for _, s := range schemes(t) {
		require.Empty(t, s.Prune(nil))
		require.Empty(t, s.Prune([]RowRange{{End: []byte{}}}), "an empty range")
		require.Empty(t, s.Prune([]RowRange{{Start: []byte("b"), End: []byte("a")}}), "the wrong way round")
	}
}

// goldenSchemes returns the schemes that are the columns of the golden placements.
func goldenSchemes(t *testing.T) []*Scheme {
	return []*Scheme{
		newKey(t, 1), newKey(t, 7), newKey(t, 97), newKey(t, 193), newKey(t, MaxPartitions),
		newPrefixKey(t, 97, 1), newPrefixKey(t, 97, 4), newPrefixKey(t, 193, 16),
		newRange(t, "", "\x00", "\x00\x01", "0", "A", "a", "a\x00", "row", "row5", "\x80", "\xff", "\xff\xff", "MAXVALUE"),
		newRange(t, "a", "row5"),
	}
}

// TestGolden requires that rows are placed as the golden file has them. This is
// an on-disk format: rows in existing stores were placed by it. A code change
// that fails here loses data, so the file is never rewritten; rows are only
// added to it.
func TestGolden(t *testing.T) {
	file, err := os.Open("testdata/golden/placements")
	require.NoError(t, err)
	defer file.Close()
	rows := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		quoted, want, ok := strings.Cut(lines.Text(), "\t")
		require.True(t, ok, lines.Text())
		row, err := strconv.Unquote(quoted)
		require.NoError(t, err)
		require.Equal(t, want, placements(goldenSchemes(t), []byte(row)), quoted)
		rows++
	}
	require.Greater(t, rows, 250)
}

func placements(schemes []*Scheme, row []byte) string {
	texts := make([]string, len(schemes))
	for i, s := range schemes {
		texts[i] = "none"
		if p, ok := s.Locate(row); ok {
			texts[i] = strconv.Itoa(p)
		}
	}
	return strings.Join(texts, " ")
}

// TestHash requires that the hash is the published one: MurmurHash3_x64_128 of
// "hello" with seed 0 is cbd8a7b341bd9b025b1e906a48ae1d19.
func TestHash(t *testing.T) {
	i, _ := newKey(t, MaxPartitions).Locate([]byte("hello"))
	require.EqualValues(t, uint64(0xcbd8a7b341bd9b02)%MaxPartitions, i)
}

// TestSpread requires that hashed partitions get about the same number of rows each.
func TestSpread(t *testing.T) {
	const rows = 97 * 1_000
	for _, s := range []*Scheme{newKey(t, 97), newPrefixKey(t, 97, 9)} {
		count := make([]int, s.Len())
		for i := range rows {
			p, _ := s.Locate(fmt.Appendf(nil, "row%06d", i))
			count[p]++
		}
		require.Less(t, slices.Max(count), 1_150)
		require.Greater(t, slices.Min(count), 850)
	}
}

// aRow draws rows that are often near one another.
var aRow = rapid.Custom(func(t *rapid.T) []byte {
	return rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 'a', 'b', 0xfe, 0xff}), 0, 4).Draw(t, "row")
})

var aRange = rapid.Custom(func(t *rapid.T) RowRange {
	r := RowRange{Start: aRow.Draw(t, "start")}
	switch rapid.IntRange(0, 3).Draw(t, "end") {
	case 0:
	case 1:
		r.End = append(slices.Clone(r.Start), rapid.SliceOfN(rapid.Just(byte(0)), 0, 3).Draw(t, "zeros")...)
	default:
		r.End = aRow.Draw(t, "end")
	}
	return r
})

var aScheme = rapid.Custom(func(t *rapid.T) *Scheme {
	n := rapid.IntRange(1, 50).Draw(t, "n")
	switch rapid.IntRange(0, 3).Draw(t, "method") {
	case 0:
		s, err := NewKey(n)
		require.NoError(t, err)
		return s
	case 1:
		s, err := NewPrefixKey(n, rapid.IntRange(1, 3).Draw(t, "prefix"))
		require.NoError(t, err)
		return s
	case 2:
		return aRangeScheme(t)
	}
	return &Scheme{}
})

func aRangeScheme(t *rapid.T) *Scheme {
	upper := rapid.SliceOfNDistinct(aRow, 1, 8, func(b []byte) string { return string(b) }).Draw(t, "upper")
	slices.SortFunc(upper, bytes.Compare)
	if rapid.Bool().Draw(t, "max") {
		upper = append(upper, nil)
	}
	names := make([]string, len(upper))
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	s, err := NewRange(names, upper)
	require.NoError(t, err)
	return s
}

// TestPruneKeepsRows requires that a reader of the pruned partitions misses no row.
func TestPruneKeepsRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := aScheme.Draw(t, "scheme")
		ranges := rapid.SliceOfN(aRange, 0, 3).Draw(t, "ranges")
		checkPruned(t, s, ranges, rapid.SliceOfN(aRow, 1, 30).Draw(t, "rows"))
	})
}

func checkPruned(t require.TestingT, s *Scheme, ranges []RowRange, rows [][]byte) {
	pruned := s.Prune(ranges)
	require.True(t, slices.IsSorted(pruned))
	require.Equal(t, len(pruned), len(slices.Compact(slices.Clone(pruned))))
	for _, row := range rows {
		i, ok := s.Locate(row)
		if !ok || !slices.ContainsFunc(ranges, func(r RowRange) bool { return r.Contains(row) }) {
			continue
		}
		require.Contains(t, pruned, i, "row %q", row)
		require.True(t, s.Bounds(i).Contains(row))
	}
}

// TestPruneIsTight requires that each RANGE partition that is read can hold a
// row of the ranges, and that a single row is in one partition at most.
func TestPruneIsTight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := aRange.Draw(t, "range")
		s := aRangeScheme(t)
		for _, i := range s.Prune([]RowRange{r}) {
			first := slices.MaxFunc([][]byte{r.Start, s.Bounds(i).Start}, bytes.Compare)
			require.True(t, r.Contains(first) && s.Bounds(i).Contains(first), "partition %d", i)
		}
		row := aRow.Draw(t, "row")
		one := RowRange{Start: row, End: append(slices.Clone(row), 0)}
		require.LessOrEqual(t, len(aScheme.Draw(t, "any scheme").Prune([]RowRange{one})), 1)
	})
}

func FuzzPrune(f *testing.F) {
	f.Add(uint8(0), []byte("a"), []byte("b"), true, []byte("aa"))
	f.Add(uint8(3), []byte("a"), []byte("a\x00\x00"), false, []byte("a\x00"))
	f.Add(uint8(4), []byte{0xff}, []byte{}, true, []byte{0xff, 0xff})
	f.Add(uint8(12), []byte{}, []byte{0xff, 0xff}, false, []byte{0, 0xff})
	f.Fuzz(func(t *testing.T, which uint8, start, end []byte, open bool, row []byte) {
		all := schemes(t)
		r := RowRange{Start: start, End: end}
		if open {
			r.End = nil
		}
		checkPruned(t, all[int(which)%len(all)], []RowRange{r}, [][]byte{row, start, end})
	})
}
