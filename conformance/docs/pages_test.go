package docs

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var updateDocs = flag.Bool("docs.update", false, "rewrite the outputs, line numbers and pictures of the pages")

// pages are the README and all of docs/, as paths from the repository's root.
func pages(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	out := []string{"README.md", "CHANGELOG.md"}
	for _, name := range names {
		out = append(out, "docs/"+filepath.Base(name))
	}
	return out
}

// block is a fenced block of a page.
type block struct {
	lang, text string
	// source is the files that the code is from: those in the comment <!-- code: FILE
	// ... --> above the block.
	source string
	// open and shut are the indexes of the fences' lines.
	open, shut int
}

func readPage(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../..", name))
	require.NoError(t, err)
	return strings.SplitAfter(strings.TrimSuffix(string(data), "\n"), "\n")
}

var sourceComment = regexp.MustCompile(`^<!-- code: (.+) -->\n$`)

func blocksOf(t *testing.T, name string, lines []string) []block {
	t.Helper()
	var out []block
	open, source := -1, ""
	for i, line := range lines {
		fence := strings.HasPrefix(line, "```")
		switch {
		case fence && open < 0:
			open = i
		case fence:
			lang := strings.TrimSpace(strings.TrimPrefix(lines[open], "```"))
			out = append(out, block{lang: lang, text: strings.Join(lines[open+1:i], ""), source: source, open: open, shut: i})
			open, source = -1, ""
		case open < 0:
			if m := sourceComment.FindStringSubmatch(line); m != nil {
				source = m[1]
			} else if strings.TrimSpace(line) != "" {
				source = ""
			}
		}
	}
	require.Negative(t, open, "%s: a block without an end", name)
	return out
}

// runner runs the blocks of one language and returns their output.
type runner func(t *testing.T, b block) string

// TestDocsPages runs the code of each page, with one session and one directory
// per page, and compares the text block that follows with the output.
func TestDocsPages(t *testing.T) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	command, program := buildCommand(t), buildPrograms(t, root)
	for _, name := range pages(t) {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".md"), func(t *testing.T) {
			lines := readPage(t, name)
			blocks := blocksOf(t, name, lines)
			dir := t.TempDir()
			t.Chdir(dir)
			session := newDocsSession(t)
			runners := map[string]runner{
				"sql":     session.run,
				"go":      func(t *testing.T, b block) string { return runGo(t, program, root, dir, b) },
				"console": func(t *testing.T, b block) string { return runConsole(t, command, root, dir, b) },
			}
			update := newEdits(lines)
			for i, b := range blocks {
				run := runners[b.lang]
				if run == nil {
					require.Contains(t, []string{"text", "sh"}, b.lang, "%s:%d: a block of an unknown language", name, b.open+1)
					continue
				}
				compareBlock(t, name, lines, blocks[i:], strings.ReplaceAll(run(t, b), dir, "."), update)
			}
			if *updateDocs && update.changed {
				require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(update.text()), 0o644))
			}
		})
	}
}

// compareBlock compares a block's output with the text block directly after it;
// a console block contains its own output.
func compareBlock(t *testing.T, name string, lines []string, rest []block, got string, update *edits) {
	b := rest[0]
	if b.lang == "console" {
		update.replace(b.open+1, b.shut, got)
		if !*updateDocs {
			require.Equal(t, b.text, got, "%s:%d", name, b.open+1)
		}
		return
	}
	next := b.shut + 1
	for next < len(lines) && strings.TrimSpace(lines[next]) == "" {
		next++
	}
	shown := len(rest) > 1 && rest[1].lang == "text" && rest[1].open == next
	switch {
	case shown && *updateDocs:
		update.replace(rest[1].open+1, rest[1].shut, got)
	case shown:
		require.Equal(t, rest[1].text, got, "%s:%d: what the block prints", name, b.open+1)
	case b.lang == "sql":
		require.NotRegexp(t, `(?m)^(\+-|ERROR)`, got, "%s:%d: the block prints what the page does not show", name, b.open+1)
	default:
		require.Empty(t, got, "%s:%d: the block prints what the page does not show", name, b.open+1)
	}
}

// edits are the changed lines of a page.
type edits struct {
	lines   []string
	with    map[int]string // by the first line of what is replaced
	until   map[int]int
	changed bool
}

func newEdits(lines []string) *edits {
	return &edits{lines: lines, with: map[int]string{}, until: map[int]int{}}
}

func (e *edits) replace(from, to int, text string) {
	e.with[from], e.until[from] = text, to
	e.changed = e.changed || strings.Join(e.lines[from:to], "") != text
}

func (e *edits) text() string {
	var b strings.Builder
	for i := 0; i < len(e.lines); i++ {
		if text, ok := e.with[i]; ok {
			b.WriteString(text)
			if i = e.until[i]; i == len(e.lines) {
				break
			}
		}
		b.WriteString(e.lines[i])
	}
	return strings.TrimSuffix(b.String(), "\n") + "\n"
}

// runGo runs a program, or requires code to be in the files that it names: a
// line of three dots stands for omitted code.
func runGo(t *testing.T, program, root, dir string, b block) string {
	t.Helper()
	if b.source != "" {
		var source []byte
		for name := range strings.FieldsSeq(b.source) {
			text, err := os.ReadFile(filepath.Join(root, name))
			require.NoError(t, err)
			source = append(source, text...)
		}
		for part := range strings.SplitSeq(squeezed(b.text), "\n...\n") {
			require.Contains(t, squeezed(string(source)), "\n"+strings.Trim(part, "\n")+"\n", "code that %s does not have", b.source)
		}
		return ""
	}
	name := programName(strings.TrimPrefix(t.Name(), "TestDocsPages/"), b)
	return output(t, &exec.Cmd{Path: program, Args: []string{name}, Dir: dir})
}

// squeezed removes indentation and empty lines.
func squeezed(code string) string {
	out := []string{""}
	for line := range strings.Lines(code) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n") + "\n"
}

func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var failure bytes.Buffer
	cmd.Stderr = &failure
	out, err := cmd.Output()
	require.NoError(t, err, "%s\n%s", out, failure.String())
	return string(out)
}

// buildCommand builds the command and returns its directory. go run, unlike go build, keeps in the build cache
// what it links.
func buildCommand(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("go", "run", "-ldflags=-w", "-exec", "cp", "github.com/hbasekv/hbasekv/driver/cmd/hbasekv",
		filepath.Join(dir, "hbasekv"))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return dir
}

// volatile are the times that commands print, which differ from run to run and
// are omitted.
var volatile = regexp.MustCompile(`(, | in )\d[\d.]*(µs|ms|s)(, [\d,]+ (cells|rows)/s)?`)

// runConsole runs the lines after a $, and returns each with its output, in the
// page's directory; data/ there is the tests' data.
func runConsole(t *testing.T, command, root, dir string, b block) string {
	t.Helper()
	if _, err := os.Lstat(filepath.Join(dir, "data")); err != nil {
		require.NoError(t, os.Symlink(filepath.Join(root, "driver/cmd/hbasekv/demodata"), filepath.Join(dir, "data")))
	}
	var out strings.Builder
	for line := range strings.Lines(b.text) {
		if !strings.HasPrefix(line, "$ ") {
			continue
		}
		cmd := exec.Command("sh", "-c", strings.TrimPrefix(line, "$ "))
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+command+":"+os.Getenv("PATH"))
		printed, err := cmd.CombinedOutput()
		fmt.Fprint(&out, line, volatile.ReplaceAllString(string(printed), ""))
		if err != nil {
			fmt.Fprintln(&out, err)
		}
	}
	return out.String()
}
