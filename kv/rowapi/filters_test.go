package rowapi_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/rowapi"
	"github.com/hbasekv/hbasekv/kv/rowapi/filter"
)

func compare(op filter.CompareOp, c filter.Comparator) filter.CompareFilter {
	return filter.CompareFilter{Op: op, Comparator: c}
}

// TestFilters compares what each filter passes, as columns of rows with their timestamps.
func TestFilters(t *testing.T) {
	bin := func(s string) filter.Comparator { return filter.BinaryComparator{Value: []byte(s)} }
	parsed := func(s string) filter.Filter {
		f, err := filter.Parse([]byte(s))
		require.NoError(t, err, s)
		return f
	}
	p1, p2 := "r1 a:p2 a:q1 b:p1 | ", "r2 a:p1 a:q1 a:q2 | s1 a:q1 b:q2"
	all := p1 + p2
	cases := []struct {
		f        filter.Filter
		versions int
		want     string
	}{
		{nil, 1, all},
		{filter.FilterList{}, 1, all},
		{parsed("RowFilter(=, 'binary:r2')"), 1, "r2 a:p1 a:q1 a:q2"},
		{parsed("RowFilter(!=, 'substring:R')"), 1, "s1 a:q1 b:q2"},
		{parsed("RowFilter(=, 'regexstring:^r[12]$')"), 1, "r1 a:p2 a:q1 b:p1 | r2 a:p1 a:q1 a:q2"},
		{filter.RowFilter{CompareFilter: compare(filter.NoOp, bin("r1"))}, 1, ""},
		{parsed("FamilyFilter(=, 'binary:b')"), 1, "r1 b:p1 | s1 b:q2"},
		{parsed("QualifierFilter(>=, 'binary:q1')"), 1, "r1 a:q1 | r2 a:q1 a:q2 | s1 a:q1 b:q2"},
		{parsed("ValueFilter(=, 'binary:old')"), 1, "r1 a:q1@1"},
		{parsed("ValueFilter(=, 'binaryprefix:ol')"), 3, "r1 a:q1@1"},
		{filter.ValueFilter{CompareFilter: compare(filter.NotEqual, filter.NullComparator{})}, 1, all},
		{filter.ValueFilter{CompareFilter: compare(filter.Equal, filter.NullComparator{})}, 1, ""},
		{parsed("PrefixFilter('r')"), 1, p1 + "r2 a:p1 a:q1 a:q2"},
		{parsed("PrefixFilter('s')"), 1, "s1 a:q1 b:q2"},
		{parsed("ColumnPrefixFilter('p')"), 1, "r1 a:p2 b:p1 | r2 a:p1"},
		{parsed("MultipleColumnPrefixFilter('p1', 'q2')"), 1, "r1 b:p1 | r2 a:p1 a:q2 | s1 b:q2"},
		{parsed("ColumnRangeFilter('p2', true, 'q2', false)"), 1, "r1 a:p2 a:q1 | r2 a:q1 | s1 a:q1"},
		{parsed("ColumnRangeFilter('p2', false, '', true)"), 1, "r1 a:q1 | r2 a:q1 a:q2 | s1 a:q1 b:q2"},
		{parsed("ColumnPaginationFilter(1, 1)"), 3, "r1 a:q1 | r2 a:q1 | s1 b:q2"},
		{filter.ColumnPaginationFilter{Limit: 1, ColumnOffset: []byte("q")}, 1, "r1 a:q1 | r2 a:q1 | s1 a:q1"},
		// It ends the family with too many columns, as in HBase: r1 ends b, and r2 ends a.
		{parsed("ColumnCountGetFilter(2)"), 1, "r1 a:p2 a:q1 | r2 a:p1 a:q1"},
		{parsed("ColumnCountGetFilter(1)"), 1, "r1 a:p2"},
		{parsed("ColumnCountGetFilter(9)"), 1, all},
		{parsed("FirstKeyOnlyFilter()"), 1, "r1 a:p2 | r2 a:p1 | s1 a:q1"},
		{filter.FirstKeyValueMatchingQualifiersFilter{Qualifiers: bytesOf("q1")}, 1, "r1 a:p2 a:q1 | r2 a:p1 a:q1 | s1 a:q1"},
		{parsed("PageFilter(2)"), 1, p1 + "r2 a:p1 a:q1 a:q2"},
		{parsed("InclusiveStopFilter('r1')"), 1, "r1 a:p2 a:q1 b:p1"},
		{filter.RandomRowFilter{Chance: -1}, 1, ""},
		{filter.RandomRowFilter{Chance: 2}, 1, all},
		{parsed("TimestampsFilter(1)"), 1, "r1 a:p2@1 a:q1@1"},
		{parsed("TimestampsFilter(1, 2)"), 3, "r1 a:p2@1 a:q1@2 a:q1@1"},
		{parsed("TimestampsFilter()"), 1, ""},
		{filter.FuzzyRowFilter{Keys: []filter.FuzzyKey{{Row: []byte("?1"), Mask: []byte{1, 0}}}}, 1, p1 + "s1 a:q1 b:q2"},
		{filter.FuzzyRowFilter{Keys: []filter.FuzzyKey{{Row: []byte("s?"), Mask: []byte{0xff, 2}}, {Row: []byte("?2"),
			Mask: []byte{1, 0}}}}, 1, p2},
		{filter.MultiRowRangeFilter{Ranges: []filter.RowRange{{Start: []byte("r2"), Stop: []byte("r9"),
			StartInclusive: true}, {Start: []byte("r1"), Stop: []byte("r2")}, {Start: []byte("s1")}}}, 1, "r2 a:p1 a:q1 a:q2"},
		{filter.MultiRowRangeFilter{Ranges: []filter.RowRange{{Start: []byte("r3")}, {Stop: []byte("r1"),
			StopInclusive: true}}}, 1, p1 + "s1 a:q1 b:q2"},
		{parsed("SingleColumnValueFilter('a', 'q1', =, 'binary:new')"), 1, p1 + "r2 a:p1 a:q1 a:q2"},
		{parsed("SingleColumnValueFilter('a', 'p1', =, 'binary:v')"), 1, all},
		{parsed("SingleColumnValueFilter('a', 'p1', =, 'binary:v', true, true)"), 1, "r2 a:p1 a:q1 a:q2"},
		{parsed("SingleColumnValueFilter('a', 'q1', =, 'binary:old', true, true)"), 1, ""},
		{parsed("SingleColumnValueFilter('a', 'q1', =, 'binary:old', true, false)"), 1, "r1 a:p2 a:q1 b:p1"},
		{parsed("SingleColumnValueExcludeFilter('a', 'q1', =, 'binary:new')"), 1, "r1 a:p2 b:p1 | r2 a:p1 a:q2"},
		{parsed("ColumnValueFilter('a', 'q1', =, 'binary:new')"), 1, "r1 a:q1 | r2 a:q1"},
		{parsed("DependentColumnFilter('a', 'q2')"), 1, "r2 a:q1 a:q2"},
		{parsed("DependentColumnFilter('a', 'q2', true)"), 1, "r2 a:q1"},
		{parsed("DependentColumnFilter('a', 'q1', false, =, 'binary:other')"), 1, "s1 a:q1"},
		{filter.DependentColumnFilter{CompareFilter: compare(filter.NoOp, bin("v")), Family: "a",
			Qualifier: []byte("q2")}, 1, ""},
		{parsed("SKIP ValueFilter(!=, 'binary:other')"), 1, "r1 a:p2 a:q1 b:p1 | r2 a:p1 a:q1 a:q2"},
		{parsed("WHILE ValueFilter(!=, 'binary:other')"), 1, "r1 a:p2 a:q1 b:p1 | r2 a:p1 a:q1 a:q2"},
		{parsed("WHILE PrefixFilter('r')"), 1, "r1 a:p2 a:q1 b:p1 | r2 a:p1 a:q1 a:q2"},
		{parsed("PrefixFilter('r') AND QualifierFilter(=, 'binary:q1')"), 1, "r1 a:q1 | r2 a:q1"},
		{parsed("PrefixFilter('r') AND (ColumnPrefixFilter('q2') OR FamilyFilter(=, 'binary:b'))"), 1, "r1 b:p1 | r2 a:q2"},
		{parsed("ColumnPrefixFilter('p') OR ColumnPrefixFilter('q2')"), 1, "r1 a:p2 b:p1 | r2 a:p1 a:q2 | s1 b:q2"},
		{parsed("RowFilter(=, 'binary:s1') OR ColumnCountGetFilter(1)"), 1, "r1 a:p2 | r2 a:p1 | s1 a:q1 b:q2"},
		{parsed("FirstKeyOnlyFilter() AND KeyOnlyFilter()"), 1, "r1 a:p2 | r2 a:p1 | s1 a:q1"},
		{parsed("PageFilter(1) AND PrefixFilter('s')"), 1, "s1 a:q1 b:q2"},
		{parsed("QualifierFilter(=, 'binary:q1') AND PageFilter(1)"), 1, "r1 a:q1"},
		// A filter after one that excludes a cell does not see it, unless it gives hints.
		{parsed("QualifierFilter(=, 'binary:q1') AND ColumnPaginationFilter(1, 0)"), 1,
			"r1 a:q1 | r2 a:q1 | s1 a:q1"},
		{parsed("ColumnPaginationFilter(1, 0) AND QualifierFilter(=, 'binary:q1')"), 1, "s1 a:q1"},
		{parsed("QualifierFilter(=, 'binary:q1') AND SingleColumnValueFilter('a', 'p1', =, 'binary:v', true, true)"), 1, ""},
		{parsed("WHILE QualifierFilter(!=, 'binary:p2') AND RowFilter(!=, 'binary:r1')"), 1,
			"r2 a:p1 a:q1 a:q2 | s1 a:q1 b:q2"},
		{parsed("WHILE QualifierFilter(!=, 'binary:p2') AND RowFilter(!=, 'binary:r1') AND PrefixFilter('')"), 1, ""},
		{filter.ValueFilter{CompareFilter: compare(filter.Equal, filter.BitComparator{Value: []byte("v"),
			Op: filter.BitXor})}, 1, ""},
		{filter.ValueFilter{CompareFilter: compare(filter.NotEqual, filter.BitComparator{Value: []byte("v"),
			Op: filter.BitXor})}, 1, all},
		{filter.ValueFilter{CompareFilter: compare(filter.Equal, filter.BinaryComponentComparator{Value: []byte("ew"),
			Offset: 1})}, 1, "r1 a:q1 | r2 a:q1"},
	}
	everywhere(t, func(t *testing.T, p *place) {
		p.put("r1 a:p2 1 v\nr1 a:q1 2 new\nr1 a:q1 1 old\nr1 b:p1 3 v\nr2 a:p1 3 v\n" +
			"r2 a:q1 4 new\nr2 a:q2 4 v\ns1 a:q1 5 other\ns1 b:q2 6 v")
		for i, c := range cases {
			for _, reversed := range []bool{false, true} {
				s := &rowapi.Scan{Reversed: reversed, Columns: rowapi.Columns{Filter: c.f, MaxVersions: c.versions}}
				have := p.scan(s, rowapi.PageLimits{})
				want := columnsOf(c.want)
				if reversed && !endsEarly(c.f) {
					for l, r := 0, len(want)-1; l < r; l, r = l+1, r-1 {
						want[l], want[r] = want[r], want[l]
					}
				} else if reversed {
					continue
				}
				assert.Equal(t, want, short(have, strings.Contains(c.want, "@")), "%d %T %+v reversed %v", i, c.f, c.f, reversed)
			}
		}
	})
}

