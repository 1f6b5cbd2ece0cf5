package parse

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// addSeeds adds the statements of testdata.
func addSeeds(f *testing.F) {
	for _, pattern := range []string{"testdata/corpus/*", "testdata/statements/*"} {
		files, err := filepath.Glob(pattern)
		require.NoError(f, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(f, err)
			for _, line := range strings.Split(string(text), "\n") {
				_, sql, found := strings.Cut(line, "\t")
				if !found {
					sql = line
				}
				f.Add(strings.ReplaceAll(sql, "\u2424", "\n"))
			}
		}
	}
}

// FuzzParse: no text causes an internal error of the parser, and a second run reads the same.
func FuzzParse(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, sql string) {
		p, err := Parse(sql)
		if err != nil {
			e, ok := err.(*mysql.MySQLError)
			require.True(t, ok)
			require.NotEqual(t, uint16(mysqlerr.Internal), e.Number, e.Message)
			return
		}
		params := 0
		toks, err := tokens(sql)
		require.NoError(t, err)
		for _, tok := range toks {
			if tok.Kind == lex.Param {
				params++
			}
		}
		require.Equal(t, params, p.NumParams)
		again, err := Parse(p.Text)
		require.NoError(t, err)
		require.Equal(t, printed(p), printed(again))
	})
}

// FuzzSplit: the pieces are in the order of the script, between them is nothing but semicolons, space and
// comments, and each is one piece.
func FuzzSplit(f *testing.F) {
	addSeeds(f)
	f.Add("/*!") // a comment that does not end
	f.Add("/*!00000*/0")
	f.Fuzz(func(t *testing.T, script string) {
		pieces, err := lex.Pieces(script)
		if err != nil {
			return
		}
		end := 0
		var texts []string
		for _, piece := range pieces {
			requireNoStatement(t, script[end:piece.Offset])
			if strings.HasSuffix(piece.Text, "-") {
				return // a statement cannot end this way, and -- at the end is a comment
			}
			one, err := lex.Split(piece.Text)
			require.NoError(t, err)
			require.Equal(t, []string{piece.Text}, one)
			texts = append(texts, piece.Text)
			end = piece.Offset + len(piece.Text)
		}
		requireNoStatement(t, script[end:])
		again, err := lex.Split(strings.Join(texts, "\n;\n"))
		require.NoError(t, err)
		require.True(t, slices.Equal(texts, again), "%q is split as %q", texts, again)
	})
}

func tokens(sql string) ([]lex.Token, error) {
	text, err := lex.Lex(context.Background(), sql, nil)
	if err != nil {
		return nil, err
	}
	defer text.Release()
	return slices.Clone(text.Cursor(context.Background()).Tokens), nil
}

func requireNoStatement(t *testing.T, gap string) {
	t.Helper()
	toks, err := tokens(gap)
	require.NoError(t, err)
	for _, tok := range toks {
		require.True(t, tok.Kind == lex.EOF || gap[tok.Start] == ';', "%q is in no piece", gap)
	}
}
