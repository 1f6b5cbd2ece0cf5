package guard

import (
	"context"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/tables"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/wire"
	"github.com/hbasekv/hbasekv/kv/rowapi"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// The rights that mutations need: those of the SQL statements that do the same. A Put replaces what has its
// timestamp, as INSERT ... ON DUPLICATE KEY UPDATE does; an Increment and an Append add to what they find,
// and return it.
const (
	toPut   = rights.Insert | rights.Update
	toAddTo = rights.Select | rights.Insert | rights.Update
)

// permission is what the client of a call may do.
type permission struct {
	*rights.Authority
	of   *Guards
	view *tables.View
}

// Permit refuses a call for which its client lacks the rights. Those for a batch and a mutation depend on
// their cells, and are checked when these are read.
func Permit(ctx context.Context, method string, m proto.Message) error {
	p, err := permissionOf(ctx)
	if err != nil || p == nil {
		return err
	}
	need, ok := p.of.needs[method]
	if !ok { // a method without an entry
		return p.Global(rights.Super)
	}
	return need(p, m)
}

// permissionOf returns nil if the client may do everything.
func permissionOf(ctx context.Context) (*permission, error) {
	c := ClientOf(ctx)
	authority, err := c.may(ctx)
	if err != nil || authority == nil {
		return nil, err
	}
	v, err := c.sees(ctx, authority)
	return &permission{authority, c.of, v}, err
}

// need checks the rights that a call needs.
type need func(*permission, proto.Message) error

// of makes a need for calls with one type of message.
func of[M proto.Message](ask func(*permission, M) error) need {
	return func(p *permission, m proto.Message) error { return ask(p, m.(M)) }
}

// nothing is the need of calls that reveal no table, or only those that the client may know of.
func nothing(*permission, proto.Message) error { return nil }

// needs are the needs of all methods.
func needs(quiet []string) map[string]need {
	out := map[string]need{
		"Get": of((*permission).get), "Scan": of((*permission).scan), "Mutate": nothing, "Multi": nothing,
		"FlushRegion": regional((*permission).flush), "CompactRegion": regional((*permission).compact),
		"SplitRegion": of((*permission).split), "MergeTableRegions": of((*permission).merge),
		"ExecProcedure": of((*permission).procedure), "CreateTable": of((*permission).create),
		"ModifyTable": of((*permission).modify), "AddColumn": of((*permission).addFamily),
		"ModifyColumn": of((*permission).modifyFamily), "DeleteColumn": of((*permission).deleteFamily),
		"DeleteTable": tabular[*pb.DeleteTableRequest](rights.Drop), "truncateTable": tabular[*pb.TruncateTableRequest](rights.Drop),
		"EnableTable": tabular[*pb.EnableTableRequest](rights.Alter), "DisableTable": tabular[*pb.DisableTableRequest](rights.Alter),
		"CreateNamespace": of(func(p *permission, m *pb.CreateNamespaceRequest) error {
			return p.namespace(rights.Create, string(m.GetNamespaceDescriptor().GetName()))
		}),
		"ModifyNamespace": of(func(p *permission, m *pb.ModifyNamespaceRequest) error {
			return p.namespace(rights.Alter, string(m.GetNamespaceDescriptor().GetName()))
		}),
		"DeleteNamespace": of(func(p *permission, m *pb.DeleteNamespaceRequest) error {
			return p.namespace(rights.Drop, m.GetNamespaceName())
		}),
	}
	for _, method := range []string{"GetRegionInfo", "GetOnlineRegion", "IsMasterRunning", "GetClusterStatus", "GetRegionLoad", "getProcedureResult",
		"getSecurityCapabilities", "GetTableDescriptors", "GetTableNames", "GetTableState", "ListTableDescriptorsByNamespace",
		"ListTableNamesByNamespace", "GetNamespaceDescriptor", "ListNamespaceDescriptors", "ListNamespaces", "GetSchemaAlterStatus",
		"IsProcedureDone", "GetClusterId", "GetConnectionRegistry", "GetActiveMaster", "GetMasters", "GetBootstrapNodes",
		"GetMetaRegionLocations", "IsBalancerEnabled", "IsNormalizerEnabled", "IsCatalogJanitorEnabled", "IsCleanerChoreEnabled"} {
		out[method] = nothing
	}
	for _, method := range []string{"SetBalancerRunning", "SetNormalizerRunning", "EnableCatalogJanitor", "SetCleanerChoreRunning"} {
		out[method] = of(func(p *permission, _ *pb.EmptyMsg) error { return p.Global(rights.Reload) })
	}
	for _, method := range quiet {
		out[method] = nothing // it does nothing
	}
	return out
}

// family checks the rights on a table's family, which may not exist.
func (p *permission) family(want rights.Privileges, t *tables.Table, family string) error {
	for _, f := range t.Families {
		if rowapi.FamilyOf(f) == family {
			return p.Table(want, f.Database, f.Name, f.Group)
		}
	}
	return p.Table(want, t.Database(), t.Name.Name+"$"+family, t.Name.Name)
}

// whole checks the rights on all families of a table.
func (p *permission) whole(want rights.Privileges, t *tables.Table) error {
	for _, f := range t.Families {
		if err := p.Table(want, f.Database, f.Name, f.Group); err != nil {
			return err
		}
	}
	return nil
}

// named checks the rights on a table by its name; if the client knows no such table, on what would have the
// name.
func (p *permission) named(want rights.Privileges, m *pb.TableName) error {
	name := tables.NameOf(m)
	if t, err := p.view.Table(name); err == nil {
		return p.whole(want, t)
	}
	return p.Table(want, p.of.database(name), name.Name, "")
}

func (p *permission) namespace(want rights.Privileges, name string) error {
	return p.Authority.Database(want, p.of.database(rowapi.TableName{Namespace: name}))
}

// database returns the database of a table.
func (g *Guards) database(name rowapi.TableName) string {
	return g.names.Database(name.Namespace)
}

// columns checks the right to read a region's families, all if none are named. A region that the client does
// not know of is left to the reader, and hbase:meta shows only what the client may know.
func (p *permission) columns(region *pb.RegionSpecifier, columns []*pb.Column) error {
	r, err := p.view.Region(region)
	if err != nil || tables.IsMeta(region) {
		return nil
	}
	return p.reads(r.Table, columns)
}

// reads checks the right to read families of a table, all if none are named.
func (p *permission) reads(t *tables.Table, columns []*pb.Column) error {
	if len(columns) == 0 {
		return p.whole(rights.Select, t)
	}
	for _, c := range columns {
		if err := p.family(rights.Select, t, string(c.GetFamily())); err != nil {
			return err
		}
	}
	return nil
}

func (p *permission) get(m *pb.GetRequest) error {
	return p.columns(m.GetRegion(), m.GetGet().GetColumn())
}

// scan checks the opening of a scanner; later calls are checked by its Reading.
func (p *permission) scan(m *pb.ScanRequest) error {
	if m.ScannerId != nil {
		return nil
	}
	return p.columns(m.GetRegion(), m.GetScan().GetColumn())
}

// Mutation refuses a mutation without the rights for it, and for its condition if it has one.
func Mutation(ctx context.Context, t *tables.Table, m rowapi.Mutation, c *pb.Condition) error {
	p, err := permissionOf(ctx)
	if err != nil || p == nil {
		return err
	}
	if err := p.condition(t, c); err != nil {
		return err
	}
	return p.mutation(t, m)
}

// condition checks the right to read what a condition reads; a filter reads all families.
func (p *permission) condition(t *tables.Table, c *pb.Condition) error {
	switch {
	case c == nil:
		return nil
	case len(c.GetFamily()) == 0:
		return p.whole(rights.Select, t)
	}
	return p.family(rights.Select, t, string(c.GetFamily()))
}

func (p *permission) mutation(t *tables.Table, m rowapi.Mutation) error {
	want, families := rights.Privileges(0), []string(nil)
	switch m := m.(type) {
	case *rowapi.Put:
		want, families = toPut, familiesOf(m.Cells)
	case *rowapi.Append:
		want, families = toAddTo, familiesOf(m.Cells)
	case *rowapi.Increment:
		want = toAddTo
		for _, d := range m.Deltas {
			families = append(families, d.Family)
		}
	case *rowapi.Delete:
		want = rights.Delete
		for _, d := range m.Parts {
			families = append(families, d.Family)
		}
	}
	if len(families) == 0 {
		return p.whole(want, t)
	}
	for _, f := range families {
		if err := p.family(want, t, f); err != nil {
			return err
		}
	}
	return nil
}

func familiesOf(cells []rowapi.Cell) (out []string) {
	for _, c := range cells {
		if n := len(out); n == 0 || out[n-1] != c.Family {
			out = append(out, c.Family)
		}
	}
	return out
}

// Action is one action of a batch: a mutation, or a Get if that is nil. Err is set if it must not be done.
type Action struct {
	Mutation rowapi.Mutation
	Get      *pb.Get
	Err      *error
}

// Batch sets the Err of each action for which the client lacks the rights, unless it is set, and refuses all
// if the client may not read what their condition reads.
func Batch(ctx context.Context, region *pb.RegionSpecifier, t *tables.Table, c *pb.Condition, actions []Action) error {
	p, err := permissionOf(ctx)
	if err != nil || p == nil {
		return err
	}
	if err := p.condition(t, c); err != nil {
		return err
	}
	for _, a := range actions {
		switch {
		case *a.Err != nil:
		case a.Mutation != nil:
			*a.Err = p.mutation(t, a.Mutation)
		default:
			*a.Err = p.columns(region, a.Get.GetColumn())
		}
	}
	return nil
}

// regional is the need of a call about one region, with a message of HBase 2 or HBase 1.
func regional(ask func(*permission, *tables.Table) error) need {
	return func(p *permission, m proto.Message) error {
		of, ok := m.(interface{ GetRegion() *pb.RegionSpecifier })
		specifier := &pb.RegionSpecifier{}
		if ok {
			specifier = of.GetRegion()
		} else if _, err := wire.Part(m, 1, specifier); err != nil {
			return rpc.Refused(err.Error())
		}
		r, err := p.view.Region(specifier)
		if err != nil {
			return nil // the method reports what is wrong
		}
		return ask(p, r.Table)
	}
}

// flush needs the rights of FLUSH TABLES t.
func (p *permission) flush(t *tables.Table) error {
	if err := p.Global(rights.Reload); err != nil {
		return err
	}
	return p.whole(rights.Select, t)
}

// compact needs the rights of OPTIMIZE TABLE t.
func (p *permission) compact(t *tables.Table) error { return p.whole(rights.Select|rights.Insert, t) }

// procedure is the flush of a table that is given by its name.
func (p *permission) procedure(m *pb.ExecProcedureRequest) error {
	name, err := rowapi.ParseTableName(m.GetProcedure().GetInstance())
	if err != nil {
		return nil // the method reports what is wrong
	}
	if t, err := p.view.Table(name); err == nil {
		return p.flush(t)
	}
	return p.Global(rights.Reload)
}
