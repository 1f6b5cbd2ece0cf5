package write_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/cockroachdb/datadriven"
	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/versions"
	"github.com/hbasekv/hbasekv/sqlfront/write"
	"github.com/hbasekv/hbasekv/sqlfront/write/change"
)

// db is a store in memory with the database d. Its clock does not advance by itself.
type db struct {
	t        testing.TB
	store    *kvtest.Model
	view     versions.View
	clock    int64 // ms
	warnings []string
	ctx      context.Context
}

func newDB(t testing.TB) *db {
	d := &db{t: t, store: kvtest.NewModel(), view: versions.Latest(), clock: 1000, ctx: context.Background()}
	d.change(func(c *kv.CatalogChange) error { return c.CreateDatabase(kv.Database{Name: "d"}) })
	return d
}

func (d *db) change(fn func(*kv.CatalogChange) error) {
	d.t.Helper()
	require.NoError(d.t, d.store.ChangeCatalog(d.ctx, fn))
}

// create makes a table of the words of a command: name=t k=4 q=4 v=8 null
// prefix=2 time range=(m) slices=(5).
func (d *db) create(data *datadriven.TestData) {
	table := kv.Table{Database: "d", MaxRow: 8, MaxQualifier: 8, Value: kv.ValueType{Kind: schema.VarBinary, Max: 8}}
	scheme := &partition.Scheme{}
	for _, arg := range data.CmdArgs {
		word := strings.Join(arg.Vals, ",")
		n, _ := strconv.Atoi(word) // 0 for words without a number
		var err error
		switch arg.Key {
		case "name":
			table.Name = word
		case "k":
			table.MaxRow = n
		case "q":
			table.MaxQualifier = n
		case "v":
			table.Value.Max = n
		case "null":
			table.Value.Nullable = true
		case "prefix":
			schema.Edit(&table).Prefixes = []schema.PrefixColumn{{Name: "P", Length: n, Max: n}}
		case "time":
			schema.Edit(&table).TimeColumn = &schema.TimeColumn{Name: "G"}
		case "range":
			scheme, err = partition.NewRange([]string{"p0", "p1"}, [][]byte{[]byte(arg.Vals[0]), []byte(arg.Vals[1])})
		case "slice":
			scheme, err = scheme.Sliced(&partition.Slices{Names: []string{"s0"}, Upper: []int64{int64(n)}})
		default:
			d.t.Fatalf("%s: unknown word %s", data.Pos, arg.Key)
		}
		require.NoError(d.t, err)
	}
	table.Partitioning = scheme
	d.change(func(c *kv.CatalogChange) error { _, err := c.CreateTable(table); return err })
}

// run prepares a statement and runs it in its own transaction, which is rolled back after an error,
// as the session would.
func (d *db) run(sql string, args ...value.Value) (change.Result, error) {
	txn := kvtest.Begin(d.store, kv.TxnOptions{})
	defer txn.Rollback()
	result, err := d.runIn(txn, sql, args...)
	if err != nil {
		return result, err
	}
	return result, txn.Commit(d.ctx)
}

func (d *db) runIn(txn kv.Txn, sql string, args ...value.Value) (change.Result, error) {
	stmt, err := d.prepare(txn, sql)
	if err != nil {
		return change.Result{}, err
	}
	return stmt.Run(d.context(txn, args))
}

func (d *db) prepare(txn kv.Txn, sql string) (change.Statement, error) {
	parsed, err := parse.Parse(sql)
	if err != nil {
		return nil, err
	}
	return write.Prepare(&plan.Planner{Resolver: relation.Resolver{Catalog: txn.Catalog(), Database: "d"}}, parsed)
}

func (d *db) context(txn kv.Txn, args []value.Value) *exec.Context {
	session := &function.Session{
		Clock: func() time.Time { return time.UnixMilli(d.clock) },
		AddWarning: func(code uint16, message string) {
			d.warnings = append(d.warnings, fmt.Sprintf("%d: %s", code, message))
		},
	}
	return &exec.Context{Ctx: d.ctx, Txn: txn, View: d.view, Parallelism: 1,
		Env: &expr.Env{Params: args, Env: function.Env{Session: session, Ctx: d.ctx}}}
}

// cells returns all versions of a table, one per line.
func (d *db) cells(table string) string {
	txn := kvtest.Begin(d.store, kv.TxnOptions{ReadOnly: true})
	defer txn.Rollback()
	cursor, err := txn.Scan(d.ctx, []*kv.Table{txn.Catalog().Table("d", table)}, &kv.Scan{NeedValue: true})
	require.NoError(d.t, err)
	var lines []string
	for cursor.Next() {
		v, err := cursor.Value()
		require.NoError(d.t, err)
		text := strconv.Quote(string(v))
		if v == nil {
			text = "NULL"
		}
		c := cursor.Cell()
		lines = append(lines, fmt.Sprintf("%q %q %d %s", c.Row, c.Qualifier, c.Timestamp, text))
	}
	require.NoError(d.t, cursor.Err())
	require.NoError(d.t, cursor.Close())
	return strings.Join(lines, "\n") + "\n"
}

