package driver

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestContractPage reads go-sql-driver/mysql's README: each of its parameters and
// features must be on the page, and each parameter that the page says is known,
// is.
func TestContractPage(t *testing.T) {
	dir := strings.TrimSpace(harness.GoTool(t, "", "list", "-m", "-f", "{{.Dir}}", "github.com/go-sql-driver/mysql"))
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	require.NoError(t, err)
	page, err := os.ReadFile("../../docs/go-sql-driver.md")
	require.NoError(t, err)
	_, parameters, ok := strings.Cut(string(readme), "\n#### Parameters\n")
	require.True(t, ok)
	parameters, features, ok := strings.Cut(parameters, "\n#### Examples\n")
	require.True(t, ok)

	names := headings(parameters, `(?m)^##### (.*)$`)
	require.Greater(t, len(names), 20)
	for _, name := range names {
		require.Contains(t, string(page), "\n| "+name+" | ")
		if strings.HasPrefix(name, "`") {
			knowsParameter(t, strings.Trim(name, "`"))
		}
	}
	rows := headings(string(page), "(?m)^\\| (`[a-zA-Z]+`|System Variables) \\| (?:no effect|as there|the longest)")
	require.ElementsMatch(t, names, rows, "the parameters of the page are those of the README")
	for _, name := range headings(features, `(?m)^##+ (.*)$`) {
		if name != "Testing / Development" && name != "License" {
			require.Contains(t, string(page), regexp.MustCompile(" [Ss]upport$").ReplaceAllString(name, ""))
		}
	}
}

// knowsParameter tries values for the parameter until one is accepted.
func knowsParameter(t *testing.T, name string) {
	var err error
	for _, value := range []string{"true", "1s", "UTC", "utf8mb4", "utf8mb4_bin", "4194304"} {
		var db *sql.DB
		if db, err = sql.Open("hbasekv", ":memory:?"+name+"="+value); err == nil {
			err = errors.Join(db.Ping(), db.Close())
		}
		if err == nil {
			return
		}
	}
	t.Errorf("%s: %v", name, err)
}

func headings(text, pattern string) (out []string) {
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		out = append(out, strings.TrimSpace(m[1]))
	}
	return out
}
