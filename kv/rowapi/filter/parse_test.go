package filter_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/rowapi/filter"
)

func TestParse(t *testing.T) {
	prefix := func(s string) filter.Filter { return filter.PrefixFilter{Prefix: []byte(s)} }
	page := filter.PageFilter{Size: 7}
	and := func(f ...filter.Filter) filter.Filter { return filter.FilterList{Filters: f} }
	or := func(f ...filter.Filter) filter.Filter { return filter.FilterList{MustPassOne: true, Filters: f} }
	for text, want := range map[string]filter.Filter{
		"PrefixFilter('a')":                      prefix("a"),
		" PrefixFilter ( 'it''s ('  ) ":          prefix("it's ("),
		"PrefixFilter('')":                       prefix(""),
		"PrefixFilter('a''')":                    prefix("a'"),
		"PrefixFilter('a') AND PageFilter(7)":    and(prefix("a"), page),
		"PrefixFilter('a') AND\tPageFilter(7)":   and(prefix("a"), page),
		"PrefixFilter('a')AND (PageFilter(7))":   and(prefix("a"), page),
		"(PrefixFilter('AND')) OR PageFilter(7)": or(prefix("AND"), page),
		"PrefixFilter('a') OR PrefixFilter('b') AND PageFilter(7) OR PrefixFilter('c')": or(prefix("a"),
			and(prefix("b"), page), prefix("c")),
		"(PrefixFilter('a') OR PrefixFilter('b')) AND PageFilter(7) AND PrefixFilter('c')": and(or(prefix("a"),
			prefix("b")), page, prefix("c")),
		"SKIP PrefixFilter('a') AND WHILE (PageFilter(7))": and(
			filter.SkipFilter{Filter: prefix("a")}, filter.WhileMatchFilter{Filter: page}),
		"SKIP WHILE PageFilter(7)":                filter.SkipFilter{Filter: filter.WhileMatchFilter{Filter: page}},
		"KeyOnlyFilter()":                         filter.KeyOnlyFilter{},
		"KeyOnlyFilter(TRUE)":                     filter.KeyOnlyFilter{LengthAsValue: true},
		"FirstKeyOnlyFilter()":                    filter.FirstKeyOnlyFilter{},
		"TimestampsFilter(1,2 , 3)":               filter.TimestampsFilter{Timestamps: []int64{1, 2, 3}},
		"ColumnPaginationFilter(2, 3)":            filter.ColumnPaginationFilter{Limit: 2, Offset: 3},
		"ColumnRangeFilter('a', true, '', false)": filter.ColumnRangeFilter{Min: []byte("a"), MinInclusive: true},
		"RowFilter(<=, 'binary:a:b')": filter.RowFilter{CompareFilter: filter.CompareFilter{Op: filter.LessOrEqual,
			Comparator: filter.BinaryComparator{Value: []byte("a:b")}}},
		"SingleColumnValueFilter('f', 'q', !=, 'substring:x', true, false)": filter.SingleColumnValueFilter{Family: "f",
			Qualifier: []byte("q"),
			CompareFilter: filter.CompareFilter{Op: filter.NotEqual,
				Comparator: filter.SubstringComparator{Text: "x"}}, FilterIfMissing: true, AllVersions: true},
		"DependentColumnFilter('f', 'q', true)": filter.DependentColumnFilter{Family: "f", Qualifier: []byte("q"), Drop: true,
			CompareFilter: filter.CompareFilter{Op: filter.NoOp}},
	} {
		have, err := filter.Parse([]byte(text))
		require.NoError(t, err, text)
		require.Equal(t, want, have, text)
	}
}

func TestParseRefuses(t *testing.T) {
	for want, texts := range map[error][]string{
		filter.ErrInvalid: {
			"", "  ", "PrefixFilter", "PrefixFilter(", "PrefixFilter('a", "PrefixFilter('a') PageFilter(1)",
			"PrefixFilter('a') AND", "PrefixFilter('a') AND ", "(PrefixFilter('a')", "PrefixFilter('a'))",
			"PrefixFilter()", "PrefixFilter('a', 'b')", "PrefixFilter(a)", "PageFilter('1')", "PageFilter(x)",
			"PageFilter(99999999999999999999)", "PageFilter(-1)", "ColumnCountGetFilter(3000000000)",
			"KeyOnlyFilter(maybe)", "RowFilter(=, 'x')", "RowFilter(==, 'binary:x')", "RowFilter(<, 'substring:x')",
			"RowFilter(=)", "RowFilter(=, 'regexstring:(')", "TimestampsFilter(-1)",
			"MultipleColumnPrefixFilter('a', 'a')", strings.Repeat("(", 5000),
			strings.Repeat("SKIP ", 5000) + "PageFilter(1)", "AND PageFilter(1)",
		},
		filter.ErrUnknown: {
			"NoFilter()", "RowFilter(=, 'magic:x')", "FuzzyRowFilter('a')",
		},
		filter.ErrRegex: {
			"RowFilter(=, 'regexstring:(?=x)')",
		},
	} {
		for _, text := range texts {
			f, err := filter.Parse([]byte(text))
			require.ErrorIs(t, err, want, text)
			require.Nil(t, f, text)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"PrefixFilter('row') AND (QualifierFilter(>=, 'binary:xyz') OR TimestampsFilter(123, 456))",
		"SKIP WHILE KeyOnlyFilter(true)",
		"SingleColumnValueFilter('f', 'q', =, 'regexstring:^a[b-d]+$', true, false)",
		"((PageFilter(1)))", "RowFilter(!=, 'substring:''')",
		"ColumnRangeFilter('', false, 'x', true) OR ColumnPaginationFilter(1,0) AND InclusiveStopFilter('z')",
		"DependentColumnFilter('f','q',true,<,'binaryprefix:\xff\x00')", "MultipleColumnPrefixFilter('a','b')",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		parsed, err := filter.Parse(text)
		if err != nil {
			require.Nil(t, parsed)
			return
		}
		for _, reversed := range []bool{false, true} {
			e, err := parsed.Open(reversed)
			require.NoError(t, err, "what is read can be opened")
			drive(e)
		}
	})
}

// drive calls an evaluator for some rows, like a scan.
func drive(e filter.Evaluator) {
	for _, row := range []string{"a", "b", "c"} {
		if e.FilterAllRemaining() || e.FilterRowKey([]byte(row)) {
			e.Reset()
			continue
		}
		var cells []filter.Cell
		for _, q := range []string{"", "q", "\xff"} {
			c := filter.Cell{Row: []byte(row), Family: "f", Qualifier: []byte(q), Timestamp: 3, Value: []byte("v")}
			switch code := e.FilterCell(&c); code {
			case filter.SeekNextUsingHint:
				e.NextCellHint(&c)
			case filter.Include, filter.IncludeAndNextCol, filter.IncludeAndSeekNextRow:
				e.TransformCell(&c)
				cells = append(cells, c)
			}
		}
		if e.HasFilterRow() {
			e.FilterRowCells(cells)
		}
		e.FilterRow()
		e.Reset()
	}
}
