package kv

// Gap is what a batch's reader knows of the place after a cell, within the Ranges and the Time of its scan.
type Gap uint8

// What may be known.
const (
	NoOlder  Gap = 1 << iota // there is no older version of the cell's column
	NoOthers                 // there is no cell of another column before the next one of the batch
)

// SetGap notes what follows the last cell, if NoteGaps is set.
func (b *Batch) SetGap(g Gap) {
	if n := b.len - 1; b.NoteGaps && n >= 0 {
		b.gaps = append(b.gaps, make([]Gap, max(0, b.len-len(b.gaps)))...)
		b.gaps[n] = g
	}
}

// Has reports whether something is known of the place after the cell at i.
func (b *Batch) Has(g Gap, i int) bool { return i < len(b.gaps) && b.gaps[i]&g != 0 }
