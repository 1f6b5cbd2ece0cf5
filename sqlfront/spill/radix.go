package spill

import (
	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
)

// minRadix is the number of rows from which a radix sort is faster.
const minRadix = 128

// sortByBytes sorts rows by their abbreviations with a stable radix sort, over the bytes of their
// differences from the least one. other must be as long as rows and is overwritten. The result is in
// one of the two slices.
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

// sortAlike compares and sorts rows that share an abbreviation which does not order them completely.
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
