package rowcodec

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/function/jsondoc"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Cell converts between the values of one column and the values of cells.
//
// A cell may have been written by another program, and is read as far as the column can show it: a text that
// is longer than declared is read as it is, further digits are cut off or rounded. A number out of the type's
// range, a text that is not UTF-8, one that is not a member of an ENUM and one that is not a document are not
// values. A document is read in the form that functions write.
type Cell struct{ codec }

// codec converts values to bytes and back.
type codec struct {
	append func(dst []byte, v value.Value) ([]byte, error)
	read   func(b []byte) (value.Value, bool)
}

// NewCell is the Cell for a column of a type. All types have all encodings, except for more than three
// fractional digits of a second in Bytes and Ordered, which count milliseconds (1235).
func NewCell(name string, t coltype.Type, e Encoding) (Cell, error) {
	c, err := newCodec(name, t, e)
	return Cell{c}, err
}

// Append appends the bytes of a value, which must be a result of coltype.Column.Convert and not NULL. The
// error is 1366 for a text and 1264 for a number or a date that the encoding cannot represent.
func (c *Cell) Append(dst []byte, v value.Value) ([]byte, error) { return c.append(dst, v) }

// Read is the value of a cell, which may refer to b; ok is false if the bytes are not a value of the type. It
// is NULL for OrderedBytes' NULL.
func (c *Cell) Read(b []byte) (v value.Value, ok bool) { return c.read(b) }

func newCodec(name string, t coltype.Type, e Encoding) (codec, error) {
	switch {
	case (e == Bytes || e == Ordered) && t.Base.IsTemporal() && t.Decimals > mostMilliFsp:
		return codec{}, mysqlerr.Unsupported(e.String() + " of column '" + name + "', " + t.String() +
			" (HBase's numbers count milliseconds; #s keeps all digits, and so do three digits of the fraction)")
	case e == Plain:
		return plainCell(t), nil
	case e == Bytes:
		return bytesCell(name, t), nil
	case e == Ordered:
		return orderedCell(name, t), nil
	}
	return textCell(t), nil
}

// plainCell has numbers other than DECIMAL like HBase's Bytes, the bits of BIT as MySQL shows them, and text
// for everything else that is not binary.
func plainCell(t coltype.Type) codec {
	switch {
	case t.Base.IsInteger():
		return intCell(t, intBytes[t.Base])
	case t.Base == coltype.Bit:
		return intCell(t, (t.Length+7)/8)
	case t.Base == coltype.Year:
		return intCell(t, 2)
	case t.Base.IsFloat():
		return floatCell(t)
	}
	return textCell(t)
}

// intBytes are the sizes of integers in HBase's Bytes, which has none of three bytes.
var intBytes = map[coltype.Base]int{coltype.TinyInt: 1, coltype.SmallInt: 2, coltype.MediumInt: 4, coltype.Int: 4,
	coltype.BigInt: 8}

// limits are the smallest number of a type as a signed one, and the largest as an unsigned one.
func limits(t coltype.Type) (low int64, high uint64) {
	switch t.Base {
	case coltype.Bit:
		return 0, math.MaxUint64 >> (64 - t.Length)
	case coltype.Year:
		return 0, lastYear
	}
	return t.IntegerRange()
}

// The years of a YEAR other than 0.
const (
	firstYear = 1901
	lastYear  = 2155
)

// number makes values of whole numbers in range.
func number(t coltype.Type) func(bits uint64, negative bool) (value.Value, bool) {
	low, high := limits(t)
	plainInt := low < 0
	return func(bits uint64, negative bool) (value.Value, bool) {
		switch {
		case negative && int64(bits) < low, !negative && bits > high, t.Base == coltype.Year && bits > 0 && bits < firstYear:
			return value.Value{}, false
		case plainInt:
			return value.NewInt(int64(bits)), true
		}
		return t.OfBits(bits), true
	}
}

// intCell has integers in two's complement.
func intCell(t coltype.Type, size int) codec {
	low, _ := limits(t)
	signed, of := low < 0, number(t)
	return codec{
		func(dst []byte, v value.Value) ([]byte, error) { return appendFixed(dst, v.AsUint(), size), nil },
		func(b []byte) (value.Value, bool) {
			if len(b) != size {
				return value.Value{}, false
			}
			bits := readFixed(b, signed)
			return of(bits, signed && int64(bits) < 0)
		}}
}

