package reports

import (
	"database/sql"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// The window model visits all rows of a frame for each row.

// frameRow is a row of the table, in which T is unique.
type frameRow struct {
	k, q string
	t    int64
	v    *int64
}

// frameKey is a key of an order.
type frameKey struct {
	text     string
	of       func(*frameRow) *int64
	desc     bool
	interval bool // RANGE n is an INTERVAL of seconds
}

// compare orders two keys: NULL comes first, or last if descending.
func (k *frameKey) compare(a, b *int64) int {
	x, y := int64(math.MinInt64), int64(math.MinInt64)
	if a != nil {
		x = *a
	}
	if b != nil {
		y = *b
	}
	switch {
	case x == y:
		return 0
	case (x < y) != k.desc:
		return -1
	}
	return 1
}

// frameBound is one end of a frame: a number of rows from the current one, or no
// end if unbounded.
type frameBound struct {
	unbounded bool
	n         int64 // negative is preceding
	current   bool
}

func (b frameBound) text(start bool, key *frameKey) string {
	switch {
	case b.unbounded && start:
		return "UNBOUNDED PRECEDING"
	case b.unbounded:
		return "UNBOUNDED FOLLOWING"
	case b.current:
		return "CURRENT ROW"
	}
	n, word := strconv.FormatInt(max(b.n, -b.n), 10), "FOLLOWING"
	if b.n < 0 {
		word = "PRECEDING"
	}
	if key != nil && key.interval {
		n = "INTERVAL " + n + " SECOND"
	}
	return n + " " + word
}

type frameWindow struct {
	partition  string
	of         func(*frameRow) string
	order      []frameKey
	ranged     bool
	start, end frameBound
}

func (w *frameWindow) text() string {
	var out []string
	if w.partition != "" {
		out = append(out, "PARTITION BY "+w.partition)
	}
	for i, k := range w.order {
		text := k.text
		if k.desc {
			text += " DESC"
		}
		if i == 0 {
			text = "ORDER BY " + text
		} else {
			text = ", " + text
		}
		out = append(out, text)
	}
	unit, key := "ROWS", (*frameKey)(nil)
	if w.ranged {
		unit, key = "RANGE", &w.order[0]
	}
	return strings.Join(append(out, unit+" BETWEEN "+w.start.text(true, key)+" AND "+w.end.text(false, key)), " ")
}

// rows are the rows of the i-th row's partition, in order, and its index there.
func (w *frameWindow) rows(all []*frameRow, i int) (rows []*frameRow, at int) {
	for _, r := range all {
		if w.of(r) == w.of(all[i]) {
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, w.compare)
	return rows, slices.Index(rows, all[i])
}

func (w *frameWindow) compare(a, b *frameRow) int {
	for _, k := range w.order {
		if c := k.compare(k.of(a), k.of(b)); c != 0 {
			return c
		}
	}
	return 0
}

// frame is the rows from start to below end.
func (w *frameWindow) frame(rows []*frameRow, at int) []*frameRow {
	start, end := 0, len(rows)
	for start < len(rows) && !w.start.unbounded && w.place(rows, start, at, w.start) < 0 {
		start++
	}
	for end > 0 && !w.end.unbounded && w.place(rows, end-1, at, w.end) > 0 {
		end--
	}
	return rows[min(start, end):end]
}

// place compares row j with a bound of the frame of the row at: below 0 is before
// it.
func (w *frameWindow) place(rows []*frameRow, j, at int, b frameBound) int {
	switch {
	case !w.ranged:
		return j - at - int(b.n)
	case b.current:
		return w.compare(rows[j], rows[at])
	}
	k := &w.order[0]
	here := k.of(rows[at])
	if here != nil {
		n := b.n
		if k.desc {
			n = -n
		}
		moved := *here + n
		here = &moved
	}
	return k.compare(k.of(rows[j]), here)
}

// frameCalls compute a call from a row's partition and frame.
var frameCalls = map[string]func(rows, frame []*frameRow, at int, w *frameWindow) string{
	"COUNT(*)": func(_, frame []*frameRow, _ int, _ *frameWindow) string { return strconv.Itoa(len(frame)) },
	"COUNT(V)": func(_, frame []*frameRow, _ int, _ *frameWindow) string { return strconv.Itoa(len(values(frame))) },
	"SUM(v)": func(_, frame []*frameRow, _ int, _ *frameWindow) string {
		return folded(frame, 0, func(a, b int64) int64 { return a + b })
	},
	"MIN(v)": func(_, frame []*frameRow, _ int, _ *frameWindow) string {
		return folded(frame, math.MaxInt64, func(a, b int64) int64 { return min(a, b) })
	},
	"MAX(v)": func(_, frame []*frameRow, _ int, _ *frameWindow) string {
		return folded(frame, math.MinInt64, func(a, b int64) int64 { return max(a, b) })
	},
	"BIT_XOR(v)": func(_, frame []*frameRow, _ int, _ *frameWindow) string {
		return bitsOf(frame, 0, func(a, b uint64) uint64 { return a ^ b })
	},
	"BIT_AND(v)": func(_, frame []*frameRow, _ int, _ *frameWindow) string {
		return bitsOf(frame, math.MaxUint64, func(a, b uint64) uint64 { return a & b })
	},
	"BIT_OR(v)": func(_, frame []*frameRow, _ int, _ *frameWindow) string {
		return bitsOf(frame, 0, func(a, b uint64) uint64 { return a | b })
	},
	"VAR_POP(v)":   func(_, frame []*frameRow, _ int, _ *frameWindow) string { return variance(frame) },
	"SUM(v/4e0)":   func(_, frame []*frameRow, _ int, _ *frameWindow) string { return quarter(frame) },
	"ROW_NUMBER()": func(_, _ []*frameRow, at int, _ *frameWindow) string { return strconv.Itoa(at + 1) },
	"RANK()": func(rows, _ []*frameRow, at int, w *frameWindow) string {
		return strconv.Itoa(1 + slices.IndexFunc(rows, func(r *frameRow) bool { return w.compare(r, rows[at]) == 0 }))
	},
	"DENSE_RANK()": func(rows, _ []*frameRow, at int, w *frameWindow) string {
		rank := 1
		for j := 1; j <= at; j++ {
			rank += bits.Len(uint(w.compare(rows[j], rows[j-1])))
		}
		return strconv.Itoa(rank)
	},
	"NTILE(4)": func(rows, _ []*frameRow, at int, _ *frameWindow) string {
		for tile, from := 1, 0; ; tile++ {
			from += len(rows) / 4
			if tile <= len(rows)%4 {
				from++
			}
			if at < from {
				return strconv.Itoa(tile)
			}
		}
	},
	"LAG(T, 3)":       func(rows, _ []*frameRow, at int, _ *frameWindow) string { return timeOf(rows, at-3, "NULL") },
	"LEAD(T, 2, -1)":  func(rows, _ []*frameRow, at int, _ *frameWindow) string { return timeOf(rows, at+2, "-1") },
	"LAG(T, 0, T)":    func(rows, _ []*frameRow, at int, _ *frameWindow) string { return timeOf(rows, at, "") },
	"FIRST_VALUE(T)":  func(_, frame []*frameRow, _ int, _ *frameWindow) string { return timeOf(frame, 0, "NULL") },
	"LAST_VALUE(T)":   func(_, frame []*frameRow, _ int, _ *frameWindow) string { return timeOf(frame, len(frame)-1, "NULL") },
	"NTH_VALUE(T, 3)": func(_, frame []*frameRow, _ int, _ *frameWindow) string { return timeOf(frame, 2, "NULL") },
	"JSON_ARRAYAGG(T)": func(_, frame []*frameRow, _ int, _ *frameWindow) string {
		var out []string
		for _, r := range frame {
			out = append(out, strconv.FormatInt(r.t, 10))
		}
		if out == nil {
			return "NULL"
		}
		return "[" + strings.Join(out, ", ") + "]"
	},
}

func timeOf(rows []*frameRow, at int, otherwise string) string {
	if at < 0 || at >= len(rows) {
		return otherwise
	}
	return strconv.FormatInt(rows[at].t, 10)
}

func values(frame []*frameRow) (out []int64) {
	for _, r := range frame {
		if r.v != nil {
			out = append(out, *r.v)
		}
	}
	return out
}

func folded(frame []*frameRow, first int64, op func(a, b int64) int64) string {
	v := values(frame)
	if len(v) == 0 {
		return "NULL"
	}
	for _, each := range v {
		first = op(first, each)
	}
	return strconv.FormatInt(first, 10)
}

func bitsOf(frame []*frameRow, out uint64, op func(a, b uint64) uint64) string {
	for _, v := range values(frame) {
		out = op(out, uint64(v))
	}
	return strconv.FormatUint(out, 10)
}

func quarter(frame []*frameRow) string {
	sum := folded(frame, 0, func(a, b int64) int64 { return a + b })
	n, err := strconv.ParseInt(sum, 10, 64)
	if err != nil {
		return sum
	}
	return strconv.FormatFloat(float64(n)/4, 'g', -1, 64)
}

func variance(frame []*frameRow) string {
	v := values(frame)
	if len(v) == 0 {
		return "NULL"
	}
	sum, squares := int64(0), int64(0)
	for _, x := range v {
		sum, squares = sum+x, squares+x*x
	}
	n := float64(len(v))
	return strconv.FormatFloat((float64(squares)-float64(sum)*float64(sum)/n)/n, 'f', 3, 64)
}

func newFrameRows(r *rand.Rand, n int) []*frameRow {
	times := r.Perm(4 * n)
	rows := make([]*frameRow, n)
	for i := range rows {
		rows[i] = &frameRow{k: string(rune('a' + r.IntN(3))), q: string(rune('p' + r.IntN(3))), t: int64(times[i])}
		if v := int64(r.IntN(41) - 20); r.IntN(6) > 0 {
			rows[i].v = &v
		}
	}
	return rows
}

func fillModel(t *testing.T, db *sql.DB, rows []*frameRow) {
	harness.Must(t, db, "CREATE TABLE w "+oracle.Columns+" PARTITION BY KEY(K) PARTITIONS 3")
	var values []string
	for _, r := range rows {
		v := "NULL"
		if r.v != nil {
			v = fmt.Sprintf("'%d'", *r.v)
		}
		values = append(values, fmt.Sprintf("('%s', '%s', %d, %s)", r.k, r.q, r.t, v))
	}
	harness.Must(t, db, "INSERT INTO w VALUES "+strings.Join(values, ", "))
}

func (w *frameWindow) choose(r *rand.Rand) {
	w.partition, w.of = "", func(*frameRow) string { return "" }
	switch r.IntN(3) {
	case 0:
		w.partition, w.of = "K", func(r *frameRow) string { return r.k }
	case 1:
		w.partition, w.of = "Q, K", func(r *frameRow) string { return r.k + r.q }
	}
	time := frameKey{text: "T", of: func(r *frameRow) *int64 { return &r.t }, desc: r.IntN(2) == 0}
	tens := frameKey{text: "T DIV 10", of: func(r *frameRow) *int64 { n := r.t / 10; return &n }, desc: r.IntN(2) == 0}
	value := frameKey{text: "CAST(V AS SIGNED)", of: func(r *frameRow) *int64 { return r.v }, desc: r.IntN(2) == 0}
	date := frameKey{text: "FROM_UNIXTIME(T DIV 10)", of: tens.of, desc: r.IntN(2) == 0, interval: true}
	w.ranged = r.IntN(2) == 0
	if w.ranged {
		w.order = []frameKey{[]frameKey{time, tens, value, date}[r.IntN(4)]}
	} else {
		w.order = [][]frameKey{{time}, {value, time}, {tens, value, time}}[r.IntN(3)]
	}
	bound := func() frameBound {
		switch r.IntN(4) {
		case 0:
			return frameBound{unbounded: true}
		case 1:
			return frameBound{current: true}
		}
		return frameBound{n: int64(r.IntN(15) - 7)}
	}
	for w.start, w.end = bound(), bound(); !w.start.unbounded && !w.end.unbounded && w.start.n > w.end.n; {
		w.start, w.end = bound(), bound()
	}
	if w.start.n == 0 && !w.start.unbounded {
		w.start.current = true
	}
	if w.end.n == 0 && !w.end.unbounded {
		w.end.current = true
	}
}

// TestWindowModel compares windows with the model, in memory and in temporary files.
func TestWindowModel(t *testing.T) {
	for name, each := range map[string]struct {
		memory       string
		rows, rounds int
	}{"memory": {"", 60, 250}, "files": {"16384", 1500, 40}} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(testseed.Of(t), 5))
			db := harness.OpenDB(t, ":memory:?versions=all")
			if each.memory != "" {
				db, _ = harness.SpillDB(t, each.memory)
			}
			rows := newFrameRows(r, each.rows)
			fillModel(t, db, rows)
			for range each.rounds {
				var w frameWindow
				w.choose(r)
				requireModel(t, r, db, rows, &w)
			}
			require.Equal(t, each.memory != "", harness.Status(t, db, "Created_tmp_disk_tables") > 0)
		})
	}
}

