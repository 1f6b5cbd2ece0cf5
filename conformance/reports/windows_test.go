package reports

import (
	"context"
	"database/sql"
	"fmt"
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

const (
	windowsSeed  = 20261122
	windowsCount = 1500
)

// TestRecordedWindows compares the recorded answers to statements with windows and
// with recursion on every layout.
func TestRecordedWindows(t *testing.T) {
	if *harness.MariaDB != "" && *harness.Record {
		recordWindows(t)
	}
	recorded := oracle.ReadRecorded[oracle.Answer](t, oracle.WindowsFile)
	require.GreaterOrEqual(t, len(recorded), windowsCount*9/10)
	oracle.EachRecorded(t, recorded, oracle.Stores(t), func(s oracle.RecordedStore, want oracle.Answer) {
		if got := oracle.AskQuery(s.DB, want.SQL, want.Ordered); windowDifference(want, got) != "" {
			t.Errorf("%s: %s", s.Name, oracle.Explain(want, got))
		}
	})
}

func recordWindows(t *testing.T) {
	peer, db := oracle.OpenMariaDB(t), oracle.OpenTables(t, "key")
	g := &windowGen{r: rand.New(rand.NewPCG(windowsSeed, 3))}
	var answers []oracle.Answer
	for range windowsCount {
		s := g.statement()
		want := oracle.AskQuery(peer, s.sql, false)
		if got := oracle.AskQuery(db, s.sql, false); windowDifference(want, got) == "" {
			answers = append(answers, want)
		}
	}
	oracle.WriteRecorded(t, oracle.WindowsFile, answers)
}

// TestLiveWindows compares new statements with a live server, with literals and
// with arguments.
func TestLiveWindows(t *testing.T) {
	if *harness.MariaDB == "" {
		t.Skip("no -mariadb: the recorded answers alone were compared")
	}
	peer := oracle.OpenMariaDB(t)
	var stores []*sql.DB
	for _, layout := range []string{"none", "key"} {
		stores = append(stores, oracle.OpenTables(t, layout))
	}
	small := oracle.OpenTables(t, "key")
	small.SetMaxOpenConns(1)
	_, err := small.Exec("SET tmp_table_size = 1024")
	require.NoError(t, err)
	stores = append(stores, small)
	g := &windowGen{r: rand.New(rand.NewPCG(testseed.Of(t), 3))}
	count, failed := map[string]int{}, 0
	for i := range *harness.OracleN {
		s := g.statement()
		want := oracle.AskQuery(peer, s.sql, false)
		db := stores[i%len(stores)]
		for _, got := range []oracle.Answer{oracle.AskQuery(db, s.sql, false), askWith(db, s)} {
			switch class := windowDifference(want, got); {
			case class == "":
			case len(s.alone) > 1 && agreeAlone(peer, db, s):
				count["several windows, of which each agrees alone"]++
			default:
				if failed++; failed < 30 {
					t.Errorf("%s: %s", class, explainRows(want, got))
				}
			}
		}
	}
	t.Log(count, failed)
}

// agreeAlone reports whether the calls agree in separate statements: MariaDB
// takes some different orders for the same.
func agreeAlone(peer, db *sql.DB, s windowedStatement) bool {
	return !slices.ContainsFunc(s.alone, func(text string) bool {
		return windowDifference(oracle.AskQuery(peer, text, false), oracle.AskQuery(db, text, false)) != ""
	})
}

// explainRows is oracle.Explain with only the rows that one side has.
func explainRows(want, got oracle.Answer) string {
	w, g := want, got
	w.Rows = slices.DeleteFunc(slices.Clone(want.Rows), func(row []string) bool { return hasRow(got.Rows, row) })
	g.Rows = slices.DeleteFunc(slices.Clone(got.Rows), func(row []string) bool { return hasRow(want.Rows, row) })
	return oracle.Explain(w, g)
}

func hasRow(rows [][]string, row []string) bool {
	return slices.ContainsFunc(rows, func(other []string) bool { return slices.Equal(other, row) })
}

func askWith(db *sql.DB, s windowedStatement) oracle.Answer {
	a := oracle.Answer{SQL: s.prepared + fmt.Sprint(s.args)}
	rows, err := db.Query(s.prepared, s.args...)
	if err == nil {
		types, _ := rows.ColumnTypes()
		for _, c := range types {
			a.Columns = append(a.Columns, c.Name())
			a.Types = append(a.Types, oracle.KindName(c.DatabaseTypeName()))
		}
		a.Rows, err = harness.PrintRows(rows)
	}
	if err != nil {
		a.Rows, a.Columns, a.Types, a.Error = nil, nil, nil, harness.ErrorNumber(err)
	}
	return a
}

// windowDifference says how the answers differ; empty if they do not. Numbers of
// rows are unsigned in MySQL.
func windowDifference(want, got oracle.Answer) string {
	signed := func(a oracle.Answer) oracle.Answer {
		a.Types = slices.Clone(a.Types)
		for i, t := range a.Types {
			a.Types[i] = strings.TrimPrefix(t, "u")
		}
		return a
	}
	return oracle.Difference(signed(want), signed(got))
}

// TestRecursionWithoutEnd ends with its context.
func TestRecursionWithoutEnd(t *testing.T) {
	conn, err := harness.OpenDB(t, ":memory:").Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	_, err = conn.ExecContext(t.Context(), "SET cte_max_recursion_depth = 4294967295")
	require.NoError(t, err)
	for _, union := range []string{"UNION ALL SELECT n", "UNION SELECT n + 1", "UNION ALL SELECT n + 0 * SLEEP(0)"} {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		err := conn.QueryRowContext(ctx, "WITH RECURSIVE s AS (SELECT 1 AS n "+union+" FROM s) SELECT COUNT(*) FROM s").Scan(new(int))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		cancel()
	}
}

// TestRecursionInFiles counts the rows of a recursion that do not fit in memory.
func TestRecursionInFiles(t *testing.T) {
	for _, memory := range []string{"16384", "67108864"} {
		db, _ := harness.SpillDB(t, memory)
		const steps = "WITH RECURSIVE s AS (SELECT 0 AS n UNION SELECT (n * 2 + d) % 4093 FROM s JOIN (SELECT 0 AS d UNION SELECT 1) b) "
		var count, sum int
		require.NoError(t, db.QueryRow(steps+"SELECT COUNT(*), SUM(n) FROM s").Scan(&count, &sum))
		require.Equal(t, 4093, count)
		require.Equal(t, 4093*4092/2, sum)
		require.Equal(t, memory == "16384", harness.Status(t, db, "Created_tmp_disk_tables") > 0)
	}
}

// TestGroupsOverWindows groups rows by the partitions of their windows, whose order they
// have: groups are requested again after the last row.
func TestGroupsOverWindows(t *testing.T) {
	db := harness.OpenDB(t, "file::memory:?versions=all")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable, "INSERT INTO t VALUES ('a', 'q', 1, 1), ('a', 'q', 2, 1), ('a', 'q', 9, 1), ('b', 'q', 3, 1)")
	const windows = "(SELECT K, T - LAG(T) OVER (PARTITION BY K ORDER BY T) > 5 AS late FROM t) w GROUP BY K ORDER BY n, K"
	require.Equal(t, []string{"b NULL 1", "a 1 3"},
		harness.Lines(t, db, "SELECT K, SUM(late), COUNT(*) AS n FROM "+windows))
}
