package cellkey

import (
	"bytes"
	"encoding/binary"
)

// A plain part holds no zero byte, so that nothing of it is escaped.

// PlainRow is the length of a key up to the end of its row, or -1 where that is not
// plain.
func PlainRow(key []byte) int {
	end, escaped := partEnd(key, SpaceLen)
	if escaped {
		return -1
	}
	return end
}

// PlainQualifier is the qualifier of a key whose row ends at a length, or nil where it
// is not plain. A short one is looked at as a number, in 1 ns instead of 5.
func PlainQualifier(key []byte, rowEnd int) []byte {
	n := len(key) - TimestampLen - terminatorLen
	if n < rowEnd || key[n] != escapeByte || key[n+1] != terminatorByte {
		return nil
	}
	const word = 8
	q := key[rowEnd:n:n]
	if len(q) > word || n < word {
		if bytes.IndexByte(q, escapeByte) >= 0 {
			return nil
		}
		return q
	}
	x := binary.LittleEndian.Uint64(key[n-word:])
	x |= 1<<(word*(word-len(q))) - 1 // what is before the qualifier
	const ones = 0x0101010101010101
	if (x-ones)&^x&(ones<<(word-1)) != 0 {
		return nil
	}
	return q
}

// IsOfRow reports whether a key is that of a cell of a row, which is given as the part
// of a key up to its end. Rows that follow each other differ in their last bytes.
func IsOfRow(key, row []byte) bool {
	const word = 8
	n := len(row)
	if n < word || len(key) < n {
		return n > 0 && bytes.HasPrefix(key, row)
	}
	return binary.LittleEndian.Uint64(key[n-word:]) == binary.LittleEndian.Uint64(row[n-word:]) && bytes.Equal(key[:n], row)
}

// SetPlainRow makes the row that of a key's first part, which ends with it and is plain.
func (d *Decoded) SetPlainRow(row []byte) {
	n := len(row)
	d.RowEnd, d.Row = n, row[SpaceLen:n-terminatorLen:n-terminatorLen]
}
