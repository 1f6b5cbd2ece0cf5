package expr

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/function/text"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Encoded is n as its bytes, if it is a text whose character set has other bytes than UTF-8.
func Encoded(n Node) Node {
	set := n.Type().Charset
	switch set {
	case "", "utf8", "ascii":
		return n
	}
	call := CallOf(function.Table()[text.CharsetBytes], []Node{n, &Const{V: value.NewString(set)}})
	if _, ok := n.(*Const); ok {
		if v, err := call.Eval(&Env{Env: function.Env{Strict: true}}); err == nil {
			return &Const{V: v}
		}
	}
	return call
}

// BesideBytes are nodes that are concatenated or compared: next to binary strings a text is its bytes.
func BesideBytes(nodes []Node) []Node {
	if !slices.ContainsFunc(nodes, IsBytes) || !slices.ContainsFunc(nodes, HasCharset) {
		return nodes
	}
	out := make([]Node, len(nodes))
	for i, n := range nodes {
		out[i] = Encoded(n)
	}
	return out
}

func IsBytes(n Node) bool { return n != nil && n.Type().Kind == value.Bytes }

// HasCharset reports whether n, which may be nil, is a text in another character set than utf8mb4.
func HasCharset(n Node) bool { return n != nil && n.Type().Charset != "" }
