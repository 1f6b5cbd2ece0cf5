package docs

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

var programStart = regexp.MustCompile(`(?m)^package main$|^func main\(\)`)

// buildPrograms links the programs of all pages as one and returns its path: linking each would take longer than
// all that they do. A program becomes a package there, whose Main is called under the program's name.
func buildPrograms(t *testing.T, root string) string {
	t.Helper()
	// The sources are at the same paths each time, so that go run finds them linked in the build cache.
	folder := filepath.Join(root, "conformance", "TestDocsPages")
	sources := map[string]string{}
	for _, page := range pages(t) {
		for _, b := range blocksOf(t, page, readPage(t, page)) {
			if b.lang == "go" && b.source == "" {
				name := programName(strings.TrimSuffix(filepath.Base(page), ".md"), b)
				sources[filepath.Join(folder, name, "main.go")] = importable(t, page, b)
			}
		}
	}
	main := filepath.Join(folder, "main.go")
	sources[main] = caller(folder, slices.Sorted(maps.Keys(sources)))
	program := filepath.Join(t.TempDir(), "programs")
	cmd := exec.Command("go", "run", "-ldflags=-w", "-overlay", overlay(t, sources), "-exec", "cp", main, program)
	cmd.Dir = filepath.Join(root, "conformance")
	require.Empty(t, output(t, cmd))
	return program
}

func programName(page string, b block) string { return fmt.Sprintf("%s/line%d", page, b.open+1) }

// importable is a program as a package, with its lines where they were.
func importable(t *testing.T, page string, b block) string {
	t.Helper()
	require.Len(t, programStart.FindAllString(b.text, -1), 2, "%s:%d: code is a program or names its file", page, b.open+1)
	return programStart.ReplaceAllStringFunc(b.text, func(start string) string {
		return map[string]string{"package main": "package program", "func main()": "func Main()"}[start]
	})
}

// caller is the program that calls the one whose name it is run under.
func caller(folder string, files []string) string {
	var imports, calls strings.Builder
	for i, file := range files {
		name, _ := filepath.Rel(folder, filepath.Dir(file))
		fmt.Fprintf(&imports, "import p%d %q\n", i, harness.Module+"conformance/TestDocsPages/"+name)
		fmt.Fprintf(&calls, "\t\t%q: p%d.Main,\n", name, i)
	}
	return "package main\n\nimport \"os\"\n" + imports.String() +
		"\nfunc main() {\n\tmap[string]func(){\n" + calls.String() + "\t}[os.Args[0]]()\n}\n"
}

// overlay tells go to read files that are not there, with these texts.
func overlay(t *testing.T, sources map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	at := map[string]string{}
	for file, text := range sources {
		at[file] = filepath.Join(dir, fmt.Sprint(len(at), ".go"))
		require.NoError(t, os.WriteFile(at[file], []byte(text), 0o600))
	}
	replaced, err := json.Marshal(map[string]any{"Replace": at})
	require.NoError(t, err)
	config := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(config, replaced, 0o600))
	return config
}
