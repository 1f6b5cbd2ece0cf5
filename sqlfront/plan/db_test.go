package plan_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/attribute"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/exec/computed"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/versions"
)

// db is a store in memory with one database, "d".
type db struct {
	t     testing.TB
	store kv.Store
	view  versions.View
	// memory and parallelism are the limits of statements.
	memory      int64
	parallelism int
	// virtual is information_schema.memory.
	virtual relation.VirtualTable
}

func newDB(t testing.TB) *db {
	d := &db{t: t, store: kvtest.NewModel(), view: versions.Latest(), parallelism: 1}
	d.change(func(c *kv.CatalogChange) error { return c.CreateDatabase(kv.Database{Name: "d"}) })
	return d
}

func (d *db) change(fn func(*kv.CatalogChange) error) {
	d.t.Helper()
	require.NoError(d.t, d.store.ChangeCatalog(context.Background(), fn))
}

// create makes a table; prefix is the length of its K_PREFIX, 0 for none.
func (d *db) create(name string, scheme *partition.Scheme, prefix int) {
	d.t.Helper()
	l := kvtest.Layout{Scheme: scheme}
	table := l.Table(name)
	table.Database = "d"
	if prefix > 0 {
		schema.Edit(&table).Prefixes = []schema.PrefixColumn{{Name: "K_PREFIX", Length: prefix, Max: prefix}}
	}
	d.change(func(c *kv.CatalogChange) error { _, err := c.CreateTable(table); return err })
}

func (d *db) put(table string, cells ...kv.Cell) {
	d.t.Helper()
	ctx := context.Background()
	txn := kvtest.Begin(d.store, kv.TxnOptions{})
	for _, c := range cells {
		require.NoError(d.t, txn.Put(ctx, txn.Catalog().Table("d", table), c))
	}
	require.NoError(d.t, txn.Commit(ctx))
}

// result is an open SELECT.
type result struct {
	*exec.Rows
	columns []relation.Column
}

// open plans and opens a SELECT in a transaction of its own.
func (d *db) open(ctx context.Context, sql string, args ...value.Value) (result, func(), error) {
	parsed, err := parse.Parse(sql)
	if err != nil {
		return result{}, nil, err
	}
	s, ok := parsed.Stmt.(*ast.Select)
	if !ok {
		return result{}, nil, fmt.Errorf("not a SELECT: %s", sql)
	}
	txn := kvtest.Begin(d.store, kv.TxnOptions{})
	planned, err := d.plan(txn, parsed, s)
	if err != nil {
		txn.Rollback()
		return result{}, nil, err
	}
	rows, err := planned.Open(d.context(ctx, txn, args))
	if err != nil {
		txn.Rollback()
		return result{}, nil, err
	}
	return result{rows, planned.Columns}, func() {
		_ = rows.Close()
		txn.Rollback()
	}, nil
}

func (d *db) plan(txn kv.Txn, parsed *ast.Parsed, s *ast.Select) (*plan.Select, error) {
	planner := plan.Planner{Resolver: relation.Resolver{Catalog: txn.Catalog(), Database: "d", Virtual: d.lookup}}
	return planner.Select(parsed, s)
}

func (d *db) context(ctx context.Context, txn kv.Txn, args []value.Value) *exec.Context {
	return &exec.Context{
		Ctx: ctx, Txn: txn, View: d.view, Spill: spill.Options{Memory: d.memory}, Parallelism: d.parallelism,
		Env: &expr.Env{Params: args, Env: function.Env{Session: &function.Session{Now: time.Unix(1700000000, 0)}}},
	}
}

// explain is the answer to EXPLAIN of a SELECT.
func (d *db) explain(sql string, o plan.ExplainOptions, args ...value.Value) (*plan.Explanation, error) {
	parsed, err := parse.Parse(sql)
	if err != nil {
		return nil, err
	}
	txn := kvtest.Begin(d.store, kv.TxnOptions{})
	defer txn.Rollback()
	planned, err := d.plan(txn, parsed, parsed.Stmt.(*ast.Select))
	if err != nil {
		return nil, err
	}
	return plan.Explain(d.context(context.Background(), txn, args), planned, o)
}

// query is all rows of a SELECT, printed, one a line.
func (d *db) query(sql string, args ...value.Value) ([]string, error) {
	rows, done, err := d.open(context.Background(), sql, args...)
	if err != nil {
		return nil, err
	}
	defer done()
	var out []string
	for {
		row, err := rows.Next()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out = append(out, printRow(row))
	}
}

