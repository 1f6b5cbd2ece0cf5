package mysqlerr

import "strings"

// longestCompared limits the length of compared names: MySQL's longest identifier.
const longestCompared = 64

// mostCompared limits the number of names that are compared for an error: programs test for missing tables
// among thousands.
const mostCompared = 1000

// Nearest is the first of the names with the fewest edits, ignoring case; it is empty if there are none.
func Nearest(name string, names []string) string {
	best, least := "", 0
	for _, n := range names {
		if d := edits(strings.ToLower(name), strings.ToLower(n)); best == "" || d < least {
			best, least = n, d
		}
	}
	return best
}

// NearestOf is the end of an error about an unknown name: "; the nearest is 'x'" for the nearest of the
// names, or nothing if that is a different word rather than a typo: if more than a third of the name's bytes
// would have to change.
func NearestOf(name string, names []string) string {
	if len(name) > longestCompared {
		return ""
	}
	allowed := max(1, len(name)/3)
	var near []string
	for _, n := range names {
		if n != name && len(n) <= len(name)+allowed && len(name) <= len(n)+allowed {
			near = append(near, n)
		}
	}
	if len(near) > mostCompared {
		return ""
	}
	best := Nearest(name, near)
	if d := edits(strings.ToLower(name), strings.ToLower(best)); d > allowed || d >= min(len(name), len(best)) {
		return ""
	}
	return "; the nearest is '" + best + "'"
}

// edits is the number of bytes that must be inserted, removed, replaced or swapped with the next one to turn
// a into b.
func edits(a, b string) int {
	// The edits from a prefix of a to each prefix of b, for a without its last two bytes, without its last
	// one, and whole.
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, before
		row[0] = i
		for j := 1; j <= len(b); j++ {
			same := 1
			if a[i-1] == b[j-1] {
				same = 0
			}
			row[j] = min(last[j-1]+same, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}

// Some is a list of names for an error, the first of many.
func Some(names []string) string {
	const most = 5
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}
