package sql

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
)

// TestListedDifferences looks up each class on the page of differences.
func TestListedDifferences(t *testing.T) {
	data, err := os.ReadFile("../../docs/mysql-differences.md")
	require.NoError(t, err)
	text := strings.Join(strings.Fields(string(data)), " ")
	for _, l := range oracle.ListedDifferences {
		require.Contains(t, text, l.Page, l.Name)
	}
}
