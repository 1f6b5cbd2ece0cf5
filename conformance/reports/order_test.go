package reports

import (
	"bytes"
	"cmp"
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

var (
	orderStatements = flag.Int("order.statements", 60, "statements of TestOrder for each table")
)

// orderLayouts are the tables' layouts; row keys begin with few distinct bytes, as salted ones
// do.
var orderLayouts = []string{"", " PARTITION BY KEY(K) PARTITIONS 7", " PARTITION BY RANGE COLUMNS(K) SPLITS (X'01', X'0162', X'02')"}

// TestOrder: whatever part of an order the store provides, rows come in the order of a
// stable sort in Go.
func TestOrder(t *testing.T) {
	seed := testseed.Of(t)
	for i, layout := range orderLayouts {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			g := orderGen{rand.New(rand.NewPCG(seed, uint64(i)))}
			conn := harness.Conn(t, harness.OpenDB(t, "file::memory:?versions="+g.one("all", "latest")))
			g.fill(t, conn, layout)
			for range *orderStatements {
				g.statement(t, conn)
			}
		})
	}
}

type orderGen struct{ *rand.Rand }

func (g orderGen) one(of ...string) string { return of[g.IntN(len(of))] }

// fill fills a table with few distinct values: a row, a qualifier, and a first byte may each
// have many or few cells.
func (g orderGen) fill(t *testing.T, db harness.Execer, layout string) {
	harness.Must(t, db, "CREATE TABLE t (K varbinary(64), Q varbinary(64), T bigint, V varbinary(200), PRIMARY KEY (K, Q, T))"+layout)
	rows, cells := 1+g.IntN(60), 1+g.IntN(1500)
	var values []string
	for range cells {
		v := g.one("NULL", "''", "'a'", "'ab'", "'b'", fmt.Sprintf("'%d'", g.IntN(100)))
		row := g.IntN(rows)
		values = append(values, fmt.Sprintf("(X'%02x%02x%02x', 'q%d', %d, %s)", row%3, 'a'+row%5, row, g.IntN(4), g.IntN(50)-25, v))
	}
	harness.Must(t, db, "REPLACE INTO t VALUES "+strings.Join(values, ", "))
}

// order is a list of keys, and for each whether it is descending.
func (g orderGen) order() (keys []string, desc []bool) {
	keys = strings.Split(g.one("K", "LEFT(K, 1)", "LEFT(K, 2)", "K; Q", "LEFT(K, 2); K", "UNSALT(K)", "SUBSTRING(K, 2, 1)",
		"SUBSTRING(K, 1, 2)", "K; Q; T"), "; ")
	backwards := g.IntN(2) == 0
	for range keys {
		desc = append(desc, backwards)
	}
	for range 1 + g.IntN(2) {
		keys, desc = append(keys, g.one("T", "V", "Q", "LENGTH(V)", "T DIV 9", "CONCAT(Q, V)", "K", "1 + 1")), append(desc, g.IntN(2) == 0)
	}
	return keys, desc
}

// statement compares a statement with its expected result.
func (g orderGen) statement(t *testing.T, conn *sql.Conn) {
	harness.Must(t, conn, fmt.Sprintf("SET hbasekv_parallelism = %d, hbasekv_batch_cells = %d", 1+g.IntN(3), []int{0, 1, 7, 1024, harness.OneByOne}[g.IntN(5)]))
	keys, desc := g.order()
	where := g.one("", "", "", " WHERE K < X'02'", " WHERE K >= X'01' AND K < X'02'", " WHERE V > 'a'", " WHERE Q IN ('q0', 'q2')", " WHERE V = 'no'")
	if g.IntN(3) == 0 {
		where = " WHERE K >= X'00' AND K < X'03'" // its buckets are merged
	}
	columns := "K, Q, T, V, " + strings.Join(keys, ", ")
	want := orderRows(t, conn, "SELECT "+columns+" FROM t"+where)
	places := make([]int, len(keys))
	for i := range keys {
		places[i] = 4 + i
	}
	compare := func(a, b []any) int { return compareOrder(a, b, places, desc) }
	slices.SortStableFunc(want, compare)
	limit, offset := 1+g.IntN(g.IntN(len(want)+20)+1), g.IntN(3)*g.IntN(20)
	total, limited := len(want), fmt.Sprintf("LIMIT %d OFFSET %d", limit, offset)
	if g.IntN(4) == 0 {
		limit, offset, limited = total, 0, ""
	}
	query := g.form(keys, desc, where, limited)
	got := orderRows(t, conn, query)
	part := want[min(offset, total):min(offset+limit, total)]
	require.Equal(t, keysOf(part, places), keysOf(got, places), "%s", query)
	requireAmong(t, got, want, query)
	if strings.Contains(query, "FOUND_ROWS") {
		require.Equal(t, []string{fmt.Sprint(total)}, harness.Lines(t, conn, "SELECT FOUND_ROWS()"), query)
	}
}

