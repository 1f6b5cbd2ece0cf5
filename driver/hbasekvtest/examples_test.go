package hbasekvtest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sources are the syntax trees of the package's files, tests or not.
func sources(t *testing.T, tests bool) (files []*ast.File) {
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") != tests {
			continue
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		require.NoError(t, err)
		files = append(files, file)
	}
	return files
}

// TestExamples: each exported function of the package is used in an example.
func TestExamples(t *testing.T) {
	used := map[string]bool{}
	for _, file := range sources(t, true) {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(f.Name.Name, "Example") {
				continue
			}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					used[s.Sel.Name] = true
				}
				return true
			})
		}
	}
	exported := 0
	for _, file := range sources(t, false) {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.IsExported() {
				exported++
				require.True(t, used[f.Name.Name], "%s stands in no example", f.Name.Name)
			}
		}
	}
	require.Greater(t, exported, 15)
}
