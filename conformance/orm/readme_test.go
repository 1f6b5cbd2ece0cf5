package orm

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadme holds the Go code of the README's pages on ORMs to be code of this
// module, which compiles and runs. A line "..." stands for lines left out.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, pages, ok := strings.Cut(string(text), "\n## ORMs\n")
	require.True(t, ok)
	pages, _, _ = strings.Cut(pages, "\n## ")
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(pages, -1)
	require.GreaterOrEqual(t, len(blocks), 6, "one for each")
	sources := goSources(t)
	for _, block := range blocks {
		for part := range strings.SplitSeq(squeezed(block[1]), "\n...\n") {
			part = strings.Trim(part, "\n")
			require.True(t, strings.Contains(sources, "\n"+part+"\n"), "code of the README that no test has:\n%s", part)
		}
	}
}

// goSources is all code of the module that a person wrote.
func goSources(t *testing.T) string {
	files, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	var all []string
	for _, name := range append(files, "ent/schema/schema.go") {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		all = append(all, squeezed(string(text)))
	}
	return strings.Join(all, "\n")
}

// squeezed drops indentation and empty lines.
func squeezed(code string) string {
	out := []string{""}
	for line := range strings.Lines(code) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n") + "\n"
}