// orderForms select columns of rows with a condition in an order, up to a limit.
var orderForms = []string{
	"SELECT %[1]s FROM t%[2]s ORDER BY %[3]s %[4]s",
	"SELECT SQL_CALC_FOUND_ROWS %[1]s FROM t%[2]s ORDER BY %[3]s %[4]s",
	"SELECT DISTINCT %[1]s FROM t%[2]s ORDER BY %[3]s %[4]s",
	"SELECT %[1]s FROM t%[2]s ORDER BY %[3]s %[4]s FOR UPDATE",
	"SELECT %[1]s FROM t LEFT JOIN (SELECT 'none' AS x) j ON x = Q%[2]s ORDER BY %[3]s %[4]s",
	"SELECT %[1]s FROM t JOIN (SELECT DISTINCT Q AS x FROM t) j ON x = Q%[2]s ORDER BY %[3]s %[4]s",
	"SELECT %[1]s FROM t JOIN (SELECT K AS x, COUNT(*) FROM t GROUP BY K) j ON x = K%[2]s ORDER BY %[3]s %[4]s",
	"SELECT * FROM (SELECT %[1]s FROM t%[2]s) d ORDER BY %[5]s %[4]s",
	"(SELECT %[1]s FROM t%[2]s ORDER BY %[3]s %[4]s) UNION ALL (SELECT %[1]s FROM t WHERE 1 = 0)",
}

// form is a statement that selects the rows in an order.
func (g orderGen) form(keys []string, desc []bool, where, limit string) string {
	columns, order, names := "K, Q, T, V", []string{}, []string{}
	for i, k := range keys {
		direction := map[bool]string{true: " DESC"}[desc[i]]
		columns += fmt.Sprintf(", %s AS k%d", k, i)
		order, names = append(order, k+direction), append(names, fmt.Sprintf("k%d%s", i, direction))
	}
	form := g.one(orderForms...)
	if limit == "" && strings.Contains(form, "UNION") {
		form = orderForms[0] // a part has no order
	}
	return fmt.Sprintf(form+"%[6]s", columns, where, strings.Join(order, ", "), limit, strings.Join(names, ", "), "")
}

// TestOrderChanges: UPDATE and DELETE with a LIMIT change the first rows of an order that the
// store provides in part.
func TestOrderChanges(t *testing.T) {
	harness.OnLayouts(t, "?versions=latest", func(t *testing.T, db *sql.DB) {
		conn := harness.Conn(t, db)
		for i := range 300 {
			harness.Must(t, conn,
				fmt.Sprintf("REPLACE INTO t VALUES ('k%02d', 'q%d', %d, 'v%03d')", i/10, i%10, i, i*71%300))
		}
		all := harness.Lines(t, conn, "SELECT K, Q FROM t ORDER BY K, Q")
		for _, of := range [][2]string{{"K", ", V DESC"}, {"K", " DESC, V"}, {"LEFT(K, 2)", ", V"}, {"K", ", Q DESC"}} {
			order := of[0] + of[1]
			for _, limit := range []int{1, 13, 70} {
				want := harness.Lines(t, conn, fmt.Sprintf("SELECT K, Q FROM t ORDER BY CONCAT(%s, '')%s LIMIT %d", of[0], of[1], limit))
				slices.Sort(want)
				harness.Must(t, conn, "BEGIN", fmt.Sprintf("UPDATE t SET V = 'new' ORDER BY %s LIMIT %d", order, limit))
				require.Equal(t, want, harness.Lines(t, conn, "SELECT K, Q FROM t WHERE V = 'new' ORDER BY K, Q"),
					order)
				harness.Must(t, conn, "ROLLBACK", "BEGIN",
					fmt.Sprintf("DELETE FROM t ORDER BY %s LIMIT %d", order, limit))
				rest := slices.DeleteFunc(slices.Clone(all), func(row string) bool { return slices.Contains(want, row) })
				require.Equal(t, rest, harness.Lines(t, conn, "SELECT K, Q FROM t ORDER BY K, Q"), order)
				harness.Must(t, conn, "ROLLBACK")
			}
		}
	})
}

// orderRows are the rows of a query, with nil for NULL, int64 and []byte.
func orderRows(t *testing.T, db harness.Querier, query string) (out [][]any) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	require.NoError(t, err, query)
	defer rows.Close()
	columns, err := rows.Columns()
	require.NoError(t, err)
	for rows.Next() {
		row, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		require.NoError(t, rows.Scan(into...))
		out = append(out, row)
	}
	require.NoError(t, rows.Err(), query)
	return out
}

// compareOrder compares rows by columns; NULL comes first.
func compareOrder(a, b []any, places []int, desc []bool) int {
	for i, at := range places {
		if c := compareValue(a[at], b[at]); c != 0 {
			return map[bool]int{true: -c, false: c}[desc[i]]
		}
	}
	return 0
}

func compareValue(a, b any) int {
	switch x := a.(type) {
	case []byte:
		if y, ok := b.([]byte); ok {
			return bytes.Compare(x, y)
		}
	case int64:
		if y, ok := b.(int64); ok {
			return cmp.Compare(x, y)
		}
	}
	return cmp.Compare(map[bool]int{false: 1}[a == nil], map[bool]int{false: 1}[b == nil])
}

// keysOf are the values of columns.
func keysOf(rows [][]any, places []int) []string {
	out := []string{}
	for _, row := range rows {
		text := ""
		for _, at := range places {
			text += fmt.Sprintf("%q ", fmt.Sprint(row[at]))
		}
		out = append(out, text)
	}
	return out
}

// requireAmong requires each row to be one of others, at most as often as there.
func requireAmong(t *testing.T, rows, among [][]any, query string) {
	left := map[string]int{}
	for _, row := range among {
		left[fmt.Sprintf("%q", row)]++
	}
	for _, row := range rows {
		text := fmt.Sprintf("%q", row)
		left[text]--
		require.GreaterOrEqual(t, left[text], 0, "%s: %s", query, text)
	}
}
