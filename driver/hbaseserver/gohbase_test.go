package hbaseserver_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/filter"
	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/driver/hbaseserver"
)

// TestPutAndGet writes with gohbase and with SQL; each sees the other's writes.
func TestPutAndGet(t *testing.T) {
	for _, options := range [][]gohbase.Option{nil, {gohbase.CompressionCodec("snappy")}} {
		s := serve(t, ":memory:", hbaseserver.Options{})
		s.create("users", "info", "more")
		c := s.client(options...)
		put := must[*hrpc.Mutate](t)(hrpc.NewPutStr(s.ctx, "users", "ann", map[string]map[string][]byte{
			"info": {"age": []byte("7"), "empty": {}, "": []byte("no name")}, "more": {"b": {0, 1, 0xff}}}, hrpc.TimestampUint64(5)))
		_, err := c.Put(put)
		require.NoError(t, err)
		require.Equal(t, []string{"-no name@5", "age-7@5", "empty-@5"}, s.texts("SELECT CONCAT(Q, '-', V, '@', T) FROM users$info WHERE K = 'ann'"))
		_, err = s.db.Exec("INSERT INTO users$info VALUES ('bob', 'age', 9, '8')")
		require.NoError(t, err)

		require.Equal(t, []string{"bob/info:age/9/8"}, cellsOf(t, c, s.get("users", "bob")))
		require.Equal(t, []string{"ann/info:/5/no name", "ann/info:age/5/7", "ann/info:empty/5/", "ann/more:b/5/\x00\x01\xff"},
			cellsOf(t, c, s.get("users", "ann")))
		require.Empty(t, cellsOf(t, c, s.get("users", "nobody")))
		require.Equal(t, []string{"ann/info:age/5/7"},
			cellsOf(t, c, s.get("users", "ann", hrpc.Families(map[string][]string{"info": {"age", "missing"}}))))
		exists := must[*hrpc.Result](t)(c.Get(s.get("users", "ann", hrpc.Families(map[string][]string{"info": nil}))))
		require.Len(t, exists.Cells, 3)
	}
}

func (s *served) get(table, row string, options ...func(hrpc.Call) error) *hrpc.Get {
	s.t.Helper()
	return must[*hrpc.Get](s.t)(hrpc.NewGetStr(s.ctx, table, row, options...))
}

func cellsOf(t testing.TB, c gohbase.Client, g *hrpc.Get) []string {
	t.Helper()
	return texts(must[*hrpc.Result](t)(c.Get(g)))
}

func texts(r *hrpc.Result) (out []string) {
	for _, c := range r.Cells {
		out = append(out, fmt.Sprintf("%s/%s:%s/%d/%s", c.Row, c.Family, c.Qualifier, *c.Timestamp, c.Value))
	}
	return out
}

// scanned returns the rows of a scan, each as its cells.
func (s *served) scanned(c gohbase.Client, table, start, stop string, options ...func(hrpc.Call) error) (out [][]string) {
	s.t.Helper()
	scan := must[*hrpc.Scan](s.t)(hrpc.NewScanRangeStr(s.ctx, table, start, stop, options...))
	rows := c.Scan(scan)
	defer rows.Close()
	for {
		r, err := rows.Next()
		if err == io.EOF {
			return out
		}
		require.NoError(s.t, err)
		out = append(out, texts(r))
	}
}

