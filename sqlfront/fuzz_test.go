package sqlfront_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// clientStatements are what clients were recorded to send, and forms of MySQL.
func clientStatements(t testing.TB) []string {
	files, err := filepath.Glob("parse/testdata/corpus/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var out []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			_, sql, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			out = append(out, strings.ReplaceAll(sql, "\u2424", "\n"))
		}
	}
	return out
}

// clientDatabase is the database that the recorded clients used.
func clientDatabase(t testing.TB) *sqlfront.Session {
	s := newSession(t, newEngine(t), "a")
	for _, sql := range []string{"CREATE DATABASE hb", "USE hb"} {
		mustExec(t, s, sql)
	}
	for _, name := range []string{"htable1$family1", "htable1$family2", "t", "t2"} {
		mustExec(t, s, "CREATE TABLE "+name+" (K varbinary(1024), Q varbinary(256), T bigint, V varbinary(1024), PRIMARY KEY (K, Q, T))")
		mustExec(t, s, "INSERT INTO "+name+" VALUES ('k1', 'q1', -5, 'v1'), ('k2', 'q1', -5, NULL)")
	}
	return s
}

// TestClientStatements runs what clients send. Errors have MySQL's numbers.
func TestClientStatements(t *testing.T) {
	for _, sql := range clientStatements(t) {
		tryStatement(t, clientDatabase(t), sql)
	}
}

// tryStatement runs any text with arguments for its placeholders.
func tryStatement(t testing.TB, s *sqlfront.Session, sql string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	st, err := s.Prepare(ctx, sql)
	if err == nil {
		args := make([]value.Value, st.Parsed.NumParams)
		for i := range args {
			args[i] = []value.Value{value.NewString("k1"), value.NewInt(1), value.NewBytes([]byte{0, 255})}[i%3]
		}
		_, err = s.Exec(ctx, st, args)
	}
	var known *mysql.MySQLError
	if err != nil && ctx.Err() == nil {
		require.True(t, errors.As(err, &known), "%s: %v", sql, err)
		require.NotEqual(t, "", known.Message)
	}
}

func FuzzSession(f *testing.F) {
	for i, sql := range clientStatements(f) {
		if i%7 == 0 {
			f.Add(sql)
		}
	}
	f.Fuzz(func(t *testing.T, sql string) {
		if strings.Contains(strings.ToUpper(sql), "SLEEP") || len(sql) > 4096 {
			t.Skip("it only takes long")
		}
		s := clientDatabase(t)
		tryStatement(t, s, sql)
		s.Reset()
		require.NoError(t, s.Close())
	})
}
