package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// repository is where links to files that are not pages lead.
const repository = "https://github.com/hbasekv/hbasekv/blob/main/"

var (
	//go:embed assets/page.html
	pageHTML string
	//go:embed assets/site.css
	siteCSS []byte
	//go:embed assets/site.js
	siteJS []byte

	layout = template.Must(template.New("page").Parse(pageHTML))
)

// page is a Markdown page and its rendering.
type page struct {
	source, target string // docs/sql.md, sql.html
	title          string
	body           template.HTML
	headings       []heading
	images         []string // files of the repository that it shows
}

type heading struct {
	level    int
	id, text string
	prose    string // the text below it, for the search
}

// build renders the pages of the repository at root into the directory out.
func build(root, out string) error {
	sources, err := sourcesOf(root)
	if err != nil {
		return err
	}
	targets := targetsOf(sources)
	var pages []*page
	for _, source := range sources {
		text, err := os.ReadFile(filepath.Join(root, source))
		if err != nil {
			return err
		}
		p := &page{source: source, target: targets[source]}
		if err := p.render(text, targets); err != nil {
			return fmt.Errorf("%s: %w", source, err)
		}
		pages = append(pages, p)
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	return errors.Join(writePages(out, pages), writeAssets(root, out, pages))
}

// sourcesOf are the README, the pages of docs/ in the order of docs/README.md, and the changelog.
func sourcesOf(root string) ([]string, error) {
	index, err := os.ReadFile(filepath.Join(root, "docs/README.md"))
	if err != nil {
		return nil, err
	}
	names, err := filepath.Glob(filepath.Join(root, "docs/*.md"))
	if err != nil {
		return nil, err
	}
	place := func(name string) int { // by the first link to it; pages without a link come last
		at := bytes.Index(index, []byte("]("+filepath.Base(name)))
		if at < 0 {
			return len(index)
		}
		return at
	}
	slices.SortStableFunc(names, func(a, b string) int { return place(a) - place(b) })
	out := []string{"README.md"}
	for _, name := range names {
		out = append(out, "docs/"+filepath.Base(name))
	}
	return append(out, "CHANGELOG.md"), nil
}

// targetsOf maps pages to the names of their files: the README is the index.
func targetsOf(sources []string) map[string]string {
	out := map[string]string{"README.md": "index.html", "docs/README.md": "pages.html"}
	for _, source := range sources {
		if out[source] == "" {
			out[source] = strings.ToLower(strings.TrimSuffix(path.Base(source), ".md")) + ".html"
		}
	}
	return out
}

func writePages(out string, pages []*page) error {
	for _, p := range pages {
		var b bytes.Buffer
		err := layout.Execute(&b, map[string]any{"Title": p.title, "Body": p.body, "Contents": p.contents(), "Menu": menuOf(pages, p)})
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, p.target), b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// link is an entry of a menu.
type link struct {
	Target, Text string
	Here         bool
}

func menuOf(pages []*page, here *page) []link {
	var out []link
	for _, p := range pages {
		out = append(out, link{p.target, p.title, p == here})
	}
	return out
}

// contents are the headings below the title.
func (p *page) contents() []link {
	var out []link
	for _, h := range p.headings {
		if h.level == 2 {
			out = append(out, link{Target: "#" + h.id, Text: h.text})
		}
	}
	return out
}

// entry is a part of a page as the search knows it.
type entry struct {
	URL   string `json:"u"`
	Page  string `json:"p"`
	Title string `json:"t"`
	Text  string `json:"x"`
}

// writeAssets writes the script with the search index, the style, and the pictures of the pages.
func writeAssets(root, out string, pages []*page) error {
	var entries []entry
	images := map[string]bool{}
	for _, p := range pages {
		for _, h := range p.headings {
			entries = append(entries, entry{p.target + "#" + h.id, p.title, h.text, h.prose})
		}
		for _, name := range p.images {
			images[name] = true
		}
	}
	index, err := json.Marshal(entries)
	if err != nil {
		return err
	}
	// A script, because browsers do not fetch files for pages that are opened as files.
	index = slices.Concat([]byte("window.searchIndex="), index, []byte(";\n"))
	files := map[string][]byte{"site.css": siteCSS, "site.js": siteJS, "search.js": index}
	for name := range images {
		if files[path.Base(name)], err = os.ReadFile(filepath.Join(root, name)); err != nil {
			return err
		}
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(out, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
