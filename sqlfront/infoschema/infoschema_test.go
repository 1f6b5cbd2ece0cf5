package infoschema_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/cockroachdb/datadriven"
	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/sqlfront/ddl"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/exec/computed"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/infoschema"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/versions"
)

// server is what the tables show besides the catalog.
type server struct{}

func (server) Transactions() []infoschema.Transaction { return nil }

func (server) StoredAccounts(context.Context) (*rights.Accounts, error) { return rights.First, nil }

func (server) Processes() []infoschema.Process {
	return []infoschema.Process{
		{ID: 1, User: "root", Host: "localhost", Command: "Sleep", Seconds: 9},
		{ID: 2, User: "root", Host: "localhost", Database: "d", Command: "Query", State: "sorting",
			Text: "SELECT '" + strings.Repeat("x", 120) + "'"},
	}
}

func (server) Variables(_ *function.Session, global bool) [][2]string {
	if global {
		return [][2]string{{"autocommit", "ON"}, {"version", "5.7"}}
	}
	return [][2]string{{"autocommit", "OFF"}, {"version", "5.7"}}
}

func (server) Status(*function.Session, bool) [][2]string { return [][2]string{{"Uptime", "7"}} }

// db is a store in memory with its catalog tables.
type db struct {
	store    *kvtest.Model
	info     *infoschema.Information
	warnings []string
}

func newDB() *db {
	store := kvtest.NewModel()
	return &db{store: store, info: infoschema.New(store, server{})}
}

func (d *db) ddl(sql string) error {
	parsed, err := parse.Parse(sql)
	if err != nil {
		return err
	}
	run := &ddl.DDL{
		Store: d.store, Database: "d", Parsed: parsed, Virtual: infoschema.IsVirtual, Note: func(mysqlerr.Number, string) {},
		Planner: func(c *kv.Catalog) *plan.Planner { return d.planner(c) },
	}
	_, err = run.Run(context.Background(), parsed.Stmt)
	return err
}

func (d *db) planner(c *kv.Catalog) *plan.Planner {
	return &plan.Planner{Resolver: relation.Resolver{Catalog: c, Database: "d", Virtual: d.info.Table}}
}

func (d *db) context(txn kv.Txn, params []value.Value) *exec.Context {
	session := &function.Session{AddWarning: func(code uint16, message string) {
		d.warnings = append(d.warnings, fmt.Sprintf("%d: %s", code, message))
	}}
	return &exec.Context{Ctx: context.Background(), Txn: txn, View: versions.Latest(), Parallelism: 1,
		Env: &expr.Env{Params: params, Env: function.Env{Session: session}}}
}

// query answers SHOW, DESCRIBE or SELECT.
func (d *db) query(sql string, params ...value.Value) (*relation.Result, error) {
	parsed, err := parse.Parse(sql)
	if err != nil {
		return nil, err
	}
	txn := kvtest.Begin(d.store, kv.TxnOptions{ReadOnly: true})
	defer txn.Rollback()
	switch st := parsed.Stmt.(type) {
	case *ast.Show:
		return d.info.Show(d.context(nil, params), "d", st)
	case *ast.Describe:
		return d.info.Describe(d.context(nil, params), "d", st)
	case *ast.Select:
		return d.selected(parsed, st, txn, params)
	}
	return nil, fmt.Errorf("no query: %s", sql)
}

func (d *db) selected(parsed *ast.Parsed, st *ast.Select, txn kv.Txn, params []value.Value) (*relation.Result, error) {
	planned, err := d.planner(txn.Catalog()).Select(parsed, st)
	if err != nil {
		return nil, err
	}
	rows, err := planned.Open(d.context(txn, params))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := &relation.Result{Columns: planned.Columns}
	for {
		row, err := rows.Next()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		kept := make([]value.Value, len(row))
		for i, v := range row {
			kept[i] = v.Clone()
		}
		out.Rows = append(out.Rows, kept)
	}
}

