package hbase

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/generate"
	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
	"github.com/hbasekv/hbasekv/kv/hbase"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

var tandemN = flag.Int("tandem.n", 1000, "number of statements of that comparison")

// tandem is the same cells in the embedded store and in HBase, and the statements
// that run on both.
type tandem struct {
	*testing.T
	r        *rand.Rand
	embedded *sql.DB
	hbase    *sql.DB
	store    *hbase.Store
	database string
	names    tandemNames

	selects *generate.SelectGen
	queries *generate.QueryGen
	refused int // writes that HBase refuses
	differs int // statements in which one side computes a number that is too large
	last    []string
}

// tandemNames are the names and values that a run uses.
type tandemNames struct {
	rows, qualifiers, times, values []string // as SQL literals
}

// TestTandemStatements compares random statements on random cells, in memory, in
// files, in one file, after a split and after moves.
func TestTandemStatements(t *testing.T) {
	dsn, database := hbaseDatabase(t)
	t.Logf("-tandem.n=%d", *tandemN)
	r := rand.New(rand.NewPCG(testseed.Of(t), 11))
	f := &tandem{T: t, r: r, hbase: harness.OpenDB(t, dsn), embedded: harness.OpenDB(t, "file::memory:?db="+database), store: hbaseStore(t), database: database,
		selects: &generate.SelectGen{R: r}, queries: generate.NewQueryGen(r)}
	f.draw()
	f.create()
	ctx := context.Background()
	phases := []struct {
		name string
		do   func(table string) error
	}{
		{"Memory", func(string) error { return nil }},
		{"Flushed", func(table string) error { return f.store.FlushTable(ctx, database, table) }},
		{"Compacted", func(table string) error { return f.store.CompactTable(ctx, database, table) }},
		{"Split", f.split},
		{"Moved", func(table string) error { return f.store.MoveRegions(ctx, database, table) }},
	}
	for _, phase := range phases {
		t.Run(phase.name, func(t *testing.T) {
			f := f.in(t)
			for _, table := range []string{"o", "p", "r", "w"} {
				require.NoError(t, phase.do(table))
			}
			for range *tandemN / len(phases) {
				if f.step(); t.Failed() {
					t.Fatalf("the writes before:\n%s", strings.Join(f.last, "\n"))
				}
			}
		})
	}
	t.Logf("%d writes were refused, %d statements failed on one side", f.refused, f.differs)
	require.LessOrEqual(t, f.differs, *tandemN/50+2)
	require.LessOrEqual(t, f.refused, *tandemN/20+5)
}

func (f *tandem) in(t *testing.T) *tandem {
	f.T = t
	return f
}

// draw chooses the names and values: usual ones, ones at the limits, and random ones.
func (f *tandem) draw() {
	n := &f.names
	n.rows = []string{"'a'", "X'6100'", "'ab'", "'b'", "'B'", "X'00'", "X'FF'", "X'FFFF'", "'10'", "'9'", "'1e1'", "' a'", "'a '", "'user1'", "'user2'",
		"REPEAT('a', 32767)", "REPEAT(X'FF', 32767)", "REPEAT(X'FF', 32766)"}
	n.qualifiers = []string{"''", "'q'", "'q1'", "X'00'", "'name'", "'AGE'", "X'FF'"}
	n.times = []string{"0", "1", "2", "3", "100", "1700000000000", "9223372036854775806", "9223372036854775805"}
	n.values = []string{"''", "'x'", "'12'", "'3.5'", "'-7'", "'abc'", "X'00FF'", "'ABC'", "' 12abc'", "'9223372036854775808'", "'1e3'", "'a%b'", "REPEAT('long ', 300)"}
	for range 6 {
		n.rows = append(n.rows, f.bytes(1))
		n.qualifiers = append(n.qualifiers, f.bytes(0))
		n.times = append(n.times, fmt.Sprint(f.r.Int64()>>f.r.IntN(63)))
		n.values = append(n.values, f.bytes(0))
	}
}

