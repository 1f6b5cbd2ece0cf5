package driver

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-sql-driver/mysql"
)

// worker changes its own part of the store, step by step, and remembers the
// state of that part after each step.
type worker struct {
	p     *power
	name  string
	rng   *rand.Rand
	step  func(w *worker, ctx context.Context, n int) (synced bool, err error)
	state func(ctx context.Context, db *sql.DB, name string) (string, error)
	begun atomic.Int64
	acked atomic.Int64
	// durable is the last step that is synced regardless of the store's
	// options: a change of the catalog, which makes all earlier steps durable
	// too.
	durable atomic.Int64

	mu sync.Mutex
	// Of step n: the state after it, and when it began and was acknowledged, by
	// power.clock.
	states       []string
	began, ended []int64
}

func newWorker(p *power, name string, seed uint64, step func(*worker, context.Context, int) (bool, error),
	state func(context.Context, *sql.DB, string) (string, error)) *worker {
	w := &worker{p: p, name: name, step: step, state: state}
	w.rng = rand.New(rand.NewPCG(seed, uint64(len(p.workers))+uint64(name[len(name)-1])))
	first, err := state(context.Background(), p.db, name)
	if err != nil {
		p.t.Fatal(err)
	}
	w.states, w.began, w.ended = []string{first}, []int64{0}, []int64{0}
	return w
}

// run takes steps until the power test is over. The state after a step is what
// the live store shows.
func (w *worker) run(ctx context.Context) error {
	for n := 1; !w.p.over.Load(); n++ {
		w.mu.Lock()
		w.began = append(w.began, w.p.clock.Add(1))
		w.mu.Unlock()
		w.begun.Store(int64(n))
		synced, err := w.step(w, ctx, n)
		var refused *mysql.MySQLError
		if err != nil && !errors.As(err, &refused) {
			return fmt.Errorf("step %d of %s: %w", n, w.name, err)
		}
		ended := w.p.clock.Add(1)
		w.acked.Store(int64(n))
		if synced && err == nil {
			w.durable.Store(int64(n))
		}
		state, err := w.state(ctx, w.p.db, w.name)
		if err != nil {
			return err
		}
		w.mu.Lock()
		w.states, w.ended = append(w.states, state), append(w.ended, ended)
		w.mu.Unlock()
	}
	return nil
}

// at is the state after step n, as soon as that step has been taken.
func (w *worker) at(n int) string {
	for {
		w.mu.Lock()
		if n < len(w.states) {
			defer w.mu.Unlock()
			return w.states[n]
		}
		w.mu.Unlock()
		select {
		case err := <-w.p.broken:
			w.p.t.Fatal(err)
		case <-time.After(time.Millisecond):
		}
	}
}

// matches are the steps, from the first to the last, after which this was the
// state.
func (w *worker) matches(state string, first, last int) []int {
	var out []int
	for n := first; n <= last; n++ {
		if w.at(n) == state {
			out = append(out, n)
		}
	}
	return out
}

// acknowledgedAt is when the step was acknowledged, or 0.
func (w *worker) acknowledgedAt(n int) int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n >= len(w.ended) {
		return 0
	}
	return w.ended[n]
}

func (w *worker) beganAt(n int) int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.began[n]
}

// writeRows is a transaction over two tables and all their partitions.
func (w *worker) writeRows(ctx context.Context, n int) (synced bool, err error) {
	tx, err := w.p.db.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer tx.Rollback()
	value := fmt.Sprintf("%d %s", n, strings.Repeat("x", 1<<w.rng.IntN(13)))
	for i := range 1 + w.rng.IntN(6) {
		table := []string{"dml.t$a", "dml.t$b"}[i%2]
		key := fmt.Sprintf("%s-%d", w.name, w.rng.IntN(20))
		statement := "REPLACE INTO " + table + " VALUES (?, 'q', 1, ?)"
		args := []any{key, value}
		if i > 0 && w.rng.IntN(4) == 0 {
			statement, args = "DELETE FROM "+table+" WHERE K = ?", args[:1]
		}
		if _, err := tx.ExecContext(ctx, statement, args...); err != nil {
			return false, err
		}
	}
	return false, tx.Commit()
}

func rowsState(ctx context.Context, db *sql.DB, name string) (string, error) {
	return lines(ctx, db, "SELECT 'a', K, V, LENGTH(V) FROM dml.t$a WHERE K LIKE '"+name+"-%' ORDER BY K",
		"SELECT 'b', K, V, LENGTH(V) FROM dml.t$b WHERE K LIKE '"+name+"-%' ORDER BY K")
}

const crashColumns = " (K varbinary(64), Q varbinary(64), T bigint, V varbinary(64), PRIMARY KEY (K, Q, T)) "

