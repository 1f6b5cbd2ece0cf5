package parse

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

// literals are the strings, hex and bit literals of a statement, in the order of the tree.
func literals(p *ast.Parsed) (list []*ast.Literal) {
	for _, node := range roots(p.Stmt) {
		_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
			if l, ok := n.(*ast.Literal); ok {
				list = append(list, l)
			}
			return true, nil
		}, node)
	}
	return list
}

// roots are the trees of a statement.
func roots(st ast.Statement) []sqlparser.SQLNode {
	switch st := st.(type) {
	case *ast.Select:
		return []sqlparser.SQLNode{st.Node}
	case *ast.Insert:
		return []sqlparser.SQLNode{st.Node}
	case *ast.Update:
		return []sqlparser.SQLNode{st.Node}
	case *ast.Delete:
		return []sqlparser.SQLNode{st.Node}
	case *ast.Explain:
		return roots(st.Target)
	}
	return nil
}

// firstItem is the expression of a select list's first item.
func firstItem(p *ast.Parsed) sqlparser.Expr {
	return p.Stmt.(*ast.Select).Node.(*sqlparser.Select).SelectExprs[0].(*ast.Item).Expr
}

// TestNodesPrint: the nodes that sqlparser lacks print as MySQL reads them.
func TestNodesPrint(t *testing.T) {
	for sql, want := range map[string]string{
		`X'6b' + 0x01 + b'1'`:                       "X'6b' + X'01' + X'01'",
		`'it''s' 'x'`:                               `'it\'sx'`,
		`_binary'a' = DATE '2020-01-01'`:            "_binary 'a' = date '2020-01-01'",
		`TIME '10:00' < {ts '2020-01-01'}`:          "time '10:00' < timestamp '2020-01-01'",
		`-7 + ?`:                                    "-7 + :v1",
		`@a + @@x + @@global.y`:                     "@`a` + @@x + @@global.y",
		"@`a``b` := 1 + 2":                          "@`a``b` := 1 + 2",
		"a XOR b AND c XOR 1":                       "a xor b and c xor 1",
		"a > ALL (SELECT K FROM t)":                 "a > all (select K from t)",
		"a = 1 OR a < SOME (SELECT 1)":              "a = 1 or a < any (select 1 from dual)",
		"TRIM('x' FROM a)":                          "trim(both 'x' from a)",
		"TRIM(LEADING FROM a)":                      "trim(leading from a)",
		"GROUP_CONCAT(a ORDER BY b SEPARATOR ', ')": "group_concat(a order by b asc separator ', ')",
		"CAST(a AS REAL)":                           "convert(a, double)",
		"(SELECT K FROM db.t PARTITION (p0, p1) FOR SYSTEM_TIME FROM ? TO -5)": "(select K from db.t partition (p0, p1) for system_time from :v1 to -5)",
		"(SELECT K FROM t FOR SYSTEM_TIME BETWEEN 1 AND 2 AS x)":               "(select K from t for system_time between 1 and 2 as x)",
	} {
		p, err := Parse("SELECT " + sql)
		require.NoError(t, err, sql)
		require.Equal(t, want, sqlparser.String(firstItem(p)), sql)
	}
}

// TestSlots: literals are numbered in the order in which the lexer reads them, adjacent strings by their
// first, and words that are arguments have no number.
func TestSlots(t *testing.T) {
	p, err := Parse("SELECT /*+ VERSIONS(3) */ 'a' 'b', -1.5, TRIM(X'01' FROM 'c'), EXTRACT(DAY FROM -2) FROM t " +
		"WHERE K = N'd' LIMIT 5")
	require.NoError(t, err)
	got := map[string]int{}
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *ast.Literal:
			got[string(n.Bytes)] = n.Slot
		case *ast.Number:
			got[n.Text] = n.Slot
		}
		return true, nil
	}, p.Stmt.(*ast.Select).Node)
	require.Equal(t, map[string]int{"ab": 1, "1.5": 3, "\x01": 4, "c": 5, "DAY": -1, "-2": 6, "d": 7, "5": 8}, got)
}
