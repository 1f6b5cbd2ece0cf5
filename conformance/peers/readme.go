package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mark names the section of the README that a run fills.
func (r *report) mark() string {
	if len(r.Growth) > 0 && r.Growth[0].By == bulkCells {
		return "bulk"
	}
	if len(r.Growth) > 0 {
		return "growth"
	}
	if slices.Contains(taking(r.Results), "pebble-97") {
		return "loaded"
	}
	return "peers"
}

// text is the report as written to the README.
func (r *report) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Medians of one run: %s\n\n", r.heading())
	if len(r.Growth) > 0 {
		r.markdownGrowth(&b)
	} else {
		r.markdown(&b)
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "%s.\n", note)
	}
	return strings.TrimSpace(b.String()) + "\n"
}

// picture is the line of a README that shows the chart, "" if none is drawn.
func picture(readme, svg string) string {
	if svg == "" {
		return ""
	}
	from, err1 := filepath.Abs(filepath.Dir(readme))
	to, err2 := filepath.Abs(svg)
	path, err3 := filepath.Rel(from, to)
	if errors.Join(err1, err2, err3) != nil {
		path = svg
	}
	return "\n![Times beside hbasekv's](" + filepath.ToSlash(path) + ")\n"
}

// replaceMarked replaces what is between the lines <!-- mark:begin --> and <!--
// mark:end --> of a file by text.
func replaceMarked(file, mark, text string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	begin, end := "<!-- "+mark+":begin -->\n", "<!-- "+mark+":end -->"
	before, rest, ok := strings.Cut(string(data), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return fmt.Errorf("%s has no lines %sand %s", file, begin, end)
	}
	return os.WriteFile(file, []byte(before+begin+"\n"+text+"\n"+end+after), 0o644)
}
