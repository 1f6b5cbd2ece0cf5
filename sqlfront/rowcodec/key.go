package rowcodec

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Part is one column of a key.
type Part struct {
	Name     string
	Type     coltype.Type
	Encoding Encoding
	// Nullable is for indexes: NULL sorts first.
	Nullable bool
	// Padded is for indexes: texts of utf8mb4_bin compare as if spaces followed them, as they do outside of a
	// primary key.
	Padded bool
	// UTF8 says that the weights of utf8mb4_general_ci are written as the characters with these numbers are in
	// UTF-8, and single spaces as one byte in all collations that pad texts with them. Otherwise they have three
	// and five bytes or more, as in stores of the formats 1 and 2.
	UTF8 bool
}

// Key encodes the columns of a key as rows of HBase. Different values have different rows, which sort as the
// values do, part by part, as far as Sorted says.
//
// Texts of utf8mb4_bin and utf8mb4_0900_bin are compared as bytes without padding. Those of other collations
// are compared as by value.Compare; the key has only their weights.
type Key struct{ parts []part }

// NewKey is the Key for columns in their order. In mapped keys the separator follows each part without a
// fixed length that is not last; if it is empty it is X'00'.
//
// The error is 1235 for what a key cannot have: DECIMAL in Bytes unless it is last, JSON, and in mapped keys
// texts of collations in which different texts are equal, since nothing else stores their texts.
func NewKey(parts []Part, separator []byte) (*Key, error) {
	if len(separator) == 0 {
		separator = []byte{0}
	}
	k := &Key{parts: make([]part, len(parts))}
	for i, p := range parts {
		made, err := newPart(p, i, len(parts), separator)
		if err != nil {
			return nil, err
		}
		k.parts[i] = made
	}
	return k, nil
}

// The first byte of a Nullable part.
const (
	isNull  = 0
	notNull = 1
)

// AppendRow appends the row of a tuple with a value for each part, which must be results of
// coltype.Column.Convert. The error is 1366 for a text that contains the separator or that the encoding
// cannot represent, 1264 for such a number or date, and 1048 for NULL in a part that is not nullable.
func (k *Key) AppendRow(dst []byte, tuple []value.Value) ([]byte, error) {
	var err error
	for i := range k.parts {
		if dst, err = k.parts[i].appendPart(dst, tuple[i]); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

func (p *part) appendPart(dst []byte, v value.Value) ([]byte, error) {
	switch {
	case p.Nullable && v.IsNull():
		return append(dst, isNull), nil
	case v.IsNull():
		return dst, mysqlerr.New(mysqlerr.BadNull, "Column '%s' cannot be null", p.Name)
	case p.Nullable:
		dst = append(dst, notNull)
	}
	return p.append(dst, v)
}

// ReadRow sets the values of a row, one for each part, which may refer to the row's bytes. It is false if
// AppendRow cannot have written the row. A part that is not Recovered is set to NULL. A shorter tuple is for
// the first parts, and row is then the prefix of the rows with them.
func (k *Key) ReadRow(row []byte, tuple []value.Value) bool {
	rest, ok := k.ReadFirst(row, tuple)
	return ok && len(rest) == 0
}

// ReadFirst is ReadRow for a row in which other parts may follow, whose bytes it returns.
func (k *Key) ReadFirst(row []byte, tuple []value.Value) (rest []byte, ok bool) {
	for i := range tuple {
		p := &k.parts[i]
		if p.Nullable {
			if len(row) == 0 || row[0] > notNull {
				return nil, false
			}
			null := row[0] == isNull
			if row = row[1:]; null {
				tuple[i] = value.Value{}
				continue
			}
		}
		v, size := p.read(row)
		if size < 0 {
			return nil, false
		}
		tuple[i], row = v, row[size:]
	}
	return row, true
}

// Prefix is the number of bytes of the first parts in all rows; false if it varies.
func (k *Key) Prefix(parts int) (bytes int, ok bool) {
	for i := range parts {
		if k.parts[i].size == 0 {
			return 0, false
		}
		bytes += k.parts[i].size
	}
	return bytes, true
}

// Recovered reports whether ReadRow returns a part's value. It does not for texts of collations in which
// different texts are equal: the text must be stored in a cell.
func (k *Key) Recovered(part int) bool { return !k.parts[part].weighed }

// Redundant reports whether keys have weights as in stores of the formats 1 and 2, where there are shorter ones.
func (k *Key) Redundant() bool {
	return slices.ContainsFunc(k.parts, func(p part) bool { return p.redundant() })
}

// Sorted is the number of parts, from the first, by whose values rows are sorted, ENUM and SET by
// coltype.Type.Ordinal: their ranges are spans, and rows come in their order.
func (k *Key) Sorted() int {
	for i := range k.parts {
		if !k.parts[i].sorted {
			return i
		}
	}
	return len(k.parts)
}

// verified is a codec's reader that only accepts the bytes that append writes for a value, so that a row is
// found by its value.
func verified(c codec) func(b []byte) (value.Value, bool) {
	read, add := c.read, c.append
	return func(b []byte) (value.Value, bool) {
		v, ok := read(b)
		if !ok || v.IsNull() {
			return v, false
		}
		var buf [64]byte
		again, err := add(buf[:0], v)
		return v, err == nil && string(again) == string(b)
	}
}
