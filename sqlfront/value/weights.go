package value

import "unicode"

// weightPages hold the weights that differ from the character itself, by the
// character's high byte.
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

// runeWeight is the weight of a character in utf8mb4_general_ci: that of its
// upper-case base letter. All characters beyond the Basic Multilingual Plane
// weigh the same.
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
