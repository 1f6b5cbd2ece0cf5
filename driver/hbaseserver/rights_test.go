package hbaseserver_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/hbaseserver"
	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// prober is a client of an account, with each protocol.
type prober struct {
	*served
	rows, master, admin *rawClient
	sql                 *sqlfront.Session
}

const (
	familyOfT = " (K varbinary(64), Q varbinary(64), T bigint, V varbinary(255), PRIMARY KEY (K, Q, T)) MAX_VERSIONS = 5"
	upsert    = "INSERT INTO t$f VALUES ('a', 'q', 1, 'x') ON DUPLICATE KEY UPDATE V = "
)

func newProber(t *testing.T) *prober {
	s := serve(t, ":memory:", hbaseserver.Options{})
	s.exec("CREATE USER probe@localhost", "CREATE DATABASE old")
	p := &prober{served: s, rows: s.rawAs("probe", "ClientService"), master: s.rawAs("probe", "MasterService"),
		admin: s.rawAs("probe", "AdminService")}
	sessions, err := driver.SessionsOf(s.ctx, s.db)
	require.NoError(t, err)
	source, err := sessions.Accounts()
	require.NoError(t, err)
	accounts, err := source.Accounts(s.ctx)
	require.NoError(t, err)
	name := rights.Name{User: "probe", Host: "localhost"}
	o := sessions.Options()
	o.Database, o.Accounts = "", source
	o.Account = sqlfront.Account{Name: name, ID: accounts.Get(name).ID, User: "probe", Host: "localhost"}
	p.sql, err = sessions.Open(s.ctx, o)
	require.NoError(t, err)
	t.Cleanup(func() { p.sql.Close() })
	return p
}

// reset restores the state before each trial, and gives the account only these rights.
func (p *prober) reset(on string, privileges []string) {
	p.t.Helper()
	for _, each := range []string{"DROP TABLEGROUP IF EXISTS n", "DROP TABLE IF EXISTS n$f", "DROP TABLE IF EXISTS t$g",
		"DROP TABLE IF EXISTS t$f", "DROP DATABASE IF EXISTS fresh"} {
		_, _ = p.db.Exec(each)
	}
	p.exec("CREATE TABLE t$f"+familyOfT, "CREATE DATABASE IF NOT EXISTS old",
		"REVOKE ALL PRIVILEGES, GRANT OPTION FROM probe@localhost")
	if len(privileges) > 0 {
		p.exec("GRANT " + strings.Join(privileges, ", ") + " ON " + on + " TO probe@localhost")
	}
}

// sqlMay reports whether a statement of the account is not refused for missing rights.
func (p *prober) sqlMay(text string) bool {
	p.t.Helper()
	statement, err := p.sql.Prepare(p.ctx, text)
	require.NoError(p.t, err, text)
	rows, err := p.sql.Query(p.ctx, statement, nil)
	if err == nil && rows != nil {
		for err == nil {
			_, err = rows.Next()
		}
		err = rows.Close()
	}
	var refused *mysql.MySQLError
	return !errors.As(err, &refused) || !slices.Contains([]uint16{1142, 1143, 1044, 1227, 1045}, refused.Number)
}

// region is the region of t, as root sees it.
func (p *prober) region() *pb.RegionSpecifier {
	p.t.Helper()
	return named(p.rawAs("root", "ClientService").regions("t")[0])
}

func mutation(kind pb.MutationProto_MutationType, value string) *pb.MutationProto {
	return &pb.MutationProto{Row: []byte("a"), MutateType: kind.Enum(), ColumnValue: []*pb.MutationProto_ColumnValue{
		{Family: []byte("f"), QualifierValue: []*pb.MutationProto_ColumnValue_QualifierValue{
			{Qualifier: []byte("q"), Value: []byte(value), DeleteType: pb.MutationProto_DELETE_ONE_VERSION.Enum()}}}}}
}

func (p *prober) mutate(m *pb.MutationProto, c *pb.Condition) string {
	return p.rows.call("Mutate", &pb.MutateRequest{Region: p.region(), Mutation: m, Condition: c}, &pb.MutateResponse{})
}

