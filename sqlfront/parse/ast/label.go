package ast

import (
	"strings"
	"unicode/utf8"
)

// ShownLabel is what a label or an alias is cut down to: without what is not seen in front, and to
// MySQL's limit.
func ShownLabel(label string) string { return cutLabel(strings.TrimLeftFunc(label, notGraphic)) }

// notGraphic are the characters that MySQL takes off the front of a label.
func notGraphic(r rune) bool { return r <= ' ' || r == 0x7F }

// MaxLabel is MySQL's limit of an alias, in characters.
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