// TestStatements runs testdata:
//
//	ddl                      changes the catalog, one statement a line
//	put t                    writes cells "row qualifier timestamp value"
//	query [args=(a)] [names] prints the rows of each statement, with names their columns
func TestStatements(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, newDB().command)
	})
}

func (d *db) command(t *testing.T, data *datadriven.TestData) string {
	switch data.Cmd {
	case "ddl":
		for line := range strings.Lines(data.Input) {
			require.NoError(t, d.ddl(strings.TrimSpace(line)), line)
		}
		return ""
	case "put":
		kvtest.PutLines(t, d.store, "d", data.CmdArgs[0].Key, data.Input)
		return ""
	case "query":
		var params []value.Value
		if arg, ok := data.Arg("args"); ok {
			for _, word := range arg.Vals {
				params = append(params, value.NewString(word))
			}
		}
		var out strings.Builder
		for line := range strings.Lines(data.Input) {
			out.WriteString(d.answer(strings.TrimSpace(line), params, data.HasArg("names")))
		}
		return out.String()
	}
	t.Fatalf("%s: unknown command %s", data.Pos, data.Cmd)
	return ""
}

func (d *db) answer(sql string, params []value.Value, names bool) string {
	d.warnings = nil
	r, err := d.query(sql, params...)
	var e *mysql.MySQLError
	switch {
	case errors.As(err, &e):
		return fmt.Sprintf("error %d: %s\n", e.Number, e.Message)
	case err != nil:
		return fmt.Sprintf("error: %v\n", err)
	}
	var out strings.Builder
	if names {
		var list []string
		for _, c := range r.Columns {
			list = append(list, c.Name)
		}
		out.WriteString(strings.Join(list, " | ") + "\n")
	}
	for _, row := range r.Rows {
		var list []string
		for _, v := range row {
			list = append(list, value.Print(v))
		}
		out.WriteString(strings.Join(list, " | ") + "\n")
	}
	if len(r.Rows) == 0 {
		out.WriteString("no rows\n")
	}
	for _, w := range d.warnings {
		out.WriteString("warning " + w + "\n")
	}
	return out.String()
}

// TestEveryTableCanBeRead reads all columns of all tables, whose rows have a value for each column, and finds
// each table by its columns' names.
func TestEveryTableCanBeRead(t *testing.T) {
	d := newDB()
	require.NoError(t, d.ddl("CREATE DATABASE d"))
	require.NoError(t, d.ddl("CREATE TABLE t (K VARBINARY(8), Q VARBINARY(8), T BIGINT, V BLOB, PRIMARY KEY (K, Q, T))"))
	require.NoError(t, d.ddl("CREATE VIEW v AS SELECT K, COUNT(*) AS n, AVG(T) AS a FROM t GROUP BY K"))
	tables, err := d.query("SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'information_schema'")
	require.NoError(t, err)
	require.Greater(t, len(tables.Rows), 20)
	for _, row := range tables.Rows {
		name := row[0].String()
		all, err := d.query("SELECT * FROM information_schema." + strings.ToLower(name))
		require.NoError(t, err, name)
		columns, err := d.query("SELECT COLUMN_NAME, IS_NULLABLE, DATA_TYPE FROM information_schema.COLUMNS "+
			"WHERE TABLE_SCHEMA = 'information_schema' AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION", value.NewString(name))
		require.NoError(t, err, name)
		require.Len(t, columns.Rows, len(all.Columns), name)
		for i, c := range all.Columns {
			require.Equal(t, c.Name, columns.Rows[i][0].String(), name)
			for _, r := range all.Rows {
				if r[i].IsNull() {
					require.Equal(t, "YES", columns.Rows[i][1].String(), "%s.%s is NULL", name, c.Name)
				}
			}
		}
	}
}

