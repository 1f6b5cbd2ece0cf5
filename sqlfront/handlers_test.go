package sqlfront_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront"
)

// TestEveryStatementIsHandled checks that each type of statement that the parser makes has a handler. The
// types are read from the source of package ast, where a method marks them.
func TestEveryStatementIsHandled(t *testing.T) {
	files, err := filepath.Glob("parse/ast/*.go")
	require.NoError(t, err)
	var marked []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == "statement" && len(f.Body.List) == 0 {
				marked = append(marked, "*ast."+f.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name)
			}
		}
	}
	require.Greater(t, len(marked), 50)
	require.ElementsMatch(t, marked, sqlfront.HandledStatements())
}
