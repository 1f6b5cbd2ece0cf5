package hbase

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
)

var hbaseFlag = flag.String("hbase", "", "start runs one by hbase-local for the tests that need an HBase; HBASEKV_TEST_ZK is the quorum of one that runs")

var quorumOfTests string

func TestMain(m *testing.M) {
	flag.Parse()
	quorumOfTests = os.Getenv("HBASEKV_TEST_ZK")
	dir := ""
	if quorumOfTests == "" && *hbaseFlag == "start" {
		var err error
		if dir, err = os.MkdirTemp("", "hbasekv-test"); err != nil {
			panic(err)
		}
		out, err := localHBase("start", dir)
		if err != nil {
			panic(err)
		}
		quorumOfTests = strings.TrimSpace(out)
	}
	code := m.Run()
	if dir != "" {
		if _, err := localHBase("clean", dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	os.Exit(code)
}

func localHBase(args ...string) (string, error) {
	cmd := exec.Command("./hbase-local", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	return string(out), err
}

// openTest opens the HBase that tests run on, or skips the test.
func openTest(t testing.TB) *Store {
	t.Helper()
	if quorumOfTests == "" {
		t.Skip("no HBase: give -hbase=start, or its quorum in HBASEKV_TEST_ZK")
	}
	s, err := Open(context.Background(), Options{Quorum: strings.Split(quorumOfTests, ",")})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

var tableNumber atomic.Int64

// newName is a table's name that no other test has.
func newName() string {
	return fmt.Sprintf("t%d_%d", time.Now().UnixNano()%1e12, tableNumber.Add(1))
}

// familySchema describes a family as other programs do; attributes are names and
// values by turns.
func familySchema(name string, attributes ...string) *pb.ColumnFamilySchema {
	f := &pb.ColumnFamilySchema{Name: []byte(name)}
	for i := 0; i < len(attributes); i += 2 {
		f.Attributes = append(f.Attributes, &pb.BytesBytesPair{First: []byte(attributes[i]), Second: []byte(attributes[i+1])})
	}
	return f
}

// makeTable makes a table as other programs do.
func makeTable(t testing.TB, s *Store, name string, splits [][]byte, families ...*pb.ColumnFamilySchema) {
	t.Helper()
	ctx := context.Background()
	require.NoError(t, s.cluster.createTable(ctx, &pb.TableSchema{TableName: pbTable("default", name), ColumnFamilies: families}, splits))
	t.Cleanup(func() { _ = s.cluster.deleteTable(ctx, pbTable("default", name)) })
	require.NoError(t, s.refresh(ctx))
}

// putRaw writes cells as other programs do: name by family, qualifier and T.
func putRaw(t testing.TB, s *Store, table string, cells ...cell) {
	t.Helper()
	for i := range cells {
		c := &cells[i]
		m := &pb.MutationProto{Row: c.row, MutateType: pb.MutationProto_PUT.Enum(), ColumnValue: []*pb.MutationProto_ColumnValue{{
			Family: c.family, QualifierValue: []*pb.MutationProto_ColumnValue_QualifierValue{
				{Qualifier: c.qualifier, Value: c.value, Timestamp: proto.Uint64(uint64(c.timestamp))}}}}}
		require.NoError(t, s.cluster.onRegion(context.Background(), table, c.row, func(ctx context.Context, r *regionInfo) error {
			_, err := s.cluster.rpc.call(ctx, r.server, "Mutate", &pb.MutateRequest{Region: regionSpecifier(r.name), Mutation: m}, &pb.MutateResponse{})
			return err
		}))
	}
}

// onRegions calls the administration of each region's server.
func onRegions(t testing.TB, s *Store, table string, method string, request func(*regionInfo) proto.Message) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	w := newAdminWire(s)
	defer w.close()
	s.cluster.forget(table)
	regions, err := s.cluster.tableRegions(ctx, table)
	require.NoError(t, err)
	for _, r := range regions {
		_, err := w.call(ctx, r.server, method, request(r), &pb.CompactRegionResponse{})
		require.NoError(t, err)
	}
}

// flush writes the memory of a table's regions to files.
func flush(t testing.TB, s *Store, table string) {
	onRegions(t, s, table, "FlushRegion", func(r *regionInfo) proto.Message {
		m := &pb.ListNamespaceDescriptorsRequest{}
		field, err := messageField(1, regionSpecifier(r.name))
		require.NoError(t, err)
		setField(m, field)
		return m
	})
}

// compact rewrites the files of a table's regions, which takes some time more.
func compact(t testing.TB, s *Store, table string) {
	onRegions(t, s, table, "CompactRegion", func(r *regionInfo) proto.Message {
		return &pb.CompactRegionRequest{Region: regionSpecifier(r.name), Major: proto.Bool(true)}
	})
	time.Sleep(500 * time.Millisecond)
}

// moveAll has the master move a table's regions to any other server.
func moveAll(t testing.TB, s *Store, table string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s.cluster.forget(table)
	regions, err := s.cluster.tableRegions(ctx, table)
	require.NoError(t, err)
	for _, r := range regions {
		request := &pb.MoveRegionRequest{Region: &pb.RegionSpecifier{
			Type: pb.RegionSpecifier_ENCODED_REGION_NAME.Enum(), Value: []byte(r.encoded())}}
		require.NoError(t, s.cluster.onMaster(ctx, "MoveRegion", request, &pb.MoveRegionResponse{}, true))
	}
}

// newAdminWire speaks with region servers as an administrator.
func newAdminWire(s *Store) *wire {
	w := newWire(s.options.User, s.options.dialServer())
	w.kind = "AdminService"
	return w
}

// disable disables a table.
func disable(t testing.TB, s *Store, table string) {
	t.Helper()
	require.NoError(t, s.cluster.procedure(context.Background(), "DisableTable",
		&pb.DisableTableRequest{TableName: pbTable("default", table), NonceGroup: nonce(), Nonce: nonce()}))
}

// refreshed is the catalog as it is now.
func (s *Store) refreshed(t testing.TB) *kv.Catalog {
	t.Helper()
	require.NoError(t, s.refresh(context.Background()))
	return kvtest.Catalog(s)
}

// fillRaw writes n rows of one cell, many at a time.
func fillRaw(t testing.TB, s *Store, table string, n int, value []byte) {
	t.Helper()
	for from := 0; from < n; {
		var action *pb.RegionAction
		require.NoError(t, s.cluster.onRegion(context.Background(), table, fmt.Appendf(nil, "k%06d", from*10), func(ctx context.Context, r *regionInfo) error {
			action = &pb.RegionAction{Region: regionSpecifier(r.name)}
			for i := from; i < min(n, from+2000); i++ {
				row := fmt.Appendf(nil, "k%06d", i*10)
				if !r.contains(row) {
					break
				}
				m := newMutation(row, pb.MutationProto_PUT)
				addValue(m, &column{family: []byte("a"), qualifier: []byte("q")}, 1, value, nil)
				action.Action = append(action.Action, &pb.Action{Index: proto.Uint32(uint32(i - from)), Mutation: m})
			}
			_, err := s.cluster.rpc.call(ctx, r.server, "Multi", &pb.MultiRequest{RegionAction: []*pb.RegionAction{action}}, &pb.MultiResponse{})
			return err
		}))
		from += len(action.Action)
	}
}
