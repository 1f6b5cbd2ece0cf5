package grouping

// Place is that of a row in the order in which rows come: its part, and how many have begun
// groups in that or have gone to files before.
type Place int64

const placeBits = 40

// PlaceIn is the place of a part's row, behind count others.
func PlaceIn(part int32, count int64) Place { return Place(int64(part)<<placeBits | count) }

// Part is the number of the part.
func (p Place) Part() int32 { return int32(p >> placeBits) }
