package parse

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xwb1989/sqlparser"
)

func TestIndexes(t *testing.T) {
	for _, c := range []struct {
		text             string
		literal, param   int
		isLiteral, isPar bool
	}{
		{":s0", 0, 0, true, false}, {":s12", 12, 0, true, false}, {":v1", 0, 0, false, true}, {":v10", 0, 9, false, true},
		{":s", 0, 0, false, false}, {":v", 0, 0, false, false}, {":vx", 0, 0, false, false}, {":x1", 0, 0, false, false},
	} {
		v := sqlparser.NewValArg([]byte(c.text))
		i, ok := LiteralIndex(v)
		require.Equal(t, c.isLiteral, ok, c.text)
		if ok {
			require.Equal(t, c.literal, i, c.text)
		}
		i, ok = ParamIndex(v)
		require.Equal(t, c.isPar, ok, c.text)
		if ok {
			require.Equal(t, c.param, i, c.text)
		}
	}
	_, ok := ParamIndex(sqlparser.NewStrVal([]byte(":v1")))
	require.False(t, ok)
}

func TestTableMarks(t *testing.T) {
	for _, want := range []TableRef{
		{"", "t", -1, -1, -1}, {"db", "t$f", 0, -1, -1}, {"", "a`b", 3, 12, -1}, {"d b", "t", -1, 0, -1}, {"", "c", -1, -1, 2}, {"", "c", 1, 2, 3},
	} {
		name := sqlparser.TableName{
			Qualifier: sqlparser.NewTableIdent(want.Database),
			Name:      sqlparser.NewTableIdent(want.mark()),
		}
		require.Equal(t, want, Table(name))
	}
}

func TestSeparator(t *testing.T) {
	p, err := Parse("SELECT GROUP_CONCAT(a SEPARATOR ', '), GROUP_CONCAT(a)")
	require.NoError(t, err)
	items := p.Stmt.(*Select).Node.(*sqlparser.Select).SelectExprs
	i, ok := SeparatorIndex(items[0].(*sqlparser.AliasedExpr).Expr.(*sqlparser.GroupConcatExpr))
	require.True(t, ok)
	require.Equal(t, ", ", string(p.Literals[i].Bytes))
	_, ok = SeparatorIndex(items[1].(*sqlparser.AliasedExpr).Expr.(*sqlparser.GroupConcatExpr))
	require.False(t, ok)
}
