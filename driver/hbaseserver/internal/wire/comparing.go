package wire

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/kv/rowapi/filter"
)

// Comparator reads a comparator; nil, or one without a message, is nil.
func Comparator(m *pb.Comparator) (filter.Comparator, error) {
	if m == nil {
		return nil, nil
	}
	reader := comparatorReaders[strings.TrimPrefix(m.GetName(), filterPackage)]
	if reader == nil {
		return nil, classNotFound(m.GetName())
	}
	return reader(m.GetSerializedComparator())
}

// comparatorReader makes a comparator from its message.
type comparatorReader func(data []byte) (filter.Comparator, error)

// comparatorReaders are the known classes, without their package.
var comparatorReaders = map[string]comparatorReader{
	"BinaryComparator": ofBytes(func(value []byte) (filter.Comparator, error) {
		return filter.BinaryComparator{Value: value}, nil
	}),
	"BinaryPrefixComparator": ofBytes(func(value []byte) (filter.Comparator, error) {
		return filter.BinaryPrefixComparator{Value: value}, nil
	}),
	"BigDecimalComparator": ofBytes(func(value []byte) (filter.Comparator, error) {
		return filter.BigDecimalComparator{Value: value}, nil
	}),
	"LongComparator":            ofBytes(readLong),
	"BinaryComponentComparator": comparator(readComponent),
	"BitComparator":             comparator(readBits),
	"NullComparator":            func([]byte) (filter.Comparator, error) { return filter.NullComparator{}, nil },
	"RegexStringComparator":     comparator(readRegex),
	"SubstringComparator":       comparator(readSubstring),
}

func comparator[M any, P rpc.Message[M]](make func(P) (filter.Comparator, error)) comparatorReader {
	return func(data []byte) (filter.Comparator, error) { return read(data, make) }
}

// ofBytes reads the message of a comparator that has only bytes.
func ofBytes(make func(value []byte) (filter.Comparator, error)) comparatorReader {
	return comparator(func(m *pb.BinaryComparator) (filter.Comparator, error) { return make(m.GetComparable().GetValue()) })
}

func readLong(value []byte) (filter.Comparator, error) {
	if len(value) != 8 {
		return nil, rpc.Refused("the value of a LongComparator is not a long")
	}
	return filter.LongComparator{Value: int64(binary.BigEndian.Uint64(value))}, nil
}

// readComponent reads a comparator of HBase 2, which has bytes and an offset.
func readComponent(m *pb.ByteArrayComparable) (filter.Comparator, error) {
	return filter.BinaryComponentComparator{Value: m.GetValue(), Offset: int(int32(Uint(m, 2, 0)))}, nil
}

func readBits(m *pb.BitComparator) (filter.Comparator, error) {
	op := filter.BitOp(max(m.GetBitwiseOp(), pb.BitComparator_AND) - pb.BitComparator_AND)
	return filter.BitComparator{Value: m.GetComparable().GetValue(), Op: op}, nil
}

func readRegex(m *pb.RegexStringComparator) (filter.Comparator, error) {
	c, err := filter.NewRegexStringComparator(m.GetPattern(), int(m.GetPatternFlags()), m.GetCharset())
	if err != nil {
		return nil, rpc.Refused(err.Error())
	}
	return c, nil
}

func readSubstring(m *pb.SubstringComparator) (filter.Comparator, error) {
	return filter.SubstringComparator{Text: m.GetSubstr()}, nil
}

func compareWith(op pb.CompareType, c *pb.Comparator) (filter.CompareFilter, error) {
	with, err := Comparator(c)
	return filter.CompareFilter{Op: operators[op], Comparator: with}, err
}

func comparing(m *pb.CompareFilter) (filter.CompareFilter, error) {
	return compareWith(m.GetCompareOp(), m.GetComparator())
}

func readRowFilter(m *pb.RowFilter) (filter.Filter, error) {
	c, err := comparing(m.GetCompareFilter())
	return filter.RowFilter{CompareFilter: c}, err
}

func readFamilyFilter(m *pb.FamilyFilter) (filter.Filter, error) {
	c, err := comparing(m.GetCompareFilter())
	return filter.FamilyFilter{CompareFilter: c}, err
}

func readQualifierFilter(m *pb.QualifierFilter) (filter.Filter, error) {
	c, err := comparing(m.GetCompareFilter())
	return filter.QualifierFilter{CompareFilter: c}, err
}

func readValueFilter(m *pb.ValueFilter) (filter.Filter, error) {
	c, err := comparing(m.GetCompareFilter())
	return filter.ValueFilter{CompareFilter: c}, err
}

func readDependentColumn(m *pb.DependentColumnFilter) (filter.Filter, error) {
	c, err := comparing(m.GetCompareFilter())
	return filter.DependentColumnFilter{CompareFilter: c, Family: string(m.GetColumnFamily()),
		Qualifier: m.GetColumnQualifier(), Drop: m.GetDropDependentColumn()}, err
}

func readSingleColumn(m *pb.SingleColumnValueFilter) (filter.Filter, error) {
	return singleColumn(m, false)
}

func readExcluding(m *pb.SingleColumnValueExcludeFilter) (filter.Filter, error) {
	return singleColumn(m.GetSingleColumnValueFilter(), true)
}

func singleColumn(m *pb.SingleColumnValueFilter, exclude bool) (filter.Filter, error) {
	c, err := compareWith(m.GetCompareOp(), m.GetComparator())
	all := m != nil && m.LatestVersionOnly != nil && !m.GetLatestVersionOnly()
	return filter.SingleColumnValueFilter{CompareFilter: c, Family: string(m.GetColumnFamily()),
		Qualifier: m.GetColumnQualifier(), FilterIfMissing: m.GetFilterIfMissing(), AllVersions: all, Exclude: exclude}, err
}

// readColumnValue reads a filter of HBase 2, whose fields are like SingleColumnValueFilter's.
func readColumnValue(m *pb.SingleColumnValueFilter) (filter.Filter, error) {
	c, err := compareWith(m.GetCompareOp(), m.GetComparator())
	return filter.ColumnValueFilter{CompareFilter: c, Family: string(m.GetColumnFamily()),
		Qualifier: m.GetColumnQualifier()}, err
}

// How Java's clients encode masks: bytes that must match, and bytes that need not, before and
// since HBase 2.6.
const (
	maskFixed = 0xff
	maskAny   = 2
)

func readFuzzyRow(m *pb.FuzzyRowFilter) (filter.Filter, error) {
	var out filter.FuzzyRowFilter
	for _, pair := range m.GetFuzzyKeysData() {
		row, mask := pair.GetFirst(), slices.Clone(pair.GetSecond())
		if len(row) != len(mask) {
			return nil, rpc.Refused(fmt.Sprintf("a key of a FuzzyRowFilter has %d bytes and its mask %d", len(row), len(mask)))
		}
		prepared := slices.Contains(mask, maskFixed) || slices.Contains(mask, maskAny)
		for i, b := range mask {
			switch {
			case b == maskFixed:
				mask[i] = 0
			case prepared || b != 0:
				mask[i] = 1
			}
		}
		out.Keys = append(out.Keys, filter.FuzzyKey{Row: row, Mask: mask})
	}
	return out, nil
}
