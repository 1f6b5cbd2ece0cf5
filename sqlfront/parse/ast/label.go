package ast

import (
	"strings"
	"unicode/utf8"
)

// ShownLabel is a label or an alias without the invisible characters that it starts with, cut to MySQL's
// limit.
func ShownLabel(label string) string { return cutLabel(strings.TrimLeftFunc(label, notGraphic)) }

// notGraphic reports whether MySQL removes the character from the start of a label.
func notGraphic(r rune) bool { return r <= ' ' || r == 0x7F }

// MaxLabel is MySQL's limit for an alias, in characters.
const MaxLabel = 256

func cutLabel(label string) string {
	if len(label) <= MaxLabel {
		return label
	}
	end := 0
	for range MaxLabel {
		_, size := utf8.DecodeRuneInString(label[end:])
		end += size
		if end == len(label) {
			break
		}
	}
	return label[:end]
}
