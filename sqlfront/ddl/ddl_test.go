package ddl_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/cockroachdb/datadriven"
	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/sqlfront/ddl"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// db is a store in memory and what a session would provide.
type db struct {
	store  kv.Store
	notes  []string
	permit func(*kv.Catalog) error
}

func newDB(t testing.TB) *db {
	d := &db{store: kvtest.NewModel()}
	require.NoError(t, d.run("CREATE DATABASE d"))
	return d
}

// run runs a statement as a session in the database d would.
func (d *db) run(sql string, params ...value.Value) error {
	_, err := d.answer(context.Background(), sql, params)
	return err
}

func (d *db) answer(ctx context.Context, sql string, params []value.Value) (*relation.Result, error) {
	parsed, err := parse.Parse(sql)
	if err != nil {
		return nil, err
	}
	run := &ddl.DDL{
		Store: d.store, Database: "d", Params: params, Parsed: parsed,
		Planner: func(c *kv.Catalog) *plan.Planner {
			return &plan.Planner{Resolver: relation.Resolver{Catalog: c, Database: "d"}}
		},
		Note:    func(n mysqlerr.Number, message string) { d.notes = append(d.notes, fmt.Sprintf("%d: %s", n, message)) },
		Virtual: func(database string) bool { return database == "information_schema" },
		Permit:  d.permit,
	}
	done, err := run.Run(ctx, parsed.Stmt)
	if !done {
		return nil, fmt.Errorf("not DDL: %s", sql)
	}
	return run.Answer, err
}

// TestStatements runs testdata:
//
//	run         runs statements, one a line
//	table t     prints a table's descriptor; spaces are numbered in the order in which they appear
//	retention   runs statements, and after each prints which versions all tables and groups keep
//	catalog     prints all names
//	put t       writes cells "row qualifier timestamp value"
//	rows t      prints what a table holds
func TestStatements(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, newDB(t).command)
	})
}

func (d *db) command(t *testing.T, data *datadriven.TestData) string {
	switch data.Cmd {
	case "run":
		var out strings.Builder
		for line := range strings.Lines(data.Input) {
			out.WriteString(d.outcome(strings.TrimSpace(line)))
		}
		return out.String()
	case "retention":
		var out strings.Builder
		for line := range strings.Lines(data.Input) {
			out.WriteString(d.outcome(strings.TrimSpace(line)) + d.retention())
		}
		return out.String()
	case "table":
		return describe(t, kvtest.Catalog(d.store).Table("d", data.CmdArgs[0].Key))
	case "catalog":
		return d.names()
	case "put":
		kvtest.PutLines(t, d.store, "d", data.CmdArgs[0].Key, data.Input)
		return ""
	case "rows":
		return d.rows(t, data.CmdArgs[0].Key)
	}
	t.Fatalf("%s: unknown command %s", data.Pos, data.Cmd)
	return ""
}

// retention is that of the tables and groups that do not keep all versions.
func (d *db) retention() string {
	var out strings.Builder
	line := func(name string, r kv.Retention) {
		if r != (kv.Retention{}) {
			fmt.Fprintf(&out, "  %s: %+v\n", name, r)
		}
	}
	for _, g := range kvtest.Catalog(d.store).Groups("d") {
		line("group "+g.Name, g.Retention)
	}
	for _, t := range kvtest.Catalog(d.store).Tables("d") {
		line(t.Name, t.Retention)
	}
	return out.String()
}

func (d *db) outcome(sql string) string {
	d.notes = nil
	answer, err := d.answer(context.Background(), sql, []value.Value{value.NewString("m"), value.NewInt(7)})
	out := "ok\n"
	var e *mysql.MySQLError
	switch {
	case errors.As(err, &e):
		out = fmt.Sprintf("error %d: %s\n", e.Number, e.Message)
	case err != nil:
		out = fmt.Sprintf("error: %v\n", err)
	case answer != nil:
		out = fmt.Sprintf("%s %v\n", answer.Columns[0].Name, answer.Rows)
	}
	for _, n := range d.notes {
		out += "note " + n + "\n"
	}
	return out
}

// describe is a descriptor without what differs from run to run.
func describe(t *testing.T, table *kv.Table) string {
	if table == nil {
		return "none\n"
	}
	shown := *table
	shown.ID, shown.Created = 0, 0
	at := map[keyspace.ID]int{}
	var spaces []int
	for _, s := range keyspace.Of(table).Spaces {
		if _, ok := at[s]; !ok {
			at[s] = len(at)
		}
		spaces = append(spaces, at[s])
	}
	text, err := json.MarshalIndent(shown, "", " ")
	require.NoError(t, err)
	return fmt.Sprintf("%s\nspaces %v\n", text, spaces)
}

