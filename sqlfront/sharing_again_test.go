package sqlfront_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
)

// neverFolded are functions that wait, or whose calls differ.
var neverFolded = map[string]bool{"SLEEP": true, "BENCHMARK": true, "GET_LOCK": true, "RELEASE_LOCK": true, "RELEASE_ALL_LOCKS": true,
	"IS_FREE_LOCK": true, "IS_USED_LOCK": true, "RAND": true, "UUID": true, "UUID_SHORT": true, "SYSDATE": true, "LOAD_FILE": true,
	"LAST_INSERT_ID": true, "ROW_COUNT": true, "FOUND_ROWS": true, "RANDOM_BYTES": true}

// constantCalls are calls of each function over literals.
func constantCalls(r *rand.Rand) (out []string) {
	literals := []string{"'a'", "'ab,b'", "3", "1", "0", "'x'", "'2020-01-02'", "1.5", "'12:30:00'", "2", "'%Y'", "'{\"a\": 1}'", "'$.a'"}
	for _, f := range bind.Functions() {
		if neverFolded[f.Name] {
			continue
		}
		for range 2 {
			args := make([]string, max(f.Min, 1))
			for i := range args {
				args[i] = literals[r.IntN(len(literals))]
			}
			out = append(out, f.Name+"("+strings.Join(args[:max(f.Min, min(f.Max, 1))], ", ")+")")
		}
	}
	return append(out, "REPEAT('x', 10)", "1 + 1", "-(3)", "CASE WHEN 1 THEN 'a' ELSE 'b' END", "CAST('12' AS SIGNED)",
		"DATE '2020-01-01' + INTERVAL 1 DAY", "'a' LIKE 'a%'", "NULLIF('a', 'a')", "REPEAT('x', 5000)", "(1, 2) = (1, 2)", "X'61'")
}

var constantForms = []string{
	"SELECT COUNT(*) FROM plain x JOIN plain y ON CONCAT(x.V, %s) = CONCAT(y.V, %[1]s)",
	"SELECT COUNT(*) FROM plain x LEFT JOIN hashed y ON y.K = CONCAT(x.K, %s)",
	"SELECT COUNT(*) FROM plain x JOIN ranges y ON x.T + %s = y.T",
	"SELECT K, Q FROM plain WHERE V = %s ORDER BY K, Q",
	"SELECT K FROM ranges WHERE K >= %s AND Q IN ('q', %[1]s)",
	"SELECT COUNT(*) FROM hashed x WHERE EXISTS (SELECT 1 FROM plain y WHERE CONCAT(y.V, %s) = CONCAT(x.V, %[1]s) AND y.T >= x.T)",
}

// recordedSelects are the recorded queries of clients, without arguments.
func recordedSelects(t *testing.T) (out []string) {
	require.NoError(t, filepath.WalkDir("testdata/recorded", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		for _, block := range regexp.MustCompile(`(?m)^run.*\n((?:.+\n)+)----`).FindAllStringSubmatch(string(text), -1) {
			for _, sql := range strings.Split(block[1], "\n;;\n") {
				if strings.HasPrefix(sql, "SELECT") && !strings.Contains(sql, "?") {
					out = append(out, strings.TrimSpace(sql))
				}
			}
		}
		return err
	}))
	return out
}

// TestPlansFoundAgainAreAsGood runs each statement three times, and then compares what the cached plan reads
// and does, by EXPLAIN ANALYZE, with a plan made only for this text.
func TestPlansFoundAgainAreAsGood(t *testing.T) {
	g := sharedGen{rand.New(rand.NewPCG(testseed.Of(t), 3))}
	e := sharedEngine(t)
	e.ShareAtOnce()
	recorded := recordedDatabase(t, e, 4, "-5")
	for _, sql := range recordedSelects(t) {
		requireAsGood(t, recorded, sql)
	}
	s := newSession(t, e, "a")
	for _, call := range constantCalls(g.r) {
		for _, form := range []string{constantForms[0], g.one(constantForms[1:]...)} {
			requireAsGood(t, s, fmt.Sprintf(form, call))
		}
	}
	for range *sharingN {
		if sql := strings.TrimSuffix(g.statement(), ";"); givesRows(sql) && !strings.Contains(sql, "FOR UPDATE") {
			requireAsGood(t, s, sql)
		}
	}
}

func requireAsGood(t *testing.T, s *sqlfront.Session, sql string) {
	t.Helper()
	want := answer(s, sql)
	for range 2 {
		require.Equal(t, want, answer(s, sql), sql)
	}
	if strings.Contains(want, "ERROR") {
		return
	}
	ctx := context.Background()
	st, err := s.Prepare(ctx, "EXPLAIN ANALYZE "+sql)
	require.NoError(t, err, sql)
	first, text := counted(s.Query(ctx, st, nil))
	again, shared := counted(s.ExplainShared(ctx, "EXPLAIN ANALYZE "+sql))
	require.Equal(t, first, again, "%s\n%s\n%s", sql, text, shared)
}

var stepKeys = regexp.MustCompile(` by .*| in [0-9.]+(ns|µs|ms|s)\b|, at most \d+ KiB|estimated.*`)

// counted is the kind of each step of EXPLAIN ANALYZE with what it read and returned, and the text.
func counted(rows sqlfront.Rows, err error) (steps []string, text string) {
	if err != nil {
		return []string{printError(err)}, ""
	}
	defer rows.Close()
	row, err := rows.Next()
	if err == nil {
		text = row[0].String()
	}
	if _, end := rows.Next(); err != nil || end != io.EOF {
		return []string{fmt.Sprint(err, end)}, text
	}
	for _, line := range strings.Split(text, "\n") {
		if step := strings.TrimSpace(line); strings.HasPrefix(step, "->") {
			step, actual, _ := strings.Cut(step, " (rows ")
			steps = append(steps, stepKeys.ReplaceAllString(step, "")+" (rows "+stepKeys.ReplaceAllString(actual, ""))
		}
	}
	return steps, text
}
