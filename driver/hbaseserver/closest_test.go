package hbaseserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/driver/hbaseserver"
)

// TestClosestRowBefore: what HBase 2 no longer has is refused with the class after which asynchbase uses
// reversed scans, alone and in a batch, also for hbase:meta.
func TestClosestRowBefore(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{})
	s.create("t", "f")
	c := s.rawAs("ann", "ClientService")
	get := &pb.Get{Row: []byte("r"), ClosestRowBefore: proto.Bool(true)}
	const class = "exceptions.UnknownProtocolException"
	for _, region := range []string{c.regions("t")[0], "hbase:meta,,1"} {
		require.Equal(t, class, c.call("Get", &pb.GetRequest{Region: named(region), Get: get}, &pb.GetResponse{}), region)
	}
	answer := &pb.MultiResponse{}
	require.Empty(t, c.call("Multi", &pb.MultiRequest{RegionAction: []*pb.RegionAction{{Region: named(c.regions("t")[0]),
		Action: []*pb.Action{{Index: proto.Uint32(1), Get: get}}}}}, answer))
	result := answer.GetRegionActionResult()[0].GetResultOrException()[0]
	require.Equal(t, "org.apache.hadoop.hbase."+class, result.GetException().GetName())
}
