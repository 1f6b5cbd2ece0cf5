package schema

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
)

// TestOldForm: the form of the time when stores knew SQL's words can be read, and is stored as it was.
func TestOldForm(t *testing.T) {
	const table = `{"id":1,"database":"d","name":"g$a","group":"g","family":"a","hbase":true,"max_row":1024,"max_qualifier":256,` +
		`"value":{"kind":"varbinary","max":1048576,"nullable":true},` +
		`"prefixes":[{"name":"P","length":2,"max":4,"stored":true,"comment":"p"}],` +
		`"time_column":{"name":"G","stored":true,"comment":"g","behind":1},` +
		`"labels":[{"name":"k","comment":"row"},{},{},{}],"text":{"charset":"latin1","collation":"latin1_bin"},` +
		`"comment":"c","created":1700000000000,"partitioning":{"method":2,"n":3,"prefix":2},"partition_column":"P"}`
	const view = `{"database":"d","name":"v","columns":["a","b"],"definition":"select 1","algorithm":"MERGE",` +
		`"security":"INVOKER","check":"LOCAL","definer":"u@h","created":5}`
	const base, tables = `{"name":"d","text":{"charset":"latin1","collation":"latin1_bin"}}`,
		`{"database":"d","name":"g","explicit":true,"sharding":"NONE"}`

	one := read[kv.Table](t, table)
	require.Equal(t, Table{HBase: true, Comment: "c", Prefixes: []PrefixColumn{{Name: "P", Length: 2, Max: 4, Stored: true, Comment: "p"}},
		TimeColumn: &TimeColumn{Name: "G", Stored: true, Comment: "g", Behind: 1}, Labels: [4]Label{{Name: "k", Comment: "row"}},
		Text: Text{"latin1", "latin1_bin"}}, *Of(one))
	require.Equal(t, "P", one.PartitionColumn)
	require.Equal(t, []string{"k", "Q", "T", "V", "P", "G"}, Of(one).AllColumnNames())
	require.Equal(t, View{Columns: []string{"a", "b"}, Definition: "select 1", Algorithm: "MERGE", Security: "INVOKER", Check: "LOCAL",
		Definer: "u@h"}, *OfView(read[kv.View](t, view)))
	require.Equal(t, Text{"latin1", "latin1_bin"}, TextOf(read[kv.Database](t, base)))
	require.Equal(t, "NONE", ShardingOf(read[kv.Group](t, tables)))
}

// read reads a descriptor, and checks that writing it gives the same text, once before its attributes are
// read and once after an edit.
func read[D any](t *testing.T, text string) *D {
	d := new(D)
	require.NoError(t, json.Unmarshal([]byte(text), d))
	again, err := json.Marshal(d)
	require.NoError(t, err)
	require.JSONEq(t, text, string(again))
	if table, ok := any(d).(*kv.Table); ok {
		before := table.Attributes
		Edit(table)
		require.True(t, before.Equal(table.Attributes))
		again, err = json.Marshal(table)
		require.NoError(t, err)
		require.JSONEq(t, text, string(again))
	}
	return d
}

// TestEdit: a copy's attributes are its own.
func TestEdit(t *testing.T) {
	old := kv.Table{}
	Edit(&old).SetColumn(0, Label{Name: "k", Comment: "row"})
	Of(&old).Prefixes = append(Of(&old).Prefixes, PrefixColumn{Name: "P"})
	next := old
	declared := Edit(&next)
	declared.SetColumn(0, Label{Name: "K"})
	declared.Prefixes = append(declared.Prefixes, PrefixColumn{Name: "R"})
	require.Equal(t, []string{"k", "Q", "T", "V", "P"}, Of(&old).AllColumnNames())
	require.Equal(t, []string{"K", "Q", "T", "V", "P", "R"}, Of(&next).AllColumnNames())
	require.False(t, old.Attributes.Equal(next.Attributes))
	require.False(t, old.SameButLayout(&next))
	same := next
	Edit(&same)
	require.True(t, next.SameButLayout(&same))
}

// TestBare: a table that SQL has not created has the default names, and stores none of them.
func TestBare(t *testing.T) {
	bare := read[kv.Table](t, `{"id":1,"database":"d","name":"t","max_row":0,"max_qualifier":0,`+
		`"value":{"kind":"","max":10485760},"created":0,"partitioning":null}`)
	require.Equal(t, [4]string{"K", "Q", "T", "V"}, Of(bare).ColumnNames())
	require.Equal(t, MediumBlob, KindOf(bare.Value))
}

// TestMembers: attributes have no JSON member that the descriptor itself has, which would be lost.
func TestMembers(t *testing.T) {
	for _, each := range [][2]any{{kv.Table{}, Table{}}, {kv.Group{}, group{}}, {kv.Database{}, database{}}, {kv.View{}, View{}}} {
		own := membersOf(each[0])
		for name := range membersOf(each[1]) {
			require.NotContains(t, own, name)
		}
	}
}

func membersOf(descriptor any) map[string]bool {
	out := map[string]bool{}
	for _, f := range reflect.VisibleFields(reflect.TypeOf(descriptor)) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && name != "-" {
			out[name] = true
		}
	}
	return out
}
