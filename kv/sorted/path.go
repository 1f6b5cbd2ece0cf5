package sorted

import (
	"iter"
	"slices"
	"strings"
)

// Path is a key of several names; those that are not needed are empty.
type Path [3]string

// ByPath is an empty map in the order of the first names, of the second, and of the third.
func ByPath[D any]() Map[Path, D] {
	return New[Path, D](func(a, b Path) int {
		for i := range a {
			if c := strings.Compare(a[i], b[i]); c != 0 {
				return c
			}
		}
		return 0
	})
}

// Below is what there is under the paths that begin with the first n names of one, in order.
func Below[D any](m *Map[Path, D], first Path, n int) iter.Seq[*D] {
	return func(yield func(*D) bool) {
		for at, d := range m.From(first) {
			if !slices.Equal(at[:n], first[:n]) || !yield(d) {
				return
			}
		}
	}
}