// endsEarly reports whether a filter passes other rows in descending order.
func endsEarly(f filter.Filter) bool {
	switch f := f.(type) {
	case filter.PageFilter, filter.InclusiveStopFilter, filter.ColumnCountGetFilter, filter.WhileMatchFilter:
		return true
	case filter.FilterList:
		for _, g := range f.Filters {
			if endsEarly(g) {
				return true
			}
		}
	}
	return false
}

func columnsOf(want string) []string {
	if want = strings.TrimSuffix(want, " | "); want == "" {
		return nil
	}
	return strings.Split(want, " | ")
}

// short returns results without values, and without timestamps unless asked for.
func short(lines []string, timestamps bool) (out []string) {
	for _, line := range lines {
		var words []string
		for word := range strings.FieldsSeq(line) {
			part := strings.SplitN(word, "/", 3)
			at, _, _ := strings.Cut(part[2], "=")
			if len(words) == 0 {
				words = append(words, part[0])
			}
			if timestamps {
				part[1] += "@" + at
			}
			words = append(words, part[1])
		}
		out = append(out, strings.Join(words, " "))
	}
	return out
}

func TestKeyOnly(t *testing.T) {
	p := newPlace(t, openPebble, nil)
	p.put("r a:q 1 value")
	require.Equal(t, "r/a:q/1=", p.filtered(filter.KeyOnlyFilter{}, 1))
	require.Equal(t, "r/a:q/1=\x00\x00\x00\x05", p.filtered(filter.KeyOnlyFilter{LengthAsValue: true}, 1))
	shorter := filter.FilterList{MustPassOne: true,
		Filters: []filter.Filter{filter.ColumnPrefixFilter{Prefix: []byte("x")}, filter.KeyOnlyFilter{}}}
	require.Equal(t, "r/a:q/1=", p.filtered(shorter, 1))
}