// TestStatements runs testdata:
//
//	table name=t k=4 v=8 null prefix=2 time range=(m,z) slice=5   makes a table
//	view all | latest                                      sets the session's view
//	clock 2000                                             sets the server's clock
//	run [args=(a,b)]                                       runs statements, one a line
//	cells t                                                prints all versions
func TestStatements(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		d := newDB(t)
		datadriven.RunTest(t, path, d.command)
		txns, cursors := d.store.InUse()
		require.Zero(t, txns)
		require.Zero(t, cursors)
	})
}

func (d *db) command(t *testing.T, data *datadriven.TestData) string {
	switch data.Cmd {
	case "table":
		d.create(data)
		return ""
	case "view":
		d.view = versions.Latest()
		if data.HasArg("all") {
			d.view = versions.All()
		}
		return ""
	case "clock":
		n, err := strconv.ParseInt(data.CmdArgs[0].Key, 10, 64)
		require.NoError(t, err)
		d.clock = n
		return ""
	case "cells":
		return d.cells(data.CmdArgs[0].Key)
	case "run":
		var out strings.Builder
		for line := range strings.Lines(data.Input) {
			out.WriteString(d.outcome(strings.TrimSpace(line), arguments(data)))
		}
		return out.String()
	}
	t.Fatalf("%s: unknown command %s", data.Pos, data.Cmd)
	return ""
}

func arguments(data *datadriven.TestData) []value.Value {
	var out []value.Value
	for _, arg := range data.CmdArgs {
		for _, word := range arg.Vals {
			if n, err := strconv.ParseInt(word, 10, 64); err == nil {
				out = append(out, value.NewInt(n))
			} else {
				out = append(out, value.NewString(word))
			}
		}
	}
	return out
}

// outcome is what a statement did, with its warnings.
func (d *db) outcome(sql string, args []value.Value) string {
	d.warnings = nil
	r, err := d.run(sql, args...)
	var out strings.Builder
	var e *mysql.MySQLError
	switch {
	case errors.As(err, &e):
		fmt.Fprintf(&out, "error %d: %s\n", e.Number, e.Message)
	case err != nil:
		fmt.Fprintf(&out, "error: %v\n", err)
	default:
		fmt.Fprintf(&out, "matched %d, changed %d, found %d", r.Matched, r.Changed, r.Found)
		if r.InsertID != 0 {
			fmt.Fprintf(&out, ", T %d", r.InsertID)
		}
		out.WriteString("\n")
	}
	for _, w := range d.warnings {
		out.WriteString("warning " + w + "\n")
	}
	return out.String()
}

// TestStatementsAreShared runs one planned statement in several transactions with different
// arguments, which it must not keep.
func TestStatementsAreShared(t *testing.T) {
	d := newDB(t)
	d.create(&datadriven.TestData{CmdArgs: []datadriven.CmdArg{{Key: "name", Vals: []string{"t"}}}})
	txn := kvtest.Begin(d.store, kv.TxnOptions{})
	stmt, err := d.prepare(txn, "INSERT INTO t (K, Q, T, V) VALUES (?, 'q', 1, CONCAT(?, '!'))")
	txn.Rollback()
	require.NoError(t, err)
	require.True(t, stmt.(*write.Insert).Single())
	for _, name := range []string{"a", "b", "c"} {
		txn := kvtest.Begin(d.store, kv.TxnOptions{})
		result, err := stmt.Run(d.context(txn, []value.Value{value.NewString(name), value.NewString(name)}))
		require.NoError(t, err)
		require.Equal(t, change.Result{Matched: 1, Changed: 1, Found: 1}, result)
		require.NoError(t, txn.Commit(d.ctx))
	}
	require.Equal(t, "\"a\" \"q\" 1 \"a!\"\n\"b\" \"q\" 1 \"b!\"\n\"c\" \"q\" 1 \"c!\"\n", d.cells("t"))
}

