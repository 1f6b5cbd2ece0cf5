package generate

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// node is a piece of a generated statement: text with the pieces in it. It
// stays a tree so that a statement that fails can be made smaller.
type node struct {
	parts []string // one more than kids
	kids  []*node
	fixed bool // is kept when the statement is made smaller
}

// piece returns a node of a text in which each {} is one of kids.
func piece(text string, kids ...*node) *node {
	if len(kids) == 0 {
		return &node{parts: []string{text}}
	}
	return &node{parts: strings.Split(text, "{}"), kids: kids}
}

func (n *node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *node) write(b *strings.Builder) {
	for i, kid := range n.kids {
		b.WriteString(n.parts[i])
		kid.write(b)
	}
	b.WriteString(n.parts[len(n.kids)])
}

func joined(by string, nodes []*node) *node {
	return piece("{}"+strings.Repeat(by+"{}", len(nodes)-1), nodes...)
}

// grammar maps each kind of expression to its forms: text in which {kind}
// stands for an expression of that kind, and {kind=1} repeats the text's first
// one. Forms without braces are the leaves.
type grammar map[string][]string

// grammarGen generates expressions of a grammar. The same seed yields the same
// expressions.
type grammarGen struct {
	R *rand.Rand
	g grammar
	// columns are the names of those in scope, by kind: bytes, num, str.
	columns map[string][]string
	unmixed bool // no expression of another kind than requested
	leaves  map[string][]string
	inner   map[string][]string
}

func newGrammarGen(r *rand.Rand, g grammar) *grammarGen {
	out := &grammarGen{R: r, g: g, leaves: map[string][]string{}, inner: map[string][]string{}}
	for kind, forms := range g {
		for _, form := range forms {
			if slot.MatchString(form) {
				out.inner[kind] = append(out.inner[kind], form)
			} else {
				out.leaves[kind] = append(out.leaves[kind], form)
			}
		}
	}
	return out
}

// expr is an expression of a kind, at most depth forms deep. One in twelve is of
// another kind than requested, because everything can be converted to
// everything.
func (g *grammarGen) expr(kind string, depth int) *node {
	if len(g.inner[kind]) > 0 && !pure[kind] && !g.unmixed && g.R.IntN(12) == 0 {
		kind = "any"
	}
	inner, leaves, columns := g.inner[kind], g.leaves[kind], g.columns[kind]
	if len(columns) > 0 && (len(g.g[kind]) == 0 || g.R.IntN(4) == 0) {
		return piece(harness.Pick(g.R, columns))
	}
	if len(inner) == 0 || len(leaves) > 0 && (depth <= 0 || g.R.IntN(4) == 0) {
		return piece(harness.Pick(g.R, leaves))
	}
	return g.form(harness.Pick(g.R, inner), depth-1)
}

// slot is {kind}, or {kind=1} to repeat the form's first slot.
var slot = regexp.MustCompile(`\{([a-zA-Z][a-z0-9]*)(=\d)?\}`)

// form fills the slots of a form.
func (g *grammarGen) form(form string, depth int) *node {
	n, from := &node{}, 0
	for _, at := range slot.FindAllStringSubmatchIndex(form, -1) {
		n.parts = append(n.parts, form[from:at[0]])
		from = at[1]
		if at[4] >= 0 {
			n.kids = append(n.kids, n.kids[form[at[4]+1]-'1'])
		} else {
			n.kids = append(n.kids, g.expr(form[at[2]:at[3]], depth))
		}
	}
	n.parts = append(n.parts, form[from:])
	return n
}

// Shrink reduces a statement as long as fails reports that it still fails.
func Shrink(root *node, fails func(sql string) bool) {
	for shrinkBelow(root, root, fails) {
	}
}

func shrinkBelow(root, n *node, fails func(string) bool) bool {
	changed := false
	for i := range n.kids {
		if smallerKid(root, n, i, fails) || shrinkBelow(root, n.kids[i], fails) {
			changed = true
		}
	}
	return changed
}

// smallerKid replaces a kid by the first of its own kids, nothing, or a short
// leaf with which the statement still fails.
func smallerKid(root, n *node, i int, fails func(string) bool) bool {
	old := n.kids[i]
	text := old.String()
	if old.fixed || text == "" {
		return false
	}
	for _, try := range old.smaller(text) {
		if try == old || len(try.String()) >= len(text) {
			continue
		}
		n.kids[i] = try
		if fails(root.String()) {
			return true
		}
	}
	n.kids[i] = old
	return false
}

func (n *node) smaller(text string) []*node {
	if strings.HasPrefix(text, " ") { // a clause
		return []*node{piece("")}
	}
	if len(n.kids) == 0 {
		return nil
	}
	tries := slices.Clone(n.kids)
	for _, leaf := range []string{"NULL", "1", "T", "K", "V", "'a'"} {
		tries = append(tries, piece(leaf))
	}
	return tries
}
