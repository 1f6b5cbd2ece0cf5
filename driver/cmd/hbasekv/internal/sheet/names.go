package sheet

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName is MySQL's longest identifier, in characters.
const maxName = 64

// Names are the names that the fields of a header give to columns, which are qualifiers and
// columns of a view at once: without space around them, of 64 characters at most, and no two
// alike but for case. One that says nothing is column_ and its number, from 1.
func Names(header []string) []string {
	names, taken := make([]string, len(header)), map[string]bool{}
	for i, field := range header {
		base := clean(field)
		if base == "" {
			base = fmt.Sprintf("column_%d", i+1)
		}
		name := base
		for n := 2; taken[strings.ToLower(name)]; n++ {
			more := fmt.Sprintf("_%d", n)
			name = first(base, maxName-len(more)) + more
		}
		taken[strings.ToLower(name)] = true
		names[i] = name
	}
	return names
}

// clean is a field as a name: a line end or another run of space is one space.
func clean(field string) string {
	field = strings.ToValidUTF8(strings.ReplaceAll(field, "\x00", ""), "?")
	return strings.TrimSpace(first(strings.Join(strings.Fields(field), " "), maxName))
}

// first are the first n characters of a text.
func first(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n])
}

// Identifier is what a file's name without its endings becomes in SQL: letters, digits and
// underscores. It leaves room for a few characters behind it.
func Identifier(stem string) string {
	return first(strings.Map(func(r rune) rune {
		if r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '_'
	}, stem), maxName-len("_cells"))
}
