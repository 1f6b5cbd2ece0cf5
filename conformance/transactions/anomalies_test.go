package transactions

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// The classic anomalies (Berenson et al., A Critique of ANSI SQL Isolation
// Levels, 1995; the read-only one: Fekete, O'Neil, O'Neil, 2004), each produced
// by transactions that take turns. The expected result at each level is that of
// the table in docs/transactions.md.

var levels = []sql.IsolationLevel{
	sql.LevelReadUncommitted, sql.LevelReadCommitted, sql.LevelRepeatableRead, sql.LevelSnapshot, sql.LevelSerializable,
}

// anomaly is a schedule on rows x and y, both 50, that reports whether the
// anomaly happened.
type anomaly struct {
	name string
	// from is the lowest level that prevents the anomaly.
	from sql.IsolationLevel
	play func(*stage) bool
}

// stage is the database and the state of a schedule.
type stage struct {
	*testing.T
	db    *sql.DB
	level sql.IsolationLevel
	// refused is set once a step fails with 1213 or 1205: the schedule was
	// prevented.
	refused bool
}

func (s *stage) begin() *sql.Tx {
	tx, err := s.db.BeginTx(context.Background(), &sql.TxOptions{Isolation: s.level})
	require.NoError(s, err)
	s.Cleanup(func() { _ = tx.Rollback() })
	return tx
}

// do runs a step. After a step that is refused its transaction is over.
func (s *stage) do(tx *sql.Tx, query string, args ...any) {
	_, err := tx.Exec(query, args...)
	s.step(tx, err)
}

func (s *stage) commit(tx *sql.Tx) { s.step(tx, tx.Commit()) }

func (s *stage) step(tx *sql.Tx, err error) {
	s.Helper()
	switch {
	case err == nil:
	case errors.Is(err, sql.ErrTxDone) && s.refused:
	case harness.NumberOf(err) == 1213 || harness.NumberOf(err) == 1205:
		s.refused = true
		_ = tx.Rollback()
	default:
		require.NoError(s, err)
	}
}

// get returns a balance as the transaction sees it.
func (s *stage) get(tx *sql.Tx, row string) int {
	return s.number(tx, "SELECT V FROM t WHERE K = ?", row)
}

func (s *stage) number(tx *sql.Tx, query string, args ...any) (n int) {
	s.Helper()
	s.step(tx, tx.QueryRow(query, args...).Scan(&n))
	return n
}

func (s *stage) set(tx *sql.Tx, row string, n int) {
	s.do(tx, "UPDATE t SET V = ? WHERE K = ?", strconv.Itoa(n), row)
}

// now returns committed data.
func (s *stage) now(query string) string { return harness.Single(s, s.db, query) }

var anomalies = []anomaly{
	{"dirty write", sql.LevelReadUncommitted, func(s *stage) bool {
		a, b := s.begin(), s.begin()
		s.set(a, "x", 1)
		s.set(b, "x", 2)
		s.set(b, "y", 2)
		s.commit(b)
		s.set(a, "y", 1)
		s.commit(a)
		return s.now("SELECT V FROM t WHERE K = 'x'") != s.now("SELECT V FROM t WHERE K = 'y'")
	}},
	{"dirty read", sql.LevelReadUncommitted, func(s *stage) bool {
		a, b := s.begin(), s.begin()
		s.set(a, "x", 1)
		return s.get(b, "x") == 1
	}},
	{"read of what is rolled back", sql.LevelReadUncommitted, func(s *stage) bool {
		a, b := s.begin(), s.begin()
		s.do(a, "INSERT INTO t VALUES ('new', 'q', 1, 'v')")
		n := s.number(b, "SELECT COUNT(*) FROM t")
		require.NoError(s, a.Rollback())
		return n == 3
	}},
	{"lost increment", sql.LevelReadUncommitted, func(s *stage) bool {
		a, b := s.begin(), s.begin()
		s.get(a, "y")
		s.do(b, "UPDATE t SET V = V + 1 WHERE K = 'x'")
		s.commit(b)
		s.do(a, "UPDATE t SET V = V + 10 WHERE K = 'x'")
		s.commit(a)
		return !s.refused && s.now("SELECT V FROM t WHERE K = 'x'") != "61"
	}},
	{"non-repeatable read", sql.LevelRepeatableRead, func(s *stage) bool {
		a, b := s.begin(), s.begin()
		first := s.get(a, "x")
		s.set(b, "x", 1)
		s.commit(b)
		return s.get(a, "x") != first
	}},
	{"read skew", sql.LevelRepeatableRead, func(s *stage) bool {
		a, b := s.begin(), s.begin()
		x := s.get(a, "x")
		s.set(b, "x", 25)
		s.set(b, "y", 75)
		s.commit(b)
		return x+s.get(a, "y") != 100
	}},
	{"lost update", sql.LevelRepeatableRead, func(s *stage) bool {
		a, b := s.begin(), s.begin()
		forA, forB := s.get(a, "x"), s.get(b, "x")
		s.set(b, "x", forB+1)
		s.commit(b)
		s.set(a, "x", forA+10)
		s.commit(a)
		return !s.refused
	}},
	{"phantom", sql.LevelRepeatableRead, func(s *stage) bool {
		a, b := s.begin(), s.begin()
		const rich = "SELECT COUNT(*) FROM t WHERE V >= 50"
		first := s.number(a, rich)
		s.do(b, "INSERT INTO t VALUES ('z', 'q', 1, '50')")
		s.commit(b)
		return s.number(a, rich) != first
	}},
	{"write skew", sql.LevelSerializable, func(s *stage) bool {
		a, b := s.begin(), s.begin()
		for _, tx := range []*sql.Tx{a, b} {
			require.Equal(s, 100, s.get(tx, "x")+s.get(tx, "y"))
		}
		s.set(a, "x", -10)
		s.set(b, "y", -10)
		s.commit(a)
		s.commit(b)
		return s.now("SELECT SUM(V) FROM t") == "-20"
	}},
	{"predicate write skew", sql.LevelSerializable, func(s *stage) bool {
		a, b := s.begin(), s.begin()
		const inRange = "SELECT COUNT(*) FROM t WHERE K BETWEEN 'm' AND 'n'"
		for _, tx := range []*sql.Tx{a, b} {
			require.Zero(s, s.number(tx, inRange))
		}
		s.do(a, "INSERT INTO t VALUES ('m1', 'q', 1, '1')")
		s.do(b, "INSERT INTO t VALUES ('m2', 'q', 1, '1')")
		s.commit(a)
		s.commit(b)
		return s.now(inRange) == "2"
	}},
	{"read-only anomaly", sql.LevelSerializable, func(s *stage) bool {
		withdraw, deposit := s.begin(), s.begin()
		require.Equal(s, 100, s.get(withdraw, "x")+s.get(withdraw, "y"))
		s.set(deposit, "y", 150)
		s.commit(deposit)
		report := s.begin()
		require.Equal(s, 200, s.get(report, "x")+s.get(report, "y"))
		s.commit(report)
		s.set(withdraw, "x", -60) // with a fee of 10, because it saw 100
		s.commit(withdraw)
		return !s.refused // the report saw the deposit and no withdrawal: then no fee was due
	}},
}

