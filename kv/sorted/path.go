package sorted

import (
	"iter"
	"slices"
	"strings"
)

// Path is a key of several names; unused ones are empty.
type Path [3]string

// ByPath returns an empty map ordered by the first, second and third names.
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

// Below iterates in order over the values under paths that begin with the first n names of first.
func Below[D any](m Map[Path, D], first Path, n int) iter.Seq[*D] {
	return func(yield func(*D) bool) {
		for at, d := range m.From(first) {
			if !slices.Equal(at[:n], first[:n]) || !yield(d) {
				return
			}
		}
	}
}
