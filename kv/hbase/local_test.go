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

var long = flag.Bool("long", false, "have more faults, and run what takes long")

// The HBase of the tests: its quorum, and further parameters of the data source name, as for a secured one.
var quorumOfTests, parametersOfTests string

func TestMain(m *testing.M) {
	flag.Parse()
	quorumOfTests, parametersOfTests = os.Getenv("HBASEKV_TEST_ZK"), os.Getenv("HBASEKV_TEST_PARAMETERS")
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

// openTest opens the HBase of the tests, or skips the test.
func openTest(t testing.TB) *Store {
	t.Helper()
	if quorumOfTests == "" {
		t.Skip("no HBase: give -hbase=start, or its quorum in HBASEKV_TEST_ZK")
	}
	s, err := openURI(context.Background(), uriOfTests("", ""))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s.(*Store)
}

// uriOfTests returns the data source name of the HBase of the tests, with further parameters after a question
// mark.
func uriOfTests(path, parameters string) string {
	if parametersOfTests != "" {
		parameters += map[bool]string{true: "?", false: "&"}[parameters == ""] + parametersOfTests
	}
	return "hbase://" + quorumOfTests + "/" + path + parameters
}

var tableNumber atomic.Int64

// newName returns a table name that no other test has.
func newName() string {
	return fmt.Sprintf("t%d_%d", time.Now().UnixNano()%1e12, tableNumber.Add(1))
}

// familySchema describes a family like other programs do; attributes are alternating names and values.
func familySchema(name string, attributes ...string) *pb.ColumnFamilySchema {
	f := &pb.ColumnFamilySchema{Name: []byte(name)}
	for i := 0; i < len(attributes); i += 2 {
		f.Attributes = append(f.Attributes, &pb.BytesBytesPair{First: []byte(attributes[i]), Second: []byte(attributes[i+1])})
	}
	return f
}

// makeTable makes a table like other programs do.
func makeTable(t testing.TB, s *Store, name string, splits [][]byte, families ...*pb.ColumnFamilySchema) {
	t.Helper()
	ctx := context.Background()
	require.NoError(t, s.cluster.createTable(ctx, &pb.TableSchema{TableName: pbTable("default", name), ColumnFamilies: families}, splits))
	t.Cleanup(func() { _ = s.cluster.deleteTable(ctx, pbTable("default", name)) })
	require.NoError(t, s.refresh(ctx))
}

// putRaw writes cells like other programs do, by family, qualifier and T.
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

// flush writes the memory of a table's regions to files.
func flush(t testing.TB, s *Store, table string) {
	t.Helper()
	require.NoError(t, s.FlushTable(context.Background(), "default", table))
}

// compact rewrites the files of a table's regions.
func compact(t testing.TB, s *Store, table string) {
	t.Helper()
	require.NoError(t, s.CompactTable(context.Background(), "default", table))
}

// moveAll makes the master move a table's regions to any other server.
func moveAll(t testing.TB, s *Store, table string) {
	t.Helper()
	require.NoError(t, s.MoveRegions(context.Background(), "default", table))
}

// disable disables a table.
func disable(t testing.TB, s *Store, table string) {
	t.Helper()
	require.NoError(t, s.cluster.procedure(context.Background(), "DisableTable",
		&pb.DisableTableRequest{TableName: pbTable("default", table), NonceGroup: nonce(), Nonce: nonce()}))
}

// refreshed returns the present catalog.
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
		require.NoError(t, s.cluster.onRegion(context.Background(), table, fmt.Appendf(nil, "k%07d", from*10), func(ctx context.Context, r *regionInfo) error {
			action = &pb.RegionAction{Region: regionSpecifier(r.name)}
			for i := from; i < min(n, from+2000); i++ {
				row := fmt.Appendf(nil, "k%07d", i*10)
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
