package spill

import (
	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
)

// minRadix is how many rows are worth to be sorted by the bytes of their numbers.
const minRadix = 128

// sortByBytes sorts rows by their numbers, byte by byte of what they differ from the least by; rows
// of one number stay in their order. The other slice, which is as long, is used up: the rows are in
// one of both then.
func sortByBytes(rows, other []rowmem.SortedRow, meter *cancelcheck.Meter) ([]rowmem.SortedRow, error) {
	if len(rows) == 0 {
		return rows, nil
	}
	least, most := rows[0].Abbreviation, rows[0].Abbreviation
	for i := range rows {
		least, most = min(least, rows[i].Abbreviation), max(most, rows[i].Abbreviation)
	}
	for shift := 0; shift < 64 && (most-least)>>shift > 0; shift += 8 {
		if err := meter.Step(len(rows)); err != nil {
			return nil, err
		}
		byByte(rows, other, least, shift)
		rows, other = other, rows
	}
	return rows, nil
}

func byByte(from, to []rowmem.SortedRow, least uint64, shift int) {
	var ends [256]int
	for i := range from {
		ends[byte((from[i].Abbreviation-least)>>shift)]++
	}
	sum := 0
	for i, n := range ends {
		ends[i] = sum
		sum += n
	}
	for _, r := range from {
		end := &ends[byte((r.Abbreviation-least)>>shift)]
		to[*end] = r
		*end++
	}
}

// sortAlike sorts the rows of each number that does not tell all.
func (s *Sorter) sortAlike(rows []rowmem.SortedRow) error {
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].Abbreviation == rows[0].Abbreviation {
			n++
		}
		if n > 1 && !(s.by.Abbreviation.Only && s.by.Abbreviation.Whole(rows[0].Abbreviation)) {
			if err := cancelcheck.Sort(&s.meter, rows[:n], s.by.ByArrival); err != nil {
				return err
			}
		}
		rows = rows[n:]
	}
	return nil
}
