package jsondoc

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hbasekv/hbasekv/sqlfront/function"
)

// TestJSONPathsFindWhatEachWayLeadsTo compares with following every way separately.
func TestJSONPathsFindWhatEachWayLeadsTo(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		env := &function.Env{}
		doc, ok, err := parseJSON(env, []byte(drawJSON(r, 4)))
		require.NoError(t, err)
		require.True(t, ok)
		legs := rapid.SliceOfN(rapid.SampledFrom([]string{".a", ".b", "[0]", "[1]", "[last]", ".*", "[*]",
			"**"}), 0, 5).Draw(r, "legs")
		path, err := parsePath("$" + strings.Join(legs, ""))
		if err != nil {
			return
		}
		var want []*Document
		for _, part := range everyWay(path, doc) {
			if !slices.Contains(want, part) {
				want = append(want, part)
			}
		}
		got, err := path.find(env, doc)
		require.NoError(r, err)
		require.Len(r, got, len(want))
		for i := range got {
			require.Same(r, want[i], got[i])
		}
	})
}

func everyWay(p jsonPath, doc *Document) (found []*Document) {
	if len(p) == 0 {
		return []*Document{doc}
	}
	step, rest := p[0], p[1:]
	switch {
	case step.deep:
		found = everyWay(rest, doc)
		for _, item := range doc.values {
			found = append(found, everyWay(p, item)...)
		}
	case step.any && (doc.kind == jsonArray) == step.isIndex:
		for _, item := range doc.values {
			found = append(found, everyWay(rest, item)...)
		}
	case !step.any:
		if next := step.follow(doc); next != nil {
			found = everyWay(rest, next)
		}
	}
	return found
}

func drawJSON(r *rapid.T, depth int) string {
	kind := rapid.IntRange(0, 2).Draw(r, "kind")
	if depth == 0 || kind == 0 {
		return rapid.SampledFrom([]string{"1", `"x"`, "null"}).Draw(r, "scalar")
	}
	var parts []string
	for i := range rapid.IntRange(0, 3).Draw(r, "items") {
		part := drawJSON(r, depth-1)
		if kind == 2 {
			part = fmt.Sprintf("%q: %s", []string{"a", "b", "c"}[i], part)
		}
		parts = append(parts, part)
	}
	if kind == 2 {
		return "{" + strings.Join(parts, ",") + "}"
	}
	return "[" + strings.Join(parts, ",") + "]"
}
