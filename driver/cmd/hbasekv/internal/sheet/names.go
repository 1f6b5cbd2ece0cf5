package sheet

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName is MySQL's maximum length of an identifier, in characters.
const maxName = 64

// Names derives columns' names from the fields of a header. They are both qualifiers and
// columns of a view: without surrounding spaces, of at most 64 characters, and distinct
// ignoring case. An empty field becomes column_ and its number, from 1.
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

// clean is a field as a name: each run of white space becomes one space.
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

// Identifier turns a file's name without extensions into a SQL name: letters, digits and
// underscores. It leaves room for a short suffix.
func Identifier(stem string) string {
	return first(strings.Map(func(r rune) rune {
		if r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '_'
	}, stem), maxName-len("_cells"))
}
