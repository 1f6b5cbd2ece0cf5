package rowcodec

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
)

// appender appends the bytes of a value; reader is its inverse.
type (
	appender = func(dst []byte, v value.Value) ([]byte, error)
	reader   = func(b []byte) (value.Value, bool)
)

// part is a column at its position in a key.
type part struct {
	Part
	// append appends a value that is not NULL, and a terminator if the part is not last.
	append func(dst []byte, v value.Value) ([]byte, error)
	// read returns the value at the front of a row and its number of bytes; negative if there is none.
	read func(row []byte) (v value.Value, size int)
	// begin appends the bytes with which all texts begin that begin with text; nil if the part is not a text.
	begin func(dst, text []byte) []byte
	// cut is as much of a value as the key can have, and reports whether that is not all: all values with
	// this beginning sort after it. It is nil if any value is possible.
	cut     func(v value.Value) (value.Value, bool)
	sorted  bool
	weighed bool
	last    bool
	size    int // in bytes, 0 if it varies
}

func newPart(p Part, at, parts int, separator []byte) (part, error) {
	last := at == parts-1
	switch {
	case p.Type.Base == coltype.JSON:
		return part{}, mysqlerr.Unsupported("JSON column '" + p.Name + "' in a key")
	case p.Encoding == Plain:
		return plainPart(p, last, parts == 1), nil
	}
	if weighs(p.Type) {
		return part{}, mysqlerr.Unsupported("the collation " + p.Type.Collation + " of column '" + p.Name +
			"' in a mapped key (utf8mb4_bin compares bytes, as HBase does)")
	}
	return mappedPart(p, last, separator)
}

// weighs reports whether texts of a type are compared by weights.
func weighs(t coltype.Type) bool { return t.Base.IsText() && !t.By().IsBinary() }

// plainPart is a column of a key without a mapping; alone says that it is the only one.
func plainPart(p Part, last, alone bool) part {
	switch {
	case weighs(p.Type), p.Padded && p.Type.Base.IsText() && p.Type.By().PadsSpaces():
		return weightPart(p, last)
	case p.Type.Base.IsText() || p.Type.Base.IsBytes() && p.Type.Base != coltype.Binary:
		return stringPart(p, last, last && alone && !p.Nullable)
	case p.Type.Base == coltype.Decimal:
		return orderedPart(p, codec{
			func(dst []byte, v value.Value) ([]byte, error) { return appendNumeric(dst, v), nil },
			orderedReader(p.Type)}, last)
	}
	size, add, read := fixedKey(p.Type)
	out := fixedPart(p, size, func(dst []byte, v value.Value) ([]byte, error) { return add(dst, v), nil }, read, last)
	if out.sorted = true; p.Type.Base == coltype.Binary {
		out.begin = appendBytes
	}
	return out
}

// fixedPart is a column whose bytes have a fixed length.
func fixedPart(p Part, size int, add appender, read reader, last bool) part {
	return part{Part: p, last: last, size: size, append: add, read: func(row []byte) (value.Value, int) {
		if len(row) < size {
			return value.Value{}, -1
		}
		v, ok := read(row[:size:size])
		return sized(v, ok, size)
	}}
}

func sized(v value.Value, ok bool, size int) (value.Value, int) {
	if !ok {
		return value.Value{}, -1
	}
	return v, size
}

// fixedKey is the bytes of numbers, dates and BINARY that sort as the values do.
func fixedKey(t coltype.Type) (size int, add func([]byte, value.Value) []byte, read func([]byte) (value.Value, bool)) {
	switch {
	case t.Base == coltype.Binary:
		return t.Length, func(dst []byte, v value.Value) []byte { return append(dst, v.Raw()...) },
			func(b []byte) (value.Value, bool) { return value.NewBytes(b), true }
	case t.Base == coltype.Enum:
		return memberKey(t, 2)
	case t.Base == coltype.Set:
		return memberKey(t, 8)
	case t.Base.IsFloat():
		return floatKey(t)
	case t.Base.IsTemporal():
		return timeKey(t)
	}
	size = intBytes[t.Base]
	switch t.Base {
	case coltype.Bit:
		size = (t.Length + 7) / 8
	case coltype.Year:
		size = 2
	}
	return intKey(t, size)
}

