package sqlfront_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPartitionErrors: each error number of partitioning occurs in a statement in testdata/session.
func TestPartitionErrors(t *testing.T) {
	files, err := filepath.Glob("testdata/session/*")
	require.NoError(t, err)
	var cases strings.Builder
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		cases.Write(text)
	}
	source, err := parser.ParseFile(token.NewFileSet(), "mysqlerr/partitions.go", nil, 0)
	require.NoError(t, err)
	numbers := 0
	ast.Inspect(source, func(n ast.Node) bool {
		if number, ok := n.(*ast.BasicLit); ok && number.Kind == token.INT {
			numbers++
			assert.True(t, strings.Contains(cases.String(), "ERROR "+number.Value+" ("), "no case of %s", number.Value)
		}
		return true
	})
	require.Greater(t, numbers, 30)
}
