package wire

import (
	"math"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/kv/rowapi"
	"github.com/hbasekv/hbasekv/kv/rowapi/filter"
)

// The fields that HBase 2 adds to a Scan.
const (
	scanIncludeStart = 21
	scanIncludeStop  = 22
)

// columns are the fields that Get and Scan have in common.
type columns interface {
	GetColumn() []*pb.Column
	GetTimeRange() *pb.TimeRange
	GetCfTimeRange() []*pb.ColumnFamilyTimeRange
	GetMaxVersions() uint32
	GetStoreLimit() uint32
	GetStoreOffset() uint32
	GetFilter() *pb.Filter
}

// readColumns reads which cells are wanted. families are those of the table.
func readColumns(m columns, families []string) (out rowapi.Columns, err error) {
	for _, c := range m.GetColumn() {
		out.Families = append(out.Families, rowapi.FamilyColumns{Family: string(c.GetFamily()), Qualifiers: c.GetQualifier()})
	}
	own := m.GetCfTimeRange()
	if len(own) > 0 && len(out.Families) == 0 {
		for _, name := range families {
			out.Families = append(out.Families, rowapi.FamilyColumns{Family: name})
		}
	}
	for _, r := range own {
		for i := range out.Families {
			if out.Families[i].Family == string(r.GetColumnFamily()) {
				time := readTime(r.GetTimeRange())
				out.Families[i].Time = &time
			}
		}
	}
	out.Time = readTime(m.GetTimeRange())
	out.MaxVersions = int(min(m.GetMaxVersions(), rowapi.AllVersions))
	out.StoreLimit, out.StoreOffset = int(m.GetStoreLimit()), int(m.GetStoreOffset())
	if f := m.GetFilter(); f != nil {
		out.Filter, err = Filter(f)
	}
	return out, err
}

// readTime returns a time range; the default, and the range of all of HBase's times, is all times.
func readTime(r *pb.TimeRange) rowapi.TimeRange {
	if r == nil {
		return rowapi.TimeRange{}
	}
	out := rowapi.TimeRange{Min: int64(r.GetFrom()), Max: math.MaxInt64}
	if r.To != nil {
		out.Max = int64(r.GetTo())
	}
	if out.Min == 0 && out.Max == math.MaxInt64 {
		return rowapi.TimeRange{}
	}
	return out
}

// Get reads a Get. families are those of the table.
func Get(m *pb.Get, families []string) (*rowapi.Get, error) {
	if m.GetClosestRowBefore() {
		// asynchbase begins with it. Only this class tells it that the server supports reversed
		// scans.
		return nil, &rpc.Exception{Class: rpc.Prefix + "exceptions.UnknownProtocolException", DoNotRetry: true,
			Message: "closest_row_before is not supported: a reversed Scan with a limit of 1 finds the row before"}
	}
	c, err := readColumns(m, families)
	return &rowapi.Get{Row: m.GetRow(), Columns: c, ExistenceOnly: m.GetExistenceOnly()}, err
}

// Scan reads a Scan. families are those of the table.
func Scan(m *pb.Scan, families []string) (*rowapi.Scan, error) {
	c, err := readColumns(m, families)
	return &rowapi.Scan{Start: m.GetStartRow(), Stop: m.GetStopRow(), StartExclusive: Uint(m, scanIncludeStart, 1) == 0,
		StopInclusive: includesStop(m), Reversed: m.GetReversed(), Columns: c, Batch: int(m.GetBatchSize())}, err
}

// includesStop is true if the message says so, and for a Scan of one row in HBase 1's form.
func includesStop(m *pb.Scan) bool {
	oneRow := uint64(0)
	if len(m.GetStartRow()) > 0 && string(m.GetStartRow()) == string(m.GetStopRow()) {
		oneRow = 1
	}
	return Uint(m, scanIncludeStop, oneRow) == 1
}

var operators = map[pb.CompareType]filter.CompareOp{
	pb.CompareType_LESS:             filter.Less,
	pb.CompareType_LESS_OR_EQUAL:    filter.LessOrEqual,
	pb.CompareType_EQUAL:            filter.Equal,
	pb.CompareType_NOT_EQUAL:        filter.NotEqual,
	pb.CompareType_GREATER_OR_EQUAL: filter.GreaterOrEqual,
	pb.CompareType_GREATER:          filter.Greater,
	pb.CompareType_NO_OP:            filter.NoOp,
}

// The fields that HBase 2 adds to a Condition.
const (
	conditionTime   = 6
	conditionFilter = 7
)

// Condition reads the condition under which a row is mutated.
func Condition(m *pb.Condition) (out rowapi.Condition, err error) {
	var time pb.TimeRange
	if found, err := Part(m, conditionTime, &time); err != nil {
		return out, rpc.Refused(err.Error())
	} else if found {
		out.Time = readTime(&time)
	}
	var f pb.Filter
	if found, err := Part(m, conditionFilter, &f); err != nil {
		return out, rpc.Refused(err.Error())
	} else if found {
		out.Filter, err = Filter(&f)
		return out, err
	}
	out.Family, out.Qualifier, out.Op = string(m.GetFamily()), m.GetQualifier(), operators[m.GetCompareType()]
	out.Comparator, err = Comparator(m.GetComparator())
	return out, err
}
