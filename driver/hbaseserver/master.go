package hbaseserver

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/tables"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/wire"
	"github.com/hbasekv/hbasekv/kv/rowapi"
)

// version is the server's version for clients, which then use no more than HBase of that version supports.
const version = "2.6.4"

// procedures numbers the changes whose end clients ask for: each has ended before it gets a number.
type procedures struct{ last atomic.Uint64 }

// ended returns the number of a change that has ended.
func (p *procedures) ended() uint64 { return p.last.Add(1) }

func (s *server) masterMethods() map[string]method {
	out := map[string]method{
		"IsMasterRunning":                 on(s.isMasterRunning),
		"GetClusterStatus":                on(s.clusterStatus),
		"getProcedureResult":              on(s.procedureResult),
		"getSecurityCapabilities":         on(s.securityCapabilities),
		"GetTableDescriptors":             on(s.tableDescriptors),
		"GetTableNames":                   on(s.tableNames),
		"GetTableState":                   on(s.tableState),
		"ListTableDescriptorsByNamespace": on(s.descriptorsByNamespace),
		"ListTableNamesByNamespace":       on(s.namesByNamespace),
		"GetNamespaceDescriptor":          on(s.namespaceDescriptor),
		"ListNamespaceDescriptors":        on(s.namespaceDescriptors),
		"ListNamespaces":                  on(s.namespaces),
		"GetSchemaAlterStatus":            on(s.alterStatus),
		"ExecProcedure":                   on(s.execProcedure),
		"IsProcedureDone":                 on(s.isProcedureDone),
	}
	for name, m := range s.ddlMethods() {
		out[name] = m
	}
	for name, m := range quietMethods() {
		out[name] = m
	}
	maps.Copy(out, s.switchMethods())
	return out
}

func (s *server) isMasterRunning(context.Context, *pb.IsMasterRunningRequest) (*pb.IsMasterRunningResponse, error) {
	return &pb.IsMasterRunningResponse{IsMasterRunning: proto.Bool(true)}, nil
}

// The fields that HBase 2 adds to a ClusterStatus.
const statusServerNames = 11

// statusLiveServers is the option with which HBase 2's clients ask for loads, among other things.
const statusLiveServers = 2

func (s *server) clusterStatus(ctx context.Context, m *pb.GetClusterStatusRequest) (*pb.GetClusterStatusResponse, error) {
	var loads []*pb.RegionLoad
	if asked := wire.Uints(m, 1); len(asked) == 0 || slices.Contains(asked, statusLiveServers) {
		v, err := s.view(ctx)
		if err == nil {
			loads, err = loadsOf(ctx, s.store, v.Tables())
		}
		if err != nil {
			return nil, err
		}
	}
	status := &pb.ClusterStatus{HbaseVersion: &pb.HBaseVersionFileContent{Version: proto.String(version)},
		LiveServers: []*pb.LiveServerInfo{{Server: s.name(), ServerLoad: serverLoad(loads)}},
		ClusterId:   &pb.ClusterId{ClusterId: &s.cluster}, Master: s.name(), BalancerOn: proto.Bool(s.switches.on(balancer))}
	status = wire.With(status, wire.Fields{}.Part(statusServerNames, s.name()))
	return &pb.GetClusterStatusResponse{ClusterStatus: status}, nil
}

func (s *server) procedureResult(_ context.Context, m *pb.GetProcedureResultRequest,
) (*pb.GetProcedureResultResponse, error) {
	state := pb.GetProcedureResultResponse_FINISHED
	if m.GetProcId() > s.procedures.last.Load() {
		state = pb.GetProcedureResultResponse_NOT_FOUND
	}
	return &pb.GetProcedureResultResponse{State: &state}, nil
}