// changeCatalog runs a DDL statement, or one that writes to a table created by
// one. Many are refused, which is a step that changes nothing.
func (w *worker) changeCatalog(ctx context.Context, n int) (synced bool, err error) {
	name := func() string { return fmt.Sprintf("ddl.g$f%d", w.rng.IntN(3)) }
	statements := []func() string{
		func() string { return "CREATE TABLE " + name() + crashColumns + "PARTITION BY KEY(K) PARTITIONS 3" },
		func() string {
			return fmt.Sprintf("INSERT INTO %s VALUES ('%d', 'q', 1, ''), ('x', 'q', %d, '')", name(), n, n)
		},
		func() string {
			return fmt.Sprintf("INSERT INTO %s VALUES ('%d', 'q', 1, ''), ('y', 'q', %d, '')", name(), n, n)
		},
		func() string { return "TRUNCATE TABLE " + name() },
		func() string { return "DROP TABLE " + name() },
		func() string { return "DROP TABLE IF EXISTS ddl.g$f0, ddl.g$f1" },
		func() string { return "RENAME TABLE " + name() + " TO " + name() },
		func() string { return fmt.Sprintf("ALTER TABLE %s COMMENT = '%d'", name(), n) },
		func() string { return "CREATE OR REPLACE VIEW ddl.v AS SELECT K FROM " + name() },
		func() string { return "DROP VIEW ddl.v" },
		func() string { return "CREATE TABLEGROUP ddl.tg" },
		func() string { return "DROP TABLEGROUP ddl.tg" },
		func() string { return "CREATE DATABASE ddl2" },
		func() string { return "CREATE TABLE ddl2.t LIKE " + name() },
		func() string { return "DROP DATABASE ddl2" },
		func() string {
			return "CREATE TABLE ddl.r" + crashColumns + "PARTITION BY RANGE COLUMNS(K) (PARTITION p0 VALUES LESS THAN ('5'), PARTITION p1 VALUES LESS THAN (MAXVALUE))"
		},
		func() string { return fmt.Sprintf("INSERT INTO ddl.r VALUES ('%d', 'q', 1, '')", n) },
		func() string { return "ALTER TABLE ddl.r TRUNCATE PARTITION p1" },
		func() string {
			return "ALTER TABLE ddl.r REORGANIZE PARTITION p0 INTO (PARTITION p00 VALUES LESS THAN ('3'), PARTITION p01 VALUES LESS THAN ('5'))"
		},
		func() string { return "ALTER TABLE ddl.r DROP PARTITION p00" },
		func() string { return "DROP TABLE ddl.r" },
		func() string { return "ALTER TABLE ddl.r PARTITION BY KEY(K) PARTITIONS 3" },
		func() string {
			return "ALTER TABLE ddl.r PARTITION BY RANGE COLUMNS(K) (PARTITION p0 VALUES LESS THAN ('5'), PARTITION p1 VALUES LESS THAN (MAXVALUE))"
		},
		func() string {
			return "ALTER TABLE ddl.r REORGANIZE PARTITION p00, p01 INTO (PARTITION p0 VALUES LESS THAN ('5'))"
		},
		func() string { return "ALTER TABLE " + name() + " REMOVE PARTITIONING" },
		func() string { return "ALTER TABLE " + name() + " PARTITION BY KEY(K) PARTITIONS 3" },
	}
	statement := statements[w.rng.IntN(len(statements))]()
	_, err = w.p.db.ExecContext(ctx, statement)
	return !strings.HasPrefix(statement, "INSERT") && !strings.Contains(statement, "IF EXISTS"), err
}

func catalogState(ctx context.Context, db *sql.DB, _ string) (string, error) {
	queries := []string{
		"SELECT SCHEMA_NAME FROM information_schema.SCHEMATA ORDER BY 1",
		"SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, TABLE_COMMENT FROM information_schema.TABLES WHERE TABLE_SCHEMA LIKE 'ddl%' ORDER BY 1, 2",
		"SELECT TABLE_NAME, VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_SCHEMA LIKE 'ddl%' ORDER BY 1",
		"SELECT TABLE_NAME, PARTITION_NAME FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA LIKE 'ddl%' ORDER BY 1, 2",
	}
	tables, err := lines(ctx, db, "SELECT CONCAT(TABLE_SCHEMA, '.', TABLE_NAME) FROM information_schema.TABLES WHERE TABLE_SCHEMA LIKE 'ddl%' AND TABLE_TYPE = 'BASE TABLE' ORDER BY 1")
	if err != nil {
		return "", err
	}
	for table := range strings.FieldsSeq(tables) {
		queries = append(queries, "SELECT '"+table+"', K, T FROM "+table+" ORDER BY K, T")
	}
	return lines(ctx, db, queries...)
}
