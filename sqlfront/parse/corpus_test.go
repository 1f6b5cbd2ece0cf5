package parse

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

var update = flag.Bool("update", false, "write the outcomes into testdata/corpus")

// TestCorpus parses what clients were recorded to send and a list of forms of MySQL, one statement on each
// line, and compares which kind of statement each is parsed as. A line break is written as U+2424.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob("testdata/corpus/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { runCorpus(t, file) })
	}
}

func runCorpus(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i, line := range lines {
		want, sql, _ := strings.Cut(line, "\t")
		got := outcome(strings.ReplaceAll(sql, "\u2424", "\n"))
		if lines[i] = got + "\t" + sql; !*update {
			require.Equal(t, want, got, "%s:%d: %s", file, i+1, sql)
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644))
	}
}

// outcome is the statement's type, or the error's number and position.
func outcome(sql string) string {
	p, err := Parse(sql)
	if err != nil {
		e := err.(*mysql.MySQLError)
		_, rest, _ := strings.Cut(e.Message, "support '")
		construct, _, _ := strings.Cut(rest, "'")
		_, rest, _ = strings.Cut(e.Message, "(position ")
		place, _, _ := strings.Cut(strings.TrimSuffix(rest, ")"), ";")
		return strings.TrimSpace(fmt.Sprintf("%d %s%s", e.Number, construct, place))
	}
	name := strings.TrimPrefix(fmt.Sprintf("%T", p.Stmt), "*ast.")
	if s, ok := p.Stmt.(*ast.Show); ok {
		name += " " + string(s.Kind)
	}
	return name
}
