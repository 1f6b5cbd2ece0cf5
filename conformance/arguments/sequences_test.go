package arguments

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/generate"
	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
)

// sequence is a recorded sequence of statements of an ORM, a tool or a client, on
// a number of tables.
type sequence struct {
	name       string
	tables     int
	seed       string // T of the row k1, q1
	statements []string
}

var (
	recordedRun      = regexp.MustCompile(`^run(?: tables=(\d+))?(?: seed=(-?\d+))?$`)
	recordedArgument = regexp.MustCompile(`^(text|bytes)? ?("(?:[^"\\]|\\.)*"|[-\w]+)(?:, )?`)
)

// recordedSequences are those of the SQL layer's tests, with their arguments as
// literals.
func recordedSequences(t *testing.T) (out []sequence) {
	files, err := filepath.Glob("../../sqlfront/testdata/recorded/*")
	require.NoError(t, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, part := range strings.Split("\n"+string(data), "\nrun")[1:] {
			part, _, _ = strings.Cut("run"+part, "\n----\n")
			head, body, ok := strings.Cut(part, "\n")
			m := recordedRun.FindStringSubmatch(strings.TrimSpace(head))
			if !ok || m == nil {
				continue
			}
			s := sequence{name: filepath.Base(file), tables: 2, seed: "-5"}
			if m[1] != "" {
				s.tables, _ = strconv.Atoi(m[1])
			}
			if m[2] != "" {
				s.seed = m[2]
			}
			for _, text := range strings.Split(body, "\n;;\n") {
				text, args, _ := strings.Cut(text, "\nargs ")
				s.statements = append(s.statements, withRecordedArguments(t, text, args))
			}
			out = append(out, s)
		}
	}
	return out
}

// withRecordedArguments replaces placeholders by recorded arguments.
func withRecordedArguments(t *testing.T, text, args string) string {
	parts := strings.Split(text, "?")
	for i := 0; args != ""; i++ {
		m := recordedArgument.FindStringSubmatch(args)
		require.NotNil(t, m, args)
		args = args[len(m[0]):]
		literal := m[2]
		if s, err := strconv.Unquote(literal); err == nil {
			literal = generate.Quoted(s)
		}
		if m[1] == "bytes" {
			literal = "_binary" + literal
		}
		require.Less(t, i+1, len(parts), text)
		parts[i] += literal
	}
	if len(args) == 0 && !strings.Contains(text, "?") {
		return text
	}
	return strings.Join(parts, "")
}

// open creates the tables on which a sequence was recorded, with a fixed clock.
func (s sequence) open(t *testing.T) *sql.Conn {
	db := harness.OpenDB(t, ":memory:?multiStatements=true&clock=2024-05-06T07:08:09Z")
	harness.Must(t, db, "CREATE DATABASE hb")
	conn := harness.Conn(t, db)
	harness.Must(t, conn, "USE hb")
	for i := range s.tables {
		name := fmt.Sprintf("htable1$family%d", i+1)
		harness.Must(t, conn, "CREATE TABLE "+name+" "+strings.Replace(harness.PlainTable, " NOT NULL", "", 1))
		if i == 0 {
			harness.Must(t, conn, "INSERT INTO "+name+" VALUES ('k1', 'q1', "+s.seed+
				", 'v0'), ('k1', 'q2', 3, 'v2'), ('k2', 'q1', -20, NULL)")
		}
	}
	return conn
}

// TestSequencesWithArguments: the recorded sequences do the same, statement by
// statement, with their literals as arguments, all of them or one of each.
func TestSequencesWithArguments(t *testing.T) {
	r := rand.New(rand.NewPCG(*argumentsFrom, 8))
	t.Logf("-arguments.seed=%d", *argumentsFrom)
	sequences := recordedSequences(t)
	require.Greater(t, len(sequences), 200)
	count := 0
	for _, s := range sequences {
		most := 0
		for _, text := range s.statements {
			most = max(most, len(generate.LiteralsOf(text)))
		}
		for pass := range min(most+1, 2+*argumentsN/250) {
			if most == 0 || testing.Short() && pass > 0 {
				break
			}
			count += s.compare(t, r, pass)
		}
	}
	t.Logf("%d statements with arguments", count)
	require.Greater(t, count, 200)
}

// compare runs the sequence with literals and with arguments, and counts the
// statements with arguments. In pass 0 all literals are arguments.
func (s sequence) compare(t *testing.T, r *rand.Rand, pass int) (count int) {
	literals, prepared := s.open(t), s.open(t)
	for i, text := range s.statements {
		v := generate.Variant{Prepared: text, Literal: text, Ordered: true}
		if vs := generate.VariantsOf(r, text, true, 8); len(vs) > 0 {
			v = vs[pass%len(vs)]
		}
		want, got := do(t, literals, v.Literal), do(t, prepared, v.Prepared, v.Args...)
		if (got.Error == 1064 || got.Error == 1210) && want.Error != got.Error {
			got = do(t, prepared, v.Literal) // no placeholder is allowed there, or it is in a comment
		} else if len(v.Args) > 0 {
			count++
		}
		if kind := sameTold(want, got); kind != "" && !ownExpression(got) && !volatileText(text) {
			t.Errorf("%s, statement %d: %s: %s", s.name, i, kind, explain(v, want, got))
		}
	}
	for i := range s.tables {
		all := fmt.Sprintf("SELECT /*+ VERSIONS(ALL) */ * FROM hb.htable1$family%d ORDER BY K, Q, T", i+1)
		_ = do(t, literals, "COMMIT")
		_ = do(t, prepared, "COMMIT")
		assert.Empty(t, sameTold(do(t, literals, all), do(t, prepared, all)), "%s %v", s.name, s.statements)
	}
	return count
}

// volatileText: the answer of such a statement depends on its store or on the
// time.
func volatileText(text string) bool {
	return regexp.MustCompile(`(?i)UUID|CONNECTION_ID|PROCESSLIST|RAND\(|STATUS|SYSDATE`).MatchString(text)
}

// do runs a statement: a write answers with its affected rows.
func do(t *testing.T, conn *sql.Conn, text string, args ...any) told {
	if !regexp.MustCompile(`(?i)^\s*(INSERT|REPLACE|UPDATE|DELETE)\b`).MatchString(text) {
		return tell(t, conn, text, true, args...)
	}
	out := told{Answer: oracle.Answer{SQL: text, Ordered: true}}
	result, err := conn.ExecContext(context.Background(), text, args...)
	if err != nil {
		out.Error = harness.ErrorNumber(err)
		return out
	}
	affected, _ := result.RowsAffected()
	id, _ := result.LastInsertId()
	out.Rows = [][]string{{fmt.Sprint(affected), fmt.Sprint(id)}}
	out.warnings = codesOf(t, conn)
	return out
}
