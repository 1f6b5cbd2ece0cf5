package hbaseserver_test

import (
	"bytes"
	"encoding/binary"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/driver/hbaseserver"
)

// TestAnswersAtOnce: the answers that many clients get at the same time equal those that a single client
// gets, although calls share the memory in which they are made.
func TestAnswersAtOnce(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{})
	region := s.records(70)
	get := func(row string, existence bool) *pb.GetRequest {
		return &pb.GetRequest{Region: region, Get: &pb.Get{Row: []byte(row), ExistenceOnly: &existence}}
	}
	frames := [][]byte{frameOf(t, "Get", get(speedRow(1), false)), frameOf(t, "Get", get(speedRow(2), false)),
		frameOf(t, "Get", get(speedRow(3), true)), frameOf(t, "Get", get("none", true)), frameOf(t, "Get", get("none", false)),
		frameOf(t, "Scan", scanOf(region, 3)), frameOf(t, "Scan", scanOf(region, 50)),
		frameOf(t, "Multi", &pb.MultiRequest{RegionAction: []*pb.RegionAction{{Region: region, Action: []*pb.Action{
			{Index: proto.Uint32(1), Get: get(speedRow(4), false).Get}, {Index: proto.Uint32(2), Get: get("none", true).Get},
			{Index: proto.Uint32(3), Get: get(speedRow(5), true).Get}}}}})}
	const size, cells = 64 << 10, 1500 // of an answer, and of the cells at its end: a Scan's begins with a random number
	conn, alone := s.blocks(), make([][]byte, len(frames))
	for i, frame := range frames {
		alone[i] = make([]byte, size)
		require.NoError(t, ask(conn, frame, alone[i]))
	}
	var running sync.WaitGroup
	for client := range 6 {
		conn := s.blocks()
		running.Go(func() {
			answer := make([]byte, size)
			for n := range 200 * len(frames) {
				i := (n + client) % len(frames)
				clear(answer)
				if err := ask(conn, frames[i], answer); err != nil {
					t.Error(err)
					return
				}
				if !bytes.Equal(tail(answer, cells), tail(alone[i], cells)) {
					t.Errorf("call %d has the answer\n%q in place of\n%q", i, tail(answer, cells), tail(alone[i], cells))
					return
				}
			}
		})
	}
	running.Wait()
}

// tail is the last bytes of an answer, without its length.
func tail(answer []byte, n int) []byte {
	answer = answer[4 : 4+binary.BigEndian.Uint32(answer)]
	return answer[max(0, len(answer)-n):]
}