func (s *server) securityCapabilities(context.Context, *pb.SecurityCapabilitiesRequest,
) (*pb.SecurityCapabilitiesResponse, error) {
	return &pb.SecurityCapabilitiesResponse{Capabilities: []pb.SecurityCapabilitiesResponse_Capability{
		pb.SecurityCapabilitiesResponse_SIMPLE_AUTHENTICATION}}, nil
}

func (s *server) tableDescriptors(ctx context.Context, m *pb.GetTableDescriptorsRequest,
) (*pb.GetTableDescriptorsResponse, error) {
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	if len(m.GetTableNames()) == 0 {
		all, err := listed{m.Regex, m.GetNamespace(), m.GetIncludeSysTables()}.schemas(v)
		return &pb.GetTableDescriptorsResponse{TableSchema: all}, err
	}
	var names []rowapi.TableName
	for _, name := range m.GetTableNames() {
		names = append(names, tables.NameOf(name))
	}
	return &pb.GetTableDescriptorsResponse{TableSchema: schemasOf(v, names)}, nil
}

func (s *server) tableNames(ctx context.Context, m *pb.GetTableNamesRequest) (*pb.GetTableNamesResponse, error) {
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	all, err := listed{m.Regex, m.GetNamespace(), m.GetIncludeSysTables()}.names(v)
	return &pb.GetTableNamesResponse{TableNames: all}, err
}

// inNamespace returns the list of a namespace's tables, and the view; or NamespaceNotFoundException.
func (s *server) inNamespace(ctx context.Context, name string) (listed, *tables.View, error) {
	v, err := s.view(ctx)
	if err == nil && !v.HasNamespace(name) {
		err = &rpc.Exception{Class: rpc.Prefix + "NamespaceNotFoundException", Message: name, DoNotRetry: true}
	}
	return listed{namespace: name, system: true}, v, err
}

func (s *server) descriptorsByNamespace(ctx context.Context, m *pb.ListTableDescriptorsByNamespaceRequest,
) (*pb.ListTableDescriptorsByNamespaceResponse, error) {
	l, v, err := s.inNamespace(ctx, m.GetNamespaceName())
	if err != nil {
		return nil, err
	}
	all, err := l.schemas(v)
	return &pb.ListTableDescriptorsByNamespaceResponse{TableSchema: all}, err
}

func (s *server) namesByNamespace(ctx context.Context, m *pb.ListTableNamesByNamespaceRequest,
) (*pb.ListTableNamesByNamespaceResponse, error) {
	l, v, err := s.inNamespace(ctx, m.GetNamespaceName())
	if err != nil {
		return nil, err
	}
	all, err := l.names(v)
	return &pb.ListTableNamesByNamespaceResponse{TableName: all}, err
}

// tableState answers a message of HBase 2, whose first field is the table.
func (s *server) tableState(ctx context.Context, m *pb.EmptyMsg) (proto.Message, error) {
	var name pb.TableName
	if _, err := wire.Part(m, 1, &name); err != nil {
		return nil, rpc.Refused(err.Error())
	}
	state := uint64(0)
	if n := tables.NameOf(&name); n != tables.Meta {
		t, err := s.table(ctx, n)
		if err != nil {
			return nil, err
		}
		state = t.State()
	}
	return wire.Fields{}.Bytes(1, wire.Fields{}.Uint(1, state)).Message(), nil
}

// table returns the table of a name.
func (s *server) table(ctx context.Context, name rowapi.TableName) (*tables.Table, error) {
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	return v.Table(name)
}

func (s *server) namespaceDescriptor(ctx context.Context, m *pb.GetNamespaceDescriptorRequest,
) (*pb.GetNamespaceDescriptorResponse, error) {
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	d, err := v.Namespace(m.GetNamespaceName())
	return &pb.GetNamespaceDescriptorResponse{NamespaceDescriptor: d}, err
}