func requireModel(t *testing.T, r *rand.Rand, db *sql.DB, rows []*frameRow, w *frameWindow) {
	t.Helper()
	names := []string{}
	total := w.order[len(w.order)-1].text == "T"
	for name := range frameCalls {
		if total || !strings.Contains("ROW_NUMBER NTILE LAG LEAD FIRST_VALUE LAST_VALUE NTH_VALUE JSON_ARRAYAGG", name[:strings.Index(name, "(")]) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	names = names[:4]
	query := "SELECT T"
	for _, name := range names {
		call := strings.ReplaceAll(name, "(v", "(CAST(V AS SIGNED)")
		query += ", " + call + " OVER w"
	}
	query += " FROM w WINDOW w AS (" + w.text() + ")"
	got := map[string][]string{}
	found, err := db.Query(query)
	require.NoError(t, err, query)
	lines, err := harness.PrintRows(found)
	require.NoError(t, err, query)
	for _, line := range lines {
		for i, cell := range line {
			if text, err := strconv.Unquote(cell); err == nil {
				line[i] = text
			}
		}
		got[line[0]] = line[1:]
	}
	require.Len(t, got, len(rows))
	for range 60 {
		at := r.IntN(len(rows))
		part, place := w.rows(rows, at)
		frame := w.frame(part, place)
		for i, name := range names {
			want, have := frameCalls[name](part, frame, place, w), got[strconv.FormatInt(rows[at].t, 10)][i]
			if f, err := strconv.ParseFloat(have, 64); err == nil && strings.HasPrefix(name, "VAR") {
				have = strconv.FormatFloat(f, 'f', 3, 64)
			}
			if name == "VAR_POP(v)" && want != have { // halves are rounded either way
				a, err := strconv.ParseFloat(want, 64)
				require.NoError(t, err, "%s\n%s of T = %d is %s", query, name, rows[at].t, have)
				b, err := strconv.ParseFloat(have, 64)
				require.NoError(t, err, "%s\n%s of T = %d is %s, not %s", query, name, rows[at].t, have, want)
				require.InDelta(t, a, b, 0.0015, "%s\n%s of T = %d", query, name, rows[at].t)
				continue
			}
			require.Equal(t, want, have, "%s\n%s of T = %d", query, name, rows[at].t)
		}
	}
}
