package wire

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/filter"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	ours "github.com/hbasekv/hbasekv/kv/rowapi/filter"
)

func construct(t testing.TB, f filter.Filter) *pb.Filter {
	t.Helper()
	m, err := f.ConstructPBFilter()
	require.NoError(t, err)
	return m
}

// TestFilters reads filters as gohbase encodes them.
func TestFilters(t *testing.T) {
	binary := filter.NewBinaryComparator(filter.NewByteArrayComparable([]byte("v")))
	with := filter.NewCompareFilter(filter.GreaterOrEqual, binary)
	compare := ours.CompareFilter{Op: ours.GreaterOrEqual, Comparator: ours.BinaryComparator{Value: []byte("v")}}
	for _, c := range []struct {
		sent filter.Filter
		want ours.Filter
	}{
		{filter.NewPrefixFilter([]byte("p")), ours.PrefixFilter{Prefix: []byte("p")}},
		{filter.NewPageFilter(3), ours.PageFilter{Size: 3}},
		{filter.NewRowFilter(with), ours.RowFilter{CompareFilter: compare}},
		{filter.NewValueFilter(with), ours.ValueFilter{CompareFilter: compare}},
		{filter.NewQualifierFilter(with), ours.QualifierFilter{CompareFilter: compare}},
		{filter.NewFamilyFilter(with), ours.FamilyFilter{CompareFilter: compare}},
		{filter.NewKeyOnlyFilter(true), ours.KeyOnlyFilter{LengthAsValue: true}},
		{filter.NewTimestampsFilter([]int64{1, 2}), ours.TimestampsFilter{Timestamps: []int64{1, 2}}},
		{filter.NewSkipFilter(filter.NewPageFilter(1)), ours.SkipFilter{Filter: ours.PageFilter{Size: 1}}},
		{filter.NewWhileMatchFilter(filter.NewPageFilter(1)), ours.WhileMatchFilter{Filter: ours.PageFilter{Size: 1}}},
		{filter.NewList(filter.MustPassOne, filter.NewPageFilter(1)),
			ours.FilterList{MustPassOne: true, Filters: []ours.Filter{ours.PageFilter{Size: 1}}}},
		{filter.NewSingleColumnValueFilter([]byte("f"), []byte("q"), filter.GreaterOrEqual, binary, true, true),
			ours.SingleColumnValueFilter{CompareFilter: compare, Family: "f", Qualifier: []byte("q"), FilterIfMissing: true}},
	} {
		got, err := Filter(construct(t, c.sent))
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
}

// TestFuzzyMasks reads masks as gohbase sends them and as Java's clients encode them.
func TestFuzzyMasks(t *testing.T) {
	for mask, want := range map[string]string{"\x00\x01": "\x00\x01", "\xff\x02": "\x00\x01", "\xff\x00": "\x00\x01", "\xff\xff": "\x00\x00"} {
		data, err := proto.Marshal(&pb.FuzzyRowFilter{FuzzyKeysData: []*pb.BytesBytesPair{{First: []byte("ab"), Second: []byte(mask)}}})
		require.NoError(t, err)
		got, err := Filter(&pb.Filter{Name: proto.String(filterPackage + "FuzzyRowFilter"), SerializedFilter: data})
		require.NoError(t, err)
		require.Equal(t, want, string(got.(ours.FuzzyRowFilter).Keys[0].Mask))
	}
}

// TestRefusedFilters: errors name unknown filters, and too deep nesting is refused.
func TestRefusedFilters(t *testing.T) {
	_, err := Filter(&pb.Filter{Name: proto.String("com.example.Mine")})
	require.ErrorContains(t, err, `java.lang.ClassNotFoundException: "com.example.Mine"`)
	deep := construct(t, filter.NewPageFilter(1))
	for range 2 * maxNesting {
		data, err := proto.Marshal(&pb.FilterWrapper{Filter: deep})
		require.NoError(t, err)
		deep = &pb.Filter{Name: proto.String(filterPackage + "SkipFilter"), SerializedFilter: data}
	}
	_, err = Filter(deep)
	require.ErrorContains(t, err, "deep within each other")
}

// FuzzFilter reads arbitrary filters.
func FuzzFilter(f *testing.F) {
	for name := range filterReaders {
		f.Add(name, []byte("\x0a\x04\x08\x02\x12\x00"))
	}
	f.Add("FuzzyRowFilter", []byte("\x0a\x06\x0a\x01a\x12\x01\x02"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		if strings.ToValidUTF8(name, "") != name {
			return
		}
		got, err := Filter(&pb.Filter{Name: &name, SerializedFilter: data})
		require.True(t, err != nil || got != nil)
	})
}

// FuzzMutation reads arbitrary mutations with arbitrary cells beside them.
func FuzzMutation(f *testing.F) {
	m, err := proto.Marshal(&pb.MutationProto{Row: []byte("r"), MutateType: pb.MutationProto_PUT.Enum(), AssociatedCellCount: proto.Int32(1)})
	require.NoError(f, err)
	f.Add(m, rpc.AppendCell(nil, &rpc.Cell{Row: []byte("r"), Family: []byte("f"), Type: rpc.TypePut}))
	f.Add(m, []byte("\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, message, block []byte) {
		var m pb.MutationProto
		if rpc.Unmarshal(message, &m) != nil {
			return
		}
		got, err := Mutation(&m, rpc.NewCellReader(block))
		require.True(t, err != nil || got != nil)
	})
}