// batch returns the first exception of a Multi.
func (p *prober) batch(atomic bool, actions ...*pb.Action) string {
	answer := &pb.MultiResponse{}
	region := &pb.RegionAction{Region: p.region(), Atomic: &atomic}
	for i, a := range actions {
		a.Index = proto.Uint32(uint32(i + 1))
		region.Action = append(region.Action, a)
	}
	if class := p.rows.call("Multi", &pb.MultiRequest{RegionAction: []*pb.RegionAction{region}}, answer); class != "" {
		return class
	}
	class := func(e *pb.NameBytesPair) string { return strings.TrimPrefix(e.GetName(), "org.apache.hadoop.hbase.") }
	for _, r := range answer.GetRegionActionResult() {
		if r.Exception != nil {
			return class(r.GetException())
		}
		for _, each := range r.GetResultOrException() {
			if each.Exception != nil {
				return class(each.GetException())
			}
		}
	}
	return ""
}

func tableName(name string) *pb.TableName {
	return &pb.TableName{Namespace: []byte("default"), Qualifier: []byte(name)}
}

func familySchema(name, versions string) *pb.ColumnFamilySchema {
	return &pb.ColumnFamilySchema{Name: []byte(name), Attributes: []*pb.BytesBytesPair{
		{First: []byte("VERSIONS"), Second: []byte(versions)}}}
}

func schema(name string, families ...*pb.ColumnFamilySchema) *pb.TableSchema {
	return &pb.TableSchema{TableName: tableName(name), ColumnFamilies: families}
}

var absent = &pb.Condition{Row: []byte("a"), Family: []byte("f"), Qualifier: []byte("q"),
	CompareType: pb.CompareType_EQUAL.Enum(), Comparator: &pb.Comparator{
		Name: proto.String("org.apache.hadoop.hbase.filter.NullComparator")}}

// operation is one of HBase's operations, the rights that it needs, and an equivalent SQL statement.
type operation struct {
	name, on, takes, like string
	before                string // by root
	call                  func(*prober) string
}

func ddl(method string, m func() proto.Message) func(*prober) string {
	return func(p *prober) string { return p.master.call(method, m(), &pb.EmptyMsg{}) }
}

