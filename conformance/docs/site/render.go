package main

import (
	"bytes"
	"fmt"
	"html/template"
	"path"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// render renders the page as HTML: headings get GitHub's anchors, and links lead to pages of
// the site, or else to the repository.
func (p *page) render(source []byte, targets map[string]string) error {
	context := parser.NewContext(parser.WithIDs(&anchors{seen: map[string]int{}}))
	root := markdown.Parser().Parse(text.NewReader(source), parser.WithContext(context))
	err := ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			p.addHeading(n, source)
		case *ast.Link:
			n.Destination = []byte(p.resolve(string(n.Destination), targets))
		case *ast.Image:
			name := path.Join(path.Dir(p.source), string(n.Destination))
			p.images = append(p.images, name)
			n.Destination = []byte(path.Base(name))
		case *ast.Text:
			p.addProse(n.Segment.Value(source))
		case *ast.FencedCodeBlock:
			p.addProse(n.Lines().Value(source))
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return err
	}
	if len(p.headings) == 0 {
		return fmt.Errorf("a page without a heading")
	}
	p.title = p.headings[0].text
	var b bytes.Buffer
	if err := markdown.Renderer().Render(&b, source, root); err != nil {
		return err
	}
	p.body = template.HTML(framed.Replace(b.String()))
	return nil
}

// framed lets wide tables scroll separately, so that the page does not.
var framed = strings.NewReplacer("<table>", `<div class="wide"><table>`, "</table>", "</table></div>")

func (p *page) addHeading(n *ast.Heading, source []byte) {
	id, _ := n.AttributeString("id")
	b, _ := id.([]byte)
	p.headings = append(p.headings, heading{level: n.Level, id: string(b), text: textOf(n, source)})
}

// addProse adds words to those of the last heading, for the search.
func (p *page) addProse(words []byte) {
	if len(p.headings) == 0 {
		return
	}
	h := &p.headings[len(p.headings)-1]
	h.prose = strings.TrimSpace(h.prose + " " + strings.Join(strings.Fields(string(words)), " "))
}

func textOf(n ast.Node, source []byte) string {
	var b strings.Builder
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if t, ok := child.(*ast.Text); ok {
			b.Write(t.Segment.Value(source))
		} else {
			b.WriteString(textOf(child, source))
		}
	}
	return b.String()
}

// resolve returns the destination of a link of the page on the site.
func (p *page) resolve(destination string, targets map[string]string) string {
	if strings.Contains(destination, "://") || strings.HasPrefix(destination, "#") || strings.HasPrefix(destination, "mailto:") {
		return destination
	}
	file, anchor, has := strings.Cut(destination, "#")
	name := path.Join(path.Dir(p.source), file)
	target, ok := targets[name]
	switch {
	case !ok:
		target = repository + name
	case has && isLine(anchor):
		return repository + name + "?plain=1#" + anchor
	}
	if has {
		target += "#" + anchor
	}
	return target
}

// isLine reports whether an anchor is a line of a file, as in GitHub's L12.
func isLine(anchor string) bool {
	return len(anchor) > 1 && anchor[0] == 'L' && strings.Trim(anchor[1:], "0123456789") == ""
}

// anchors names headings as GitHub does.
type anchors struct{ seen map[string]int }

func (a *anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(string(value))) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			b.WriteRune(r)
		case r == ' ':
			b.WriteByte('-')
		}
	}
	id := b.String()
	n := a.seen[id]
	a.seen[id]++
	if n > 0 {
		id = fmt.Sprintf("%s-%d", id, n)
	}
	return []byte(id)
}

func (a *anchors) Put(value []byte) { a.seen[string(value)]++ }