// TestScan reads forward and in reverse, over several regions, in parts and with filters.
func TestScan(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{})
	require.NoError(t, s.admin().CreateTable(hrpc.NewCreateTable(s.ctx, []byte("t"), map[string]map[string]string{"f": nil, "g": nil},
		hrpc.SplitKeys([][]byte{[]byte("r3"), []byte("r6")}))))
	c := s.client()
	var all [][]string
	for i := range 9 {
		row := fmt.Sprintf("r%d", i)
		put := must[*hrpc.Mutate](t)(hrpc.NewPutStr(s.ctx, "t", row, map[string]map[string][]byte{
			"f": {"a": []byte("1"), "b": []byte("2")}, "g": {"a": []byte(row)}}, hrpc.TimestampUint64(1)))
		_, err := c.Put(put)
		require.NoError(t, err)
		all = append(all, []string{row + "/f:a/1/1", row + "/f:b/1/2", row + "/g:a/1/" + row})
	}
	require.Equal(t, []string{"p0 r3", "p1 r6", "p2 MAXVALUE"}, s.texts(`SELECT CONCAT(PARTITION_NAME, ' ',
		REPLACE(PARTITION_DESCRIPTION, "'", '')) FROM information_schema.PARTITIONS WHERE TABLE_NAME = 't$f'`))

	require.Equal(t, all, s.scanned(c, "t", "", ""))
	require.Equal(t, all, s.scanned(c, "t", "", "", hrpc.NumberOfRows(1)))
	require.Equal(t, all, s.scanned(c, "t", "", "", hrpc.MaxResultSize(1)))
	require.Equal(t, all[2:7], s.scanned(c, "t", "r2", "r7"))
	require.Equal(t, [][]string{{"r4/g:a/1/r4"}}, s.scanned(c, "t", "r4", "r5", hrpc.Families(map[string][]string{"g": nil})))
	require.Equal(t, reversed(all), s.scanned(c, "t", "s", "", hrpc.Reversed())) // gohbase begins at the first region
	require.Equal(t, reversed(all[3:7]), s.scanned(c, "t", "r6", "r2", hrpc.Reversed(), hrpc.NumberOfRows(2)))
	require.Equal(t, all[5:6], s.scanned(c, "t", "", "", hrpc.Filters(filter.NewPrefixFilter([]byte("r5")))))
	list := filter.NewList(filter.MustPassOne, filter.NewPrefixFilter([]byte("r1")),
		filter.NewRowFilter(filter.NewCompareFilter(filter.Greater, filter.NewBinaryComparator(filter.NewByteArrayComparable([]byte("r7"))))))
	require.Equal(t, [][]string{all[1], all[8]}, s.scanned(c, "t", "", "", hrpc.Filters(list)))
	// The filter restarts in each region, as in HBase.
	require.Len(t, s.scanned(c, "t", "", "", hrpc.Filters(filter.NewPageFilter(2))), 6)
}

func reversed[T any](in []T) []T {
	out := make([]T, 0, len(in))
	for i := range in {
		out = append(out, in[len(in)-1-i])
	}
	return out
}

// TestMutations deletes, increments, appends and writes conditionally.
func TestMutations(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{})
	s.create("t", "f")
	c := s.client()
	increment := func(amount int64) int64 {
		t.Helper()
		return must[int64](t)(c.Increment(must[*hrpc.Mutate](t)(hrpc.NewIncStrSingle(s.ctx, "t", "n", "f", "count", amount))))
	}
	require.EqualValues(t, 5, increment(5))
	require.EqualValues(t, 3, increment(-2))
	appended := must[*hrpc.Result](t)(c.Append(must[*hrpc.Mutate](t)(hrpc.NewAppStr(s.ctx, "t", "a", values("f", "q", "ab")))))
	require.Equal(t, "ab", string(appended.Cells[0].Value))
	appended = must[*hrpc.Result](t)(c.Append(must[*hrpc.Mutate](t)(hrpc.NewAppStr(s.ctx, "t", "a", values("f", "q", "c")))))
	require.Equal(t, "abc", string(appended.Cells[0].Value))

	check := func(expected, value string) bool {
		t.Helper()
		put := must[*hrpc.Mutate](t)(hrpc.NewPutStr(s.ctx, "t", "c", values("f", "q", value)))
		return must[bool](t)(c.CheckAndPut(put, "f", "q", []byte(expected)))
	}
	require.True(t, check("", "1"))
	require.False(t, check("", "2"))
	require.True(t, check("1", "3"))
	require.Equal(t, []string{"3"}, s.texts("SELECT V FROM t$f WHERE K = 'c'"))

	for T, value := range map[uint64]string{10: "x", 20: "y", 30: "z"} {
		_, err := c.Put(must[*hrpc.Mutate](t)(hrpc.NewPutStr(s.ctx, "t", "d", values("f", "q", value), hrpc.TimestampUint64(T))))
		require.NoError(t, err)
	}
	_, err := c.Delete(must[*hrpc.Mutate](t)(hrpc.NewDelStr(s.ctx, "t", "d", values("f", "q", ""), hrpc.TimestampUint64(20))))
	require.NoError(t, err)
	require.Equal(t, []string{"d/f:q/30/z"}, cellsOf(t, c, s.get("t", "d", hrpc.MaxVersions(9))))
	_, err = c.Delete(must[*hrpc.Mutate](t)(hrpc.NewDelStr(s.ctx, "t", "d", nil)))
	require.NoError(t, err)
	require.Empty(t, cellsOf(t, c, s.get("t", "d")))
}