var operations = []operation{
	{"Get", "t", "SELECT", "SELECT * FROM t$f", "", func(p *prober) string {
		return p.rows.call("Get", &pb.GetRequest{Region: p.region(), Get: &pb.Get{Row: []byte("a")}}, &pb.GetResponse{})
	}},
	{"Scan", "t", "SELECT", "SELECT * FROM t$f", "", func(p *prober) string {
		return p.rows.call("Scan", &pb.ScanRequest{Region: p.region(), Scan: &pb.Scan{}}, &pb.ScanResponse{})
	}},
	{"Put", "t", "INSERT, UPDATE", upsert + "'y'", "", func(p *prober) string {
		return p.mutate(mutation(pb.MutationProto_PUT, "v"), nil)
	}},
	{"Increment", "t", "SELECT, INSERT, UPDATE", upsert + "CONCAT(V, 'y')", "", func(p *prober) string {
		return p.mutate(mutation(pb.MutationProto_INCREMENT, "\x00\x00\x00\x00\x00\x00\x00\x01"), nil)
	}},
	{"Append", "t", "SELECT, INSERT, UPDATE", upsert + "CONCAT(V, 'y')", "", func(p *prober) string {
		return p.mutate(mutation(pb.MutationProto_APPEND, "v"), nil)
	}},
	{"Delete", "t", "DELETE", "DELETE FROM t$f", "", func(p *prober) string {
		return p.mutate(mutation(pb.MutationProto_DELETE, ""), nil)
	}},
	{"Delete of a row", "t", "DELETE", "DELETE FROM t$f", "", func(p *prober) string {
		return p.mutate(&pb.MutationProto{Row: []byte("a"), MutateType: pb.MutationProto_DELETE.Enum()}, nil)
	}},
	{"CheckAndPut", "t", "SELECT, INSERT, UPDATE", upsert + "CONCAT(V, 'y')", "", func(p *prober) string {
		return p.mutate(mutation(pb.MutationProto_PUT, "v"), absent)
	}},
	{"batch of a Put and a Get", "t", "SELECT, INSERT, UPDATE", upsert + "CONCAT(V, 'y')", "", func(p *prober) string {
		return p.batch(false, &pb.Action{Mutation: mutation(pb.MutationProto_PUT, "v")}, &pb.Action{Get: &pb.Get{Row: []byte("a")}})
	}},
	{"RowMutations", "t", "INSERT, UPDATE, DELETE", "", "", func(p *prober) string {
		return p.batch(true, &pb.Action{Mutation: mutation(pb.MutationProto_PUT, "v")},
			&pb.Action{Mutation: mutation(pb.MutationProto_DELETE, "")})
	}},
	{"CreateTable", "*.*", "CREATE", "CREATE TABLE n$f" + familyOfT, "", ddl("CreateTable", func() proto.Message {
		return &pb.CreateTableRequest{TableSchema: schema("n", familySchema("f", "1"))}
	})},
	{"DeleteTable", "t", "DROP", "DROP TABLE t$f", "disable", ddl("DeleteTable", func() proto.Message {
		return &pb.DeleteTableRequest{TableName: tableName("t")}
	})},
	{"truncateTable", "t", "DROP", "TRUNCATE TABLE t$f", "disable", ddl("truncateTable", func() proto.Message {
		return &pb.TruncateTableRequest{TableName: tableName("t")}
	})},
	{"DisableTable", "t", "ALTER", "ALTER TABLE t$f COMMENT = 'x'", "", ddl("DisableTable", func() proto.Message {
		return &pb.DisableTableRequest{TableName: tableName("t")}
	})},
	{"EnableTable", "t", "ALTER", "ALTER TABLE t$f COMMENT = 'x'", "disable", ddl("EnableTable", func() proto.Message {
		return &pb.EnableTableRequest{TableName: tableName("t")}
	})},
	{"AddColumn", "t", "CREATE", "CREATE TABLE t$g" + familyOfT, "", ddl("AddColumn", func() proto.Message {
		return &pb.AddColumnRequest{TableName: tableName("t"), ColumnFamilies: familySchema("g", "1")}
	})},
	{"DeleteColumn", "t", "DROP", "DROP TABLE t$g", "CREATE TABLE t$g" + familyOfT, ddl("DeleteColumn", func() proto.Message {
		return &pb.DeleteColumnRequest{TableName: tableName("t"), ColumnName: []byte("g")}
	})},
	{"ModifyColumn to keep more", "t", "ALTER", "ALTER TABLE t$f MAX_VERSIONS = 9", "", ddl("ModifyColumn", func() proto.Message {
		return &pb.ModifyColumnRequest{TableName: tableName("t"), ColumnFamilies: familySchema("f", "9")}
	})},
	{"ModifyColumn to keep less", "t", "DROP, ALTER", "ALTER TABLE t$f MAX_VERSIONS = 2", "", ddl("ModifyColumn",
		func() proto.Message {
			return &pb.ModifyColumnRequest{TableName: tableName("t"), ColumnFamilies: familySchema("f", "2")}
		})},
	{"ModifyTable", "t", "CREATE, ALTER", "", "", ddl("ModifyTable", func() proto.Message {
		return &pb.ModifyTableRequest{TableName: tableName("t"), TableSchema: schema("t", familySchema("f", "5"), familySchema("g", "1"))}
	})},
	{"ModifyTable without a family", "t", "DROP, ALTER", "", "CREATE TABLE t$g" + familyOfT, ddl("ModifyTable",
		func() proto.Message {
			return &pb.ModifyTableRequest{TableName: tableName("t"), TableSchema: schema("t", familySchema("f", "5"))}
		})},
	{"CreateNamespace", "*.*", "CREATE", "CREATE DATABASE fresh", "", ddl("CreateNamespace", func() proto.Message {
		return &pb.CreateNamespaceRequest{NamespaceDescriptor: &pb.NamespaceDescriptor{Name: []byte("fresh")}}
	})},
	{"ModifyNamespace", "*.*", "ALTER", "ALTER DATABASE old CHARACTER SET utf8mb4", "", ddl("ModifyNamespace", func() proto.Message {
		return &pb.ModifyNamespaceRequest{NamespaceDescriptor: &pb.NamespaceDescriptor{Name: []byte("old")}}
	})},
	{"DeleteNamespace", "*.*", "DROP", "DROP DATABASE old", "", ddl("DeleteNamespace", func() proto.Message {
		return &pb.DeleteNamespaceRequest{NamespaceName: proto.String("old")}
	})},
	{"flush of a table", "*.*", "SELECT, RELOAD", "FLUSH TABLES t$f", "", ddl("ExecProcedure", func() proto.Message {
		return &pb.ExecProcedureRequest{Procedure: &pb.ProcedureDescription{Signature: proto.String("flush-table-proc"),
			Instance: proto.String("t")}}
	})},
	{"SplitRegion", "t", "ALTER", "", "", func(p *prober) string {
		region := &pb.RegionInfo{RegionId: proto.Uint64(1), TableName: tableName("t")}
		return p.master.call("SplitRegion", withField(withField(&pb.EmptyMsg{}, 1, marshal(p.t, region)), 2, []byte("m")), &pb.EmptyMsg{})
	}},
	{"MergeTableRegions", "t", "ALTER", "", "ALTER TABLE t$f PARTITION BY RANGE COLUMNS(K) (PARTITION a VALUES LESS THAN ('m'), " +
		"PARTITION b VALUES LESS THAN (MAXVALUE))",
		func(p *prober) string {
			m := &pb.EmptyMsg{}
			for _, region := range p.rawAs("root", "ClientService").regions("t") {
				m = withField(m, 1, marshal(p.t, named(region)))
			}
			return p.master.call("MergeTableRegions", m, &pb.EmptyMsg{})
		}},
	{"CompactRegion", "t", "SELECT, INSERT", "OPTIMIZE TABLE t$f", "", func(p *prober) string {
		return p.admin.call("CompactRegion", &pb.CompactRegionRequest{Region: p.region()}, &pb.CompactRegionResponse{})
	}},
}

