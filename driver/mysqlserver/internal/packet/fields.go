package packet

import (
	"bytes"
	"encoding/binary"
)

// NullValue replaces a length: for NULL in a row, for a request for a file in an answer.
const NullValue = 0xfb

// Fields reads a packet's fields in order. A field that is missing is zero, and
// sets Bad.
type Fields struct {
	Rest []byte
	Bad  bool
}

// Take returns the next n bytes, in the packet's memory.
func (f *Fields) Take(n int) []byte {
	if n < 0 || n > len(f.Rest) {
		f.Bad, f.Rest = true, nil
		return nil
	}
	out := f.Rest[:n:n]
	f.Rest = f.Rest[n:]
	return out
}

// Number returns the next n bytes as an integer; n is at most 8.
func (f *Fields) Number(n int) uint64 {
	var wide [8]byte
	copy(wide[:], f.Take(n))
	return binary.LittleEndian.Uint64(wide[:])
}

func (f *Fields) Byte() byte     { return byte(f.Number(1)) }
func (f *Fields) Uint16() uint16 { return uint16(f.Number(2)) }
func (f *Fields) Uint32() uint32 { return uint32(f.Number(4)) }

// Lenenc returns a length-encoded integer.
func (f *Fields) Lenenc() uint64 {
	switch first := f.Byte(); first {
	case 0xfc:
		return f.Number(2)
	case 0xfd:
		return f.Number(3)
	case 0xfe:
		return f.Number(8)
	case NullValue, 0xff:
		f.Bad = true
		return 0
	default:
		return uint64(first)
	}
}

// LenencBytes returns a string preceded by its length, in the packet's memory.
func (f *Fields) LenencBytes() []byte {
	n := f.Lenenc()
	if n > uint64(len(f.Rest)) {
		f.Bad, f.Rest = true, nil
		return nil
	}
	return f.Take(int(n))
}

// Terminated returns a string that ends with a zero byte.
func (f *Fields) Terminated() string {
	end := bytes.IndexByte(f.Rest, 0)
	if end < 0 {
		f.Bad, f.Rest = true, nil
		return ""
	}
	s := string(f.Take(end))
	f.Take(1)
	return s
}

// LastString returns a string that ends with a zero byte or with the packet.
func (f *Fields) LastString() string {
	if bytes.IndexByte(f.Rest, 0) >= 0 {
		return f.Terminated()
	}
	return string(f.Take(len(f.Rest)))
}

func AppendUint16(b []byte, n uint16) []byte { return binary.LittleEndian.AppendUint16(b, n) }
func AppendUint32(b []byte, n uint32) []byte { return binary.LittleEndian.AppendUint32(b, n) }
func AppendUint64(b []byte, n uint64) []byte { return binary.LittleEndian.AppendUint64(b, n) }

func AppendUint24(b []byte, n int) []byte { return append(b, byte(n), byte(n>>8), byte(n>>16)) }

// AppendLenenc appends a length-encoded integer.
func AppendLenenc(b []byte, n uint64) []byte {
	switch {
	case n < NullValue:
		return append(b, byte(n))
	case n < 1<<16:
		return AppendUint16(append(b, 0xfc), uint16(n))
	case n < 1<<24:
		return AppendUint24(append(b, 0xfd), int(n))
	}
	return AppendUint64(append(b, 0xfe), n)
}

// AppendString appends a string preceded by its length.
func AppendString[T string | []byte](b []byte, s T) []byte {
	return append(AppendLenenc(b, uint64(len(s))), s...)
}

// AppendTerminated appends a string followed by a zero byte.
func AppendTerminated(b []byte, s string) []byte { return append(append(b, s...), 0) }
