package driver

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"
)

// figures are the figures that Prometheus would read.
type figures map[string]*dto.MetricFamily

func gather(t *testing.T, db *sql.DB) figures {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(Collector(db))
	families, err := registry.Gather()
	require.NoError(t, err)
	problems, err := promlint.NewWithMetricFamilies(families).Lint()
	require.NoError(t, err)
	require.Empty(t, problems)
	out := figures{}
	for _, f := range families {
		out[f.GetName()] = f
	}
	return out
}

// of returns a figure with these labels, for a histogram its count, summed over
// all that have them.
func (f figures) of(t *testing.T, name string, labels ...string) (n float64) {
	t.Helper()
	require.Contains(t, f, "hbasekv_"+name)
	for _, m := range f["hbasekv_"+name].Metric {
		if !labelled(m, labels) {
			continue
		}
		n += m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
	}
	return n
}

func labelled(m *dto.Metric, labels []string) bool {
	has := map[string]string{}
	for _, l := range m.Label {
		has[l.GetName()] = l.GetValue()
	}
	for i := 0; i < len(labels); i += 2 {
		if has[labels[i]] != labels[i+1] {
			return false
		}
	}
	return true
}

// TestCollector compares each figure with a known workload.
func TestCollector(t *testing.T) {
	db, err := sql.Open(Name, "file:"+t.TempDir()+"?sync=false&lockTimeout=50ms")
	require.NoError(t, err)
	defer db.Close()
	run := func(text string, args ...any) {
		_, err := db.Exec(text, args...)
		require.NoError(t, err, text)
	}
	run("CREATE TABLE t (K varbinary(64), Q varbinary(64), T bigint, V varbinary(64), PRIMARY KEY (K, Q, T)) " +
		"PARTITION BY KEY(K) PARTITIONS 3")
	before := gather(t, db)
	grown := func(name string, by float64, labels ...string) {
		t.Helper()
		require.Equal(t, by, gather(t, db).of(t, name, labels...)-before.of(t, name, labels...), "%s %v", name, labels)
	}
	run("INSERT INTO t VALUES ('a', 'p', 1, 'x'), ('a', 'q', 1, 'y'), ('b', 'p', 1, 'z')")
	run("REPLACE INTO t VALUES ('b', 'p', 1, 'zz')")
	_, err = db.Exec("INSERT INTO t VALUES ('a', 'p', 1, 'x')")
	require.Error(t, err)
	_, err = db.Exec("SELECT nothing")
	require.Error(t, err)
	run("UPDATE t SET V = 'w' WHERE K = 'a'")
	for range 5 {
		rows := 0
		read, err := db.Query("SELECT K, V FROM t WHERE K = ?", "a")
		require.NoError(t, err)
		for read.Next() {
			rows++
		}
		require.NoError(t, read.Close())
		require.Equal(t, 2, rows)
	}
	run("DELETE FROM t WHERE K = 'b'")

	grown("statements_total", 1, "kind", "insert", "outcome", "ok")
	grown("statements_total", 1, "kind", "insert", "outcome", "error")
	grown("statements_total", 1, "kind", "replace", "outcome", "ok")
	grown("statements_total", 1, "kind", "update", "outcome", "ok")
	grown("statements_total", 1, "kind", "delete", "outcome", "ok")
	grown("statements_total", 5, "kind", "select", "outcome", "ok")
	grown("statements_total", 1, "kind", "select", "outcome", "error")
	grown("statements_total", 0, "outcome", "interrupted")
	grown("statement_duration_seconds", 6, "kind", "select")
	grown("rows_given_total", 10, "kind", "select")
	grown("rows_changed_total", 3, "kind", "insert")
	grown("rows_changed_total", 2, "kind", "update")
	grown("rows_changed_total", 1, "kind", "delete")
	grown("partitions_read_total", 5, "kind", "select")
	// Each row has two cells of two versions. The newest version of each is read, and at
	// most the other one is skipped.
	cells := gather(t, db).of(t, "cells_read_total", "kind", "select") - before.of(t, "cells_read_total", "kind", "select")
	require.GreaterOrEqual(t, cells, 10.0)
	require.LessOrEqual(t, cells, 20.0)
	grown("plan_cache_hits_total", 4) // the SELECT; each other text is planned
	grown("store_commits_total", 4)
	require.Equal(t, 3.0, gather(t, db).of(t, "store_partitions"))
	require.Len(t, gather(t, db)["hbasekv_store_partition_bytes"].Metric, 3)

	killed, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = db.ExecContext(killed, "SELECT SLEEP(10)")
	require.ErrorIs(t, err, context.Canceled) // before it began
	grown("statements_total", 0, "outcome", "interrupted")
	killed, cancel = context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		_, err := db.ExecContext(killed, "SELECT COUNT(*) FROM t WHERE SLEEP(600) = 0")
		ended <- err
	}()
	require.Eventually(t, func() bool {
		return one(t, db, "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE '%SLEEP(600)%' AND ID <> CONNECTION_ID()") == "1"
	}, time.Minute, time.Millisecond)
	cancel()
	require.Error(t, <-ended)
	grown("statements_total", 1, "outcome", "interrupted")
}