// intKey has integers with the sign bit flipped.
func intKey(t coltype.Type, size int) (int, func([]byte, value.Value) []byte, func([]byte) (value.Value, bool)) {
	low, _ := limits(t)
	of, sign := number(t), uint64(0)
	if low < 0 {
		sign = signBit(size)
	}
	return size, func(dst []byte, v value.Value) []byte { return appendFixed(dst, v.AsUint()^sign, size) },
		func(b []byte) (value.Value, bool) {
			bits := readFixed(b, false) ^ sign
			if sign != 0 {
				bits = uint64(int64(bits<<(64-8*size)) >> (64 - 8*size))
			}
			return of(bits, sign != 0 && int64(bits) < 0)
		}
}

func memberKey(t coltype.Type, size int) (int, func([]byte, value.Value) []byte, func([]byte) (value.Value, bool)) {
	return size, func(dst []byte, v value.Value) []byte { return appendFixed(dst, t.Ordinal(v), size) },
		func(b []byte) (value.Value, bool) {
			v, ok := t.Member(readFixed(b, false))
			return v, ok && t.Ordinal(v) == readFixed(b, false)
		}
}

func floatKey(t coltype.Type) (int, func([]byte, value.Value) []byte, func([]byte) (value.Value, bool)) {
	if floatBytes(t) == 4 {
		return 4, func(dst []byte, v value.Value) []byte {
				return binary.BigEndian.AppendUint32(dst, sortable32(float32(v.AsFloat())))
			}, func(b []byte) (value.Value, bool) {
				return floatOfKey(t, float64(fromSortable32(binary.BigEndian.Uint32(b))))
			}
	}
	return 8, func(dst []byte, v value.Value) []byte {
			return binary.BigEndian.AppendUint64(dst, sortable64(v.AsFloat()))
		},
		func(b []byte) (value.Value, bool) { return floatOfKey(t, fromSortable64(binary.BigEndian.Uint64(b))) }
}

// floatOfKey refuses the negative zero, which equals 0, and numbers that FLOAT(M,D) would round.
func floatOfKey(t coltype.Type, f float64) (v value.Value, ok bool) {
	v, ok = floatOf(t, f)
	return v, ok && v.Float() == f && !(f == 0 && math.Signbit(f))
}

// timeKey has the fields of a date as MySQL packs them, and the microseconds of a TIME.
func timeKey(t coltype.Type) (int, func([]byte, value.Value) []byte, func([]byte) (value.Value, bool)) {
	const dayBits, dayBytes, clockBytes = 37, 3, 8 // the last bits of a packed date with time are the time of day
	switch t.Base {
	case coltype.Date:
		return dayBytes, func(dst []byte, v value.Value) []byte {
			return appendFixed(dst, v.Fields().Pack()>>dayBits, dayBytes)
		}, func(b []byte) (value.Value, bool) { return momentOfKey(t, readFixed(b, false)<<dayBits) }
	case coltype.Time:
		return clockBytes, func(dst []byte, v value.Value) []byte {
				return appendFixed(dst, uint64(v.Micros())^signBit(clockBytes), clockBytes)
			}, func(b []byte) (value.Value, bool) {
				n := int64(readFixed(b, false) ^ signBit(clockBytes))
				v := spanOf(n, t)
				return v, v.Micros() == n && n >= -calendar.MaxTime && n <= calendar.MaxTime
			}
	}
	return clockBytes, func(dst []byte, v value.Value) []byte { return appendFixed(dst, v.Fields().Pack(), clockBytes) },
		func(b []byte) (value.Value, bool) { return momentOfKey(t, readFixed(b, false)) }
}

func momentOfKey(t coltype.Type, packed uint64) (v value.Value, ok bool) {
	v, ok = momentOf(calendar.Unpack(packed), t)
	return v, ok && v.Fields().Pack() == packed
}

// orderedPart is a column in OrderedBytes, whose end is encoded in it.
func orderedPart(p Part, c codec, last bool) part {
	read := verified(c)
	return part{Part: p, last: last, sorted: true, append: c.append, read: func(row []byte) (value.Value, int) {
		_, size := readOrdered(row)
		if size == 0 {
			return value.Value{}, -1
		}
		v, ok := read(row[:size:size])
		return sized(v, ok, size)
	}}
}

