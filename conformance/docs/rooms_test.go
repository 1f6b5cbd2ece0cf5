package docs

import (
	"cmp"
	"fmt"
	"html"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// room is a package of this repository, with those that it imports.
type room struct {
	name, doc string
	imports   map[string]bool
	layer     int             // above everything that it imports
	below     map[string]bool // all that it imports, directly or not; nil until settled
	x, y      float64
}

// TestDocsRooms draws docs/rooms.svg from the code's imports, and lists the
// packages on the architecture page.
func TestDocsRooms(t *testing.T) {
	rooms := roomsOf(t)
	compareFile(t, "docs/rooms.svg", drawRooms(rooms))
	compareFile(t, "docs/select.svg", drawWay(t, rooms, selectWay))
	compareFile(t, "docs/insert.svg", drawWay(t, rooms, insertWay))
	const page, begin, end = "docs/architecture.md", "<!-- rooms:begin -->\n", "<!-- rooms:end -->"
	text := strings.Join(readPage(t, page), "")
	before, rest, ok := strings.Cut(text, begin)
	_, after, ok2 := strings.Cut(rest, end)
	require.True(t, ok && ok2)
	compareFile(t, page, before+begin+listRooms(rooms)+end+strings.TrimRight(after, "\n")+"\n")
}

func compareFile(t *testing.T, name, want string) {
	t.Helper()
	if *updateDocs {
		require.NoError(t, os.WriteFile("../../"+name, []byte(want), 0o644))
	}
	got, err := os.ReadFile("../../" + name)
	require.NoError(t, err)
	for i, line := range strings.Split(want, "\n") {
		have, rest, _ := strings.Cut(string(got), "\n")
		require.Equal(t, line, have, "%s, line %d, is not what the code makes of it: run with -docs.update", name, i+1)
		got = []byte(rest)
	}
	require.Empty(t, string(got), "%s is longer than what the code makes of it: run with -docs.update", name)
}

func roomsOf(t *testing.T) []*room {
	t.Helper()
	byName := map[string]*room{}
	list := harness.GoTool(t, "", "list", "-f", `{{if .GoFiles}}{{.ImportPath}}|{{.Doc}}|{{join .Imports " "}}{{end}}`, "work")
	for line := range strings.Lines(list) {
		part := strings.SplitN(strings.TrimSpace(line), "|", 3)
		name := strings.TrimPrefix(part[0], harness.Module)
		if name == "" || strings.HasPrefix(name, "conformance") || strings.HasPrefix(name, "docs/") { // no code, tests, or examples
			continue
		}
		r := &room{name: name, doc: part[1], imports: map[string]bool{}}
		for path := range strings.FieldsSeq(part[2]) {
			if ours, ok := strings.CutPrefix(path, harness.Module); ok {
				r.imports[ours] = true
			}
		}
		byName[name] = r
	}
	var out []*room
	for _, r := range byName {
		settle(byName, r)
		out = append(out, r)
	}
	reduce(byName)
	slices.SortFunc(out, func(a, b *room) int {
		return cmp.Or(cmp.Compare(b.layer, a.layer), cmp.Compare(a.name, b.name))
	})
	return out
}

// settle finds a package's layer, and all that it imports, directly or not.
func settle(all map[string]*room, r *room) {
	if r.below != nil {
		return
	}
	r.below = map[string]bool{}
	for name := range r.imports {
		settle(all, all[name])
		r.layer = max(r.layer, 1+all[name].layer)
		r.below[name] = true
		maps.Copy(r.below, all[name].below)
	}
}

// reduce removes imports that follow from other imports.
func reduce(all map[string]*room) {
	follows := map[string]map[string]bool{}
	for _, r := range all {
		follows[r.name] = map[string]bool{}
		for name := range r.imports {
			for other := range r.imports {
				if other != name && all[other].below[name] {
					follows[r.name][name] = true
				}
			}
		}
	}
	for _, r := range all {
		for name := range follows[r.name] {
			delete(r.imports, name)
		}
	}
}

// The sizes of the picture, in its own units.
const (
	roomWidth, roomHeight = 176.0, 34.0
	roomGap, layerGap     = 16.0, 44.0
	letterWidth           = 7.4 // of the labels' font, at most on average
	mostWidth             = 2600.0
)

// label is a package's name in the picture, without redundant folders.
func (r *room) label() string {
	return strings.TrimPrefix(strings.Replace(r.name, "/internal/", "/", 1), "kv/pebblekv/")
}

// width is wide enough for the label.
func (r *room) width() float64 { return math.Ceil(letterWidth*float64(len(r.label()))) + 16 }

// linesOf are the packages of each layer, importers first; a layer too wide for the picture has several
// lines.
func linesOf(rooms []*room) (lines [][]*room, widest float64) {
	layer, width := -1, 0.0
	for _, r := range rooms {
		if r.layer != layer || width+r.width()+roomGap > mostWidth {
			lines, width = append(lines, nil), roomGap
		}
		layer = r.layer
		lines[len(lines)-1] = append(lines[len(lines)-1], r)
		width += r.width() + roomGap
		widest = max(widest, width)
	}
	return lines, widest
}

// place sets each package's position, and returns the picture's size. Lines of one layer are closer
// together than layers, because no arrows are between them.
func place(rooms []*room) (width, height float64) {
	lines, width := linesOf(rooms)
	y := roomGap
	for i, line := range lines {
		total := -roomGap
		for _, r := range line {
			total += r.width() + roomGap
		}
		x := (width - total) / 2
		for _, r := range line {
			r.x, r.y = x, y
			x += r.width() + roomGap
		}
		y += roomHeight + layerGap
		if i+1 < len(lines) && lines[i+1][0].layer == line[0].layer {
			y -= layerGap - roomGap
		}
	}
	return width, y - layerGap + roomGap
}

// drawRooms draws each layer in a line, importers above.
func drawRooms(rooms []*room) string {
	width, height := place(rooms)
	byName := map[string]*room{}
	for _, r := range rooms {
		byName[r.name] = r
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" font-family="sans-serif" font-size="13">
<rect width="100%%" height="100%%" fill="#ffffff"/>
<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">`+
		`<path d="M0 0L8 4L0 8z" fill="#7a8699"/></marker></defs>
`, width, height)
	for _, r := range rooms {
		for _, name := range slices.Sorted(maps.Keys(r.imports)) {
			to := byName[name]
			x1, y1, x2, y2 := r.x+r.width()/2, r.y+roomHeight, to.x+to.width()/2, to.y
			fmt.Fprintf(&b, `<path d="M%g %gC%g %g %g %g %g %g" fill="none" stroke="#7a8699" marker-end="url(#a)"/>`+"\n",
				x1, y1, x1, y1+layerGap/2, x2, y2-layerGap/2, x2, y2)
		}
	}
	for _, r := range rooms {
		fmt.Fprintf(&b, `<rect x="%g" y="%g" width="%g" height="%g" rx="5" fill="%s" stroke="#44546a"/>`+"\n",
			r.x, r.y, r.width(), roomHeight, colour(r.name))
		fmt.Fprintf(&b, `<text x="%g" y="%g" text-anchor="middle" fill="#1c2733">%s</text>`+"\n",
			r.x+r.width()/2, r.y+roomHeight/2+4, r.label())
	}
	return b.String() + "</svg>\n"
}

// colour is a colour for each top-level folder.
func colour(name string) string {
	folder, _, _ := strings.Cut(name, "/")
	return map[string]string{"driver": "#dbe8fb", "sqlfront": "#e3f3df", "kv": "#fdeecb", "partition": "#f3e0ef"}[folder]
}

// listRooms is a table of the packages with the first sentence of their docs.
func listRooms(rooms []*room) string {
	sorted := slices.Clone(rooms)
	slices.SortFunc(sorted, func(a, b *room) int { return cmp.Compare(a.name, b.name) })
	var b strings.Builder
	b.WriteString("\n| room | what its doc says |\n|---|---|\n")
	for _, r := range sorted {
		fmt.Fprintf(&b, "| `%s` | %s |\n", r.name, strings.ReplaceAll(r.doc, "|", "\\|"))
	}
	return b.String() + "\n"
}

// step is a package that a statement passes through, what it does there, and
// what it passes to the next one; for the last step that is the result.
type step struct{ room, does, gives string }

var selectWay = []step{
	{"driver", "connection, arguments", "text, values"},
	{"sqlfront", "session; the plan of a statement of the same shape is reused", "text"},
	{"sqlfront/parse", "MySQL's grammar", "syntax tree"},
	{"sqlfront/plan", "names, views of versions, operators", "WHERE"},
	{"sqlfront/constrain", "spans, qualifiers, times; the rest is a filter", "kv.Scan"},
	{"partition", "partitions that the spans can touch", "ordinals of partitions"},
	{"kv/pebblekv", "snapshot, iterators, seeks, merge", "cells, which go back through the operators"},
}

var insertWay = []step{
	{"driver", "connection, arguments", "text, values"},
	{"sqlfront", "session; the plan of a statement of the same shape is reused", "text"},
	{"sqlfront/parse", "MySQL's grammar", "syntax tree"},
	{"sqlfront/write", "VALUES: types, lengths, NULL, the clock's T", "kv.Cell"},
	{"partition", "the partition of the row", "ordinal of the partition"},
	{"kv/pebblekv", "row lock, search for a duplicate, batch", "one record of the log"},
}

// drawWay draws the steps below each other, with arrows to the next ones and to the result.
func drawWay(t *testing.T, rooms []*room, way []step) string {
	t.Helper()
	const width, line, top = 660.0, 62.0, 12.0
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g" font-family="sans-serif" font-size="13">
<rect width="100%%" height="100%%" fill="#ffffff"/>
`, width, line*float64(len(way))+top, width, line*float64(len(way))+top)
	for i, s := range way {
		require.True(t, slices.ContainsFunc(rooms, func(r *room) bool { return r.name == s.room }), "there is no room %s", s.room)
		y := top + line*float64(i)
		x := 16 + roomWidth/2
		fmt.Fprintf(&b, `<rect x="16" y="%g" width="%g" height="%g" rx="5" fill="%s" stroke="#44546a"/>`+"\n", y, roomWidth, roomHeight, colour(s.room))
		fmt.Fprintf(&b, `<text x="%g" y="%g" text-anchor="middle" fill="#1c2733">%s</text>`+"\n", x, y+22, s.room)
		fmt.Fprintf(&b, `<text x="%g" y="%g" fill="#1c2733">%s</text>`+"\n", 32+roomWidth, y+22, html.EscapeString(s.does))
		fmt.Fprintf(&b, `<path d="M%g %gV%gm-4 -6l4 6l4 -6" fill="none" stroke="#7a8699"/>`+"\n", x, y+roomHeight, y+line)
		fmt.Fprintf(&b, `<text x="%g" y="%g" fill="#4a5563" font-size="12">%s</text>`+"\n",
			x+10, y+roomHeight+18, html.EscapeString(s.gives))
	}
	return b.String() + "</svg>\n"
}