func TestAnomalies(t *testing.T) {
	for _, a := range anomalies {
		t.Run(a.name, func(t *testing.T) {
			for _, level := range levels {
				t.Run(level.String(), func(t *testing.T) {
					harness.OnLayouts(t, "?lockTimeout=20ms", func(t *testing.T, db *sql.DB) {
						harness.Must(t, db, "INSERT INTO t VALUES ('x', 'q', 1, '50'), ('y', 'q', 1, '50')")
						s := &stage{T: t, db: db, level: level}
						require.Equal(t, level < a.from, a.play(s))
					})
				})
			}
		})
	}
}

// TestWriteSkewUnderLocks: a transaction that locks what it reads does not need
// SERIALIZABLE.
func TestWriteSkewUnderLocks(t *testing.T) {
	for _, lock := range []string{"FOR UPDATE", "LOCK IN SHARE MODE"} {
		harness.OnLayouts(t, "?lockTimeout=20ms", func(t *testing.T, db *sql.DB) {
			harness.Must(t, db, "INSERT INTO t VALUES ('x', 'q', 1, '50'), ('y', 'q', 1, '50')")
			s := &stage{T: t, db: db, level: sql.LevelRepeatableRead}
			a, b := s.begin(), s.begin()
			s.number(a, "SELECT SUM(V) FROM t "+lock)
			s.number(b, "SELECT SUM(V) FROM t "+lock)
			s.set(a, "x", -10)
			s.set(b, "y", -10)
			s.commit(a)
			s.commit(b)
			require.True(t, s.refused)
			require.NotEqual(t, "-20", s.now("SELECT SUM(V) FROM t"))
		})
	}
}

func TestLevelsThatAreRefused(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	for _, level := range []sql.IsolationLevel{sql.LevelWriteCommitted, sql.LevelLinearizable} {
		_, err := db.BeginTx(context.Background(), &sql.TxOptions{Isolation: level})
		harness.RequireErrorNumber(t, 1235, err)
		require.ErrorContains(t, err, level.String())
	}
}

// TestSerializableStatements: a single statement at SERIALIZABLE that reads
// what another one changes is repeated, and no caller notices.
func TestSerializableStatements(t *testing.T) {
	harness.OnLayouts(t, "", func(t *testing.T, db *sql.DB) {
		const most = 10
		harness.AtOnce(t, func(worker int) error {
			conn, err := db.Conn(context.Background())
			if err != nil {
				return err
			}
			defer conn.Close()
			if _, err := conn.ExecContext(context.Background(), "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE"); err != nil {
				return err
			}
			for i := range 10 {
				_, err := conn.ExecContext(context.Background(),
					"INSERT INTO t (K, Q, V) SELECT ?, 'q', 'v' FROM t HAVING COUNT(*) < ?", strconv.Itoa(100*worker+i), most)
				if err != nil {
					return err
				}
			}
			return nil
		})
		require.Equal(t, strconv.Itoa(most), harness.Single(t, db, "SELECT COUNT(*) FROM t"))
	})
}
