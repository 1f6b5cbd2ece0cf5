package stores

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// now returns the current time, in ms.
func (m *modelRun) now() int64 {
	if m.clock != nil {
		return m.clock.Now().UnixMilli()
	}
	return time.Now().UnixMilli()
}

// moment returns the time by which a statement judges what is kept: that of the transaction's
// snapshot.
func (m *modelRun) moment() int64 {
	if m.fixed != nil {
		return *m.fixed
	}
	return m.now()
}

func (m *modelRun) moveClock() {
	if m.clock != nil {
		m.clock.Advance(time.Duration(harness.Pick(m.r, []int{1, 1, 2, 3, 7, 10, 100, 400})) * time.Millisecond)
		m.note("-- it is %d", m.now())
	}
}

// mayHaveExpired reports whether a version that a table keeps beyond MIN_VERSIONS only
// because it is young may have expired since a moment, which makes the commit of a
// transaction that deleted another version fail.
func (m *modelRun) mayHaveExpired(since int64) bool {
	return m.clock != nil && m.clock.Now().UnixMilli() > since &&
		slices.ContainsFunc(m.models, func(mod model) bool { return mod.ttl > 0 && mod.min > 0 })
}

// TestRandomRetention runs random statements on tables that do not keep all
// versions, on every layout, and compares them with the model: at random moments
// the clock advances, retention is altered, and what is not kept is collected.
func TestRandomRetention(t *testing.T) {
	for layout, partitioning := range oracle.EveryLayout() {
		t.Run(layout, func(t *testing.T) {
			m := &modelRun{t: t, layout: layout, r: rand.New(rand.NewPCG(testseed.Of(t), 5)), dir: t.TempDir(),
				tables: []string{"g$f1", "g$f2"}, models: []model{newModel(), newModel()}, clock: harness.NewClock(time.UnixMilli(1000))}
			m.open()
			t.Cleanup(func() { m.db.Close() })
			for _, table := range m.tables {
				harness.Must(t, m.db, oracle.ModelTable(table, layout, partitioning))
			}
			for range *modelOps {
				m.retentionStep()
				if t.Failed() {
					m.explain()
					return
				}
			}
		})
	}
}

func (m *modelRun) retentionStep() {
	switch n := m.r.IntN(64); {
	case n < 5:
		m.moveClock()
	case n < 9:
		m.retain(m.r.IntN(2))
	case n < 11:
		m.collect(m.tables[m.r.IntN(2)])
	case n < 13:
		statement := m.layoutChange(m.tables[m.r.IntN(2)])
		m.note("%s", statement)
		m.changed(m.exec(statement))
	case n < 15:
		m.readPartitions(m.db, m.r.IntN(2))
	case n < 16:
		i := m.r.IntN(2)
		m.models[i].at(m.now())
		m.writePartitions(i)
	case n < 17:
		m.note("-- reopen")
		require.NoError(m.t, m.db.Close())
		m.open()
	default:
		m.stepOnRows()
	}
}

// stepOnRows is a step that does not change partitions: a DROP or TRUNCATE of one
// may uncover what was not kept because of newer versions.
func (m *modelRun) stepOnRows() {
	m.moving = true
	m.step()
	m.moving = false
}

func (m *modelRun) collect(table string) {
	m.note("OPTIMIZE TABLE %s", table)
	for _, line := range harness.Lines(m.t, m.db, "OPTIMIZE TABLE "+table) {
		require.NotContains(m.t, strings.ToLower(line), "error")
	}
}

// retain alters the retention of one table, or of both.
func (m *modelRun) retain(i int) {
	next := keeping{ttl: harness.Pick(m.r, []int64{0, 1, 1, 2, 5}), max: harness.Pick(m.r, []int{0, 1, 2, 3}), min: harness.Pick(m.r, []int{0, 0, 1, 2})}
	if next.max > 0 {
		next.min = min(next.min, next.max)
	}
	attributes := fmt.Sprintf(`KV_ATTRIBUTES = '{"Hbase": {"TimeToLive": %d, "MaxVersions": %d, "MinVersions": %d}}'`, next.ttl, next.max, next.min)
	if m.r.IntN(2) == 0 {
		attributes = fmt.Sprintf("TTL = %d MIN_VERSIONS = %d VERSIONS = %d", next.ttl, next.min, next.max)
	}
	statement, altered := "ALTER TABLE "+m.tables[i]+" "+attributes, []int{i}
	if m.r.IntN(4) == 0 {
		statement, altered = "ALTER TABLEGROUP g "+attributes, []int{0, 1}
	}
	m.note("%s", statement)
	for _, i := range altered {
		m.models[i].at(m.now())
	}
	harness.Must(m.t, m.db, statement)
	for _, i := range altered {
		m.models[i].ttl, m.models[i].max, m.models[i].min = next.ttl, next.max, next.min
		m.models[i].at(m.now())
		m.widen(i, m.models[i])
	}
}

// widen adds to the model the versions that an ALTER keeps again, of those that
// were not collected.
func (m *modelRun) widen(i int, mod model) {
	all := view{min: math.MinInt64, max: math.MaxInt64}
	shown := m.query(m.db, "SELECT K, Q, T, V FROM "+m.tables[i]+" FOR SYSTEM_TIME ALL")
	for _, x := range shown {
		old, ok := mod.gone[column{x.k, x.q}][x.t]
		if !mod.has(x) && !(ok && sameValue(old, x.v)) {
			m.t.Errorf("behind ALTER: %v was never there", x)
		}
		delete(mod.gone[column{x.k, x.q}], x.t)
	}
	for _, x := range mod.rows(all) {
		if !slices.ContainsFunc(shown, func(s row) bool { return s.String() == x.String() }) {
			m.t.Errorf("behind ALTER: %v is missing", x)
		}
	}
	for _, x := range shown {
		mod.put(x)
	}
	slices.SortFunc(shown, compareRows)
	m.same("behind ALTER", shown, mod.rows(all))
}
