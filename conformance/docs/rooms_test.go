package docs

import (
	"cmp"
	"fmt"
	"html"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// room is a package of the house, with what it imports of it.
type room struct {
	name, doc string
	imports   map[string]bool
	layer     int             // above all that it imports
	below     map[string]bool // all that it imports, directly or not; nil until it is settled
	x         float64
}

// TestDocsRooms draws docs/rooms.svg from the code's imports, and lists the
// rooms on the page of architecture.
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
		if name == "" || strings.HasPrefix(name, "conformance") { // no code, or tests
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

// settle finds a room's layer, and all that it imports, directly or not.
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

// reduce drops imports that another import has, too.
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
)

// drawRooms puts each layer in a line, importers above.
func drawRooms(rooms []*room) string {
	layers := map[int][]*room{}
	widest, highest := 0, 0
	for _, r := range rooms {
		layers[r.layer] = append(layers[r.layer], r)
		widest, highest = max(widest, len(layers[r.layer])), max(highest, r.layer)
	}
	width := float64(widest)*(roomWidth+roomGap) + roomGap
	byName := map[string]*room{}
	for layer := highest; layer >= 0; layer-- {
		for i, r := range layers[layer] {
			left := (width - float64(len(layers[layer]))*(roomWidth+roomGap) + roomGap) / 2
			r.x = left + float64(i)*(roomWidth+roomGap)
			byName[r.name] = r
		}
	}
	y := func(r *room) float64 { return roomGap + float64(highest-r.layer)*(roomHeight+layerGap) }
	height := 2*roomGap + float64(highest)*(roomHeight+layerGap) + roomHeight
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" font-family="sans-serif" font-size="13">
<rect width="100%%" height="100%%" fill="#ffffff"/>
<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">`+
		`<path d="M0 0L8 4L0 8z" fill="#7a8699"/></marker></defs>
`, width, height)
	for _, r := range rooms {
		for _, name := range slices.Sorted(maps.Keys(r.imports)) {
			to := byName[name]
			x1, y1, x2, y2 := r.x+roomWidth/2, y(r)+roomHeight, to.x+roomWidth/2, y(to)
			fmt.Fprintf(&b, `<path d="M%g %gC%g %g %g %g %g %g" fill="none" stroke="#7a8699" marker-end="url(#a)"/>`+"\n",
				x1, y1, x1, y1+layerGap/2, x2, y2-layerGap/2, x2, y2)
		}
	}
	for _, r := range rooms {
		fmt.Fprintf(&b, `<rect x="%g" y="%g" width="%g" height="%g" rx="5" fill="%s" stroke="#44546a"/>`+"\n",
			r.x, y(r), roomWidth, roomHeight, colour(r.name))
		fmt.Fprintf(&b, `<text x="%g" y="%g" text-anchor="middle" fill="#1c2733">%s</text>`+"\n",
			r.x+roomWidth/2, y(r)+roomHeight/2+4, strings.TrimPrefix(strings.Replace(r.name, "/internal/", "/", 1), "kv/pebblekv/"))
	}
	return b.String() + "</svg>\n"
}

// colour is one for each folder of the top level.
func colour(name string) string {
	folder, _, _ := strings.Cut(name, "/")
	return map[string]string{"driver": "#dbe8fb", "sqlfront": "#e3f3df", "kv": "#fdeecb", "partition": "#f3e0ef"}[folder]
}

// listRooms is a table of the rooms with the first sentence of their docs.
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

// step is a room that a statement comes through, what it does there, and what it
// is handed on as.
type step struct{ room, does, gives string }

var selectWay = []step{
	{"driver", "connection, arguments", "text, values"},
	{"sqlfront", "session; a statement that was seen is found by its shape", "text"},
	{"sqlfront/parse", "MySQL's grammar", "tree"},
	{"sqlfront/plan", "names, views of versions, operators", "WHERE"},
	{"sqlfront/constrain", "spans, qualifiers, times; the rest is a filter", "kv.Scan"},
	{"partition", "partitions that the spans can touch", "ordinals"},
	{"kv/pebblekv", "snapshot, iterators, seeks, merge", "cells"},
}

var insertWay = []step{
	{"driver", "connection, arguments", "text, values"},
	{"sqlfront", "session; a statement that was seen is found by its shape", "text"},
	{"sqlfront/parse", "MySQL's grammar", "tree"},
	{"sqlfront/write", "VALUES: types, lengths, NULL, the clock's T", "kv.Cell"},
	{"partition", "the partition of the row", "ordinal"},
	{"kv/pebblekv", "row lock, duplicate?, batch", "one log record"},
}

// drawWay puts the steps below each other; each is a room that there is.
func drawWay(t *testing.T, rooms []*room, way []step) string {
	t.Helper()
	const width, line = 760.0, 58.0
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" font-family="sans-serif" font-size="13">
<rect width="100%%" height="100%%" fill="#ffffff"/>
`, width, line*float64(len(way)))
	for i, s := range way {
		require.True(t, slices.ContainsFunc(rooms, func(r *room) bool { return r.name == s.room }), "there is no room %s", s.room)
		y := 8 + line*float64(i)
		fmt.Fprintf(&b, `<rect x="16" y="%g" width="%g" height="%g" rx="5" fill="%s" stroke="#44546a"/>`+"\n", y, roomWidth, roomHeight, colour(s.room))
		fmt.Fprintf(&b, `<text x="%g" y="%g" text-anchor="middle" fill="#1c2733">%s</text>`+"\n", 16+roomWidth/2, y+22, s.room)
		fmt.Fprintf(&b, `<text x="%g" y="%g" fill="#1c2733">%s</text>`+"\n", 32+roomWidth, y+22, html.EscapeString(s.does))
		if i+1 < len(way) {
			x := 16 + roomWidth/2
			fmt.Fprintf(&b, `<path d="M%g %gV%gm-4 -6l4 6l4 -6" fill="none" stroke="#7a8699"/>`+"\n", x, y+roomHeight, y+line)
		}
		fmt.Fprintf(&b, `<text x="%g" y="%g" fill="#5b6775" font-size="11">%s</text>`+"\n", 24+roomWidth/2, y+roomHeight+16, html.EscapeString(s.gives))
	}
	return b.String() + "</svg>\n"
}