// mappedPart is a column of a key in one of HBase's encodings.
func mappedPart(p Part, last bool, separator []byte) (part, error) {
	c, err := newCodec(p.Name, p.Type, p.Encoding)
	if err != nil {
		return part{}, err
	}
	isString := p.Type.Base.IsText() || p.Type.Base.IsBytes()
	switch {
	case p.Encoding == Ordered:
		return mappedOrdered(p, c, last), nil
	case p.Encoding == Bytes && p.Type.Base == coltype.Decimal && !last:
		return part{}, mysqlerr.Unsupported("#b of DECIMAL column '" + p.Name +
			"' in a key where it is not last (#o says where it ends)")
	case p.Encoding == Bytes && p.Type.Base == coltype.Decimal:
		return lastPart(p, c.append, verified(c)), nil
	}
	if size := fixedSize(p); size > 0 {
		out := fixedPart(p, size, c.append, verified(c), last)
		out.sorted = sortsFixed(p)
		if p.Type.Base == coltype.Binary {
			out.begin = appendBytes
		}
		return out, nil
	}
	out := lastPart(p, c.append, verified(c))
	if !last {
		out = separatedPart(p, c.append, verified(c), separator)
	}
	out.sorted = isString && (last || len(separator) == 1 && separator[0] == 0)
	if isString {
		out.begin = appendBytes
	}
	return out, nil
}

func mappedOrdered(p Part, c codec, last bool) part {
	out := orderedPart(p, c, last)
	switch {
	case p.Type.Base.IsText():
		out.begin = func(dst, text []byte) []byte { return append(append(dst, codeString), text...) }
		out.cut = func(v value.Value) (value.Value, bool) { return cutAt(v, []byte{0}) }
	case p.Type.Base.IsBytes():
		out.sorted = false // a blob that ends sorts before one that continues with less
		out.begin = func(dst, text []byte) []byte {
			dst = appendSevens(append(dst, codeBlob), text)
			if len(text) > 0 {
				dst = dst[:len(dst)-1] // the bits that follow in it may differ
			}
			return dst
		}
	case p.Type.Base.HasMembers():
		out.sorted = false // as texts, not by their ordinals
	}
	return out
}

// fixedSize is the length of types with a fixed length in HBase's encodings, 0 for others.
func fixedSize(p Part) int {
	t := p.Type
	switch {
	case p.Encoding == Text && t.Base == coltype.Date:
		return dateLength
	case p.Encoding == Text && (t.Base == coltype.DateTime || t.Base == coltype.Timestamp):
		return momentLength + min(t.Decimals, 1) + t.Decimals
	case p.Encoding == Text && t.Base == coltype.Year:
		return 4
	case p.Encoding == Text:
		return 0
	case t.Base.IsInteger():
		return intBytes[t.Base]
	case t.Base == coltype.Bit || t.Base.IsTemporal():
		return 8
	case t.Base == coltype.Year:
		return 2
	case t.Base.IsFloat():
		return floatBytes(t)
	case t.Base == coltype.Binary:
		return t.Length
	}
	return 0
}

// sortsFixed reports whether bytes of a fixed length sort as the values do: in two's complement negative
// numbers come after the others.
func sortsFixed(p Part) bool {
	t := p.Type
	return p.Encoding == Text || t.IsBool() || t.Unsigned && t.Base.IsInteger() || t.Base == coltype.Bit ||
		t.Base == coltype.Year || t.Base == coltype.Binary
}

// lastPart is a part that takes the rest of the row.
func lastPart(p Part, add appender, read reader) part {
	return part{Part: p, last: true, append: add, read: func(row []byte) (value.Value, int) {
		v, ok := read(row)
		return sized(v, ok, len(row))
	}}
}

// separatedPart is a part that ends with a separator, which it must not contain.
func separatedPart(p Part, add appender, read reader, separator []byte) part {
	return part{Part: p,
		cut: func(v value.Value) (value.Value, bool) { return cutAt(v, separator) },
		append: func(dst []byte, v value.Value) ([]byte, error) {
			start := len(dst)
			dst, err := add(dst, v)
			if err != nil {
				return dst, err
			}
			// A text may end with the first bytes of the separator, which would then be found too early.
			if dst = append(dst, separator...); bytes.Index(dst[start:], separator) != len(dst)-start-len(separator) {
				return dst, incorrectString(p.Name, v, "it contains the separator of the key's parts")
			}
			return dst, nil
		},
		read: func(row []byte) (value.Value, int) {
			end := bytes.Index(row, separator)
			if end < 0 {
				return value.Value{}, -1
			}
			v, ok := read(row[:end:end])
			return sized(v, ok, end+len(separator))
		}}
}

// cutAt is a text up to a separator.
func cutAt(v value.Value, separator []byte) (value.Value, bool) {
	end := bytes.Index(v.Raw(), separator)
	if end < 0 {
		return v, false
	}
	if v.Kind() == value.Bytes {
		return value.NewBytes(v.Raw()[:end]), true
	}
	return value.NewText(v.Raw()[:end]).WithCollation(v.Collation()), true
}
