package bind_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/function/jsondoc"
	"github.com/hbasekv/hbasekv/sqlfront/function/text"
)

// otherSyntax is the syntax of functions that the parser generates.
var otherSyntax = map[string]string{
	function.TrimBoth:     `TRIM\(\s*BOTH `,
	function.TrimLeading:  `TRIM\(\s*LEADING `,
	function.TrimTrailing: `TRIM\(\s*TRAILING `,
	text.CharsetText:      `CONVERT\(.* USING LATIN1`,
	text.CharsetBytes:     `HEX\(CONVERT\(.* USING LATIN1`,
	jsondoc.MemberOf:      `MEMBER OF\(`,
	"$USER_VARIABLE":      `@\w`,
	"$SYSTEM_VARIABLE":    `@@\w`,
	"$SET_VARIABLE":       `:=`,
	"CURRENT_USER":        `CURRENT_USER\b`,
	"POSITION":            `POSITION\(`,
}

// TestEveryFunctionHasACase: each function of the tables, under each of its names, is in a line of the
// datadriven files, with MariaDB's or MySQL's answer. A new function without one fails here.
func TestEveryFunctionHasACase(t *testing.T) {
	cases := oracleCases(t)
	require.Greater(t, len(cases), 1000)
	text := strings.ToUpper(strings.Join(cases, "\n"))
	names := map[string]bool{}
	for name := range function.Table() {
		names[name] = true
	}
	for _, name := range append(bind.SpecialForms(), setfunc.Names()...) {
		names[name] = true
	}
	for _, f := range expr.Lazy() {
		names[f.Name] = true
	}
	require.Greater(t, len(names), 200)
	delete(names, "$BIT_BYTES") // only over columns, which conformance/typed compares
	for name := range names {
		pattern, ok := otherSyntax[name]
		if !ok {
			pattern = `\b` + regexp.QuoteMeta(name) + `\(`
		}
		if !regexp.MustCompile(pattern).MatchString(text) {
			t.Errorf("no line of testdata/oracle has %s", name)
		}
	}
}

// oracleCases are the lines of the datadriven files of package expr.
func oracleCases(t *testing.T) []string {
	var out []string
	files, err := filepath.Glob("../testdata/oracle/*")
	require.NoError(t, err)
	for _, file := range files {
		datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string {
			out = append(out, strings.Split(d.Input, "\n")...)
			return d.Expected
		})
	}
	return out
}