func (d *db) names() string {
	var out strings.Builder
	c := kvtest.Catalog(d.store)
	for _, database := range c.Databases() {
		fmt.Fprintf(&out, "database %s %s\n", database.Name, schema.TextOf(database))
		for _, g := range c.Groups(database.Name) {
			fmt.Fprintf(&out, " group %s explicit=%v sharding=%q\n", g.Name, g.Explicit, schema.ShardingOf(g))
		}
		for _, table := range c.Tables(database.Name) {
			fmt.Fprintf(&out, " table %s\n", table.Name)
		}
		for _, v := range c.Views(database.Name) {
			fmt.Fprintf(&out, " view %s %v: %s\n", v.Name, schema.OfView(v).Columns, schema.OfView(v).Definition)
		}
	}
	return out.String()
}

func (d *db) rows(t *testing.T, table string) string {
	txn := kvtest.Begin(d.store, kv.TxnOptions{ReadOnly: true})
	defer txn.Rollback()
	cursor, err := txn.Scan(context.Background(), []*kv.Table{txn.Catalog().Table("d", table)}, &kv.Scan{})
	require.NoError(t, err)
	defer cursor.Close()
	var out strings.Builder
	for cursor.Next() {
		fmt.Fprintf(&out, "%s %s %d\n", cursor.Cell().Row, cursor.Cell().Qualifier, cursor.Cell().Timestamp)
	}
	require.NoError(t, cursor.Err())
	return out.String()
}

// TestFailedStatementsChangeNothing runs statements whose later parts fail.
func TestFailedStatementsChangeNothing(t *testing.T) {
	const columns = "(K VARBINARY(8), Q VARBINARY(8), T BIGINT, V BLOB, PRIMARY KEY (K, Q, T))"
	d := newDB(t)
	for _, name := range []string{"a", "b"} {
		require.NoError(t, d.run("CREATE TABLE "+name+" "+columns+
			" PARTITION BY RANGE COLUMNS(K) (PARTITION p0 VALUES LESS THAN ('m'))"))
	}
	require.NoError(t, d.run("CREATE VIEW v AS SELECT * FROM a"))
	before := kvtest.Catalog(d.store).Version()
	for _, sql := range []string{
		"RENAME TABLE a TO c, none TO x", "RENAME TABLE a TO b", "DROP VIEW v, a",
		"ALTER TABLE a COMMENT 'x', MODIFY V TEXT", "ALTER TABLE a RENAME TO b",
		"ALTER TABLE a ADD PARTITION (PARTITION p1 VALUES LESS THAN ('x'), PARTITION p1 VALUES LESS THAN ('y'))",
		"ALTER TABLE a DROP PARTITION p0", "CREATE OR REPLACE VIEW v AS SELECT * FROM v",
		"ALTER VIEW v AS SELECT nothing FROM a", "CREATE TABLE d.a LIKE b", "TRUNCATE TABLE v",
	} {
		require.Error(t, d.run(sql), sql)
		require.Equal(t, before, kvtest.Catalog(d.store).Version(), sql)
	}
}

// TestCancelledMove: a statement that moves cells ends with its context, and the table is unchanged.
func TestCancelledMove(t *testing.T) {
	d := newDB(t)
	require.NoError(t, d.run("CREATE TABLE t (K VARBINARY(8), Q VARBINARY(8), T BIGINT, V BLOB, PRIMARY KEY (K, Q, T))"))
	kvtest.PutLines(t, d.store, "d", "t", "a q 1 x\nb q 1 y")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, sql := range []string{
		"ALTER TABLE t PARTITION BY KEY(K) PARTITIONS 3", "ALTER TABLE t MODIFY V VARBINARY(1)", "TRUNCATE TABLE t",
	} {
		_, err := d.answer(ctx, sql, nil)
		require.ErrorIs(t, err, context.Canceled, sql)
		table := kvtest.Catalog(d.store).Table("d", "t")
		require.False(t, table.Partitioning.Partitioned(), sql)
		require.Equal(t, schema.Blob, table.Value.Kind, sql)
	}
	require.Equal(t, "a q 1\nb q 1\n", d.rows(t, "t"))
}