func printRow(row []value.Value) string {
	parts := make([]string, len(row))
	for i, v := range row {
		parts[i] = expr.Print(&expr.Const{V: v})
	}
	return strings.Join(parts, " | ")
}

// lookup is a catalog database with two tables.
func (d *db) lookup(database, table string) (relation.VirtualTable, bool) {
	switch {
	case !strings.EqualFold(database, "information_schema"):
		return nil, false
	case strings.EqualFold(table, "colours"):
		return colours{}, true
	case table == "memory":
		return d.virtual, true
	}
	return nil, true
}

type colours struct{}

func (colours) Columns() []relation.Column {
	return []relation.Column{
		{Name: "NAME", Type: value.Type{Kind: value.Text, Length: 64}},
		{Name: "LEVEL", Type: value.Type{Kind: value.Int}},
	}
}

// Rows returns only the wanted rows.
func (colours) Rows(_ *exec.Context, w computed.Wanted) (computed.RowSource, error) {
	var rows [][]value.Value
	for i, name := range []string{"red", "green", "blue"} {
		row := []value.Value{value.NewString(name), value.NewInt(int64(i))}
		if w.Row(0, row[0]) && w.Row(1, row[1]) {
			rows = append(rows, row)
		}
	}
	return computed.Slice(rows), nil
}

func scheme(t testing.TB, words string) *partition.Scheme {
	name, rest, _ := strings.Cut(strings.TrimSuffix(words, ")"), "(")
	var s *partition.Scheme
	var err error
	switch name {
	case "", "none":
		return &partition.Scheme{}
	case "key":
		n, _ := strconv.Atoi(rest)
		s, err = partition.NewKey(n)
	case "prefix":
		count, length, _ := strings.Cut(rest, ",")
		n, _ := strconv.Atoi(count)
		prefix, _ := strconv.Atoi(length)
		s, err = partition.NewPrefixKey(n, prefix)
	case "range":
		var names []string
		var bounds [][]byte
		for i, b := range strings.Split(rest, ",") {
			names, bounds = append(names, fmt.Sprintf("p%d", i)), append(bounds, []byte(b))
		}
		s, err = partition.NewRange(append(names, "pmax"), append(bounds, nil))
	}
	require.NoError(t, err)
	return s
}

// cell reads "row column timestamp value"; ~ is the empty string, NULL the null value, and \x.. escapes are
// bytes.
func cell(t testing.TB, line string) kv.Cell {
	f := strings.Fields(line)
	require.Len(t, f, 4, line)
	ts, err := strconv.ParseInt(f[2], 10, 64)
	require.NoError(t, err)
	c := kv.Cell{Row: text(t, f[0]), Qualifier: text(t, f[1]), Timestamp: ts, Value: text(t, f[3])}
	if f[3] == "NULL" {
		c.Value = nil
	}
	return c
}

func text(t testing.TB, s string) []byte {
	if s == "~" {
		return []byte{}
	}
	out, err := strconv.Unquote(`"` + s + `"`)
	require.NoError(t, err)
	return []byte(out)
}

// runFile runs a datadriven file:
//
//	table name=t partition=key(7) prefix=3    makes a table
//	put t                                     writes cells, see cell
//	view all | latest | 2                     sets the session's view
//	define v columns=(a,b)                    makes the view v of a SELECT
//	query [args=(a,b)]                        prints the rows
//	explain, tree, json [args=(a,b)]          prints the plan
//	plans [args=(a,b)]                        prints the plan of each statement
//	                                          on plain, and the partitions on all
//	                                          tables, which the text calls @
func runFile(t *testing.T, path string) {
	d := newDB(t)
	datadriven.RunTest(t, path, func(t *testing.T, td *datadriven.TestData) string {
		d.t = t
		switch td.Cmd {
		case "table":
			d.tableCommand(td)
			return ""
		case "put":
			for line := range strings.Lines(td.Input) {
				d.put(td.CmdArgs[0].Key, cell(t, line))
			}
			return ""
		case "view":
			d.setView(td.CmdArgs[0].Key)
			return ""
		case "define":
			d.defineCommand(td)
			return ""
		case "columns":
			return d.columnsCommand(td.Input)
		case "explain":
			return d.explainCommand(td, plan.ExplainOptions{})
		case "tree":
			return d.explainCommand(td, plan.ExplainOptions{Format: "TREE"})
		case "plans":
			return d.plansCommand(td)
		case "json":
			return d.explainCommand(td, plan.ExplainOptions{Format: "JSON"})
		}
		return d.queryCommand(td)
	})
}