// TestCounters increments one cell from many goroutines, and loses no increment.
func TestCounters(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{})
	s.create("t", "f")
	c := s.client()
	const workers, each = 8, 25
	seen := sync.Map{}
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for range each {
				inc, err := hrpc.NewIncStrSingle(s.ctx, "t", "n", "f", "q", 1)
				if err == nil {
					var n int64
					n, err = c.Increment(inc)
					_, twice := seen.LoadOrStore(n, true)
					if twice {
						err = fmt.Errorf("%d was given twice", n)
					}
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
	got := must[*hrpc.Result](t)(c.Get(s.get("t", "n")))
	require.EqualValues(t, workers*each, binary.BigEndian.Uint64(got.Cells[0].Value))
}

// TestBatch returns an answer for each action, whatever the others' outcome.
func TestBatch(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{})
	require.NoError(t, s.admin().CreateTable(hrpc.NewCreateTable(s.ctx, []byte("t"), map[string]map[string]string{"f": nil},
		hrpc.SplitKeys([][]byte{[]byte("m")}))))
	c := s.client()
	calls := []hrpc.Call{
		must[*hrpc.Mutate](t)(hrpc.NewPutStr(s.ctx, "t", "a", values("f", "q", "1"))),
		must[*hrpc.Mutate](t)(hrpc.NewPutStr(s.ctx, "t", "b", values("unknown", "q", "2"))),
		must[*hrpc.Mutate](t)(hrpc.NewPutStr(s.ctx, "t", "x", values("f", "q", "3"))),
		must[*hrpc.Mutate](t)(hrpc.NewAppStr(s.ctx, "t", "a", values("f", "q", "+"))),
	}
	results, ok := c.SendBatch(s.ctx, calls)
	require.False(t, ok)
	require.NoError(t, results[0].Error)
	require.ErrorContains(t, results[1].Error, "org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException")
	require.NoError(t, results[2].Error)
	require.NoError(t, results[3].Error)
	require.Equal(t, []string{"a=1+", "x=3"}, s.texts("SELECT CONCAT(K, '=', V) FROM t$f"))
}

// TestAdmin creates, changes and deletes tables as gohbase's AdminClient does.
func TestAdmin(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{})
	admin, table := s.admin(), []byte("dir.t-1")
	s.create("dir.t-1", "f", "g")
	err := admin.CreateTable(hrpc.NewCreateTable(s.ctx, table, map[string]map[string]string{"f": nil}))
	require.ErrorContains(t, err, "org.apache.hadoop.hbase.TableExistsException")
	err = admin.CreateTable(hrpc.NewCreateTable(s.ctx, []byte("nobody:t"), map[string]map[string]string{"f": nil}))
	require.ErrorContains(t, err, "java.lang.IllegalArgumentException: Illegal table name") // gohbase has no namespaces here
	_, err = s.db.Exec("CREATE TABLE made$by_sql (K varbinary(9), Q varbinary(9), T bigint, V blob, PRIMARY KEY (K, Q, T))")
	require.NoError(t, err)

	list := must[*hrpc.ListTableNames](t)(hrpc.NewListTableNames(s.ctx))
	var names []string
	for _, n := range must[[]*pb.TableName](t)(admin.ListTableNames(list)) {
		names = append(names, string(n.Namespace)+":"+string(n.Qualifier))
	}
	require.Equal(t, []string{"default:dir.t-1", "default:made"}, names)

	require.ErrorContains(t, admin.DeleteTable(hrpc.NewDeleteTable(s.ctx, table)), "org.apache.hadoop.hbase.TableNotDisabledException")
	require.ErrorContains(t, admin.EnableTable(hrpc.NewEnableTable(s.ctx, table)), "org.apache.hadoop.hbase.TableNotDisabledException")
	require.NoError(t, admin.DisableTable(hrpc.NewDisableTable(s.ctx, table)))
	require.ErrorContains(t, admin.DisableTable(hrpc.NewDisableTable(s.ctx, table)), "org.apache.hadoop.hbase.TableNotEnabledException")
	require.NoError(t, admin.DeleteTable(hrpc.NewDeleteTable(s.ctx, table)))
	require.ErrorContains(t, admin.DeleteTable(hrpc.NewDeleteTable(s.ctx, table)), "org.apache.hadoop.hbase.TableNotFoundException")
	status := must[*pb.ClusterStatus](t)(admin.ClusterStatus())
	require.Equal(t, s.calls, fmt.Sprintf("%s:%d", status.GetMaster().GetHostName(), status.GetMaster().GetPort()))
}

