package parse

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xwb1989/sqlparser"
	"pgregory.net/rapid"

	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

// operators are MySQL's binary ones, by precedence from the weakest
// (https://dev.mysql.com/doc/refman/5.7/en/operator-precedence.html). All are left-associative; BETWEEN and
// LIKE do not chain.
var binaryLevels = [][]string{
	{"or", "||"}, {"xor"}, {"and", "&&"}, {"not"}, {"=", "<", ">", "<=", ">=", "<>", "<=>", "is null", "is not true"},
	{"like", "not like", "regexp", "between", "in"}, {"|"}, {"&"}, {"<<", ">>"}, {"+", "-"},
	{"*", "/", "div", "%", "mod"}, {"^"},
	{"-x", "~x", "!x"},
}

const (
	notLevel       = 3
	predicateLevel = 5
	signLevel      = 12
)

// drawExpr draws an expression: the text with no more parentheses than needed in a place for operators of the
// given level, and its tree.
func drawExpr(t *rapid.T, depth, level int) (text, tree string) {
	if depth == 0 || rapid.IntRange(0, 5).Draw(t, "leaf") == 0 {
		name := rapid.SampledFrom([]string{"a", "b", "c", "7"}).Draw(t, "name")
		return name, name
	}
	own := rapid.IntRange(0, len(binaryLevels)-1).Draw(t, "level")
	op := rapid.SampledFrom(binaryLevels[own]).Draw(t, "op")
	text, tree = drawOperator(t, depth-1, own, op)
	if own < level {
		text = "(" + text + ")"
	}
	return text, tree
}

func drawOperator(t *rapid.T, depth, own int, op string) (text, tree string) {
	var texts, trees []string
	draw := func(levels ...int) {
		for _, level := range levels {
			text, tree := drawExpr(t, depth, level)
			texts, trees = append(texts, text), append(trees, tree)
		}
	}
	switch {
	case own == notLevel:
		draw(own)
		text = "not " + texts[0]
	case own == signLevel:
		draw(own)
		text, op = op[:1]+" "+texts[0], "sign"+op[:1]
	case strings.HasPrefix(op, "is "):
		draw(own)
		text = texts[0] + " " + op
	case op == "between":
		draw(predicateLevel+1, predicateLevel+1, predicateLevel)
		text = texts[0] + " between " + texts[1] + " and " + texts[2]
	case op == "in":
		draw(predicateLevel+1, 0, 0)
		text = texts[0] + " in (" + texts[1] + ", " + texts[2] + ")"
	case own == predicateLevel:
		draw(own+1, own+1)
		text = texts[0] + " " + op + " " + texts[1]
	default:
		draw(own, own+1)
		text = texts[0] + " " + op + " " + texts[1]
	}
	if name, ok := map[string]string{"||": "or", "&&": "and", "mod": "%", "<>": "!="}[op]; ok {
		op = name
	}
	return text, "[" + op + " " + strings.Join(trees, " ") + "]"
}

// treeOf is the tree that was read, in the same notation.
func treeOf(e sqlparser.Expr) string {
	node := func(op string, operands ...sqlparser.Expr) string {
		out := "[" + op
		for _, o := range operands {
			out += " " + treeOf(o)
		}
		return out + "]"
	}
	switch e := e.(type) {
	case *sqlparser.ParenExpr:
		return treeOf(e.Expr)
	case *sqlparser.OrExpr:
		return node("or", e.Left, e.Right)
	case *sqlparser.AndExpr:
		return node("and", e.Left, e.Right)
	case *sqlparser.NotExpr:
		return node("not", e.Expr)
	case *sqlparser.IsExpr:
		return node(e.Operator, e.Expr)
	case *sqlparser.RangeCond:
		return node(e.Operator, e.Left, e.From, e.To)
	case *sqlparser.ComparisonExpr:
		if list, ok := e.Right.(sqlparser.ValTuple); ok {
			return node(e.Operator, append([]sqlparser.Expr{e.Left}, list...)...)
		}
		return node(e.Operator, e.Left, e.Right)
	case *sqlparser.BinaryExpr:
		return node(e.Operator, e.Left, e.Right)
	case *sqlparser.UnaryExpr:
		return node("sign"+e.Operator, e.Expr)
	case *ast.Xor:
		out := treeOf(e.ValTuple[0])
		for _, x := range e.ValTuple[1:] {
			out = "[xor " + out + " " + treeOf(x) + "]"
		}
		return out
	case *ast.Number:
		if n, negative := strings.CutPrefix(e.Text, "-"); negative {
			return "[sign- " + n + "]"
		}
	}
	return sqlparser.String(e)
}

// TestPrecedence reads random expressions that have no more parentheses than MySQL needs, and compares with
// the trees that they were made from.
func TestPrecedence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, want := drawExpr(t, 5, 0)
		p, err := Parse("SELECT " + text)
		require.NoError(t, err, text)
		item := firstItem(p)
		// Two signs before a number cancel each other.
		want = strings.ReplaceAll(want, "[sign- [sign- 7]]", "7")
		require.Equal(t, want, treeOf(item), text)
	})
}

// drawQueries draws a set operation, with no more parentheses than needed in a place for the given level: 0
// is UNION and EXCEPT, 1 INTERSECT, 2 a SELECT. The tree has brackets around each operation.
func drawQueries(t *rapid.T, depth, level int) (text, tree string) {
	own := rapid.IntRange(0, 2).Draw(t, "level")
	if depth == 0 || own == 2 {
		return "select a from t", "select a from t"
	}
	op := rapid.SampledFrom([][]string{{"union", "union all", "except", "except all"}, {"intersect", "intersect all"}}[own]).Draw(t, "op")
	left, leftTree := drawQueries(t, depth-1, own)
	right, rightTree := drawQueries(t, depth-1, own+1)
	text, tree = left+" "+op+" "+right, "["+leftTree+" "+op+" "+rightTree+"]"
	if own < level {
		return "(" + text + ")", "(" + tree + ")"
	}
	return text, tree
}

// TestSetOperations: set operations are nested as drawn, and print as they were read.
func TestSetOperations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, want := drawQueries(t, 4, 0)
		p, err := Parse(text)
		require.NoError(t, err, text)
		node := p.Stmt.(*ast.Select).Node
		require.Equal(t, text, sqlparser.String(node))
		buf := sqlparser.NewTrackedBuffer(func(buf *sqlparser.TrackedBuffer, node sqlparser.SQLNode) {
			if _, ok := node.(*sqlparser.Union); ok {
				buf.WriteString("[")
				defer buf.WriteString("]")
			}
			node.Format(buf)
		})
		buf.Myprintf("%v", node)
		require.Equal(t, want, buf.String())
	})
}
