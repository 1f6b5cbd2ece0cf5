package hbaseserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/driver/hbaseserver"
)

// TestConditionOfWholeMulti answers a condition in the form of HBase 1's clients: they take a result, even an
// empty one, for the answer, which is elsewhere.
func TestConditionOfWholeMulti(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{})
	s.create("t", "f")
	c := s.raw("ClientService")
	value := func(q string) []*pb.MutationProto_ColumnValue {
		return []*pb.MutationProto_ColumnValue{{Family: []byte("f"),
			QualifierValue: []*pb.MutationProto_ColumnValue_QualifierValue{{Qualifier: []byte(q), Value: []byte("v")}}}}
	}
	put := func(q string) *pb.Action {
		return &pb.Action{Mutation: &pb.MutationProto{Row: []byte("a"), MutateType: pb.MutationProto_PUT.Enum(),
			ColumnValue: value(q)}}
	}
	comparator := &pb.Comparator{Name: proto.String("org.apache.hadoop.hbase.filter.BinaryComparator"),
		SerializedComparator: marshal(t, &pb.BinaryComparator{Comparable: &pb.ByteArrayComparable{Value: []byte{}}})}
	for _, holds := range []bool{true, false} { // p is absent before, and present after
		answer := &pb.MultiResponse{}
		require.Empty(t, c.call("Multi", &pb.MultiRequest{
			RegionAction: []*pb.RegionAction{{Region: named(c.regions("t")[0]), Atomic: proto.Bool(true),
				Action: []*pb.Action{put("p"), put("q")}}},
			Condition: &pb.Condition{Row: []byte("a"), Family: []byte("f"), Qualifier: []byte("p"),
				CompareType: pb.CompareType_EQUAL.Enum(), Comparator: comparator}}, answer))
		require.Equal(t, holds, answer.GetProcessed())
		for _, r := range answer.GetRegionActionResult()[0].GetResultOrException() {
			require.Nil(t, r.GetResult())
			require.Nil(t, r.GetException())
		}
	}
}
