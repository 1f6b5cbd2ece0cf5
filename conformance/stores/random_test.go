package stores

import (
	"cmp"
	"context"
	"database/sql"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

var modelOps = flag.Int("model.ops", 400, "number of statements on each layout")

// modelRun drives one table group in one layout, with two families, and the
// models of both.
type modelRun struct {
	t       *testing.T
	r       *rand.Rand
	dir     string
	db      *sql.DB
	tables  []string
	models  []model
	history []string
	layout  string
	moving  bool // another connection is changing partitions

	regionSizes []string
	openings    int

	clock *harness.Clock // nil is the machine's clock
	fixed *int64         // the time of the open transaction, in ms
}

// splitsItself reports whether the store splits and merges ranges by itself.
func (m *modelRun) splitsItself() bool { return len(m.regionSizes) > 0 }

// TestRandomStatements runs the same random statements on every layout, and
// compares each with a model in a map, with flushes, reopenings and
// transactions in between.
func TestRandomStatements(t *testing.T) {
	for layout, partitioning := range oracle.EveryLayout() {
		t.Run(layout, func(t *testing.T) { newModelRun(t, layout, partitioning).run() })
	}
}

// TestRandomStatementsWhileSplitting does the same while the store splits
// ranges of two rows, and after every second opening merges them again, at any
// moment.
func TestRandomStatementsWhileSplitting(t *testing.T) {
	m := newModelRun(t, "range", oracle.Partitionings["range"], "1B", "64KiB")
	harness.Must(t, m.db, "CREATE TABLE w LIKE g$f1", "INSERT INTO w VALUES ('b', '', 1, ''), ('ba', '', 1, ''), ('bb', '', 1, '')", "FLUSH TABLES")
	before := len(shownPartitions(t, m.db, "g$f1"))
	require.Eventually(t, func() bool { return len(shownPartitions(t, m.db, "w")) > before }, time.Minute, time.Millisecond)
	m.run()
}

// newModelRun creates the tables. If sizes are given, each opening uses the
// next one as maxRegionSize.
func newModelRun(t *testing.T, layout, partitioning string, regionSizes ...string) *modelRun {
	m := &modelRun{t: t, layout: layout, r: rand.New(rand.NewPCG(testseed.Of(t), 2)), dir: t.TempDir(),
		tables: []string{"g$f1", "g$f2"}, models: []model{newModel(), newModel()}, regionSizes: regionSizes}
	m.open()
	t.Cleanup(func() { m.db.Close() })
	for _, table := range m.tables {
		harness.Must(t, m.db, oracle.ModelTable(table, layout, partitioning))
	}
	return m
}

func (m *modelRun) run() {
	for range *modelOps {
		m.step()
		if m.t.Failed() {
			m.explain()
			return
		}
	}
}

func (m *modelRun) open() {
	dsn := fmt.Sprintf("file:%s?sync=false&parallelism=%d", m.dir, *harness.Parallelism)
	if m.splitsItself() {
		dsn += "&maxRegionSize=" + m.regionSizes[m.openings%len(m.regionSizes)]
	}
	m.openings++
	cfg, err := driver.ParseDSN(dsn)
	require.NoError(m.t, err)
	if m.clock != nil {
		cfg.Clock = m.clock
	}
	connector, err := driver.NewConnector(cfg)
	require.NoError(m.t, err)
	m.db = sql.OpenDB(connector)
}

func (m *modelRun) explain() {
	for _, line := range m.history[max(0, len(m.history)-25):] {
		m.t.Log(line)
	}
}

func (m *modelRun) note(format string, args ...any) {
	m.history = append(m.history, fmt.Sprintf(format, args...))
}

func (m *modelRun) step() {
	switch n := m.r.IntN(64); {
	case n < 4 && !m.moving:
		m.partitions()
	case n < 4:
	case n == 4 && m.moving:
	case n == 4:
		m.note("-- reopen")
		require.NoError(m.t, m.db.Close())
		m.open()
	case n < 7:
		m.note("FLUSH TABLES")
		_, err := m.db.Exec("FLUSH TABLES")
		require.NoError(m.t, err)
	case n < 10:
		m.transaction()
	case n < 40:
		i := m.r.IntN(2)
		m.write(m.db, i, m.models[i])
	case n < 44:
		m.readGroup(m.db)
	case n < 46 && !m.moving && !m.splitsItself():
		m.readPartitions(m.db, m.r.IntN(2))
	case n < 48 && !m.moving && !m.splitsItself():
		m.writePartitions(m.r.IntN(2))
	default:
		i := m.r.IntN(2)
		m.read(m.db, i, m.models[i])
	}
}

// transaction runs some statements and commits or rolls them back.
func (m *modelRun) transaction() {
	tx, err := m.db.Begin()
	require.NoError(m.t, err)
	m.note("BEGIN")
	moment := m.moment()
	m.fixed = &moment
	defer func() { m.fixed = nil }()
	mine := []model{m.models[0].clone(), m.models[1].clone()}
	for n := range m.r.IntN(6) {
		i := m.r.IntN(2)
		if n > 0 { // the first statement takes the snapshot
			m.moveClock()
		}
		if m.r.IntN(3) == 0 {
			m.read(tx, i, mine[i])
		} else {
			m.writeNoDDL(tx, i, mine[i])
		}
	}
	if m.r.IntN(2) == 0 {
		m.note("ROLLBACK")
		require.NoError(m.t, tx.Rollback())
		return
	}
	m.note("COMMIT")
	if err := tx.Commit(); err != nil {
		require.EqualValues(m.t, 1213, harness.ErrorNumber(err), "%v", err)
		require.True(m.t, m.mayHaveExpired(moment), "%v", err)
		m.note("-- undone")
		return
	}
	m.models = mine
}

func (m *modelRun) writeNoDDL(db harness.Execer, i int, mod model) {
	o := m.op(i)
	for o.sql == "TRUNCATE TABLE "+m.tables[i] { // it would commit
		o = m.op(i)
	}
	m.apply(db, o, i, mod)
}

func (m *modelRun) write(db harness.Execer, i int, mod model) {
	m.apply(db, m.op(i), i, mod)
}

func (m *modelRun) apply(db harness.Execer, o op, i int, mod model) {
	m.note("%s", o.sql)
	mod.at(m.moment())
	var clocks []clocked
	if o.clock != nil {
		clocks = o.clock(mod)
	}
	wantRows, wantErr := o.apply(mod)
	start := m.now()
	res, err := db.ExecContext(context.Background(), o.sql)
	if wantErr != 0 {
		require.Error(m.t, err, o.sql)
		require.Equal(m.t, wantErr, harness.ErrorNumber(err), "%s: %v", o.sql, err)
		return
	}
	if err != nil {
		m.t.Errorf("%s: %v", o.sql, err)
		return
	}
	n, err := res.RowsAffected()
	require.NoError(m.t, err)
	if n != wantRows {
		m.t.Errorf("%s: %d rows affected, want %d", o.sql, n, wantRows)
	}
	m.adopt(db, i, mod, clocks, start)
}

// adopt finds the versions whose timestamps the server chose, checks them, and
// adds them to the model.
func (m *modelRun) adopt(db harness.Execer, i int, mod model, clocks []clocked, start int64) {
	if len(clocks) == 0 {
		return
	}
	all := m.query(db, "SELECT K, Q, T, V FROM "+m.tables[i]+" FOR SYSTEM_TIME ALL")
	for _, c := range clocks {
		low, high := max(start, c.from), max(m.now(), c.from)+int64(len(mod.cells[c.column])+len(mod.gone[c.column]))
		found := false
		for _, x := range all {
			_, known := mod.cells[c.column][x.t]
			if x.k != c.k || x.q != c.q || known {
				continue
			}
			found = true
			if x.t < low || x.t > high || !sameValue(x.v, c.v) {
				m.t.Errorf("new version %v: want T from %d to %d and V %s", x, low, high, litOrNull(c.v))
			}
			mod.put(x)
		}
		require.True(m.t, found, "the new version of %v: want T from %d to %d", c.column, low, high)
	}
	slices.SortFunc(all, compareRows)
	m.same("after a write by the clock", all, mod.rows(view{min: math.MinInt64, max: math.MaxInt64}))
}

func (m *modelRun) read(db harness.Execer, i int, mod model) {
	mod.at(m.moment())
	v := readView(m.r)
	p := always()
	if m.r.IntN(5) > 0 {
		p = where(m.r, 2)
	}
	var want []row
	for _, x := range mod.rows(v) {
		if p.eval(x) == 1 {
			want = append(want, x)
		}
	}
	order, limit := "", ""
	switch m.r.IntN(4) {
	case 0:
		order = " ORDER BY K, Q, T DESC"
	case 1:
		order = " ORDER BY K DESC, Q DESC, T"
		slices.Reverse(want)
	case 2:
		n, skip := m.r.IntN(5), m.r.IntN(3)
		order, limit = " ORDER BY K, Q, T DESC", fmt.Sprintf(" LIMIT %d, %d", skip, n)
		want = want[min(skip, len(want)):]
		want = want[:min(n, len(want))]
	}
	sql := "SELECT " + v.hint + "K, Q, T, V FROM " + m.tables[i] + v.suffix + " WHERE " + p.sql + order + limit
	m.note("%s", sql)
	got := m.query(db, sql)
	if order == "" {
		slices.SortFunc(got, compareRows)
	}
	m.same(sql, got, want)
	m.count(db, v, p, i, mod)
}

// count queries the number of rows, for which another plan may be used.
func (m *modelRun) count(db harness.Execer, v view, p predicate, i int, mod model) {
	want := 0
	for _, x := range mod.rows(v) {
		if p.eval(x) == 1 {
			want++
		}
	}
	sql := "SELECT " + v.hint + "COUNT(*) FROM " + m.tables[i] + v.suffix + " WHERE " + p.sql
	var n int
	rows, err := db.QueryContext(context.Background(), sql)
	require.NoError(m.t, err, sql)
	defer rows.Close()
	require.True(m.t, rows.Next(), sql)
	require.NoError(m.t, rows.Scan(&n))
	if n != want {
		m.t.Errorf("%s: %d, want %d", sql, n, want)
	}
}

// readGroup reads both families through the table group's virtual table.
func (m *modelRun) readGroup(db harness.Execer) {
	for _, mod := range m.models {
		mod.at(m.moment())
	}
	p := where(m.r, 1)
	sql := "SELECT K, F, Q, T, V FROM g WHERE " + p.sql + " ORDER BY K, F, Q, T DESC"
	m.note("%s", sql)
	rows, err := db.QueryContext(context.Background(), sql)
	require.NoError(m.t, err, sql)
	defer rows.Close()
	var got []familyRow
	for rows.Next() {
		var x familyRow
		require.NoError(m.t, rows.Scan(&x.k, &x.family, &x.q, &x.t, &x.v))
		got = append(got, x)
	}
	require.NoError(m.t, rows.Err())
	require.Equal(m.t, fmt.Sprint(m.groupRows(p)), fmt.Sprint(got), sql)
}

// familyRow is a row of a table group's virtual table.
type familyRow struct {
	row
	family string
}

func (r familyRow) String() string { return r.family + r.row.String() }

func (m *modelRun) groupRows(p predicate) []familyRow {
	var want []familyRow
	for i, mod := range m.models {
		for _, x := range mod.rows(latestView()) {
			if p.eval(x) == 1 {
				want = append(want, familyRow{x, fmt.Sprintf("f%d", i+1)})
			}
		}
	}
	slices.SortFunc(want, func(a, b familyRow) int {
		return cmp.Or(cmp.Compare(a.k, b.k), cmp.Compare(a.family, b.family), compareRows(a.row, b.row))
	})
	return want
}

func (m *modelRun) query(db harness.Execer, sql string) []row {
	out, err := m.tryQuery(db, sql)
	require.NoError(m.t, err, sql)
	return out
}

func (m *modelRun) tryQuery(db harness.Execer, sql string) (out []row, err error) {
	rows, err := db.QueryContext(context.Background(), sql)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var x row
		if err := rows.Scan(&x.k, &x.q, &x.t, &x.v); err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, rows.Err()
}

func (m *modelRun) same(what string, got, want []row) {
	if !slices.EqualFunc(got, want, func(a, b row) bool { return a.String() == b.String() }) {
		m.t.Errorf("%s\n got  %v\n want %v", what, got, want)
	}
}
