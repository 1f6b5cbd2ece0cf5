package hbase

import (
	"context"
	"time"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"
)

// administration is how long an operation on all regions of a table may take whose
// context has no deadline.
const administration = 10 * time.Minute

// FlushTable has the servers write to files what they hold of a table in memory. The
// table is one of HBase: a table group, or a table that is in none.
func (s *Store) FlushTable(ctx context.Context, namespace, table string) error {
	return s.onServers(ctx, qualified(namespace, table), "FlushRegion", func(r *regionInfo) (proto.Message, error) {
		m := &pb.ListNamespaceDescriptorsRequest{} // an empty message: gohbase has none for it
		field, err := messageField(1, regionSpecifier(r.name))
		setField(m, field)
		return m, err
	})
}

// CompactTable has the servers rewrite all files of a table into one for each family
// and region, and waits until they have done it. What has been deleted or is beyond
// VERSIONS or TTL is gone from HBase then.
func (s *Store) CompactTable(ctx context.Context, namespace, table string) error {
	ctx, cancel := s.cluster.within(ctx, administration)
	defer cancel()
	err := s.onServers(ctx, qualified(namespace, table), "CompactRegion", func(r *regionInfo) (proto.Message, error) {
		return &pb.CompactRegionRequest{Region: regionSpecifier(r.name), Major: proto.Bool(true)}, nil
	})
	for wait := 10 * time.Millisecond; err == nil; wait = min(2*wait, time.Second) {
		var busy bool
		if busy, err = s.compacting(ctx, qualified(namespace, table)); !busy {
			break
		}
		select {
		case <-ctx.Done():
			return ended(ctx, nil)
		case <-time.After(wait):
		}
	}
	return err
}

// compacting reports whether a region of a table is being compacted.
func (s *Store) compacting(ctx context.Context, table string) (busy bool, err error) {
	err = s.askServers(ctx, table, "GetRegionInfo", func(r *regionInfo) (proto.Message, error) {
		return &pb.GetRegionInfoRequest{Region: regionSpecifier(r.name), CompactionState: proto.Bool(true)}, nil
	}, func() proto.Message { return &pb.GetRegionInfoResponse{} }, func(m proto.Message) {
		busy = busy || m.(*pb.GetRegionInfoResponse).GetCompactionState() != pb.GetRegionInfoResponse_NONE
	})
	return busy, err
}

// MoveRegions has the master move each region of a table to any server; to the same
// one where there is no other.
func (s *Store) MoveRegions(ctx context.Context, namespace, table string) error {
	ctx, cancel := s.cluster.within(ctx, administration)
	defer cancel()
	s.cluster.forget(qualified(namespace, table))
	regions, err := s.cluster.tableRegions(ctx, qualified(namespace, table))
	for _, r := range regions {
		request := &pb.MoveRegionRequest{Region: &pb.RegionSpecifier{
			Type: pb.RegionSpecifier_ENCODED_REGION_NAME.Enum(), Value: []byte(r.encoded())}}
		if err = s.cluster.onMaster(ctx, "MoveRegion", request, &pb.MoveRegionResponse{}, true); err != nil {
			break
		}
	}
	return err
}

// onServers calls the administration of each region's server.
func (s *Store) onServers(ctx context.Context, table, method string, request func(*regionInfo) (proto.Message, error)) error {
	return s.askServers(ctx, table, method, request, func() proto.Message { return &pb.CompactRegionResponse{} }, func(proto.Message) {})
}

func (s *Store) askServers(ctx context.Context, table, method string, request func(*regionInfo) (proto.Message, error),
	response func() proto.Message, take func(proto.Message)) error {
	ctx, cancel := s.cluster.within(ctx, administration)
	defer cancel()
	w := newWire(s.options.User, s.options.dialServer())
	w.kind = "AdminService"
	defer w.close()
	s.cluster.forget(table)
	regions, err := s.cluster.tableRegions(ctx, table)
	if err != nil {
		return err
	}
	for _, r := range regions {
		m, err := request(r)
		if err != nil {
			return err
		}
		to := response()
		if err := s.cluster.onRegion(ctx, table, r.start, func(ctx context.Context, now *regionInfo) error {
			_, err := w.call(ctx, now.server, method, m, to)
			return err
		}); err != nil {
			return err
		}
		take(to)
	}
	return nil
}
