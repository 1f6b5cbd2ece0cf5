package wire

import (
	"fmt"
	"strings"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/kv/rowapi/filter"
)

const filterPackage = rpc.Prefix + "filter."

// maxNesting is how deeply filters may be nested.
const maxNesting = 100

// Filter reads a filter.
func Filter(m *pb.Filter) (filter.Filter, error) { return readFilter(m, maxNesting) }

// filterReader makes a filter from its message; depth is how deeply more may be nested in it.
type filterReader func(data []byte, depth int) (filter.Filter, error)

// filterReaders are the known classes, without their package. init sets it, because filters
// contain filters.
var filterReaders map[string]filterReader

func init() {
	filterReaders = map[string]filterReader{
		"ColumnCountGetFilter":                  plain(readColumnCount),
		"ColumnPaginationFilter":                plain(readColumnPagination),
		"ColumnPrefixFilter":                    plain(readColumnPrefix),
		"ColumnRangeFilter":                     plain(readColumnRange),
		"ColumnValueFilter":                     plain(readColumnValue),
		"DependentColumnFilter":                 plain(readDependentColumn),
		"FamilyFilter":                          plain(readFamilyFilter),
		"FilterAllFilter":                       plain(readFilterAll),
		"FilterList":                            readFilterList,
		"FilterWrapper":                         readWrapper,
		"FirstKeyOnlyFilter":                    plain(readFirstKey),
		"FirstKeyValueMatchingQualifiersFilter": plain(readFirstMatching),
		"FuzzyRowFilter":                        plain(readFuzzyRow),
		"InclusiveStopFilter":                   plain(readInclusiveStop),
		"KeyOnlyFilter":                         plain(readKeyOnly),
		"MultiRowRangeFilter":                   plain(readRowRanges),
		"MultipleColumnPrefixFilter":            plain(readColumnPrefixes),
		"PageFilter":                            plain(readPage),
		"PrefixFilter":                          plain(readPrefix),
		"QualifierFilter":                       plain(readQualifierFilter),
		"RandomRowFilter":                       plain(readRandomRow),
		"RowFilter":                             plain(readRowFilter),
		"SingleColumnValueExcludeFilter":        plain(readExcluding),
		"SingleColumnValueFilter":               plain(readSingleColumn),
		"SkipFilter":                            readSkip,
		"TimestampsFilter":                      plain(readTimestamps),
		"ValueFilter":                           plain(readValueFilter),
		"WhileMatchFilter":                      readWhileMatch,
	}
}

func readFilter(m *pb.Filter, depth int) (filter.Filter, error) {
	if depth == 0 {
		return nil, rpc.Refused(fmt.Sprintf("filters are more than %d deep within each other", maxNesting))
	}
	reader := filterReaders[strings.TrimPrefix(m.GetName(), filterPackage)]
	if reader == nil {
		return nil, classNotFound(m.GetName())
	}
	return reader(m.GetSerializedFilter(), depth-1)
}

func classNotFound(name string) error {
	return rpc.Refused(fmt.Sprintf("java.lang.ClassNotFoundException: "+
		"%.200q is no filter or comparator that is known here", name))
}

// read makes a filter or a comparator from the message in data.
func read[M any, P rpc.Message[M], T any](data []byte, make func(P) (T, error)) (out T, err error) {
	m := P(new(M))
	if err := rpc.Unmarshal(data, m); err != nil {
		return out, rpc.Refused("a filter cannot be read: " + err.Error())
	}
	return make(m)
}

// plain reads the message of a filter that contains no others.
func plain[M any, P rpc.Message[M]](make func(P) (filter.Filter, error)) filterReader {
	return func(data []byte, _ int) (filter.Filter, error) { return read(data, make) }
}

func readFilterList(data []byte, depth int) (filter.Filter, error) {
	return read(data, func(m *pb.FilterList) (filter.Filter, error) {
		out := filter.FilterList{MustPassOne: m.GetOperator() == pb.FilterList_MUST_PASS_ONE}
		for _, each := range m.GetFilters() {
			f, err := readFilter(each, depth)
			if err != nil {
				return nil, err
			}
			out.Filters = append(out.Filters, f)
		}
		return out, nil
	})
}