func TestCollectorOfLocks(t *testing.T) {
	ctx := context.Background()
	db, err := sql.Open(Name, "file:"+t.TempDir()+"?sync=false&lockTimeout=30ms")
	require.NoError(t, err)
	defer db.Close()
	_, err = db.Exec("CREATE TABLE t (K varbinary(64), Q varbinary(64), T bigint, V varbinary(64), PRIMARY KEY (K, Q, T))")
	require.NoError(t, err)
	_, err = db.Exec("INSERT INTO t VALUES ('a', 'q', 1, 'v'), ('b', 'q', 1, 'v')")
	require.NoError(t, err)

	tx, err := db.BeginTx(ctx, nil)
	require.NoError(t, err)
	_, err = tx.Exec("UPDATE t SET V = 'w' WHERE K = 'a'")
	require.NoError(t, err)
	now := gather(t, db)
	require.Equal(t, 1.0, now.of(t, "open_transactions"))
	require.Equal(t, 1.0, now.of(t, "store_row_locks"))
	require.Equal(t, 0.0, now.of(t, "lock_waiting_transactions"))
	require.Equal(t, 0.0, now.of(t, "store_row_lock_waits_total"))
	_, err = db.Exec("UPDATE t SET V = 'u' WHERE K = 'a'")
	require.ErrorContains(t, err, "1205")
	now = gather(t, db)
	require.Equal(t, 1.0, now.of(t, "store_row_lock_waits_total"))
	require.Equal(t, 1.0, now.of(t, "store_row_lock_timeouts_total"))
	require.GreaterOrEqual(t, now.of(t, "store_row_lock_wait_seconds_total"), 0.03)

	// A transaction whose snapshot is older than another's commit loses.
	late, err := db.BeginTx(ctx, nil)
	require.NoError(t, err)
	var v string
	require.NoError(t, late.QueryRow("SELECT V FROM t WHERE K = 'a'").Scan(&v))
	require.NoError(t, tx.Commit())
	_, err = late.Exec("UPDATE t SET V = 'x' WHERE K = 'a'")
	require.ErrorContains(t, err, "1213")
	require.NoError(t, late.Rollback())
	now = gather(t, db)
	require.Equal(t, 1.0, now.of(t, "store_conflicts_total"))
	require.Equal(t, 0.0, now.of(t, "store_deadlocks_total"))
	require.Equal(t, 0.0, now.of(t, "open_transactions"))
	require.Equal(t, 0.0, now.of(t, "store_row_locks"))
}

func TestSlowLog(t *testing.T) {
	var lines bytes.Buffer
	cfg, err := ParseDSN(MemoryPath)
	require.NoError(t, err)
	cfg.SlowLog = slog.New(slog.NewJSONHandler(&lines, nil))
	connector, err := NewConnector(cfg)
	require.NoError(t, err)
	db := sql.OpenDB(connector)
	defer db.Close()
	db.SetMaxOpenConns(1)
	run := func(text string) {
		_, err := db.Exec(text)
		require.NoError(t, err, text)
	}
	run("CREATE TABLE t (K varbinary(64), Q varbinary(64), T bigint, V varbinary(64), PRIMARY KEY (K, Q, T))")
	run("INSERT INTO t VALUES ('a', 'q', 1, 'v'), ('b', 'q', 1, 'v')")
	require.Empty(t, lines.String())
	run("SET long_query_time = 0")
	lines.Reset() // the line of the SET itself
	run("SELECT * FROM t WHERE K IN ('a', 'b')")
	line := map[string]any{}
	require.NoError(t, json.Unmarshal(lines.Bytes(), &line), lines.String())
	require.Equal(t, "slow statement", line["msg"])
	require.Equal(t, "select", line["kind"])
	require.Equal(t, "ok", line["outcome"])
	require.EqualValues(t, 2, line["rows_given"])
	require.EqualValues(t, 2, line["cells"])
	require.EqualValues(t, 2, line["spans"])
	require.EqualValues(t, 1, line["partitions"])
	require.Equal(t, "SELECT * FROM t WHERE K IN ('a', 'b')", line["statement"])

	var slow, name string
	require.NoError(t, db.QueryRow("SHOW STATUS LIKE 'Slow_queries'").Scan(&name, &slow))
	require.Equal(t, "2", slow) // SET, SELECT
	lines.Reset()
	run("SET @password = 'secret'") // a statement without tables may contain anything
	require.NotContains(t, lines.String(), "secret")
	require.True(t, strings.Contains(lines.String(), `"kind":"set"`), lines.String())
	run("SET long_query_time = DEFAULT")
	require.NoError(t, db.QueryRow("SELECT @@long_query_time").Scan(&slow))
	require.Equal(t, "10.000000", slow)
}

// TestCollectorOfClosedConnections: the counts of a connection remain when it is
// closed.
func TestCollectorOfClosedConnections(t *testing.T) {
	db, err := sql.Open(Name, ":memory:")
	require.NoError(t, err)
	defer db.Close()
	db.SetMaxIdleConns(0) // each statement has its own connection
	for range 3 {
		_, err := db.Exec("DO 1")
		require.NoError(t, err)
	}
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	var name, before, after string
	questions := func(to *string) {
		require.NoError(t, conn.QueryRowContext(t.Context(), "SHOW GLOBAL STATUS LIKE 'Questions'").Scan(&name, to))
	}
	questions(&before)
	_, err = db.Exec("DO 1")
	require.NoError(t, err)
	questions(&after)
	require.Equal(t, []string{"4", "6"}, []string{before, after}, "SHOW STATUS is one of them")
	require.Equal(t, 4.0, gather(t, db).of(t, "statements_total", "kind", "other", "outcome", "ok"))
}