func (s *server) namespaceDescriptors(ctx context.Context, _ *pb.ListNamespaceDescriptorsRequest,
) (*pb.ListNamespaceDescriptorsResponse, error) {
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	out := &pb.ListNamespaceDescriptorsResponse{}
	for _, name := range v.Namespaces() {
		d, err := v.Namespace(name)
		if err != nil {
			return nil, err
		}
		out.NamespaceDescriptor = append(out.NamespaceDescriptor, d)
	}
	return out, nil
}

// namespaces answers a message of HBase 2: only the names.
func (s *server) namespaces(ctx context.Context, _ *pb.EmptyMsg) (proto.Message, error) {
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	out := wire.Fields{}
	for _, name := range v.Namespaces() {
		out = out.Bytes(1, []byte(name))
	}
	return out.Message(), nil
}

func (s *server) alterStatus(ctx context.Context, m *pb.GetSchemaAlterStatusRequest,
) (*pb.GetSchemaAlterStatusResponse, error) {
	t, err := s.table(ctx, tables.NameOf(m.GetTableName()))
	if err != nil {
		return nil, err
	}
	return &pb.GetSchemaAlterStatusResponse{YetToUpdateRegions: proto.Uint32(0),
		TotalRegions: proto.Uint32(uint32(len(t.Regions)))}, nil
}

// quietMethods are the methods for work that is never done here, or that happens by itself: they answer that
// nothing was done, or that it has ended.
func quietMethods() map[string]method {
	done := on(func(context.Context, *pb.EmptyMsg) (*pb.EmptyMsg, error) { return &pb.EmptyMsg{}, nil })
	no := on(func(context.Context, *pb.EmptyMsg) (proto.Message, error) {
		return wire.Fields{}.Uint(1, 0).Message(), nil
	})
	out := map[string]method{
		"ListProcedures": done, "GetLocks": done, "MoveRegion": done, "AssignRegion": done, "ListDecommissionedRegionServers": done,
		"GetCompletedSnapshots": done, "ListReplicationPeers": done,
		"getLastMajorCompactionTimestamp": no, "getLastMajorCompactionTimestampForRegion": no,
	}
	for _, name := range []string{"Balance", "Normalize", "SetSplitOrMergeEnabled", "IsSplitOrMergeEnabled", "RunCatalogScan"} {
		out[name] = no
	}
	for what, names := range map[string][]string{
		"snapshots": {"Snapshot", "DeleteSnapshot", "RestoreSnapshot", "IsSnapshotDone", "IsRestoreSnapshotDone"},
		"quotas":    {"SetQuota", "GetQuotaStates", "GetSpaceQuotaRegionSizes"},
		"peers of replication": {"AddReplicationPeer", "RemoveReplicationPeer", "EnableReplicationPeer", "DisableReplicationPeer",
			"GetReplicationPeerConfig", "UpdateReplicationPeerConfig"},
		"stopping the server by HBase's protocol": {"Shutdown", "StopMaster"},
		"procedures of coprocessors":              {"ExecProcedureWithRet", "ExecMasterService"},
	} {
		for _, name := range names {
			out[name] = refusing(what)
		}
	}
	return out
}

// fieldSwitch is a switch's state, in the messages of all switches: as it will be, was or is.
const fieldSwitch = 1

func (s *server) switchMethods() map[string]method {
	out := map[string]method{}
	state := func(on bool) proto.Message { return wire.Fields{}.Uint(fieldSwitch, number(on)).Message() }
	for name, of := range switchNames {
		out[of.sets] = on(func(_ context.Context, m *pb.EmptyMsg) (proto.Message, error) {
			return state(s.switches.set(name, wire.Uint(m, fieldSwitch, 0) != 0)), nil
		})
		out[of.asks] = on(func(context.Context, *pb.EmptyMsg) (proto.Message, error) { return state(s.switches.on(name)), nil })
	}
	return out
}

func refusing(what string) method {
	return func(context.Context, *rpc.Request) (*rpc.Response, error) {
		return nil, rpc.Refused(fmt.Sprintf("java.lang.UnsupportedOperationException: %s are not supported by this server", what))
	}
}
