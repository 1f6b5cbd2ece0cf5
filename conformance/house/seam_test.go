package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// storeWord matches names of stores in comparisons and conditions.
var storeWord = regexp.MustCompile(`(?i)hbase|pebble|kvtest`)

// notAStore are names that look like a store's, and what they are.
var notAStore = map[string]string{
	"driver/dsn_address.go: hbase":     "a scheme in other letters, which is told how it is written",
	"ddl/table.go: hbase":              "TDSQL's keyword of CREATE TABLE",
	"infoschema/show_create.go: HBase": "TDSQL's keyword of CREATE TABLE",
	"parse/ddl_table.go: HBASE":        "TDSQL's keyword of CREATE TABLE",
	"metrics/slow.go: KindHBaseGet":    "a kind of call, by HBase's protocol",
	"guard/shown.go: KindHBaseAdmin":   "a kind of call, by HBase's protocol",
}

// TestNobodyAsksForTheStore: code above the kv interface uses a store's Limits and
// optional interfaces, and never asks which store it is.
func TestNobodyAsksForTheStore(t *testing.T) {
	files, used := 0, map[string]bool{}
	for _, room := range []string{"sqlfront", "partition", "driver"} {
		err := filepath.WalkDir(filepath.Join("../..", room), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return err
			case strings.Contains(filepath.ToSlash(path), "driver/cmd/"): // it prints words for people
				return nil
			}
			files++
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, name := range storesAskedFor(f) {
				key := filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(path) + ": " + name
				if used[key] = true; notAStore[key] == "" {
					t.Errorf("%s asks which store it has: %s", path, name)
				}
			}
			return nil
		})
		require.NoError(t, err)
	}
	require.Greater(t, files, 200)
	for key := range notAStore {
		require.True(t, used[key], "%s is there no more", key)
	}
}

// TestStoresAskedFor: the test above would find it.
func TestStoresAskedFor(t *testing.T) {
	for source, want := range map[string]string{
		`if isHBase { }`:                               "isHBase",
		`if s.scheme == "hbase" { }`:                   "hbase",
		`switch scheme { case "pebble": }`:             "pebble",
		`_, ok := s.(*pebblekv.Store)`:                 "pebblekv",
		`switch s.(type) { case *hbase.Store: }`:       "hbase",
		`for !s.onHBase() { }`:                         "onHBase",
		`x := strings.HasPrefix(dsn, "hbase://")`:      "hbase://",
		`return pebblekv.Open(hbase)`:                  "",
		`if f, ok := s.(kv.Flusher); ok { f.Flush() }`: "",
		`if s.limits.OneRow { say("on HBase") }`:       "",
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "a.go", "package a\nfunc f() {\n"+source+"\n}", parser.SkipObjectResolution)
		require.NoError(t, err, source)
		require.Equal(t, want, strings.Join(storesAskedFor(f), " "), source)
	}
}

// storesAskedFor are the names of stores in a file's conditions, cases, comparisons and
// type assertions.
func storesAskedFor(f *ast.File) (names []string) {
	seen := map[string]bool{}
	in := func(nodes ...ast.Node) {
		for _, n := range nodes {
			for _, name := range namesIn(n) {
				if storeWord.MatchString(strings.TrimPrefix(name, "hbasekv_")) && !seen[name] {
					seen[name] = true
					names = append(names, name)
				}
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			in(n.Cond)
		case *ast.ForStmt:
			if n.Cond != nil {
				in(n.Cond)
			}
		case *ast.CaseClause:
			for _, e := range n.List {
				in(e)
			}
		case *ast.TypeAssertExpr:
			if n.Type != nil {
				in(n.Type)
			}
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				in(n.X, n.Y)
			}
		case *ast.CallExpr:
			if called := fmt.Sprint(namesIn(n.Fun)); strings.Contains(called, "Prefix") || strings.Contains(called, "Contains") {
				for _, e := range n.Args {
					in(e)
				}
			}
		}
		return true
	})
	return names
}

// namesIn are the identifiers and strings of an expression.
func namesIn(n ast.Node) (words []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			words = append(words, n.Name)
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
				words = append(words, text)
			}
		}
		return true
	})
	return words
}