// TestCancelledStatements checks that a statement whose context has ended returns its error, and
// leaves nothing open.
func TestCancelledStatements(t *testing.T) {
	d := newDB(t)
	d.create(&datadriven.TestData{CmdArgs: []datadriven.CmdArg{{Key: "name", Vals: []string{"t"}}}})
	_, err := d.run("INSERT INTO t (K, Q, T, V) VALUES ('a', 'q', 1, 'x'), ('b', 'q', 1, 'y')")
	require.NoError(t, err)
	for _, sql := range []string{
		"UPDATE t SET V = 'z'", "DELETE FROM t", "INSERT INTO t (K, Q, T, V) SELECT CONCAT(K, 'x'), Q, T, V FROM t",
		"REPLACE INTO t (K, Q, T, V) SELECT K, Q, T, 'r' FROM t",
	} {
		ctx, cancel := context.WithCancel(context.Background())
		d.ctx = ctx
		txn := kvtest.Begin(d.store, kv.TxnOptions{})
		stmt, err := d.prepare(txn, sql)
		require.NoError(t, err)
		cancel()
		_, err = stmt.Run(d.context(txn, nil))
		require.ErrorIs(t, err, context.Canceled, sql)
		txn.Rollback()
	}
	d.ctx = context.Background()
	txns, cursors := d.store.InUse()
	require.Zero(t, txns)
	require.Zero(t, cursors)
	require.Equal(t, "\"a\" \"q\" 1 \"x\"\n\"b\" \"q\" 1 \"y\"\n", d.cells("t"))
}

// TestLoad checks that bulk loads follow the rules of INSERT, up to the first cell that violates
// one.
func TestLoad(t *testing.T) {
	d := newDB(t)
	d.create(&datadriven.TestData{CmdArgs: []datadriven.CmdArg{
		{Key: "name", Vals: []string{"t"}}, {Key: "k", Vals: []string{"2"}}}})
	tables := []*kv.Table{kvtest.Catalog(d.store).Table("d", "t")}
	good := kv.Cell{Row: []byte("ab"), Qualifier: []byte("q"), Timestamp: 1, Value: []byte("v")}
	load := func(cells ...kv.Cell) (taken int, err error) {
		l := write.NewLoad(tables, func(yield func(kv.Cell, error) bool) {
			for _, c := range cells {
				if !yield(c, nil) {
					return
				}
			}
		})
		for _, failed := range l.Cells {
			if failed != nil {
				return taken, l.Error(failed)
			}
			taken++
		}
		return taken, nil
	}
	taken, err := load(good, good)
	require.NoError(t, err)
	require.Equal(t, 2, taken)
	long, null := good, good
	long.Row, null.Value = bytes.Repeat([]byte("x"), 3), nil
	for want, c := range map[uint16]kv.Cell{1406: long, 1048: null} {
		taken, err := load(good, c, good)
		var e *mysql.MySQLError
		require.ErrorAs(t, err, &e)
		require.Equal(t, want, e.Number, e.Message)
		require.Equal(t, 1, taken)
	}
	l := write.NewLoad(tables, func(yield func(kv.Cell, error) bool) { yield(kv.Cell{}, io.ErrUnexpectedEOF) })
	for _, failed := range l.Cells {
		require.ErrorIs(t, failed, io.ErrUnexpectedEOF)
	}
}

// TestRandomUpdates compares UPDATE and DELETE through the latest view with a map
// of cells.
func TestRandomUpdates(t *testing.T) {
	d := newDB(t)
	d.create(&datadriven.TestData{CmdArgs: []datadriven.CmdArg{{Key: "name", Vals: []string{"t"}}}})
	want := map[string]string{}
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	for i := range 200 {
		d.clock += 10
		row, v := string(rune('a'+r.IntN(6))), strconv.Itoa(i)
		var sql string
		switch r.IntN(4) {
		case 0:
			sql, want[row] = fmt.Sprintf("REPLACE INTO t (K, Q, V) VALUES ('%s', 'q', '%s')", row, v), v
		case 1:
			sql = fmt.Sprintf("UPDATE t SET V = CONCAT(K, '%s') WHERE K >= '%s'", v, row)
			for k := range want {
				if k >= row {
					want[k] = k + v
				}
			}
		case 2:
			sql = fmt.Sprintf("DELETE FROM t WHERE K = '%s'", row)
			delete(want, row)
		default:
			sql = fmt.Sprintf("UPDATE t SET V = '%s' ORDER BY K DESC LIMIT 1", v)
			if len(want) > 0 {
				want[slices.Max(slices.Collect(maps.Keys(want)))] = v
			}
		}
		_, err := d.run(sql)
		require.NoError(t, err, sql)
		require.Equal(t, want, d.latest(), "after %s", sql)
	}
}

// latest are the newest values by row.
func (d *db) latest() map[string]string {
	txn := kvtest.Begin(d.store, kv.TxnOptions{ReadOnly: true})
	defer txn.Rollback()
	cursor, err := txn.Scan(d.ctx, []*kv.Table{txn.Catalog().Table("d", "t")}, &kv.Scan{NeedValue: true, MaxVersions: 1})
	require.NoError(d.t, err)
	defer cursor.Close()
	out := map[string]string{}
	for cursor.Next() {
		v, err := cursor.Value()
		require.NoError(d.t, err)
		out[string(cursor.Cell().Row)] = string(v)
	}
	require.NoError(d.t, cursor.Err())
	return out
}
