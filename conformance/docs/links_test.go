package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver"
)

var (
	link    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading = regexp.MustCompile(`^#+ (.*)\n?$`)
)

// TestDocsLinks checks that each file and each heading that a page links to exists.
func TestDocsLinks(t *testing.T) {
	for _, name := range pages(t) {
		for i, line := range prose(t, name) {
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				if strings.Contains(m[1], "://") {
					continue
				}
				file, anchor, _ := strings.Cut(m[1], "#")
				target := name
				if file != "" {
					target = filepath.Join(filepath.Dir(name), file)
				}
				_, err := os.Stat(filepath.Join("../..", target))
				require.NoError(t, err, "%s:%d", name, i+1)
				if anchor != "" {
					require.Contains(t, anchorsOf(t, target), anchor, "%s:%d: %s", name, i+1, m[1])
				}
			}
		}
	}
}

// prose is the lines of a page, empty where they are in a fenced block.
func prose(t *testing.T, name string) []string {
	lines := readPage(t, name)
	for _, b := range blocksOf(t, name, lines) {
		for i := b.open; i <= b.shut; i++ {
			lines[i] = ""
		}
	}
	return lines
}

// anchorsOf are the anchors of a page, for its headings as on GitHub and for its lines.
func anchorsOf(t *testing.T, name string) map[string]bool {
	out := map[string]bool{}
	for i, line := range prose(t, name) {
		out["L"+strconv.Itoa(i+1)] = true
		if m := heading.FindStringSubmatch(line); m != nil {
			out[slug(m[1])] = true
		}
	}
	return out
}

func slug(title string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(title)) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			b.WriteRune(r)
		case r == ' ':
			b.WriteByte('-')
		}
	}
	return b.String()
}

// TestDocsForm limits the length of the README, and of lines that are not tables.
func TestDocsForm(t *testing.T) {
	info, err := os.Stat("../../README.md")
	require.NoError(t, err)
	require.LessOrEqual(t, info.Size(), int64(14<<10))
	require.LessOrEqual(t, len(readPage(t, "README.md")), 300)
	for _, name := range pages(t) {
		for i, line := range prose(t, name) {
			if !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "<!--") && !strings.Contains(line, "](") {
				require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimRight(line, "\n")), 120, "%s:%d", name, i+1)
			}
		}
	}
}

// TestDocsIndex requires a link to each page from the README or the page of contents, and to each example
// from theirs.
func TestDocsIndex(t *testing.T) {
	linked := map[string]bool{"README.md": true}
	for _, from := range []string{"README.md", "docs/README.md"} {
		for _, line := range prose(t, from) {
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				file, _, _ := strings.Cut(m[1], "#")
				linked[filepath.Join(filepath.Dir(from), file)] = true
			}
		}
	}
	for _, name := range pages(t) {
		require.True(t, linked[name], "no way leads to %s", name)
	}
	examples, err := os.ReadDir("../../docs/examples")
	require.NoError(t, err)
	for _, e := range examples {
		if e.IsDir() {
			require.Contains(t, strings.Join(readPage(t, "docs/examples.md"), ""), "](examples/"+e.Name()+"/")
		}
	}
}

// TestDocsParameters requires the page's table to have exactly the parameters
// that the driver lists, with defaults that it accepts.
func TestDocsParameters(t *testing.T) {
	source, err := os.ReadFile("../../driver/dsn.go")
	require.NoError(t, err)
	var want []string
	for _, m := range regexp.MustCompile(`(?m)^\t\{"(\w+)", `).FindAllSubmatch(source, -1) {
		want = append(want, string(m[1]))
	}
	require.NotEmpty(t, want)
	for _, page := range []string{"docs/dsn.md"} {
		row := regexp.MustCompile("^\\| `(\\w+)` \\| `([^`]*)` \\|")
		var got []string
		for _, line := range readPage(t, page) {
			m := row.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			got = append(got, m[1])
			if m[2] != "" {
				_, err := driver.ParseDSN(fmt.Sprintf(":memory:?%s=%s", m[1], m[2]))
				require.NoError(t, err, line)
			}
		}
		require.ElementsMatch(t, want, got, page)
	}
}

var question = regexp.MustCompile(`^\| (.+) \| \[([^,\]]+), line (\d+)\]\(([^)#]+)#L(\d+)\) \| (.+) \|\n?$`)

// TestDocsQuestions looks up each answer in the list of questions: the line must contain the quoted
// words, on a page that the README links.
func TestDocsQuestions(t *testing.T) {
	const page = "docs/questions.md"
	lines, count := readPage(t, page), 0
	readme := strings.Join(readPage(t, "README.md"), "")
	for i, line := range lines {
		m := question.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		count++
		target := filepath.Join(filepath.Dir(page), m[4])
		require.Equal(t, filepath.Base(target), m[2], line)
		require.True(t, target == "README.md" || strings.Contains(readme, "]("+target), "the README does not link %s", target)
		found := 0
		for n, text := range readPage(t, target) {
			if strings.Contains(text, m[6]) {
				found = n + 1
				break
			}
		}
		require.NotZero(t, found, "%s:%d: no line of %s says %q", page, i+1, target, m[6])
		if number := strconv.Itoa(found); *updateDocs {
			lines[i] = fmt.Sprintf("| %s | [%s, line %s](%s#L%s) | %s |\n", m[1], m[2], number, m[4], number, m[6])
		} else {
			require.Equal(t, number+" "+number, m[3]+" "+m[5], "%s:%d: the line of %q", page, i+1, m[6])
		}
	}
	require.GreaterOrEqual(t, count, 40)
	if *updateDocs {
		require.NoError(t, os.WriteFile("../../"+page, []byte(strings.TrimSuffix(strings.Join(lines, ""), "\n")+"\n"), 0o644))
	}
}
