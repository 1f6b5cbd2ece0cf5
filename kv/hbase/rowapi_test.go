package hbase

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/rowapi"
	rowfilter "github.com/hbasekv/hbasekv/kv/rowapi/filter"
)

// TestRowAPI runs HBase's client operations on the store, which translates them into
// its own.
func TestRowAPI(t *testing.T) {
	s := openTest(t)
	ctx, name := context.Background(), newName()
	makeTable(t, s, name, [][]byte{[]byte("m")}, familySchema("a", "VERSIONS", "3"), familySchema("b", "VERSIONS", "3"))
	client, table := rowapi.New(s, rowapi.Options{}), rowapi.TableName{Name: name}
	row, q := []byte("r"), []byte("q")
	get := func() (text string) {
		r, err := client.Get(ctx, table, &rowapi.Get{Row: row, Columns: rowapi.Columns{MaxVersions: rowapi.AllVersions}})
		require.NoError(t, err)
		for _, c := range r.Cells {
			text += fmt.Sprintf("%s:%s/%d=%s ", c.Family, c.Qualifier, c.Timestamp, c.Value)
		}
		return text
	}
	require.NoError(t, client.Put(ctx, table, rowapi.NewPut(row).AddAt("b", q, 5, []byte("x")).AddAt("a", q, 7, []byte("y"))))
	require.NoError(t, client.Put(ctx, table, rowapi.NewPut(row).AddAt("a", q, 8, []byte("z"))))
	require.Equal(t, "a:q/8=z a:q/7=y b:q/5=x ", get())

	done, _, err := client.CheckAndMutate(ctx, table, &rowapi.CheckAndMutate{Row: row, Condition: rowapi.IfEquals("a", q, []byte("y")),
		Mutations: []rowapi.Mutation{rowapi.NewDelete(row)}})
	require.NoError(t, err)
	require.False(t, done)
	done, _, err = client.CheckAndMutate(ctx, table, &rowapi.CheckAndMutate{Row: row, Condition: rowapi.IfEquals("a", q, []byte("z")),
		Mutations: []rowapi.Mutation{rowapi.NewDelete(row).Add(rowapi.DeleteColumn, "a", q, 8)}})
	require.NoError(t, err)
	require.True(t, done)
	require.Equal(t, "a:q/7=y b:q/5=x ", get())

	for want := int64(3); want <= 6; want += 3 {
		r, err := client.Increment(ctx, table, rowapi.NewIncrement(row).Add("a", []byte("n"), 3))
		require.NoError(t, err)
		require.Equal(t, want, int64(binary.BigEndian.Uint64(r.Cells[0].Value)))
	}
	r, err := client.Append(ctx, table, rowapi.NewAppend(row).Add("b", q, []byte("+")))
	require.NoError(t, err)
	require.Equal(t, "x+", string(r.Cells[0].Value))

	outcomes, err := client.Batch(ctx, table, []rowapi.Action{
		rowapi.NewPut([]byte("z")).AddAt("a", q, 1, []byte("1")), rowapi.NewPut([]byte("c")).AddAt("a", q, 1, []byte("2")),
		rowapi.NewPut([]byte("c")).AddAt("none", q, 1, nil), &rowapi.Get{Row: []byte("z")}})
	require.NoError(t, err)
	for i, o := range outcomes {
		require.Equal(t, i == 2, o.Err != nil, "%d: %v", i, o.Err)
	}
	require.ErrorIs(t, outcomes[2].Err, rowapi.ErrNoSuchFamily)
	require.Equal(t, "1", string(outcomes[3].Result.Cells[0].Value))

	scanner, err := client.Scanner(ctx, table, &rowapi.Scan{Columns: rowapi.Columns{
		Filter: rowfilter.ValueFilter{CompareFilter: rowfilter.CompareFilter{
			Op: rowfilter.LessOrEqual, Comparator: rowfilter.BinaryComparator{Value: []byte("2")}}},
		Families: []rowapi.FamilyColumns{{Family: "a", Qualifiers: [][]byte{q}}}}})
	require.NoError(t, err)
	page, err := scanner.Next(ctx, rowapi.PageLimits{})
	require.NoError(t, err)
	require.NoError(t, scanner.Close())
	rows := ""
	for _, r := range page.Results {
		rows += string(r.Cells[0].Row)
	}
	require.Equal(t, "cz", rows)
}
