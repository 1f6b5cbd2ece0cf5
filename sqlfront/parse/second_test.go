package parse

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// TestSecondOpinion: if sqlparser's own grammar can read a statement of the corpora, its tree prints as ours
// does, except for what it does not read like MySQL.
func TestSecondOpinion(t *testing.T) {
	agreed, misread := 0, map[string]int{}
	for _, sql := range corpora(t) {
		p, err := Parse(sql)
		if err != nil || len(roots(p.Stmt)) == 0 {
			continue
		}
		theirs := second(sql)
		if theirs == nil {
			continue
		}
		if why := misreads(sql); why != "" {
			misread[why]++
			continue
		}
		if a, b := canonical(theirs), canonical(roots(p.Stmt)[0]); a != b {
			t.Errorf("%s\n%s\n%s", sql, a, b)
		}
		agreed++
	}

	require.Greater(t, agreed, 10_000, misread)
}

// second is sqlparser's tree of a text, nil if it recognizes no more of the statement than its first word, or
// nothing.
func second(sql string) (tree sqlparser.Statement) {
	defer func() {
		if recover() != nil {
			tree = nil // it panics on some texts
		}
	}()
	tree, err := sqlparser.Parse(sql)
	if _, unread := tree.(*sqlparser.OtherRead); err != nil || unread {
		return nil
	}
	return tree
}

// misreadings are what sqlparser does not read like MySQL.
var misreadings = []struct{ why, pattern string }{
	{"DATE '..' is a column with an alias", `\b(date|time|timestamp)\s*['"]`},
	{"ROW (..) is a call", `\brow\s*\(`},
	{"\\% and \\_ lose their backslash", `\\[%_]`},
	{"0X.. is no name", `\b(?-i:0X)`},
	{"LOW_PRIORITY is a name", `\blow_priority\b`},
	{"DELETE t FROM t is another form of DELETE", `^\s*delete\s+\w+\s+from`},
	{"LOCAL is no SESSION", `@@local\.`},
	{"placeholders in hints are not counted", `/\*\+.*\?`},
	{"SQL_TSI_DAY is a column", `\bsql_tsi_`},
	{"the version of an executed comment does not count", `/\*!`},
	{"an introducer is a column with an alias, as is a string behind another", `\bn'|['"]\s+['"]`},
	{"parentheses around a subquery stay", `\(\(+\s*select`},
	{"@`x y` is @ with an alias", "@`"},
	{"SQL_CALC_FOUND_ROWS is a column", `sql_calc_found_rows`},
	{"INTERVAL(a, b) is an interval of the unit that follows", `\binterval\s*\(`},
	{"-- always begins a comment", `--\S`},
}

// misreads is the reason why sqlparser does not understand the text, or empty.
func misreads(sql string) string {
	for _, m := range misreadings {
		if regexp.MustCompile("(?is)" + m.pattern).MatchString(sql) {
			return m.why
		}
	}
	return ""
}

// canonical prints a tree in one notation for both parsers: bytes of literals in hexadecimal, without
// comments, hints of indexes and caches, in lower case, since sqlparser returns names of functions that are
// its keywords in lower case.
func canonical(node sqlparser.SQLNode) string {
	buf := sqlparser.NewTrackedBuffer(func(buf *sqlparser.TrackedBuffer, node sqlparser.SQLNode) {
		switch n := node.(type) {
		case sqlparser.Comments, *sqlparser.IndexHints:
		case *sqlparser.Select:
			c := *n
			c.Cache = ""
			c.Format(buf)
		case *ast.Literal:
			if n.Slot < 0 {
				sqlparser.NewColIdent(string(n.Bytes)).Format(buf) // a word
				return
			}
			fmt.Fprintf(buf, "<%x>", n.Bytes)
		case *sqlparser.SQLVal:
			printValue(buf, n)
		case *ast.UserVar:
			buf.WriteString("@" + n.Name)
		case *sqlparser.UnaryExpr:
			if n.Operator == sqlparser.UBinaryStr {
				buf.Myprintf("%v", n.Expr)
				return
			}
			n.Format(buf)
		case *ast.GroupConcat:
			printConcat(buf, &n.GroupConcatExpr, n.Separator)
		case *sqlparser.GroupConcatExpr:
			var separator *ast.Literal
			if n.Separator != "" {
				separator = &ast.Literal{Bytes: []byte(strings.TrimSuffix(strings.TrimPrefix(n.Separator, " separator '"), "'"))}
			}
			printConcat(buf, n, separator)
		case *sqlparser.SubstrExpr:
			buf.Myprintf("substr(%v, %v", n.Name, n.From)
			if n.To != nil {
				buf.Myprintf(", %v", n.To)
			}
			buf.WriteString(")")
		case *sqlparser.FuncExpr:
			if name := n.Name.Lowered(); name == "substring" || name == "mid" {
				c := *n
				c.Name = sqlparser.NewColIdent("substr")
				n = &c
			}
			n.Format(buf)
		default:
			node.Format(buf)
		}
	})
	buf.Myprintf("%v", node)
	return strings.ReplaceAll(strings.ToLower(buf.String()), sqlparser.UnionDistinctStr, sqlparser.UnionStr)
}

func printConcat(buf *sqlparser.TrackedBuffer, g *sqlparser.GroupConcatExpr, separator *ast.Literal) {
	buf.Myprintf("group_concat(%s%v%v", g.Distinct, g.Exprs, g.OrderBy)
	if separator != nil {
		buf.Myprintf(" separator %v", separator)
	}
	buf.WriteString(")")
}

func printValue(buf *sqlparser.TrackedBuffer, v *sqlparser.SQLVal) {
	text := string(v.Val)
	switch v.Type {
	case sqlparser.StrVal:
		fmt.Fprintf(buf, "<%x>", v.Val)
	case sqlparser.HexVal:
		fmt.Fprintf(buf, "<%x>", lex.AppendDigits(nil, "x'"+text+"'"))
	case sqlparser.HexNum:
		fmt.Fprintf(buf, "<%x>", lex.AppendDigits(nil, text))
	case sqlparser.BitVal:
		fmt.Fprintf(buf, "<%x>", lex.AppendDigits(nil, "b'"+text+"'"))
	default:
		v.Format(buf)
	}
}

// corpora are the statements of the repository's test data.
func corpora(t *testing.T) (out []string) {
	for _, pattern := range []string{"testdata/*/*", "../testdata/*/*", "../plan/testdata/*", "../expr/testdata/generated.txt",
		"../../conformance/testdata/mariadb/*"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			out = append(out, statementsOf(t, file)...)
		}
	}
	return out
}

// statementsOf are the lines of a file as statements: some have a column before the statement, some are JSON
// objects, some lack the SELECT.
func statementsOf(t *testing.T, file string) (out []string) {
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		in, err = gzip.NewReader(f)
		require.NoError(t, err)
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		line := strings.ReplaceAll(lines.Text(), "\u2424", "\n")
		first, rest, _ := strings.Cut(line, "\t")
		out = append(out, line, rest)
		var object struct{ SQL string }
		if json.Unmarshal(lines.Bytes(), &object) == nil {
			out = append(out, object.SQL)
		}
		if strings.HasSuffix(file, "generated.txt") {
			out = append(out, "SELECT "+first)
		}
	}
	require.NoError(t, lines.Err())
	return out
}
