package expr_test

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// TestNestedOperands: the number of times that an operand is typed, printed and evaluated does not double
// with each level.
func TestNestedOperands(t *testing.T) {
	const depth, most = 12, 20 * 12
	for _, form := range nestingForms() {
		for _, v := range []value.Value{value.NewInt(1), value.NewString("1"), value.NewBytes([]byte("a")), {}} {
			c := &counting{Const: expr.Const{V: v}}
			text := "SELECT " + strings.Repeat(form.before, depth) + "T" + strings.Repeat(form.after, depth)
			p, err := parse.Parse(text)
			require.NoError(t, err, form)
			item := p.Stmt.(*ast.Select).Node.(*sqlparser.Select).SelectExprs[0].(*ast.Item)
			n, err := (&bind.Binder{Scope: countingScope{c}}).Bind(item.Expr)
			assert.LessOrEqual(t, c.counted(), most, "binding %s", form)
			if err != nil {
				continue
			}
			env := &expr.Env{Row: oracleValues()[0], Env: function.Env{Session: testSession()}}
			for what, f := range map[string]func(){
				"evaluating": func() { _, _ = n.Eval(env) }, "testing": func() { _, _ = expr.Holds(n, env) },
				"typing": func() { n.Type() }, "printing": func() { expr.Print(n) },
				"folding": func() { expr.Fold(n, env) },
			} {
				c.evals, c.types, c.prints = 0, 0, 0
				f()
				assert.LessOrEqual(t, c.counted(), most, "%s %s", what, form)
			}
		}
	}
}

// TestPrintingIsLinear: an expression is printed into one buffer, and operands are not copied again at each
// level.
func TestPrintingIsLinear(t *testing.T) {
	const depth = 60
	for _, form := range nestingForms() {
		text := "SELECT " + strings.Repeat(form.before, depth) + "T" + strings.Repeat(form.after, depth)
		p, err := parse.Parse(text)
		require.NoError(t, err, form)
		item := p.Stmt.(*ast.Select).Node.(*sqlparser.Select).SelectExprs[0].(*ast.Item)
		n, err := (&bind.Binder{Scope: countingScope{&counting{}}}).Bind(item.Expr)
		if err != nil {
			continue
		}
		printed := n.AppendTo(nil)
		least := uint64(math.MaxUint64) // others allocate now and then
		for range 5 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			n.AppendTo(printed[:0])
			runtime.ReadMemStats(&after)
			least = min(least, after.TotalAlloc-before.TotalAlloc)
		}
		assert.LessOrEqual(t, least, uint64(8*len(printed)+64), "%s", form)
	}
}

// counting is a constant that counts the calls of its methods.
type counting struct {
	expr.Const
	evals, types, prints int
}

func (c *counting) counted() int { return max(c.evals, c.types, c.prints) }

func (c *counting) Volatile() bool { return true }

func (c *counting) Eval(env *expr.Env) (value.Value, error) {
	c.evals++
	return c.Const.Eval(env)
}

func (c *counting) Type() value.Type {
	c.types++
	return c.Const.Type()
}

func (c *counting) AppendTo(dst []byte) []byte {
	c.prints++
	return c.Const.AppendTo(dst)
}

type countingScope struct{ c *counting }

func (s countingScope) Resolve(string, string) (expr.Node, error) { return s.c, nil }

type nestingForm struct{ before, after string }

func (f nestingForm) String() string { return f.before + "#" + f.after }

// nestingForms are the operators and functions with a placeholder for each operand.
func nestingForms() []nestingForm {
	var out []nestingForm
	for _, form := range []string{
		"(# BETWEEN 1 AND 2)", "(1 BETWEEN # AND 2)", "(1 BETWEEN 1 AND #)", "(# NOT BETWEEN '1' AND 2)",
		"CASE # WHEN 1 THEN 2 ELSE 3 END", "CASE 1 WHEN # THEN 2 END",
		"CASE WHEN # THEN 2 END", "CASE WHEN 1 THEN # END", "CASE 1 WHEN 2 THEN 2 ELSE # END", "(# LIKE 'a')",
		"('a' LIKE #)", "(# REGEXP 'a')",
		"(# IN (1, 2))", "(1 IN (#, 2))", "('1' IN (#, T))", "((#, 1) = (1, 1))", "((1, 1) IN ((#, 1), (2, 2)))",
		"((#, T) < (1, 1))", "(# + INTERVAL 1 DAY)",
		"('2020-01-01' + INTERVAL # DAY)", "CAST(# AS CHAR)", "CAST(# AS CHAR(3))", "CAST(# AS BINARY)",
		"CAST(# AS SIGNED)", "CAST(# AS UNSIGNED)",
		"CAST(# AS DECIMAL(10,2))", "CAST(# AS DATE)", "CAST(# AS DATETIME)", "CAST(# AS TIME)", "CAST(# AS DOUBLE)",
		"CAST(# AS JSON)", "CONVERT(# USING utf8mb4)",
		"(# COLLATE utf8mb4_bin)", "(- #)", "(~ #)", "(! #)", "(NOT #)", "(# || 1)", "(1 || #)", "(# && 1)",
		"(# XOR 1)", "(1 XOR #)", "(# + 1)", "(1 + #)", "(# * 1)", "(# / 2)", "(2 / #)", "(# DIV 1)",
		"(# % 2)", "(# | 1)", "(# << 1)", "(# = 1)", "(1 = #)", "(# <=> 1)", "(# < '1')", "(# IS NULL)",
		"(# IS TRUE)", "(# SOUNDS LIKE 'a')", "BINARY #", "(BINARY #)",
		"INTERVAL(#, 1)", "INTERVAL(1, #)", "EXTRACT(YEAR FROM #)", "TRIM(# FROM 'a')", "TRIM('a' FROM #)",
		"TRIM(LEADING FROM #)", "POSITION(# IN 'a')", "SUBSTRING(# FROM 1)",
		"TIMESTAMPDIFF(DAY, #, 1)", "TIMESTAMPADD(DAY, 1, #)", "CHAR(# USING utf8mb4)", "DATE_ADD(#, INTERVAL 1 DAY)",
		"(# MOD 2)",
	} {
		before, after, _ := strings.Cut(form, "#")
		out = append(out, nestingForm{before, after})
	}
	for _, f := range bind.Functions() {
		name := f.Name
		for n := max(f.Min, 1); n <= 4 && (f.Max < 0 || n <= f.Max) && name != "SLEEP" && name != "BENCHMARK"; n++ {
			for hole := range n {
				before := fmt.Sprintf("`%s`(%s", name, strings.Repeat("1, ", hole))
				out = append(out, nestingForm{before, strings.Repeat(", 1", n-hole-1) + ")"})
			}
		}
	}
	return out
}
