package constrain_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// TestBuild prints the constraint of the WHERE in each case of testdata.
//
//	build [view=latest|all|opaque] [time=(min,max)] [group | timed] [args=(a,..)]
//
// The table has the columns K, Q, T, V and K_PREFIX, the first two bytes of K, and with timed G, the absolute
// value of T; with group it is the virtual table of the families f, g and h.
func TestBuild(t *testing.T) {
	datadriven.Walk(t, "testdata/build", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			where, err := bindWhere(d.Input)
			if err != nil {
				return err.Error()
			}
			cols := tableColumns
			switch {
			case d.HasArg("group"):
				cols = groupColumns
			case d.HasArg("timed"):
				cols = timedColumns
			}
			c, err := constrain.Build(where, cols, &expr.Env{Params: arguments(t, d)}, viewOf(t, d))
			require.NoError(t, err)
			return describe(c)
		})
	})
}

// describe prints a constraint over several lines, always with what is left to filter.
func describe(c *constrain.Constraint) string {
	s := strings.ReplaceAll(c.String(), "; ", "\n") + "\n"
	if c.Remaining == nil {
		s += "filter: none\n"
	}
	return s + "access: " + c.Access().String() + "\n"
}

func viewOf(t *testing.T, d *datadriven.TestData) constrain.View {
	var v constrain.View
	if d.HasArg("view") {
		var name string
		d.ScanArgs(t, "view", &name)
		v.AllVersions, v.Opaque = name == "all", name == "opaque"
	}
	if d.HasArg("time") {
		v.Time.Bounded = true
		d.ScanArgs(t, "time", &v.Time.Min, &v.Time.Max)
	}
	return v
}

func arguments(t *testing.T, d *datadriven.TestData) []value.Value {
	var out []value.Value
	for _, arg := range d.CmdArgs {
		if arg.Key != "args" {
			continue
		}
		for _, text := range arg.Vals {
			out = append(out, argument(text))
		}
	}
	return out
}

func argument(text string) value.Value {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return value.NewInt(i)
	}
	if text == "NULL" {
		return value.Value{}
	}
	return value.NewBytes([]byte(text))
}

// columns is the scope of a WHERE.
type columns map[string]*expr.Column

func (c columns) Resolve(_, name string) (expr.Node, error) {
	if column, ok := c[strings.ToUpper(name)]; ok {
		return column, nil
	}
	return nil, mysqlerr.New(mysqlerr.BadField, "Unknown column '%s' in 'where clause'", name)
}

var scope = columns{"K": columnK, "Q": columnQ, "T": columnT, "V": columnV, "K_PREFIX": columnP, "F": columnF,
	"G": columnG}

func bindWhere(where string) (expr.Node, error) {
	parsed, err := parse.Parse("SELECT 1 FROM t WHERE " + where)
	if err != nil {
		return nil, err
	}
	binder := bind.Binder{Scope: scope}
	return binder.Bind(parsed.Stmt.(*ast.Select).Node.(*sqlparser.Select).Where.Expr)
}

// TestRowRanges checks the ranges of whole rows by which partitions are selected.
func TestRowRanges(t *testing.T) {
	for where, want := range map[string]string{
		"K = 'a'":                         "[a,a0)",
		"K = 'a' AND Q IN ('p', 'q')":     "[a,a0)",
		"K > 'a' AND K < 'c'":             "[a0,c)",
		"K BETWEEN 'a' AND 'c'":           "[a,c0)",
		"(K, Q) > ('a', 'q')":             "[a,)",
		"(K, Q) <= ('a', 'q')":            "[,a0)",
		"K IN ('b', 'a', 'd')":            "[a,a0) [b,b0) [d,d0)",
		"K LIKE 'a%' OR K = 'c'":          "[a,b) [c,c0)",
		"V = 'x'":                         "[,)",
		"K = 'a' AND K = 'b'":             "",
		"(K, Q) IN (('a','x'),('b','y'))": "[a,a0) [b,b0)",
	} {
		node, err := bindWhere(where)
		require.NoError(t, err)
		c, err := constrain.Build(node, tableColumns, nil, constrain.View{})
		require.NoError(t, err)
		var got []string
		for _, r := range c.RowRanges() {
			got = append(got, "["+string(r.Start)+","+strings.ReplaceAll(string(r.End), "\x00", "0")+")")
		}
		require.Equal(t, strings.ReplaceAll(want, "[a0,", "[a\x00,"), strings.Join(got, " "), where)
	}
}

func TestNoWhereReadsTheView(t *testing.T) {
	view := constrain.View{Time: kv.TimeRange{Min: 1, Max: 5, Bounded: true}}
	c, err := constrain.Build(nil, tableColumns, nil, view)
	require.NoError(t, err)
	require.Equal(t, &constrain.Constraint{Time: view.Time}, c)
	require.Equal(t, constrain.AccessFull, c.Access())
}
