package transactions

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// hotRowRounds is how often each worker changes the contended rows.
const hotRowRounds = 60

// TestHotRowIsReadOnce: writers of one row take turns: each statement locks the
// row before it reads it, so that it reads it once, however many others change
// it meanwhile.
func TestHotRowIsReadOnce(t *testing.T) {
	for name, query := range map[string]string{
		"cell":           "UPDATE t SET V = V + 1 WHERE K = 'k' AND Q = 'q'",
		"row":            "UPDATE /*+ VERSIONS(ALL) */ t SET V = V + 1 WHERE K = 'k'",
		"limit":          "UPDATE t SET V = V + 1 WHERE K = 'k' LIMIT 1",
		"version":        "UPDATE /*+ VERSIONS(ALL) */ t SET V = V + 1 WHERE K = 'k' AND Q = 'q' AND T = 1",
		"check-and-put":  "UPDATE t SET V = V + 1 WHERE K = 'k' AND Q = 'q' AND V >= 0",
		"duplicate key":  "INSERT INTO t VALUES ('k', 'q', 1, 0) ON DUPLICATE KEY UPDATE V = V + 1",
		"several of row": "UPDATE t SET V = V + 1 WHERE (K, Q) IN (('k', 'p'), ('k', 'q'))",
	} {
		for _, wrapped := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/tx=%v", name, wrapped), func(t *testing.T) {
				db := harness.OpenDB(t, ":memory:?lockTimeout=1m")
				harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable+" PARTITION BY KEY(K) PARTITIONS 3", "INSERT INTO t VALUES ('k', 'q', 1, 0)")
				before := harness.CellsRead(t, db)
				_, err := db.Exec(query)
				require.NoError(t, err)
				each := harness.CellsRead(t, db) - before
				require.Positive(t, each)
				harness.AtOnce(t, func(int) error { return repeatedly(hotRowRounds, func() error { return execIn(db, wrapped, query) }) })
				done := int64(harness.Workers*hotRowRounds + 1)
				require.Equal(t, before+done*each, harness.CellsRead(t, db), "cells looked at")
				require.Equal(t, strconv.FormatInt(done, 10), harness.Single(t, db, "SELECT V FROM t"))
			})
		}
	}
}

func repeatedly(n int, do func() error) error {
	for range n {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// execIn runs a statement, if wrapped in a transaction of its own that begins
// explicitly.
func execIn(db *sql.DB, wrapped bool, query string, args ...any) error {
	if !wrapped {
		_, err := db.Exec(query, args...)
		return err
	}
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.Exec(query, args...); err != nil {
		return err
	}
	return tx.Commit()
}

// TestHotRowsAddUp runs statements on one row and on several concurrently, in
// all orders of the rows: no single statement fails with a deadlock or a
// conflict, and each is counted once.
func TestHotRowsAddUp(t *testing.T) {
	for _, level := range []sql.IsolationLevel{sql.LevelReadCommitted, sql.LevelRepeatableRead, sql.LevelSerializable} {
		t.Run(level.String(), func(t *testing.T) {
			harness.OnLayouts(t, "?lockTimeout=1m", func(t *testing.T, db *sql.DB) { hotRowsAddUp(t, db, level) })
		})
	}
}

var hotRowStatements = []struct {
	query string
	adds  int
}{
	{"UPDATE t SET V = V + 1 WHERE K = 'a' AND Q = 'q'", 1},
	{"UPDATE t SET V = V + 1 WHERE K = 'b'", 1},
	{"UPDATE t SET V = V + 1 WHERE K IN ('c', 'a', 'b')", 3},
	{"UPDATE t SET V = V + 1 WHERE K IN ('c', 'b', 'a') ORDER BY K DESC", 3},
	{"UPDATE t SET V = V + 1 WHERE K IN ('a', 'b', 'c') ORDER BY K DESC LIMIT 2", 2},
	{"UPDATE t SET V = V + 1 WHERE K >= 'b'", 2},
	{"UPDATE /*+ VERSIONS(ALL) */ t SET V = V + 1 WHERE K = '0' AND Q = 'q' AND T = 1", 1},
	{"INSERT INTO t VALUES ('0', 'q', 1, 1) ON DUPLICATE KEY UPDATE V = V + 1", 1},
	{"INSERT INTO t VALUES ('0', 'r', 1, 1), ('0', 'q', 1, 1) ON DUPLICATE KEY UPDATE V = V + 1", 2},
	{"DELETE FROM t WHERE K = 'a' AND Q = 'none'", 0},
	{"UPDATE t SET V = V + 1 WHERE K = 'none' OR K = 'b'", 1},
}

func hotRowsAddUp(t *testing.T, db *sql.DB, level sql.IsolationLevel) {
	harness.Must(t, db, "INSERT INTO t VALUES ('0', 'q', 1, 0), ('0', 'r', 1, 0), ('a', 'q', 1, 0), ('b', 'q', 1, 0), ('c', 'q', 1, 0)")
	want := make([]int, harness.Workers)
	harness.AtOnce(t, func(worker int) error {
		conn, err := db.Conn(context.Background())
		if err != nil {
			return err
		}
		defer conn.Close()
		if _, err := conn.ExecContext(context.Background(), "SET SESSION TRANSACTION ISOLATION LEVEL "+level.String()); err != nil {
			return err
		}
		for i := range hotRowRounds {
			st := hotRowStatements[(i+worker)%len(hotRowStatements)]
			if _, err := conn.ExecContext(context.Background(), st.query); err != nil {
				return fmt.Errorf("%s: %w", st.query, err)
			}
			want[worker] += st.adds
		}
		return nil
	})
	sum := 0
	for _, n := range want {
		sum += n
	}
	require.Equal(t, strconv.Itoa(sum), harness.Single(t, db, "SELECT SUM(V) FROM t"))
}
