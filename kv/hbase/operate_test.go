package hbase

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/kv/kvtest"
)

// Retention set by ALTER TABLE is in the family's descriptor, and SQL shows what
// others write there.
func TestRetentionInDescriptor(t *testing.T) {
	db, s := openSQL(t, "?versions=all"), openTest(t)
	ctx, name := context.Background(), newName()
	_, err := db.Exec("CREATE TABLE " + name + "$f (K varbinary(100), Q varbinary(100), T bigint, V blob NOT NULL, PRIMARY KEY (K, Q, T))" +
		" KV_ATTRIBUTES='{\"Hbase\": {\"TimeToLive\": 3600, \"MaxVersions\": 5}}'")
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = db.Exec("DROP TABLE IF EXISTS " + name + "$f") })
	require.Equal(t, []string{"5", "0", "3600"}, retentionAttributes(t, s, name))

	for _, each := range []struct {
		attributes string
		want       []string
	}{
		{`"TimeToLive": 60, "MaxVersions": 2`, []string{"2", "0", "60"}},
		{`"TimeToLive": 60, "MaxVersions": 4, "MinVersions": 3`, []string{"4", "3", "60"}},
	} {
		_, err := db.Exec("ALTER TABLE " + name + "$f KV_ATTRIBUTES='{\"Hbase\": {" + each.attributes + "}}'")
		require.NoError(t, err, each.attributes)
		require.Equal(t, each.want, retentionAttributes(t, s, name), each.attributes)
	}

	f := s.layout.schemas[name].GetColumnFamilies()[0]
	for attribute, value := range map[string]string{"VERSIONS": "7", "MIN_VERSIONS": "1", "TTL": "120"} {
		set(f, attribute, value)
	}
	require.NoError(t, s.cluster.modifyFamily(ctx, pbTable("default", name), f))
	require.NoError(t, s.refresh(ctx))
	r := kvtest.Catalog(s).Table("default", name+"$f").Retention
	require.Equal(t, "7 1 120", fmt.Sprint(r.MaxVersions, r.MinVersions, r.TTLSeconds))
	var table, text string
	require.Eventually(t, func() bool { // within the two seconds for which a catalog may be old
		require.NoError(t, db.QueryRow("SHOW CREATE TABLE "+name+"$f").Scan(&table, &text))
		return strings.Contains(text, `"TimeToLive": 120, "MaxVersions": 7, "MinVersions": 1`)
	}, 30*time.Second, 100*time.Millisecond, "%s", &text)
}

// retentionAttributes returns VERSIONS, MIN_VERSIONS and TTL of a table's first family.
func retentionAttributes(t *testing.T, s *Store, table string) []string {
	require.NoError(t, s.refresh(context.Background()))
	f := s.layout.schemas[table].GetColumnFamilies()[0]
	return []string{attributeOf(f, "VERSIONS"), attributeOf(f, "MIN_VERSIONS"), attributeOf(f, "TTL")}
}

// FLUSH TABLES and OPTIMIZE TABLE are HBase's flush and major compaction:
// afterwards deleted cells are gone from the files, and others are there.
func TestFlushAndOptimize(t *testing.T) {
	db, s := openSQL(t, "?multiRow=apply"), openTest(t)
	name := newName()
	makeTable(t, s, name, [][]byte{[]byte("m")}, familySchema("f", "VERSIONS", "1"), familySchema("g", "VERSIONS", "1"))
	for i := range 3 {
		for _, k := range []string{"a", "z"} {
			putRaw(t, s, name, cell{row: []byte(k), family: []byte("f"), qualifier: []byte("q"), timestamp: int64(i + 1), value: []byte("v")})
		}
	}
	require.Equal(t, "0 0", storedFiles(t, s, name))
	mustExec(t, db, "FLUSH TABLES "+name+"$f, none")
	require.Equal(t, "2 0", storedFiles(t, s, name), "a file for each region that holds something")
	putRaw(t, s, name, cell{row: []byte("a"), family: []byte("f"), qualifier: []byte("q"), timestamp: 9, value: []byte("w")},
		cell{row: []byte("a"), family: []byte("g"), qualifier: []byte("q"), timestamp: 9, value: []byte("w")})
	mustExec(t, db, "FLUSH TABLES "+name+"$f")
	require.Equal(t, "3 1", storedFiles(t, s, name))

	var of, op, kind, message string
	require.NoError(t, db.QueryRow("OPTIMIZE TABLE "+name+"$f").Scan(&of, &op, &kind, &message))
	require.Equal(t, "status OK", kind+" "+message)
	require.Equal(t, "2 1", storedFiles(t, s, name))
	var n int
	require.NoError(t, db.QueryRow("SELECT COUNT(*) FROM "+name+"$f").Scan(&n))
	require.Equal(t, 2, n)

	_, err := db.Exec("FLUSH TABLES")
	require.ErrorContains(t, err, "name the tables")
	require.ErrorContains(t, err, "1235")
}

// storedFiles returns how many files the families of a table have.
func storedFiles(t *testing.T, s *Store, table string) string {
	var counts []string
	for _, f := range s.layout.schemas[table].GetColumnFamilies() {
		n := 0
		require.NoError(t, s.askServers(context.Background(), table, everyRegion, "GetStoreFile", func(r *regionInfo) (proto.Message, error) {
			request, err := messageField(1, regionSpecifier(r.name))
			return opaque(protowire.AppendBytes(protowire.AppendTag(request, 2, protowire.BytesType), f.GetName())), err
		}, func() proto.Message { return opaque(nil) }, func(m proto.Message) {
			for files := m.ProtoReflect().GetUnknown(); len(files) > 0; n++ {
				_, _, size := protowire.ConsumeField(files)
				files = files[size:]
			}
		}))
		counts = append(counts, strconv.Itoa(n))
	}
	return strings.Join(counts, " ")
}

// opaque returns a message that gohbase does not know.
func opaque(fields []byte) proto.Message {
	m := &pb.ListNamespaceDescriptorsRequest{}
	setField(m, fields)
	return m
}

func mustExec(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	_, err := db.Exec(statement)
	require.NoError(t, err, statement)
}
