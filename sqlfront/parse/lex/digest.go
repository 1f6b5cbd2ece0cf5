package lex

import (
	"context"
	"strings"
)

// maxDigest is the longest digest, in bytes.
const maxDigest = 1024

// Digest is a text as its words, with ? for each literal and without comments: what it does, without the data
// in it. If a text may hold a password, or cannot be cut into words, the digest ends there.
func Digest(text string) string {
	lexed, err := Lex(context.Background(), Shown(text), nil)
	if err != nil {
		return ""
	}
	defer lexed.Release()
	var b strings.Builder
	for i := range lexed.lex.toks {
		tok := &lexed.lex.toks[i]
		word := lexed.lex.sql[tok.Start:tok.End]
		switch {
		case tok.Kind == EOF || tok.Kind == Bad:
			return b.String()
		case tok.Kind.hasSlot() || tok.Kind == Param:
			word = "?"
		}
		if b.Len()+len(word) >= maxDigest {
			return b.String() + " ..."
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
	}
	return b.String()
}
