package harness

import (
	"strconv"
	"strings"
)

// Series is a text of n items with a text between them. In each item, % is replaced by its number, from 0.
func Series(n int, item, between string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(between)
		}
		b.WriteString(strings.ReplaceAll(item, "%", strconv.Itoa(i)))
	}
	return b.String()
}
