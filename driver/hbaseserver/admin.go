package hbaseserver

import (
	"context"
	"fmt"
	"time"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/tables"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/wire"
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/rowapi"
)

// adminMethods are a region server's methods that are not about rows. Most have a region in their first
// field.
func (s *server) adminMethods() map[string]method {
	return map[string]method{
		"GetRegionInfo":   on(s.regionInfo),
		"FlushRegion":     on(s.flushRegion),
		"CompactRegion":   on(s.compactRegion),
		"GetOnlineRegion": on(s.onlineRegions),
		"GetRegionLoad":   on(s.regionLoad),
	}
}

// regionOf returns the region in a message of HBase 2.
func (s *server) regionOf(ctx context.Context, m proto.Message) (*tables.Region, error) {
	var of pb.RegionSpecifier
	if _, err := wire.Part(m, 1, &of); err != nil {
		return nil, err
	}
	return s.region(ctx, &of)
}

func (s *server) regionInfo(ctx context.Context, m *pb.GetRegionInfoRequest) (*pb.GetRegionInfoResponse, error) {
	if tables.IsMeta(m.GetRegion()) {
		return &pb.GetRegionInfoResponse{RegionInfo: metaInfo()}, nil
	}
	region, err := s.region(ctx, m.GetRegion())
	if err != nil {
		return nil, err
	}
	return &pb.GetRegionInfoResponse{RegionInfo: region.Info(), CompactionState: pb.GetRegionInfoResponse_NONE.Enum()}, nil
}

func (s *server) flushRegion(ctx context.Context, m *pb.EmptyMsg) (proto.Message, error) {
	region, err := s.regionOf(ctx, m)
	if err != nil {
		return nil, err
	}
	if err := s.flush(ctx, region.Table); err != nil {
		return nil, err
	}
	return wire.Fields{}.Uint(1, uint64(time.Now().UnixMilli())).Uint(2, 1).Message(), nil
}

// flushProcedure is the procedure with which clients ask a master to flush a table.
const flushProcedure = "flush-table-proc"

func (s *server) execProcedure(ctx context.Context, m *pb.ExecProcedureRequest) (*pb.ExecProcedureResponse, error) {
	if m.GetProcedure().GetSignature() != flushProcedure {
		return nil, rpc.Refused(fmt.Sprintf("java.lang.UnsupportedOperationException: the procedure %.100q is not supported",
			m.GetProcedure().GetSignature()))
	}
	name, err := rowapi.ParseTableName(m.GetProcedure().GetInstance())
	if err != nil {
		return nil, err
	}
	t, err := s.table(ctx, name)
	if err != nil {
		return nil, err
	}
	return &pb.ExecProcedureResponse{ExpectedTimeout: proto.Int64(time.Minute.Milliseconds())}, s.flush(ctx, t)
}

func (s *server) isProcedureDone(context.Context, *pb.IsProcedureDoneRequest) (*pb.IsProcedureDoneResponse, error) {
	return &pb.IsProcedureDoneResponse{Done: proto.Bool(true)}, nil
}

// flush writes a table's memstore to files, if the store has files.
func (s *server) flush(ctx context.Context, t *tables.Table) error {
	if f, ok := s.store.(kv.Flusher); ok {
		return f.Flush(ctx, t.Families...)
	}
	return nil
}

func (s *server) compactRegion(ctx context.Context, m *pb.CompactRegionRequest) (*pb.CompactRegionResponse, error) {
	region, err := s.region(ctx, m.GetRegion())
	if err != nil {
		return nil, err
	}
	if c, ok := s.store.(kv.Compacter); ok {
		for _, f := range region.Table.Families {
			if err := c.Compact(ctx, f, nil); err != nil {
				return nil, err
			}
		}
	}
	return &pb.CompactRegionResponse{}, nil
}

func (s *server) onlineRegions(ctx context.Context, _ *pb.EmptyMsg) (proto.Message, error) {
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	out := wire.Fields{}
	for _, t := range v.Tables() {
		for _, r := range t.Regions {
			if !t.Disabled {
				out = out.Part(1, r.Info())
			}
		}
	}
	return out.Message(), nil
}

// regionLoad answers a message of HBase 2 whose first field is a table; without it, all tables are meant.
func (s *server) regionLoad(ctx context.Context, m *pb.EmptyMsg) (proto.Message, error) {
	var name pb.TableName
	one, err := wire.Part(m, 1, &name)
	if err != nil {
		return nil, rpc.Refused(err.Error())
	}
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	all := v.Tables()
	if one {
		t, err := v.Table(tables.NameOf(&name))
		if err != nil {
			return nil, err
		}
		all = []*tables.Table{t}
	}
	loads, err := loadsOf(ctx, s.store, all)
	out := wire.Fields{}
	for _, l := range loads {
		out = out.Part(1, l)
	}
	return out.Message(), err
}
