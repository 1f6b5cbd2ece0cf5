package grouping

// Place is a row's position in the order of arrival: its part, and how many rows of the part have
// begun groups or gone to files before it.
type Place int64

const placeBits = 40

// PlaceIn returns the place of the row of a part that has count rows before it.
func PlaceIn(part int32, count int64) Place { return Place(int64(part)<<placeBits | count) }

func (p Place) Part() int32 { return int32(p >> placeBits) }
