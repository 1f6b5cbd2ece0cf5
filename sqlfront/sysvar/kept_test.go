package sysvar_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
)

// TestPageOfKeptVariables checks that the page of the server lists exactly the variables without effect.
func TestPageOfKeptVariables(t *testing.T) {
	page, err := os.ReadFile("../../docs/server.md")
	require.NoError(t, err)
	_, list, _ := strings.Cut(string(page), "<!-- variables:begin -->")
	list, _, found := strings.Cut(list, "<!-- variables:end -->")
	require.True(t, found)
	list = strings.Join(strings.Fields(list), " ")
	require.Equal(t, "`"+strings.Join(sysvar.Kept(), "`, `")+"`.", list)
}
