package rowcodec

import (
	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Part is one column of a key.
type Part struct {
	Name     string
	Type     coltype.Type
	Encoding Encoding
	// Nullable is of indexes: NULL sorts first.
	Nullable bool
	// Padded is of indexes: texts of utf8mb4_bin compare as if spaces followed them, as they do where they are no
	// part of a primary key.
	Padded bool
}

// Key is how the columns of a key are rows of HBase. What AppendRow gives differs where the values
// do, and sorts as they do, part by part, as far as Sorted says.
//
// Texts of utf8mb4_bin and utf8mb4_0900_bin are compared as bytes without padding. Those of other
// collations are compared as value.Compare does; of these the key has the weights alone.
type Key struct{ parts []part }

// NewKey is the way for columns in their order. The separator stands behind what has no fixed
// length and is not last in mapped keys; where it is empty it is X'00'.
//
// What no key can be of is 1235: DECIMAL in Bytes where it is not last, JSON, and in mapped keys
// texts of collations that take several for equal, since nothing else keeps their texts.
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

// AppendRow appends the row of a tuple, a value for each part, as coltype.Column.Convert gave them.
// The error is 1366 for a text that contains the separator or that the encoding has no bytes for,
// 1264 for a number or a date that it has none for, and 1048 for NULL where a part is not nullable.
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

// ReadRow sets the values of a row, a value for each part, which may refer to the row's bytes. It is
// false where the row is none that AppendRow gives. A part that is not Recovered is set to NULL. A shorter
// tuple is that of the first parts, and the row what the rows of one begin with.
func (k *Key) ReadRow(row []byte, tuple []value.Value) bool {
	rest, ok := k.ReadFirst(row, tuple)
	return ok && len(rest) == 0
}

// ReadFirst is ReadRow of a row in which other parts may follow, whose bytes it gives.
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

// Prefix is the number of bytes that the first parts have in all rows; false where it differs.
func (k *Key) Prefix(parts int) (bytes int, ok bool) {
	for i := range parts {
		if k.parts[i].size == 0 {
			return 0, false
		}
		bytes += k.parts[i].size
	}
	return bytes, true
}

// Recovered reports whether ReadRow gives a part's value. It does not for texts of collations
// that take several for equal: the text is to be kept in a cell.
func (k *Key) Recovered(part int) bool { return !k.parts[part].weighed }

// Sorted is how many parts, from the first, sort rows as their values do, ENUM and SET by
// coltype.Type.Ordinal: ranges of these are spans, and rows come in the order of these.
func (k *Key) Sorted() int {
	for i := range k.parts {
		if !k.parts[i].sorted {
			return i
		}
	}
	return len(k.parts)
}

// verified is a codec of a part whose bytes may say a value in several ways: those that append does
// not give are refused, so that a row is found by its value.
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
