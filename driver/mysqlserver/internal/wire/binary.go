package wire

import (
	"math"

	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/packet"
	"github.com/hbasekv/hbasekv/sqlfront/answers"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
)

// AppendBinary appends a row in the binary protocol.
func AppendBinary(b []byte, columns []Column, row []value.Value) []byte {
	b, nulls := appendNulls(b, len(row))
	for i := range row {
		if row[i].IsNull() {
			nulls.set(b, i)
			continue
		}
		b = appendTyped(b, &columns[i], &row[i])
	}
	return b
}

// AppendBinaryCell is AppendBinary for a row that is a cell.
func AppendBinaryCell(b []byte, places []answers.Place, cell *answers.Cell) []byte {
	b, nulls := appendNulls(b, len(places))
	for i, place := range places {
		switch {
		case place == answers.InRow:
			b = packet.AppendString(b, cell.Row)
		case place == answers.InQualifier:
			b = packet.AppendString(b, cell.Qualifier)
		case place == answers.InTimestamp: // BIGINT
			b = packet.AppendUint64(b, uint64(cell.Timestamp))
		case cell.Value == nil:
			nulls.set(b, i)
		default:
			b = packet.AppendString(b, cell.Value)
		}
	}
	return b
}

// nulls is the position of a row's NULL bitmap.
type nulls int

// rowHeader is the first byte of a row in the binary protocol.
const rowHeader = 0x00

// appendNulls appends the head of a row of that many columns, with no column NULL yet.
func appendNulls(b []byte, columns int) ([]byte, nulls) {
	b = append(b, rowHeader)
	at := nulls(len(b))
	for range (columns + 7 + 2) / 8 {
		b = append(b, 0)
	}
	return b, at
}

func (at nulls) set(b []byte, column int) { b[int(at)+(column+2)/8] |= 1 << ((column + 2) % 8) }

// appendTyped appends a value in the form of its column's type.
func appendTyped(b []byte, column *Column, v *value.Value) []byte {
	switch column.Type {
	case typeTiny:
		return append(b, byte(integerOf(column, v)))
	case typeShort, typeYear:
		return packet.AppendUint16(b, uint16(integerOf(column, v)))
	case typeLong, typeInt24:
		return packet.AppendUint32(b, uint32(integerOf(column, v)))
	case typeLongLong:
		return packet.AppendUint64(b, integerOf(column, v))
	case typeDouble:
		return packet.AppendUint64(b, math.Float64bits(v.AsFloat()))
	case typeFloat:
		return packet.AppendUint32(b, math.Float32bits(float32(v.AsFloat())))
	case typeDate, typeDateTime, typeTimestamp:
		return appendDateTime(b, column.Type, v)
	case typeTime:
		return appendTime(b, v)
	}
	if v.IsString() || v.Kind() == value.JSON {
		return packet.AppendString(b, column.convert(v.Raw()))
	}
	return column.appendShort(b, v)
}

func integerOf(column *Column, v *value.Value) uint64 {
	switch v.Kind() {
	case value.Int:
		return uint64(v.Int())
	case value.Uint:
		return v.Uint()
	}
	if column.Flags&flagUnsigned != 0 {
		return v.AsUint()
	}
	return uint64(v.AsInt())
}

func appendDateTime(b []byte, t Type, v *value.Value) []byte {
	d := *v
	if k := d.Kind(); k != value.Date && k != value.DateTime {
		d, _ = value.ParseDateTime(d)
	}
	f := d.Fields()
	clock := t != typeDate && (f.Hour != 0 || f.Minute != 0 || f.Second != 0 || f.Micro != 0)
	switch {
	case d.IsNull() || f == (calendar.Fields{}):
		return append(b, 0)
	case !clock:
		b = append(b, 4)
	case f.Micro == 0:
		b = append(b, 7)
	default:
		b = append(b, 11)
	}
	b = append(packet.AppendUint16(b, uint16(f.Year)), byte(f.Month), byte(f.Day))
	if clock {
		b = append(b, byte(f.Hour), byte(f.Minute), byte(f.Second))
	}
	if clock && f.Micro != 0 {
		b = packet.AppendUint32(b, uint32(f.Micro))
	}
	return b
}

func appendTime(b []byte, v *value.Value) []byte {
	t := *v
	if t.Kind() != value.Time {
		t, _ = value.ParseTime(t)
	}
	span := t.Micros()
	if t.IsNull() || span == 0 {
		return append(b, 0)
	}
	negative := byte(0)
	if span < 0 {
		negative, span = 1, -span
	}
	micro, seconds := span%1e6, span/1e6
	length := byte(8)
	if micro != 0 {
		length = 12
	}
	b = append(b, length, negative)
	b = packet.AppendUint32(b, uint32(seconds/86400))
	b = append(b, byte(seconds/3600%24), byte(seconds/60%60), byte(seconds%60))
	if micro != 0 {
		b = packet.AppendUint32(b, uint32(micro))
	}
	return b
}
