package main

import (
	"encoding/json"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	attribute = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	anchorID  = regexp.MustCompile(` id="([^"]*)"`)
)

// site builds the pages in a directory of the test.
func site(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "site")
	require.NoError(t, build("../../..", dir))
	return dir
}

// TestLinks checks the file and the heading of each link within the site, and the repository's file of other
// links.
func TestLinks(t *testing.T) {
	dir := site(t)
	pages, err := filepath.Glob(filepath.Join(dir, "*.html"))
	require.NoError(t, err)
	require.Greater(t, len(pages), 30)
	texts, ids := map[string]string{}, map[string]map[string]bool{}
	for _, name := range pages {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		base := filepath.Base(name)
		texts[base], ids[base] = string(text), map[string]bool{}
		for _, m := range anchorID.FindAllStringSubmatch(string(text), -1) {
			require.False(t, ids[base][m[1]], "%s has #%s twice", base, m[1])
			ids[base][m[1]] = true
		}
	}
	for from, text := range texts {
		for _, m := range attribute.FindAllStringSubmatch(text, -1) {
			requireTarget(t, dir, ids, from, html.UnescapeString(m[1]))
		}
	}
}

func requireTarget(t *testing.T, dir string, ids map[string]map[string]bool, from, target string) {
	t.Helper()
	if file, ok := strings.CutPrefix(target, repository); ok {
		file, _, _ = strings.Cut(file, "?")
		_, err := os.Stat(filepath.Join("../../..", file))
		require.NoError(t, err, "%s: %s", from, target)
		return
	}
	if strings.Contains(target, "://") || strings.HasPrefix(target, "data:") {
		return
	}
	file, anchor, _ := strings.Cut(target, "#")
	if file == "" {
		file = from
	}
	_, err := os.Stat(filepath.Join(dir, file))
	require.NoError(t, err, "%s: %s", from, target)
	if anchor != "" {
		require.True(t, ids[file][anchor], "%s: %s has no such heading", from, target)
	}
}

// TestSearchIndex requires an entry for each heading, with the text below it.
func TestSearchIndex(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(site(t), "search.js"))
	require.NoError(t, err)
	var entries []entry
	object := strings.TrimSuffix(strings.TrimPrefix(string(text), "window.searchIndex="), ";\n")
	require.NoError(t, json.Unmarshal([]byte(object), &entries))
	require.Greater(t, len(entries), 200)
	for _, e := range entries {
		require.NotEmpty(t, e.Page)
		require.NotEmpty(t, e.Title)
		if e.URL == "dsn.html#guards" {
			require.Contains(t, e.Text, "1104")
			return
		}
	}
	require.Fail(t, "the guards of the data source name are not found")
}

// TestErrors: errors name what prevents a site from being built.
func TestErrors(t *testing.T) {
	require.ErrorContains(t, build(t.TempDir(), t.TempDir()), "docs/README.md")
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, "docs"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "docs/README.md"), []byte("text"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(root, "README.md"), []byte("no heading"), 0o644))
	require.ErrorContains(t, build(root, t.TempDir()), "README.md: a page without a heading")
}