// TestFamilyLimit requires that a counting filter is not called for cells beyond the limit of a family.
func TestFamilyLimit(t *testing.T) {
	everywhere(t, func(t *testing.T, p *place) {
		p.put("r a:p 1 x\nr a:q 1 x\nr b:p 1 x\nr b:q 1 x")
		for _, f := range []filter.Filter{filter.ColumnPaginationFilter{Limit: 2}, filter.ColumnCountGetFilter{Limit: 2}} {
			require.Equal(t, "r/a:p/1=x r/b:p/1=x",
				p.get(&rowapi.Get{Row: []byte("r"), Columns: rowapi.Columns{StoreLimit: 1, Filter: f}}))
		}
		require.Equal(t, "r/a:q/1=x", p.get(&rowapi.Get{Row: []byte("r"),
			Columns: rowapi.Columns{StoreLimit: 1, StoreOffset: 1, Filter: filter.ColumnPaginationFilter{Limit: 2}}}))
	})
}

// TestTimesOfCondition requires that a put without a timestamp is not older than what its condition has
// checked; deletes and increments use the clock, or what they find.
func TestTimesOfCondition(t *testing.T) {
	everywhere(t, func(t *testing.T, p *place) {
		p.put("r a:p 9000000 x\nr a:q 9000001 x")
		row, q := []byte("r"), []byte("q")
		_, _, err := p.client.CheckAndMutate(p.ctx, p.table, &rowapi.CheckAndMutate{Row: row,
			Condition: rowapi.IfEquals("a", []byte("p"), []byte("x")), Mutations: []rowapi.Mutation{
				rowapi.NewPut(row).Add("b", q, []byte("put")),
				rowapi.NewDelete(row).Add(rowapi.DeleteFamily, "a", nil, rowapi.Latest),
				rowapi.NewAppend(row).Add("b", []byte("new"), []byte("append"))}})
		require.NoError(t, err)
		require.Equal(t, "r/a:p/9000000=x r/a:q/9000001=x r/b:new/1000000=append r/b:q/9000000=put", p.all("r"))
	})
}