// bytes is a random literal.
func (f *tandem) bytes(least int) string {
	b := make([]byte, least+f.r.IntN(4))
	for i := range b {
		b[i] = byte(f.r.Uint32() >> f.r.IntN(9))
	}
	return fmt.Sprintf("X'%X'", b)
}

func (f *tandem) one(of ...string) string { return harness.Pick(f.r, of) }

// create creates the tables, o for reading, p and r for joins, and w with two
// families for writing, each with random regions in HBase and random partitions
// here.
func (f *tandem) create() {
	columns := func(name string) string {
		return "CREATE TABLE " + name + " (K varbinary(32767) NOT NULL, Q varbinary(65535) NOT NULL, T bigint NOT NULL, V mediumblob NOT NULL, PRIMARY KEY (K, Q, T))"
	}
	for i, table := range []string{"o", "p", "r", "w$a", "w$b"} {
		regions, here := f.regions(), f.one("", " PARTITION BY KEY(K) PARTITIONS 5")
		switch table {
		case "w$a":
			here = ""
		case "w$b": // it has the regions of w$a
			regions, here = "", ""
		}
		harness.Must(f.T, f.hbase, columns(table)+regions)
		harness.Must(f.T, f.embedded, columns(table)+here)
		cells := f.cells([]int{90, 14, 7, 30, 30}[i])
		harness.Must(f.T, f.embedded, "INSERT IGNORE INTO "+table+" VALUES "+strings.Join(cells, ", "))
		for _, cell := range cells {
			harness.Must(f.T, f.hbase, "INSERT IGNORE INTO "+table+" VALUES "+cell)
		}
	}
}

// regions are random bounds in order.
func (f *tandem) regions() string {
	bounds := slices.DeleteFunc([]string{"X'61'", "X'6101'", "X'62'", "X'63FF'", "X'FF'"}, func(string) bool { return f.r.IntN(2) == 0 })
	if len(bounds) == 0 {
		return ""
	}
	parts := []string{}
	for i, b := range append(bounds, "MAXVALUE") {
		if b != "MAXVALUE" {
			b = "(" + b + ")"
		}
		parts = append(parts, fmt.Sprintf("PARTITION p%d VALUES LESS THAN %s", i, b))
	}
	return " PARTITION BY RANGE COLUMNS(K) (" + strings.Join(parts, ", ") + ")"
}

// split splits a region of a table.
func (f *tandem) split(table string) error {
	_, err := f.hbase.Exec("SPLIT TABLE " + strings.Replace(table, "w", "w$a", 1) + " BY (X'6133')")
	return err
}

// cells are literals of random cells with distinct keys.
func (f *tandem) cells(count int) (out []string) {
	seen := map[string]bool{}
	rows := f.names.rows
	if count < 20 { // few rows, so that joins find something
		rows = rows[:6]
	}
	for len(out) < count {
		key := fmt.Sprintf("%s, %s, %s", harness.Pick(f.r, rows), harness.Pick(f.r, f.names.qualifiers),
			harness.Pick(f.r, f.names.times))
		if !seen[key] {
			seen[key] = true
			out = append(out, fmt.Sprintf("(%s, %s)", key, harness.Pick(f.r, f.names.values)))
		}
	}
	return out
}

// step runs one statement or transaction on both.
func (f *tandem) step() {
	switch n := f.r.IntN(20); {
	case n < 8:
		f.ask(f.viewed(f.selects.Statement()))
	case n < 14:
		q := f.queries.Statement()
		for apart.MatchString(q.Root.String()) {
			q = f.queries.Statement()
		}
		f.ask(f.viewed(oracle.Generated{SQL: q.Root.String(), Ordered: q.Ordered}))
	case n < 16:
		f.ask(f.ofGroup())
	default:
		f.write()
	}
}

