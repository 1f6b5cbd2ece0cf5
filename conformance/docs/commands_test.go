package docs

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	commandLine = regexp.MustCompile("(?:^\\s*|[`|;/&(]\\s*|=)hbasekv ([a-z]+)\\b([^`|;&>]*)")
	longFlag    = regexp.MustCompile(`(?:^|\s)(--[a-z][a-z-]+)`)
)

// TestDocsCommands requires each subcommand of hbasekv and each of its flags, in blocks that are not
// run and in the text of pages, to be in the command's help.
func TestDocsCommands(t *testing.T) {
	command := filepath.Join(buildCommand(t), "hbasekv")
	help := map[string]string{}
	helpOf := func(subcommand string) string {
		if _, ok := help[subcommand]; !ok {
			text, err := exec.Command(command, "help", subcommand).CombinedOutput()
			require.NoError(t, err, "%s", text)
			help[subcommand] = string(text)
		}
		return help[subcommand]
	}
	count := 0
	for _, name := range pages(t) {
		for _, line := range codeOf(t, name) {
			for _, m := range commandLine.FindAllStringSubmatch(line, -1) {
				require.Contains(t, helpOf(m[1]), "hbasekv "+m[1], "%s: %s", name, line)
				for _, flag := range longFlag.FindAllStringSubmatch(m[2], -1) {
					count++
					require.Regexp(t, regexp.QuoteMeta(flag[1])+`\b`, helpOf(m[1]), "%s: %s", name, line)
				}
			}
		}
	}
	require.Greater(t, count, 30)
}

var inlineCode = regexp.MustCompile("`[^`]+`")

// codeOf is the shell lines of a page, with continued lines joined, and its inline code.
func codeOf(t *testing.T, name string) (code []string) {
	t.Helper()
	lines := readPage(t, name)
	for _, b := range blocksOf(t, name, lines) {
		if b.lang == "text" || b.lang == "sh" {
			code = append(code, strings.Split(strings.ReplaceAll(b.text, "\\\n", " "), "\n")...)
		}
	}
	text := strings.ReplaceAll(strings.Join(prose(t, name), ""), "\n", " ")
	return append(code, inlineCode.FindAllString(text, -1)...)
}