// boolCell has HBase's booleans, FF and 00. It refuses other numbers.
func boolCell(name string) codec {
	return codec{
		func(dst []byte, v value.Value) ([]byte, error) {
			switch v.AsInt() {
			case 0:
				return append(dst, 0), nil
			case 1:
				return append(dst, 0xff), nil
			}
			return dst, outOfRange(name, "HBase's Bytes has 0 and 1 for tinyint(1)")
		},
		func(b []byte) (value.Value, bool) {
			if len(b) != 1 {
				return value.Value{}, false
			}
			return value.NewBool(b[0] != 0), true
		}}
}

func outOfRange(name, reason string) error {
	return mysqlerr.New(mysqlerr.WarnDataOutOfRange, "Out of range value for column '%s': %s", name, reason)
}

// floatCell has FLOAT and DOUBLE as IEEE 754.
func floatCell(t coltype.Type) codec {
	size := floatBytes(t)
	return codec{
		func(dst []byte, v value.Value) ([]byte, error) {
			if size == 4 {
				return appendFixed(dst, uint64(math.Float32bits(float32(v.AsFloat()))), size), nil
			}
			return appendFixed(dst, math.Float64bits(v.AsFloat()), size), nil
		},
		func(b []byte) (value.Value, bool) {
			if len(b) != size {
				return value.Value{}, false
			}
			bits := readFixed(b, false)
			if size == 4 {
				return floatOf(t, float64(math.Float32frombits(uint32(bits))))
			}
			return floatOf(t, math.Float64frombits(bits))
		}}
}

func floatBytes(t coltype.Type) int {
	if t.Base == coltype.Float {
		return 4
	}
	return 8
}

// floatOf is a value of FLOAT or DOUBLE; ok is false if it is out of range or not a number.
func floatOf(t coltype.Type, f float64) (v value.Value, ok bool) {
	if !isReal(f) {
		return v, false
	}
	fit, ok := t.FitFloat(f)
	return t.OfFloat(fit), ok
}

// textCell has the texts of values.
func textCell(t coltype.Type) codec {
	switch {
	case t.Base.IsInteger() || t.Base == coltype.Bit || t.Base == coltype.Year:
		return intTextCell(t)
	case t.Base.IsFloat():
		return floatTextCell(t)
	case t.Base == coltype.Decimal:
		return codec{appendText, func(b []byte) (value.Value, bool) {
			exact, whole := value.ParseExact(b)
			v, ok := t.FitDecimal(exact)
			return v, ok && whole
		}}
	case t.Base == coltype.Time:
		return codec{
			func(dst []byte, v value.Value) ([]byte, error) { return appendClock(dst, v), nil },
			func(b []byte) (value.Value, bool) { return readClock(b, t) }}
	case t.Base.IsTemporal():
		return codec{
			func(dst []byte, v value.Value) ([]byte, error) { return appendMoment(dst, v), nil },
			func(b []byte) (value.Value, bool) { return readMoment(b, t) }}
	}
	return codec{appendRaw, stringReader(t)}
}

// floatTextCell has as many digits as distinguish the number from others, or those that were declared.
func floatTextCell(t coltype.Type) codec {
	bits := 8 * floatBytes(t)
	return codec{
		func(dst []byte, v value.Value) ([]byte, error) {
			if t.IsFixed() || bits == 64 {
				return v.AppendText(dst), nil
			}
			var buf [32]byte // a FLOAT prints six digits, which are not all
			f, _ := value.ParseFloat(strconv.AppendFloat(buf[:0], v.AsFloat(), 'e', -1, bits))
			return value.AppendFloat(dst, f), nil
		},
		func(b []byte) (value.Value, bool) {
			f, whole := value.ParseFloat(b)
			if bits == 32 && math.Abs(f) < math.MaxFloat32*2 { // otherwise the text of the largest one is out of range
				f = float64(float32(f))
			}
			v, ok := floatOf(t, f)
			return v, ok && whole
		}}
}

func appendText(dst []byte, v value.Value) ([]byte, error) { return v.AppendText(dst), nil }

func appendRaw(dst []byte, v value.Value) ([]byte, error) { return append(dst, v.Raw()...), nil }

