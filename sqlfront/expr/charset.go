package expr

import (
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/function/text"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

func charsetText(x Node, set string) Node {
	return newCall(function.Table()[text.CharsetText], []Node{x, textConst(set)})
}

// otherCharsets are those that MySQL has beside UTF-8 and ASCII.
var otherCharsets = func() map[string]bool {
	names := strings.Fields(`big5 dec8 cp850 hp8 koi8r latin1 latin2 swe7 ujis sjis hebrew tis620 euckr koi8u gb2312 greek
		cp1250 gbk latin5 armscii8 ucs2 cp866 keybcs2 macce macroman cp852 latin7 cp1251 utf16 utf16le cp1256 cp1257 utf32
		geostd8 cp932 eucjpms gb18030`)
	set := map[string]bool{}
	for _, n := range names {
		set[n] = true
	}
	return set
}()

// encoded is n by its bytes, where it is a text whose character set has others than UTF-8.
func encoded(n Node) Node {
	set := n.Type().Charset
	switch set {
	case "", "utf8", "ascii":
		return n
	}
	call := newCall(function.Table()[text.CharsetBytes], []Node{n, textConst(set)})
	if _, ok := n.(*Const); ok {
		if v, err := call.Eval(&Env{Env: function.Env{Strict: true}}); err == nil {
			return &Const{V: v}
		}
	}
	return call
}

// Stored is n where K, Q or V is given it, which hold bytes.
func Stored(n Node) Node { return encoded(n) }

// besideBytes are nodes that are put together or compared: beside bytes a text is its bytes.
func besideBytes(nodes []Node) []Node {
	if !slices.ContainsFunc(nodes, isBytes) || !slices.ContainsFunc(nodes, hasCharset) {
		return nodes
	}
	out := make([]Node, len(nodes))
	for i, n := range nodes {
		out[i] = encoded(n)
	}
	return out
}

func isBytes(n Node) bool { return n != nil && n.Type().Kind == value.Bytes }

func hasCharset(n Node) bool { return n != nil && n.Type().Charset != "" }
