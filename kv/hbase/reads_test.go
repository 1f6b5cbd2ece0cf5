package hbase

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
)

// read returns all cells of a scan.
func read(t testing.TB, s kv.Store, tables []string, scan kv.Scan) []kv.Cell {
	t.Helper()
	txn := kvtest.Begin(s, kv.TxnOptions{ReadOnly: true})
	defer txn.Rollback()
	return readIn(t, txn, tables, scan)
}

func readIn(t testing.TB, txn kv.Txn, tables []string, scan kv.Scan) []kv.Cell {
	t.Helper()
	var of []*kv.Table
	for _, name := range tables {
		table := txn.Catalog().Table("default", name)
		require.NotNil(t, table, name)
		of = append(of, table)
	}
	c, err := txn.Scan(context.Background(), of, &scan)
	require.NoError(t, err)
	out := []kv.Cell{}
	for c.Next() {
		cell := *c.Cell()
		cell.Row, cell.Qualifier = append([]byte{}, cell.Row...), append([]byte{}, cell.Qualifier...)
		cell.Value = nil
		if scan.NeedValue {
			v, err := c.Value()
			require.NoError(t, err)
			cell.Value = append([]byte{}, v...)
		}
		out = append(out, cell)
	}
	require.NoError(t, c.Err())
	require.NoError(t, c.Close())
	return out
}

// A table made by another program is shown, with its regions as partitions.
func TestTablesOfOthers(t *testing.T) {
	s := openTest(t)
	name := newName()
	makeTable(t, s, name, [][]byte{[]byte("g"), []byte("p")}, familySchema("a", "VERSIONS", "3", "TTL", "2147483646"), familySchema("b"))
	c := kvtest.Catalog(s)
	require.NotNil(t, c.Database("default"))
	require.NotNil(t, c.Group("default", name))
	a := c.Table("default", name+"$a")
	require.NotNil(t, a)
	require.Equal(t, kv.Retention{TTLSeconds: 2147483646, MaxVersions: 3}, a.Retention)
	require.Equal(t, kv.Retention{MaxVersions: 1}, c.Table("default", name+"$b").Retention)
	require.Equal(t, 3, a.Partitioning.Len())
	require.Equal(t, []byte("p"), a.Partitioning.Bounds(1).End)

	putRaw(t, s, name, cell{row: []byte("a"), family: []byte("b"), qualifier: []byte("q"), timestamp: 5, value: []byte("v")},
		cell{row: []byte("x"), family: []byte("a"), qualifier: []byte(""), timestamp: 6, value: []byte("")})
	require.Equal(t, []kv.Cell{
		{Family: 1, Row: []byte("a"), Qualifier: []byte("q"), Timestamp: 5, Value: []byte("v")},
		{Family: 0, Row: []byte("x"), Qualifier: []byte{}, Timestamp: 6, Value: []byte{}},
	}, read(t, s, []string{name + "$a", name + "$b"}, kv.Scan{Ordered: true, NeedValue: true, Time: kv.TimeRange{Min: 0, Max: 100, Bounded: true}}))
}