// intTextCell has numbers without ZEROFILL's leading zeros; a YEAR has its four digits.
func intTextCell(t coltype.Type) codec {
	of, add := number(t), appendText
	if t.Zerofill {
		add = func(dst []byte, v value.Value) ([]byte, error) { return value.NewUint(v.Uint()).AppendText(dst), nil }
	}
	return codec{add, func(b []byte) (value.Value, bool) {
		bits, negative, whole := value.ParseInteger(b)
		if !whole {
			return value.Value{}, false
		}
		return of(bits, negative && bits != 0)
	}}
}

// stringReader reads the bytes of texts, binaries, members and documents.
func stringReader(t coltype.Type) func(b []byte) (value.Value, bool) {
	switch {
	case t.Base.HasMembers():
		return memberReader(t)
	case t.Base == coltype.JSON:
		return func(b []byte) (value.Value, bool) {
			text, ok := jsondoc.Normal(b)
			return value.NewJSON(text), ok
		}
	case t.Base == coltype.Binary:
		return func(b []byte) (value.Value, bool) {
			if len(b) < t.Length {
				b = append(make([]byte, 0, t.Length), b...)[:t.Length]
			}
			return value.NewBytes(b), true
		}
	case t.Base.IsBytes():
		return func(b []byte) (value.Value, bool) { return value.NewBytes(b), true }
	}
	by := t.By()
	return func(b []byte) (value.Value, bool) {
		ok := utf8.Valid(b)
		if t.Base == coltype.Char {
			b = bytes.TrimRight(b, " ")
		}
		return value.NewText(b).WithCollation(by), ok
	}
}

// memberReader returns the members as they were declared.
func memberReader(t coltype.Type) func(b []byte) (value.Value, bool) {
	known := map[string]value.Value{}
	for i := range t.Members {
		n := uint64(i) + 1
		if t.Base == coltype.Set {
			n = 1 << i
		}
		if v, ok := t.Member(n); ok {
			known[string(v.Raw())] = v
		}
	}
	return func(b []byte) (value.Value, bool) {
		if v, ok := known[string(b)]; ok {
			return v, true
		}
		n := t.Ordinal(value.NewText(b))
		v, ok := t.Member(n)
		return v, ok && (len(b) == 0 || n > 0 && sameMembers(t, v, b))
	}
}

// sameMembers reports whether b names exactly the members of a value.
func sameMembers(t coltype.Type, v value.Value, b []byte) bool {
	return t.Base == coltype.Enum || bytes.Count(v.Raw(), []byte(",")) == bytes.Count(b, []byte(","))
}

// bytesCell has the values that HBase's class Bytes writes for Java's types.
func bytesCell(name string, t coltype.Type) codec {
	switch {
	case t.IsBool():
		return boolCell(name)
	case t.Base == coltype.Bit:
		return intCell(t, 8)
	case t.Base == coltype.Decimal:
		return codec{
			func(dst []byte, v value.Value) ([]byte, error) { return appendBigDecimal(dst, v), nil },
			func(b []byte) (value.Value, bool) { return fitExact(t, readBigDecimal, b) }}
	case t.Base.IsTemporal():
		return millisCell(name, t, func(dst []byte, n int64) []byte { return appendFixed(dst, uint64(n), 8) },
			func(b []byte) (int64, bool) {
				if len(b) != 8 {
					return 0, false
				}
				return int64(readFixed(b, false)), true
			})
	}
	return plainCell(t)
}

func fitExact(t coltype.Type, read func([]byte) (value.Value, bool), b []byte) (value.Value, bool) {
	exact, ok := read(b)
	if !ok {
		return exact, false
	}
	return t.FitDecimal(exact)
}

// millisCell has dates and times as milliseconds.
func millisCell(name string, t coltype.Type, add func([]byte, int64) []byte, read func([]byte) (int64, bool)) codec {
	return codec{
		func(dst []byte, v value.Value) ([]byte, error) {
			n, ok := toMillis(v)
			if !ok {
				return dst, outOfRange(name, "the day "+v.String()+" cannot be represented in milliseconds since 1970")
			}
			return add(dst, n), nil
		},
		func(b []byte) (value.Value, bool) {
			n, ok := read(b)
			if !ok {
				return value.Value{}, false
			}
			return fromMillis(n, t)
		}}
}