// TestRights does each operation with each single right, with all that it needs, and with all but one of
// these. The equivalent SQL statement is refused and done with the same rights.
func TestRights(t *testing.T) {
	alone := []string{"SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "ALTER", "INDEX"}
	for _, o := range operations {
		t.Run(o.name, func(t *testing.T) {
			p := newProber(t)
			takes := strings.Split(o.takes, ", ")
			trials := [][]string{nil, takes}
			for _, each := range alone {
				trials = append(trials, []string{each})
			}
			for i := range takes {
				trials = append(trials, slices.Delete(slices.Clone(takes), i, i+1))
			}
			for _, granted := range trials {
				p.trial(t, o, granted, !slices.ContainsFunc(takes, func(each string) bool { return !slices.Contains(granted, each) }))
			}
		})
	}
}

// denials are the exceptions for a client that may not do something, or may not know of the table.
var denials = []string{"security.AccessDeniedException", "NotServingRegionException", "TableNotFoundException"}

func (p *prober) trial(t *testing.T, o operation, granted []string, may bool) {
	t.Helper()
	on := o.on
	if on != "*.*" {
		on = "`default`." + on
	}
	prepare := func() {
		p.reset(on, granted)
		if o.before != "" && o.before != "disable" {
			p.exec(o.before)
		}
	}
	prepare()
	if o.before == "disable" {
		require.Empty(t, p.rawAs("root", "MasterService").call("DisableTable", &pb.DisableTableRequest{TableName: tableName("t")},
			&pb.EmptyMsg{}))
	}
	class := o.call(p)
	if may {
		require.Empty(t, class, "%s with %v", o.name, granted)
	} else {
		require.Contains(t, denials, class, "%s with %v", o.name, granted)
	}
	if o.like != "" {
		prepare()
		like := strings.ReplaceAll(o.like, " t$", " `default`.t$")
		like = strings.ReplaceAll(like, " n$", " `default`.n$")
		require.Equal(t, may, p.sqlMay(like), "%s with %v", like, granted)
	}
}

// TestHidden: a client sees only the tables on which it has some right, in hbase:meta and from a master.
func TestHidden(t *testing.T) {
	p := newProber(t)
	p.exec("CREATE TABLE t$f"+familyOfT, "CREATE TABLE other$f"+familyOfT, "CREATE TABLE old.u$f"+familyOfT)
	names := func() (out []string) {
		answer := &pb.GetTableNamesResponse{}
		require.Empty(t, p.master.call("GetTableNames", &pb.GetTableNamesRequest{}, answer))
		for _, n := range answer.GetTableNames() {
			out = append(out, string(n.GetNamespace())+":"+string(n.GetQualifier()))
		}
		return out
	}
	require.Empty(t, names())
	require.Empty(t, p.rows.regions("t"))
	p.exec("GRANT INSERT ON `default`.t TO probe@localhost")
	require.Equal(t, []string{"default:t"}, names())
	require.Len(t, p.rows.regions("t"), 1)
	require.Empty(t, p.rows.regions("other"))
	p.exec("GRANT SELECT ON *.* TO probe@localhost")
	require.Equal(t, []string{"old:u", "default:other", "default:t"}, names())
	p.exec("REVOKE ALL PRIVILEGES, GRANT OPTION FROM probe@localhost")
	require.Empty(t, names())
	p.exec("DROP USER probe@localhost")
	require.Equal(t, "security.AccessDeniedException",
		p.master.call("CreateTable", &pb.CreateTableRequest{TableSchema: schema("n", familySchema("f", "1"))}, &pb.EmptyMsg{}))
}
