package hbase

import (
	"context"
	"slices"
	"time"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/hbase/internal/permissions"
	"github.com/hbasekv/hbasekv/kv/hbase/internal/tablename"
	"github.com/hbasekv/hbasekv/kv/permission"
)

// administration is the time limit of an operation on all regions of a table if
// its context has no deadline.
const administration = 10 * time.Minute

// FlushTable makes the servers write to files what they have of a table in memory. The
// table is one of HBase's: a table group, or a table in no group.
func (s *Store) FlushTable(ctx context.Context, namespace, table string) error {
	return s.onServers(ctx, tablename.Qualified(namespace, table), everyRegion, "FlushRegion", func(r *regionInfo) (proto.Message, error) {
		m := &pb.ListNamespaceDescriptorsRequest{} // an empty message: gohbase has none for this call
		field, err := messageField(1, regionSpecifier(r.name))
		setField(m, field)
		return m, err
	})
}

// CompactTable makes the servers rewrite all files of a table into one for each family
// and region, and waits until they have done it. What has been deleted or exceeds
// VERSIONS or TTL is then gone from HBase.
func (s *Store) CompactTable(ctx context.Context, namespace, table string) error {
	return s.compactRegions(ctx, family{table: tablename.Qualified(namespace, table)}, everyRegion)
}

func everyRegion(*regionInfo) bool { return true }

// compactRegions is CompactTable for some regions, and for one family if f has a name.
func (s *Store) compactRegions(ctx context.Context, f family, which func(*regionInfo) bool) error {
	ctx, cancel := s.cluster.within(ctx, administration)
	defer cancel()
	err := s.onServers(ctx, f.table, which, "CompactRegion", func(r *regionInfo) (proto.Message, error) {
		return &pb.CompactRegionRequest{Region: regionSpecifier(r.name), Major: proto.Bool(true), Family: f.name}, nil
	})
	for wait := 10 * time.Millisecond; err == nil; wait = min(2*wait, time.Second) {
		var busy bool
		if busy, err = s.compacting(ctx, f.table, which); !busy {
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

var (
	_ kv.Flusher   = (*Store)(nil)
	_ kv.Compacter = (*Store)(nil)
)

// Flush implements kv.Flusher. The families of a table group are flushed together.
func (s *Store) Flush(ctx context.Context, tables ...*kv.Table) error {
	if len(tables) == 0 {
		return kv.ErrUnsupported{What: "a flush of all tables of HBase: name the tables"}
	}
	done := map[string]bool{}
	for _, t := range tables {
		f, err := s.familyOf(ctx, t)
		if err != nil {
			return err
		}
		if done[f.table] {
			continue
		}
		done[f.table] = true
		if err := s.FlushTable(ctx, "", f.table); err != nil {
			return err
		}
	}
	return nil
}

// Compact implements kv.Compacter. It waits for a major compaction of the family.
func (s *Store) Compact(ctx context.Context, t *kv.Table, leaves []int) error {
	f, err := s.familyOf(ctx, t)
	if err != nil {
		return err
	}
	if err := s.FlushTable(ctx, "", f.table); err != nil { // a compaction only rewrites files
		return err
	}
	return s.compactRegions(ctx, f, func(r *regionInfo) bool {
		return leaves == nil || slices.ContainsFunc(leaves, func(i int) bool { return len(leaf(t, i, []*regionInfo{r})) > 0 })
	})
}

func (s *Store) familyOf(ctx context.Context, t *kv.Table) (family, error) {
	l, err := s.current(ctx)
	if err != nil {
		return family{}, err
	}
	f, ok := l.families[t.ID]
	if !ok {
		return family{}, kv.ErrNoTable
	}
	return f, nil
}

// compacting reports whether any of these regions of a table is being compacted.
func (s *Store) compacting(ctx context.Context, table string, which func(*regionInfo) bool) (busy bool, err error) {
	err = s.askServers(ctx, table, which, "GetRegionInfo", func(r *regionInfo) (proto.Message, error) {
		return &pb.GetRegionInfoRequest{Region: regionSpecifier(r.name), CompactionState: proto.Bool(true)}, nil
	}, func() proto.Message { return &pb.GetRegionInfoResponse{} }, func(m proto.Message) {
		busy = busy || m.(*pb.GetRegionInfoResponse).GetCompactionState() != pb.GetRegionInfoResponse_NONE
	})
	return busy, err
}

// MoveRegions makes the master move each region of a table to any server, or to the
// same one if there is no other.
func (s *Store) MoveRegions(ctx context.Context, namespace, table string) error {
	ctx, cancel := s.cluster.within(ctx, administration)
	defer cancel()
	s.cluster.forget(tablename.Qualified(namespace, table))
	regions, err := s.cluster.tableRegions(ctx, tablename.Qualified(namespace, table))
	for _, r := range regions {
		request := &pb.MoveRegionRequest{Region: &pb.RegionSpecifier{
			Type: pb.RegionSpecifier_ENCODED_REGION_NAME.Enum(), Value: []byte(r.encoded())}}
		if err = s.cluster.onMaster(ctx, "MoveRegion", request, &pb.MoveRegionResponse{}, true); err != nil {
			break
		}
	}
	return err
}

// onServers calls the admin service of the servers of some regions.
func (s *Store) onServers(ctx context.Context, table string, which func(*regionInfo) bool, method string,
	request func(*regionInfo) (proto.Message, error)) error {
	return s.askServers(ctx, table, which, method, request, func() proto.Message { return &pb.CompactRegionResponse{} }, func(proto.Message) {})
}

func (s *Store) askServers(ctx context.Context, table string, which func(*regionInfo) bool, method string, request func(*regionInfo) (proto.Message, error),
	response func() proto.Message, take func(proto.Message)) error {
	ctx, cancel := s.cluster.within(ctx, administration)
	defer cancel()
	w := newWire(s.access)
	w.service = "AdminService"
	defer w.close()
	s.cluster.forget(table)
	regions, err := s.cluster.tableRegions(ctx, table)
	if err != nil {
		return err
	}
	for _, r := range regions {
		if !which(r) {
			continue
		}
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

// Permissions implements permission.Holder. HBase before 2.2 has no such call.
func (s *Store) Permissions(ctx context.Context) ([]permission.Permission, error) {
	l, err := s.current(ctx)
	if err != nil {
		return nil, err
	}
	return permissions.About(l.stored).Ask(ctx, s.cluster.onMaster)
}
