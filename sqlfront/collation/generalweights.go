package collation

import (
	"sync"
	"unicode"
)

// weightPages are the weights that differ from the character itself, by the character's high byte.
var weightPages = func() (pages [256]*[256]uint16) {
	for _, run := range weightRuns {
		for i := range run.count {
			setWeight(&pages, run.first+i*run.step, run.weight+i*run.weightStep)
		}
	}
	return pages
}()

func setWeight(pages *[256]*[256]uint16, r, weight rune) {
	page := pages[r>>8]
	if page == nil {
		page = new([256]uint16)
		pages[r>>8] = page
	}
	page[r&0xFF] = uint16(weight)
}

// runeWeight is the weight of a character in utf8mb4_general_ci: its base letter in upper case. All
// characters beyond the Basic Multilingual Plane have the same weight.
func runeWeight(r rune) rune {
	if r > 0xFFFF {
		return unicode.ReplacementChar
	}
	if page := weightPages[r>>8]; page != nil {
		if w := page[r&0xFF]; w != 0 {
			return rune(w)
		}
	}
	return r
}

// SameWeight are the characters with a weight, which are equal to each other in utf8mb4_general_ci; none if
// there are too many to list. They must not be changed.
func SameWeight(weight rune) []rune {
	if weight > 0xFFFF || weight == unicode.ReplacementChar {
		return nil
	}
	if list, ok := sameWeights()[weight]; ok {
		return list
	}
	return []rune{weight}
}

// sameWeights are the lists of SameWeight with more than one character.
var sameWeights = sync.OnceValue(func() map[rune][]rune {
	lists := map[rune][]rune{}
	for r := range rune(0x10000) {
		w, _ := NextWeight([]byte(string(r)))
		if w == r || utf16Half(r) {
			continue
		}
		if lists[w] == nil {
			if own, _ := NextWeight([]byte(string(w))); own == w {
				lists[w] = append(lists[w], w)
			}
		}
		lists[w] = append(lists[w], r)
	}
	return lists
})

// utf16Half reports whether r is half of a character in UTF-16.
func utf16Half(r rune) bool { return r >= 0xD800 && r <= 0xDFFF }
