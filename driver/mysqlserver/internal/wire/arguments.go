package wire

import (
	"math"
	"strconv"

	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/packet"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
)

// ArgumentType is the type of an argument as the client sends it.
type ArgumentType struct {
	typ      Type
	unsigned bool
}

// ReadArguments reads n values. types are those sent now or with an earlier
// execution, and long the arguments that were sent in pieces before.
func ReadArguments(f *packet.Fields, n int, types *[]ArgumentType, long []Pieces) ([]value.Value, error) {
	nulls := f.Take((n + 7) / 8)
	if f.Byte() != 0 {
		*types = readTypes(f, n)
	}
	if f.Bad || len(*types) != n {
		return nil, malformed()
	}
	out := make([]value.Value, n, n+spareArguments)
	for i, t := range *types {
		switch {
		case long != nil && long[i].TooLong:
			return nil, mysqlerr.New(mysqlerr.NetPacketTooLarge, "Got a packet bigger than 'max_allowed_packet' bytes")
		case long != nil && long[i].Sent:
			out[i] = stringArgument(t.typ, long[i].Bytes)
		case nulls[i/8]>>(i%8)&1 == 0:
			out[i] = argumentOf(f, t)
		}
	}
	if f.Bad {
		return nil, malformed()
	}
	return out, nil
}

// spareArguments is room for the literals of a statement that also has
// placeholders.
const spareArguments = 4

func malformed() error {
	return mysqlerr.New(mysqlerr.MalformedPacket, "Malformed communication packet.")
}

func readTypes(f *packet.Fields, n int) []ArgumentType {
	raw := f.Take(2 * n)
	if raw == nil {
		return nil
	}
	types := make([]ArgumentType, n)
	for i := range types {
		types[i] = ArgumentType{Type(raw[2*i]), raw[2*i+1]&0x80 != 0}
	}
	return types
}

// argumentOf returns the next value.
func argumentOf(f *packet.Fields, t ArgumentType) value.Value {
	switch t.typ {
	case typeNull:
		return value.Value{}
	case typeTiny:
		return integer(f.Number(1), 8, t.unsigned)
	case typeShort, typeYear:
		return integer(f.Number(2), 16, t.unsigned)
	case typeLong, typeInt24:
		return integer(f.Number(4), 32, t.unsigned)
	case typeLongLong:
		return integer(f.Number(8), 64, t.unsigned)
	case typeFloat:
		return floatOf(f, float32Value(uint32(f.Number(4))))
	case typeDouble:
		return floatOf(f, math.Float64frombits(f.Number(8)))
	case typeDate, typeDateTime, typeTimestamp:
		return dateTimeOf(f, t.typ)
	case typeTime:
		return timeOf(f)
	}
	return stringArgument(t.typ, f.LenencBytes())
}

// integer is a number of that many bits.
func integer(n uint64, bits int, unsigned bool) value.Value {
	if unsigned {
		return value.NewUint(n)
	}
	return value.NewInt(int64(n<<(64-bits)) >> (64 - bits))
}

// float32Value is the double that prints like the float.
func float32Value(bits uint32) float64 {
	short := strconv.FormatFloat(float64(math.Float32frombits(bits)), 'g', -1, 32)
	f, _ := strconv.ParseFloat(short, 64)
	return f
}

// floatOf is a double. SQL has no infinity and no NaN.
func floatOf(f *packet.Fields, n float64) value.Value {
	if math.IsNaN(n) || math.IsInf(n, 0) {
		f.Bad = true
	}
	return value.NewFloat(n)
}

// stringArgument is bytes for the binary types, and text for the others.
func stringArgument(t Type, b []byte) value.Value {
	if b == nil {
		b = []byte{}
	}
	switch t {
	case typeTinyBlob, typeMediumBlob, typeLongBlob, typeBlob, typeBit:
		return value.NewBytes(b)
	case typeDecimal, typeNewDecimal:
		return value.NewDecimal(value.NewText(b).AsDecimal())
	}
	return value.NewText(b)
}

// dateTimeOf returns a date, with or without its time.
func dateTimeOf(f *packet.Fields, t Type) value.Value {
	in := packet.Fields{Rest: f.Take(int(f.Byte()))}
	n := len(in.Rest)
	var d calendar.Fields
	if n > 0 {
		d.Year, d.Month, d.Day = int(in.Uint16()), int(in.Byte()), int(in.Byte())
	}
	if n > 4 {
		d.Hour, d.Minute, d.Second = int(in.Byte()), int(in.Byte()), int(in.Byte())
	}
	if n > 7 {
		d.Micro = int(in.Uint32())
	}
	f.Bad = f.Bad || in.Bad || d.Year > 9999 || d.Month > 12 || d.Day > 31 || d.Hour > 23 || d.Minute > 59 ||
		d.Second > 59 || d.Micro > 999999
	if f.Bad {
		return value.Value{}
	}
	if t == typeDate {
		return value.NewDate(d)
	}
	return value.NewDateTime(d, digitsOf(d.Micro))
}

// digitsOf is the number of digits with which a fraction of a second is shown.
func digitsOf(micro int) int {
	if micro == 0 {
		return 0
	}
	return 6
}

// timeOf returns a TIME.
func timeOf(f *packet.Fields) value.Value {
	in := packet.Fields{Rest: f.Take(int(f.Byte()))}
	n := len(in.Rest)
	if n == 0 {
		return value.NewTime(0, 0)
	}
	negative := in.Byte() != 0
	days := int64(in.Uint32())
	seconds := int64(in.Byte())*3600 + int64(in.Byte())*60 + int64(in.Byte())
	micro := 0
	if n > 8 {
		micro = int(in.Uint32())
	}
	if f.Bad = f.Bad || in.Bad || days > 34 || micro > 999999; f.Bad {
		return value.Value{}
	}
	span := (days*86400+seconds)*1e6 + int64(micro)
	if negative {
		span = -span
	}
	return value.NewTime(span, digitsOf(micro))
}

// Pieces is an argument that was sent in pieces.
type Pieces struct {
	Sent  bool
	Bytes []byte
	// TooLong says that it exceeded the limit.
	TooLong bool
}
