package cellkey

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// Decoded is a decoded cell key. Its parts alias the key, or the buffers if they had to be unescaped.
// The buffers may be given, and grow as needed.
type Decoded struct {
	Row, Qualifier []byte
	Timestamp      int64
	// RowEnd is the length of the key up to the end of its row.
	RowEnd int

	RowBuf, QualifierBuf []byte
}

// Decode decodes a key. It returns kv.ErrFormat if no cell has such a key.
func (d *Decoded) Decode(key []byte) error {
	rowEnd, escaped := partEnd(key, SpaceLen)
	if rowEnd < 0 {
		return badKey(key)
	}
	d.SetRow(key[:rowEnd], escaped)
	return d.DecodeColumn(key)
}

// RowEnd returns the length of a key up to the end of its row, or -1, and whether the row is escaped, for
// SetRow.
func RowEnd(key []byte) (end int, escaped bool) { return partEnd(key, SpaceLen) }

// SetRow sets the row from the first part of a key.
func (d *Decoded) SetRow(row []byte, escaped bool) {
	d.RowEnd = len(row)
	d.Row = plainPart(&d.RowBuf, row[SpaceLen:len(row)-terminatorLen], escaped)
}

// DecodeColumn is Decode for a key that shares its row with the last one. The row's bytes may have moved.
func (d *Decoded) DecodeColumn(key []byte) error {
	q := d.QualifierOf(key, d.RowEnd)
	if q == nil {
		return badKey(key)
	}
	d.Qualifier, d.Timestamp = q, Timestamp(key)
	return nil
}

// QualifierOf returns the qualifier of a key whose row ends at rowEnd, or nil if it has none. It aliases the
// key, or the buffer of Qualifier.
func (d *Decoded) QualifierOf(key []byte, rowEnd int) []byte {
	if q := PlainQualifier(key, rowEnd); q != nil {
		return q
	}
	end, escaped := partEnd(key, rowEnd)
	if end < 0 || end+TimestampLen != len(key) {
		return nil
	}
	return plainPart(&d.QualifierBuf, key[rowEnd:end-terminatorLen], escaped)
}

// KeepQualifier makes the qualifier a copy of q.
func (d *Decoded) KeepQualifier(q []byte) {
	d.QualifierBuf = append(d.QualifierBuf[:0], q...)
	d.Qualifier = d.QualifierBuf
}

// MoveRow makes the row alias a key that shares it with the last one.
func (d *Decoded) MoveRow(key []byte) {
	if len(d.Row) == d.RowEnd-SpaceLen-terminatorLen {
		d.Row = slices.Clip(key[SpaceLen : d.RowEnd-terminatorLen])
	}
}

// MoveColumn makes the qualifier alias a key that shares row and column with the last one, and decodes its
// timestamp.
func (d *Decoded) MoveColumn(key []byte) {
	end := len(key) - TimestampLen - terminatorLen
	if len(d.Qualifier) == end-d.RowEnd {
		d.Qualifier = slices.Clip(key[d.RowEnd:end])
	}
	d.Timestamp = Timestamp(key)
}

// SharesColumn reports whether a key that shares its row with the last one is also of the column.
func (d *Decoded) SharesColumn(key, column []byte) bool {
	n := len(column)
	return len(key) == n+TimestampLen && bytes.Equal(key[d.RowEnd:n], column[d.RowEnd:])
}

// RowPart returns the key's row in its encoded form, which sorts like the row.
func (d *Decoded) RowPart(key []byte) []byte { return key[SpaceLen:d.RowEnd] }

// Text shows the row, qualifier and timestamp of the cell.
func (d *Decoded) Text() string {
	return fmt.Sprintf("K=%q Q=%q T=%d", d.Row, d.Qualifier, d.Timestamp)
}

// RowOf returns a copy of a cell key's row. It returns kv.ErrFormat if no cell has such a key.
func RowOf(key []byte) ([]byte, error) {
	var d Decoded
	if err := d.Decode(key); err != nil {
		return nil, err
	}
	return append([]byte{}, d.Row...), nil
}

// A plain part has no zero byte, so nothing in it is escaped.

// PlainQualifier returns the qualifier of a key whose row ends at rowEnd, or nil if it
// is not plain. A short one is compared as a number, in 1 ns instead of 5.
func PlainQualifier(key []byte, rowEnd int) []byte {
	n := len(key) - TimestampLen - terminatorLen
	if n < rowEnd || key[n] != escapeByte || key[n+1] != terminatorByte {
		return nil
	}
	q := key[rowEnd:n:n]
	if len(q) > wordLen || n < wordLen {
		if bytes.IndexByte(q, escapeByte) >= 0 {
			return nil
		}
		return q
	}
	x := binary.LittleEndian.Uint64(key[n-wordLen:])
	x |= 1<<(8*(wordLen-len(q))) - 1 // the bytes before the qualifier
	if zerosIn(x) != 0 {
		return nil
	}
	return q
}

// IsOfRow reports whether a key is in a row, which is given as the part of a key up to
// its end. Consecutive rows differ in their last bytes, so these are compared first.
func IsOfRow(key, row []byte) bool {
	n := len(row)
	if n < wordLen || len(key) < n {
		return n > 0 && bytes.HasPrefix(key, row)
	}
	return binary.LittleEndian.Uint64(key[n-wordLen:]) == binary.LittleEndian.Uint64(row[n-wordLen:]) && bytes.Equal(key[:n], row)
}