// apart are statements whose answers differ between the stores: of the view, which
// HBase does not store, and those with an order that the partitions determine.
var apart = regexp.MustCompile(`v AS |JSON_ARRAYAGG|GROUP_CONCAT`)

var fromTable = regexp.MustCompile(`\b(FROM|JOIN|,) (o|p|r)\b`)

// viewed makes a statement read its tables in a random view.
func (f *tandem) viewed(g oracle.Generated) oracle.Generated {
	g.SQL = oracle.Starless(g.SQL)
	suffix, hint := f.view()
	g.SQL = fromTable.ReplaceAllString(g.SQL, "$1 $2"+suffix)
	g.SQL = strings.Replace(g.SQL, "SELECT ", "SELECT "+hint, 1)
	return g
}

// view is a random view: a suffix of the table's name, or a hint.
func (f *tandem) view() (suffix, hint string) {
	a, b := f.bound(), f.bound()
	switch f.r.IntN(12) {
	case 0:
		return " FOR SYSTEM_TIME AS OF " + a, ""
	case 1:
		return " FOR SYSTEM_TIME ALL", ""
	case 2:
		return " FOR SYSTEM_TIME BETWEEN " + a + " AND " + b, ""
	case 3:
		return " FOR SYSTEM_TIME FROM " + a + " TO " + b, ""
	case 4:
		return "", "/*+ TIMERANGE(" + a + ", " + b + ") */ "
	case 5:
		return "", "/*+ TIMERANGE(" + a + ", " + b + ") VERSIONS(2) */ "
	case 6:
		return "", "/*+ VERSIONS(ALL) */ "
	case 7:
		return "", "/*+ VERSIONS(" + f.one("2", "3", "100") + ") */ "
	}
	return "", ""
}

// bound is a time at which a view may begin or end.
func (f *tandem) bound() string {
	return f.one(append(slices.Clone(f.names.times), "-1", "-9223372036854775808", "9223372036854775807")...)
}

// ofGroup reads a table group as one table, or a row's columns, forwards or backwards.
func (f *tandem) ofGroup() oracle.Generated {
	by := f.one(" ORDER BY K, F, Q, T DESC", " ORDER BY K DESC, F DESC, Q DESC, T")
	where := " WHERE K " + f.one("=", "<", ">=", "<>") + " " + harness.Pick(f.r, f.names.rows) + f.one("", " AND Q "+f.one("=", ">", "<=")+" "+harness.Pick(f.r, f.names.qualifiers),
		" AND F = 'b'", " OR K IN ("+harness.Pick(f.r, f.names.rows)+", "+harness.Pick(f.r, f.names.rows)+")")
	suffix, hint := f.view()
	switch f.r.IntN(4) {
	case 0:
		return oracle.Generated{SQL: "SELECT " + hint + "F, COUNT(*), MAX(T) FROM w" + suffix + where + " GROUP BY F",
			Ordered: false}
	case 1:
		return oracle.Generated{SQL: "SELECT " + hint + "DISTINCT K FROM w" + suffix + where, Ordered: false}
	}
	return oracle.Generated{SQL: "SELECT " + hint + "K, F, Q, T, V FROM w" + suffix + where + by + f.one("", " LIMIT 5", " LIMIT 2, 3"), Ordered: true}
}

// ask compares the answers to a query.
func (f *tandem) ask(g oracle.Generated) {
	want, got := oracle.Ask(f.embedded, g), oracle.Ask(f.hbase, g)
	if got.Error == want.Error && slices.EqualFunc(got.Rows, want.Rows, slices.Equal) {
		return
	}
	if (got.Error == 0) != (want.Error == 0) && (got.Error == oracle.OutOfRange || want.Error == oracle.OutOfRange) {
		f.differs++
		return
	}
	f.Errorf("%s\n embedded: %s\n    HBase: %s", g.SQL, want.Print(), got.Print())
}