// TestDisabled: HBase's clients cannot use a disabled table until it is enabled.
func TestDisabled(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{})
	s.create("t", "f")
	c, admin := s.client(), s.admin()
	_, err := c.Put(must[*hrpc.Mutate](t)(hrpc.NewPutStr(s.ctx, "t", "k", values("f", "q", "v"))))
	require.NoError(t, err)
	require.NoError(t, admin.DisableTable(hrpc.NewDisableTable(s.ctx, []byte("t"))))
	short, cancel := context.WithTimeout(s.ctx, 200*time.Millisecond)
	defer cancel()
	_, err = c.Get(must[*hrpc.Get](t)(hrpc.NewGetStr(short, "t", "k")))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NoError(t, admin.EnableTable(hrpc.NewEnableTable(s.ctx, []byte("t"))))
	require.Len(t, cellsOf(t, c, s.get("t", "k")), 1)
}

// TestUnknown: unknown tables, families and scanners are errors.
func TestUnknown(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{})
	s.create("t", "f")
	c := s.client()
	_, err := c.Get(s.get("nothing", "k"))
	require.ErrorIs(t, err, gohbase.TableNotFound)
	_, err = c.Get(s.get("t", "k", hrpc.Families(map[string][]string{"g": nil})))
	require.ErrorContains(t, err, "org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException")
	_, err = c.Put(must[*hrpc.Mutate](t)(hrpc.NewPutStr(s.ctx, "t", "n", values("f", "q", "abc"))))
	require.NoError(t, err)
	_, err = c.Increment(must[*hrpc.Mutate](t)(hrpc.NewIncStrSingle(s.ctx, "t", "n", "f", "q", 1)))
	require.ErrorContains(t, err, "org.apache.hadoop.hbase.DoNotRetryIOException")
	require.Equal(t, []string{"abc"}, s.texts("SELECT V FROM t$f"))
}

// TestSplitUnderClient: a client finds regions after SQL has split, merged, truncated and recreated a table.
func TestSplitUnderClient(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{})
	s.create("t", "f")
	c := s.client()
	fill := func() {
		for i := range 10 {
			_, err := c.Put(must[*hrpc.Mutate](t)(hrpc.NewPutStr(s.ctx, "t", fmt.Sprint(i), values("f", "q", "v"))))
			require.NoError(t, err)
		}
	}
	fill()
	for _, change := range []string{"SPLIT TABLE t$f BY ('5'), ('55')", "SPLIT TABLE t$f BY ('2')",
		"ALTER TABLE t$f REORGANIZE PARTITION p0, p0_1 INTO (PARTITION low VALUES LESS THAN ('5'))", "TRUNCATE TABLE t$f"} {
		_, err := s.db.Exec(change)
		require.NoError(t, err)
		fill()
		require.Len(t, s.scanned(c, "t", "", ""), 10, change)
		require.Len(t, s.scanned(c, "t", "a", "", hrpc.Reversed()), 10, change)
	}
}

// TestConditionBeforeMutations: errors in the mutations of a condition are reported only if it holds, and
// then none of them is done.
func TestConditionBeforeMutations(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{})
	s.create("t", "f")
	c := s.client()
	put := func() *hrpc.Mutate {
		return must[*hrpc.Mutate](t)(hrpc.NewPutStr(s.ctx, "t", "k", values("unknown", "q", "v")))
	}
	done, err := c.CheckAndPut(put(), "f", "q", []byte("expected"))
	require.NoError(t, err)
	require.False(t, done)
	_, err = c.CheckAndPut(put(), "f", "q", nil)
	require.ErrorContains(t, err, "org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException")
	good := must[*hrpc.Mutate](t)(hrpc.NewPutStr(s.ctx, "t", "k", values("f", "q", "v")))
	_, err = c.CheckAndPut(good, "unknown", "q", nil)
	require.ErrorContains(t, err, "org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException")
}

// TestRowsScanned: the row at which a filter ends the scan counts as filtered, not as scanned.
func TestRowsScanned(t *testing.T) {
	s := serve(t, ":memory:", hbaseserver.Options{})
	s.create("t", "f")
	c := s.client()
	for _, row := range []string{"a", "b", "c"} {
		_, err := c.Put(must[*hrpc.Mutate](t)(hrpc.NewPutStr(s.ctx, "t", row, values("f", "q", "v"))))
		require.NoError(t, err)
	}
	rows := c.Scan(must[*hrpc.Scan](t)(hrpc.NewScanStr(s.ctx, "t", hrpc.TrackScanMetrics(),
		hrpc.Filters(filter.NewPrefixFilter([]byte("a"))))))
	for err := error(nil); err != io.EOF; _, err = rows.Next() {
		require.NoError(t, err)
	}
	require.Equal(t, map[string]int64{"ROWS_SCANNED": 1, "ROWS_FILTERED": 1}, rows.GetScanMetrics())
}