func readWrapper(data []byte, depth int) (filter.Filter, error) {
	return read(data, func(m *pb.FilterWrapper) (filter.Filter, error) { return readFilter(m.GetFilter(), depth) })
}

func readSkip(data []byte, depth int) (filter.Filter, error) {
	f, err := readWrapper(data, depth) // its message has the same field
	return filter.SkipFilter{Filter: f}, err
}

func readWhileMatch(data []byte, depth int) (filter.Filter, error) {
	f, err := readWrapper(data, depth)
	return filter.WhileMatchFilter{Filter: f}, err
}

func readColumnCount(m *pb.ColumnCountGetFilter) (filter.Filter, error) {
	return filter.ColumnCountGetFilter{Limit: int(m.GetLimit())}, nil
}

func readColumnPagination(m *pb.ColumnPaginationFilter) (filter.Filter, error) {
	return filter.ColumnPaginationFilter{Limit: int(m.GetLimit()), Offset: int(m.GetOffset()),
		ColumnOffset: m.ColumnOffset}, nil
}

func readColumnPrefix(m *pb.ColumnPrefixFilter) (filter.Filter, error) {
	return filter.ColumnPrefixFilter{Prefix: m.GetPrefix()}, nil
}

func readColumnRange(m *pb.ColumnRangeFilter) (filter.Filter, error) {
	return filter.ColumnRangeFilter{Min: m.MinColumn, Max: m.MaxColumn, MinInclusive: m.GetMinColumnInclusive(),
		MaxInclusive: m.GetMaxColumnInclusive()}, nil
}

func readFilterAll(*pb.FilterAllFilter) (filter.Filter, error) { return filter.PageFilter{}, nil }

func readFirstKey(*pb.FirstKeyOnlyFilter) (filter.Filter, error) {
	return filter.FirstKeyOnlyFilter{}, nil
}

func readFirstMatching(m *pb.FirstKeyValueMatchingQualifiersFilter) (filter.Filter, error) {
	return filter.FirstKeyValueMatchingQualifiersFilter{Qualifiers: m.GetQualifiers()}, nil
}

func readInclusiveStop(m *pb.InclusiveStopFilter) (filter.Filter, error) {
	return filter.InclusiveStopFilter{Stop: m.GetStopRowKey()}, nil
}

func readKeyOnly(m *pb.KeyOnlyFilter) (filter.Filter, error) {
	return filter.KeyOnlyFilter{LengthAsValue: m.GetLenAsVal()}, nil
}

func readRowRanges(m *pb.MultiRowRangeFilter) (filter.Filter, error) {
	var out filter.MultiRowRangeFilter
	for _, r := range m.GetRowRangeList() {
		out.Ranges = append(out.Ranges, filter.RowRange{Start: r.GetStartRow(), Stop: r.GetStopRow(),
			StartInclusive: r.GetStartRowInclusive(), StopInclusive: r.GetStopRowInclusive()})
	}
	return out, nil
}

func readColumnPrefixes(m *pb.MultipleColumnPrefixFilter) (filter.Filter, error) {
	return filter.MultipleColumnPrefixFilter{Prefixes: m.GetSortedPrefixes()}, nil
}

func readPage(m *pb.PageFilter) (filter.Filter, error) {
	return filter.PageFilter{Size: m.GetPageSize()}, nil
}

func readPrefix(m *pb.PrefixFilter) (filter.Filter, error) {
	return filter.PrefixFilter{Prefix: m.GetPrefix()}, nil
}

func readRandomRow(m *pb.RandomRowFilter) (filter.Filter, error) {
	return filter.RandomRowFilter{Chance: m.GetChance()}, nil
}

func readTimestamps(m *pb.TimestampsFilter) (filter.Filter, error) {
	return filter.TimestampsFilter{Timestamps: m.GetTimestamps(), CanHint: m.GetCanHint()}, nil
}
