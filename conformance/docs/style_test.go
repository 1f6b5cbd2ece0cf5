package docs

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// poorPhrases are what docs/style.md forbids, with what to write instead. Only
// phrases that are never right belong here: a false alarm would cost more than it saves.
var poorPhrases = []struct{ pattern, instead string }{
	{`(takes?|many|several|the) writers side by side`, "concurrent writers"},
	{`that (is|are) none`, "an adjective, such as invalid, or what it lacks"},
	{`where all was done`, "on success"},
	{`the same truth`, "the same figures"},
	{`asks? for no (estimate|network)`, "who decides it, and how"},
	{`built of rooms`, "built in layers"},
	{`anew`, "again, or a verb with re-"},
	{`in vain`, "without success, or what is wasted"},
	{`(their|its) kin`, "and similar ones"},
	{`be it (by|in|of|the)`, "or"},
	{`(row|rows|statement|query) around`, "outer row, enclosing statement"},
	{`(holds?|held|holding) nobody up`, "blocks nobody"},
	{`so and so`, "the name"},
}

// TestDocsStyle finds poor phrases in pages and in the comments of the code.
func TestDocsStyle(t *testing.T) {
	patterns := compilePhrases()
	for _, name := range pages(t) {
		if name != "docs/style.md" {
			requireStyle(t, patterns, name, pageText(t, name))
		}
	}
	files := harness.GoTool(t, "", "list", "-f",
		`{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{range .TestGoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}`+
			`{{range .XTestGoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}`, "work")
	for name := range strings.FieldsSeq(files) {
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		requireStyle(t, patterns, name, comments(source))
	}
}

// pageText is the prose of a page, with the page's line numbers.
func pageText(t *testing.T, name string) string {
	t.Helper()
	lines := prose(t, name)
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\n")
	}
	return strings.Join(lines, "\n")
}

// phrases are the poor phrases, and any of them, which one pass over a text finds.
type phrases struct {
	any  *regexp.Regexp
	each []*regexp.Regexp
}

// compilePhrases lets a phrase continue on the next line, also in comments.
func compilePhrases() phrases {
	var out phrases
	var all []string
	for _, p := range poorPhrases {
		pattern := `\b` + strings.ReplaceAll(p.pattern, " ", `(?:\s+|\s*\n\s*//\s*)`) + `\b`
		out.each, all = append(out.each, regexp.MustCompile(pattern)), append(all, pattern)
	}
	out.any = regexp.MustCompile(strings.Join(all, "|"))
	return out
}

func requireStyle(t *testing.T, patterns phrases, name, text string) {
	t.Helper()
	if !patterns.any.MatchString(text) {
		return
	}
	for i, pattern := range patterns.each {
		for _, at := range pattern.FindAllStringIndex(text, -1) {
			t.Errorf("%s:%d: %q: write %s", name, 1+strings.Count(text[:at[0]], "\n"), text[at[0]:at[1]], poorPhrases[i].instead)
		}
	}
}

// comments keeps lines that are entirely comments; the others become empty.
func comments(source []byte) string {
	lines := slices.Collect(bytes.Lines(source))
	for i, line := range lines {
		if !bytes.HasPrefix(bytes.TrimSpace(line), []byte("//")) {
			lines[i] = []byte("\n")
		}
	}
	return string(bytes.Join(lines, nil))
}
