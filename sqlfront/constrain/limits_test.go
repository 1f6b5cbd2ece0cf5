package constrain_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

func names(prefix string, n int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("'%s%03d'", prefix, i)
	}
	return strings.Join(out, ",")
}

func build(t *testing.T, where string) *constrain.Constraint {
	t.Helper()
	node, err := bindWhere(where)
	require.NoError(t, err)
	c, err := constrain.Build(node, tableColumns, &expr.Env{}, constrain.View{AllVersions: true})
	require.NoError(t, err)
	return c
}

// TestProductsAreBounded multiplies rows by qualifiers while there are few, and reads rows with a set of
// qualifiers if there are many; alternatives that would be too many spans are read loosely and filtered.
func TestProductsAreBounded(t *testing.T) {
	few := build(t, "K IN ("+names("r", 30)+") AND Q IN ("+names("q", 30)+")")
	require.Len(t, few.Ranges, 900)
	require.Nil(t, few.Qualifiers)
	require.Nil(t, few.Remaining)

	many := build(t, "K IN ("+names("r", 300)+") AND Q IN ("+names("q", 300)+")")
	require.Len(t, many.Ranges, 300)
	require.Len(t, many.Qualifiers, 300)
	require.Nil(t, many.Remaining)

	either := build(t, "K IN ("+names("r", 150)+") AND Q IN ("+names("q", 150)+") OR "+
		"K IN ("+names("s", 150)+") AND Q IN ("+names("p", 150)+")")
	require.Len(t, either.Ranges, 300)
	require.Len(t, either.Qualifiers, 300)
	require.NotNil(t, either.Remaining)
}

func TestLongListsBecomeSortedRanges(t *testing.T) {
	c := build(t, "K IN ("+names("b", 5000)+","+names("a", 5000)+","+names("b", 5000)+")")
	require.Len(t, c.Ranges, 10_000)
	require.Equal(t, constrain.AccessRef, c.Access())
	requireValid(t, c, c.String)
	require.Len(t, c.RowRanges(), 10_000)

	require.Len(t, build(t, "K NOT IN ("+names("b", 1000)+")").Ranges, 1001)
	for _, list := range []string{"K NOT IN (" + names("b", 5000) + ")",
		"(K, Q) NOT IN ((" + strings.ReplaceAll(names("b", 5000), ",", ",'q'),(") + ",'q'))"} {
		long := build(t, list)
		require.Empty(t, long.Ranges, "holes are not worth a seek each")
		require.NotNil(t, long.Remaining)
	}
	require.Len(t, build(t, "K = "+strings.ReplaceAll(names("b", 1000), ",", " OR K = ")).Ranges, 1000)
}

// TestDeepConditions checks that the work on nested conditions is limited by their size.
func TestDeepConditions(t *testing.T) {
	compare := func(c *expr.Column, i int) expr.Node {
		return &expr.Compare{Op: expr.Gt, L: c, R: &expr.Const{V: argument(fmt.Sprintf("x%04d", i))}}
	}
	node := compare(columnK, 0)
	for i := range 2000 {
		node = &expr.Or{List: []expr.Node{node, compare(columnQ, i)}}
		node = &expr.And{List: []expr.Node{compare(columnK, i), node}}
	}
	hang := time.AfterFunc(time.Minute, func() { panic("work without end on nested conditions") })
	defer hang.Stop()
	_, err := constrain.Build(node, tableColumns, nil, constrain.View{})
	require.NoError(t, err)
}

func ExampleBuild() {
	where, _ := bindWhere("K LIKE 'user1%' AND Q IN ('name', 'mail') AND V <> ''")
	c, _ := constrain.Build(where, tableColumns, nil, constrain.View{})
	fmt.Println(c)
	where, _ = bindWhere("(K, Q) > ('user1', 'mail')")
	c, _ = constrain.Build(where, tableColumns, nil, constrain.View{})
	fmt.Println(c)
	// Output:
	// spans: [/'user1' - /'user2'); qualifiers: ['mail' - 'mail'] ['name' - 'name']; filter: (`V` <> '')
	// spans: (/'user1'/'mail' - ]
}