// TestShownTablesAreMadeAgain: the output of SHOW CREATE TABLE creates a table that is shown alike.
func TestShownTablesAreMadeAgain(t *testing.T) {
	const row, key = "(K VARBINARY(8), Q VARBINARY(9), T BIGINT, ", "PRIMARY KEY (K, Q, T))"
	for _, sql := range []string{
		row + "V BLOB, " + key,
		"(k VARBINARY(8) COMMENT 'it''s', q VARBINARY(9), t BIGINT, v VARBINARY(3) COMMENT 'a\\\\b', " + key +
			" COMMENT 'x\ny' COLLATE utf8mb4_bin",
		row + "V LONGBLOB NOT NULL, P VARBINARY(3) AS (LEFT(K, 2)) STORED, G BIGINT AS (ABS(T)) COMMENT 'g', " + key +
			" PARTITION BY RANGE COLUMNS(G) SUBPARTITION BY KEY(P) SUBPARTITIONS 3 " +
			"(PARTITION a VALUES LESS THAN (5), PARTITION b VALUES LESS THAN (MAXVALUE))",
		row + "V BLOB, " + key + " PARTITION BY KEY(K) PARTITIONS 5",
		row + "V BLOB, " + key + " PARTITION BY RANGE COLUMNS(K) " +
			"(PARTITION `a``b` VALUES LESS THAN ('it''s'), PARTITION c VALUES LESS THAN (X'ff00'))",
		row + "V BLOB, G BIGINT AS (ABS(T)), " + key + " PARTITION BY KEY(K) PARTITIONS 3 " +
			"SUBPARTITION BY RANGE COLUMNS(G) SUBPARTITION TEMPLATE (SUBPARTITION x VALUES LESS THAN (9))",
	} {
		d := newDB()
		require.NoError(t, d.ddl("CREATE DATABASE d"))
		require.NoError(t, d.ddl("CREATE TABLE `g$t` "+sql), sql)
		shown := d.shown(t, "SHOW CREATE TABLE `g$t`")
		before := kvtest.Catalog(d.store).Table("d", "g$t")
		require.NoError(t, d.ddl("DROP TABLE `g$t`"))
		require.NoError(t, d.ddl(shown), shown)
		require.Equal(t, shown, d.shown(t, "SHOW CREATE TABLE `g$t`"))
		after := *kvtest.Catalog(d.store).Table("d", "g$t")
		after.ID, after.Created, after.Layout = before.ID, before.Created, before.Layout
		require.True(t, before.Attributes.Equal(after.Attributes))
		after.Attributes = before.Attributes
		require.Equal(t, *before, after)
	}
}

func (d *db) shown(t *testing.T, sql string) string {
	r, err := d.query(sql)
	require.NoError(t, err)
	require.Len(t, r.Rows, 1)
	return r.Rows[0][1].String()
}

// TestNewestCatalog: the tables show objects that were created after a transaction began.
func TestNewestCatalog(t *testing.T) {
	d := newDB()
	require.NoError(t, d.ddl("CREATE DATABASE d"))
	txn := kvtest.Begin(d.store, kv.TxnOptions{ReadOnly: true})
	defer txn.Rollback()
	require.NoError(t, d.ddl("CREATE TABLE t (K VARBINARY(8), Q VARBINARY(8), T BIGINT, V BLOB, PRIMARY KEY (K, Q, T))"))
	table, owned := d.info.Table("INFORMATION_SCHEMA", "tables")
	require.True(t, owned)
	everything := computed.Wanted{Row: func(int, value.Value) bool { return true }, Read: func(int) bool { return true }}
	rows, err := table.Rows(d.context(txn, nil), everything)
	require.NoError(t, err)
	found := false
	for {
		row, err := rows.Next()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		found = found || row[1].String() == "d" && row[2].String() == "t"
	}
	require.NoError(t, rows.Close())
	require.True(t, found)
	none, owned := d.info.Table("information_schema", "none")
	require.Nil(t, none)
	require.True(t, owned)
	_, owned = d.info.Table("d", "t")
	require.False(t, owned)
}