func (d *db) tableCommand(td *datadriven.TestData) {
	var name, words string
	var prefix int
	td.ScanArgs(d.t, "name", &name)
	td.MaybeScanArgs(d.t, "partition", &words)
	td.MaybeScanArgs(d.t, "prefix", &prefix)
	d.create(name, scheme(d.t, words), prefix)
}

func (d *db) defineCommand(td *datadriven.TestData) {
	for _, a := range td.CmdArgs {
		if a.Key == "columns" {
			d.define(td.CmdArgs[0].Key, td.Input, a.Vals...)
		}
	}
}

func (d *db) define(name, definition string, columns ...string) {
	d.t.Helper()
	d.change(func(c *kv.CatalogChange) error {
		says := &schema.View{Columns: columns, Definition: definition}
		return c.CreateView(kv.View{Database: "d", Name: name, Attributes: attribute.New(says)})
	})
}

func (d *db) setView(word string) {
	switch word {
	case "latest":
		d.view = versions.Latest()
	case "all":
		d.view = versions.All()
	default:
		n, err := strconv.Atoi(word)
		require.NoError(d.t, err)
		d.view = versions.View{Versions: n}
	}
}

func (d *db) queryCommand(td *datadriven.TestData) string {
	lines, err := d.query(td.Input, args(d.t, td)...)
	if err != nil {
		lines = append(lines, err.Error())
	}
	if len(lines) == 0 {
		return "(no rows)\n"
	}
	return strings.Join(lines, "\n") + "\n"
}

func (d *db) explainCommand(td *datadriven.TestData, o plan.ExplainOptions) string {
	var b strings.Builder
	for sql := range strings.SplitSeq(td.Input, ";\n") {
		e, err := d.explain(sql, o, args(d.t, td)...)
		if err != nil {
			return err.Error()
		}
		for _, row := range e.Rows {
			if o.Format == "" {
				fmt.Fprintln(&b, printRow(row))
			} else {
				fmt.Fprintf(&b, "%s\n", row[0].Raw())
			}
		}
	}
	return b.String()
}

func (d *db) plansCommand(td *datadriven.TestData) string {
	var b strings.Builder
	for sql := range strings.SplitSeq(td.Input, ";\n") {
		fmt.Fprintln(&b, sql)
		for _, table := range []string{"plain", "by_key", "by_prefix", "by_range"} {
			e, err := d.explain(strings.ReplaceAll(sql, "@", table), plan.ExplainOptions{Format: "TREE"}, args(d.t, td)...)
			if err != nil {
				return err.Error()
			}
			d.printPlan(&b, table, strings.Split(string(e.Rows[0][0].Raw()), "\n"))
		}
	}
	return b.String()
}

// printPlan prints the whole plan for the table plain, and for the others the partitions.
func (d *db) printPlan(b *strings.Builder, table string, lines []string) {
	for _, line := range lines {
		_, partitions, ok := strings.Cut(line, "partitions: ")
		switch {
		case ok:
			fmt.Fprintf(b, "  %s: %s\n", table, partitions)
		case table == "plain":
			fmt.Fprintln(b, "  "+line)
		}
	}
}

// args are the arguments of a command: integers, or else text.
func args(t testing.TB, td *datadriven.TestData) []value.Value {
	var out []value.Value
	for _, a := range td.CmdArgs {
		if a.Key != "args" {
			continue
		}
		for _, v := range a.Vals {
			if n, err := strconv.ParseInt(v, 10, 64); err == nil {
				out = append(out, value.NewInt(n))
			} else {
				out = append(out, value.NewBytes(text(t, v)))
			}
		}
	}
	return out
}

func (d *db) columnsCommand(sql string) string {
	rows, done, err := d.open(context.Background(), sql)
	if err != nil {
		return err.Error()
	}
	defer done()
	var b bytes.Buffer
	for _, c := range rows.columns {
		fmt.Fprintf(&b, "%s: %s %s nullable=%v", c.Name, c.Type.Kind, c.Type.Name, c.Type.Nullable)
		if c.OrgTable != "" {
			fmt.Fprintf(&b, " from %s.%s(%s).%s", c.Database, c.OrgTable, c.Table, c.OrgName)
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

func TestFiles(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) { runFile(t, path) })
}
