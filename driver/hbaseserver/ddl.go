package hbaseserver

import (
	"context"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/tables"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/wire"
)

func (s *server) ddlMethods() map[string]method {
	return map[string]method{
		"CreateTable": changing(s, func(ctx context.Context, m *pb.CreateTableRequest) error {
			return s.changes.Create(ctx, m.GetTableSchema(), m.GetSplitKeys())
		}),
		"ModifyTable": changing(s, func(ctx context.Context, m *pb.ModifyTableRequest) error {
			if m.GetTableSchema().GetTableName() == nil && m.TableSchema != nil {
				m.TableSchema.TableName = m.GetTableName()
			}
			return s.changes.Modify(ctx, m.GetTableSchema())
		}),
		"DeleteTable": changing(s, func(ctx context.Context, m *pb.DeleteTableRequest) error {
			return s.changes.Delete(ctx, tables.NameOf(m.GetTableName()))
		}),
		"truncateTable": changing(s, func(ctx context.Context, m *pb.TruncateTableRequest) error {
			return s.changes.Truncate(ctx, tables.NameOf(m.GetTableName()), m.GetPreserveSplits())
		}),
		"EnableTable": changing(s, func(ctx context.Context, m *pb.EnableTableRequest) error {
			return s.changes.Enable(ctx, tables.NameOf(m.GetTableName()))
		}),
		"DisableTable": changing(s, func(ctx context.Context, m *pb.DisableTableRequest) error {
			return s.changes.Disable(ctx, tables.NameOf(m.GetTableName()))
		}),
		"AddColumn": changing(s, func(ctx context.Context, m *pb.AddColumnRequest) error {
			return s.changes.AddFamily(ctx, tables.NameOf(m.GetTableName()), m.GetColumnFamilies())
		}),
		"ModifyColumn": changing(s, func(ctx context.Context, m *pb.ModifyColumnRequest) error {
			return s.changes.ModifyFamily(ctx, tables.NameOf(m.GetTableName()), m.GetColumnFamilies())
		}),
		"DeleteColumn": changing(s, func(ctx context.Context, m *pb.DeleteColumnRequest) error {
			return s.changes.DeleteFamily(ctx, tables.NameOf(m.GetTableName()), string(m.GetColumnName()))
		}),
		"CreateNamespace": changing(s, func(ctx context.Context, m *pb.CreateNamespaceRequest) error {
			return s.changes.CreateNamespace(ctx, m.GetNamespaceDescriptor())
		}),
		"ModifyNamespace": changing(s, func(ctx context.Context, m *pb.ModifyNamespaceRequest) error {
			return s.changes.ModifyNamespace(ctx, m.GetNamespaceDescriptor())
		}),
		"DeleteNamespace": changing(s, func(ctx context.Context, m *pb.DeleteNamespaceRequest) error {
			return s.changes.DeleteNamespace(ctx, m.GetNamespaceName())
		}),
		"SplitRegion":       changing(s, s.splitRegion),
		"MergeTableRegions": changing(s, s.mergeRegions),
	}
}

// splitRegion reads a message of HBase 2: the region, and the split row.
func (s *server) splitRegion(ctx context.Context, m *pb.EmptyMsg) error {
	var region pb.RegionInfo
	if found, err := wire.Part(m, 1, &region); err != nil || !found {
		return rpc.Refused("the SplitRegion request has no valid region")
	}
	return s.changes.Split(ctx, tables.NameOf(region.GetTableName()), region.GetStartKey(), wire.Bytes(m, 2))
}

// mergeRegions reads a message of HBase 2: the regions.
func (s *server) mergeRegions(ctx context.Context, m *pb.EmptyMsg) error {
	v, err := s.view(ctx)
	if err != nil {
		return err
	}
	var table *tables.Table
	var starts [][]byte
	for _, data := range wire.Each(m, 1) {
		var of pb.RegionSpecifier
		if err := rpc.Unmarshal(data, &of); err != nil {
			return rpc.Refused(err.Error())
		}
		r, err := v.Region(&of)
		if err != nil {
			return err
		}
		if table != nil && table != r.Table {
			return rpc.Refused("regions of several tables cannot be merged")
		}
		table, starts = r.Table, append(starts, r.Start)
	}
	if table == nil {
		return rpc.Refused("there are no regions to merge")
	}
	return s.changes.Merge(ctx, table.Name, starts)
}

// changing is the method of a change, whose response is a procedure's number: in the first field of
// each, in HBase 2. Clients that do not know the field skip it.
func changing[M any, P rpc.Message[M]](s *server, do func(context.Context, P) error) method {
	return on(func(ctx context.Context, m P) (proto.Message, error) {
		if err := do(ctx, m); err != nil {
			return nil, err
		}
		return wire.Fields{}.Uint(1, s.procedures.ended()).Message(), nil
	})
}
