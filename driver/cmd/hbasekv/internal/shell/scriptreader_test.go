package shell

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// TestScriptReader: a script that is read in pieces has the same statements,
// whatever the pieces.
func TestScriptReader(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	pieces := []string{
		"SELECT 1", ";", ";\n", "\n", " -- not the end;\n", "/* nor\nthis;\n */", "'quoted;\n'", "\"double;\n\"", "`name;\n`",
		"/*!40100 SET x = 1;\n */", "# neither;\n", "REPLACE INTO t VALUES (X'00ff', 'it''s')", "x", " ", "\\'", "é",
	}
	for range 2000 {
		var text strings.Builder
		for range r.IntN(20) {
			text.WriteString(pieces[r.IntN(len(pieces))])
		}
		want, wantErr := driver.SplitScript(text.String())
		s := newScriptReader(iotest.HalfReader(strings.NewReader(text.String())))
		s.size, s.chunk = 1+r.IntN(8), 1+r.IntN(8)
		var got []driver.ScriptStatement
		var err error
		for err == nil {
			var one driver.ScriptStatement
			if one, err = s.next(); err == nil || err == errUnfinished {
				got = append(got, one)
				err = nil
			}
		}
		if wantErr != nil {
			require.NotEqual(t, io.EOF, err, "%q", text.String())
			continue
		}
		require.Equal(t, io.EOF, err, "%q", text.String())
		require.Equal(t, describe(want), describe(got), "%q", text.String())
	}
}

func describe(statements []driver.ScriptStatement) (out []string) {
	for _, s := range statements {
		out = append(out, fmt.Sprintf("%d: %s", s.Line, s.Text))
	}
	return out
}
