package mysqlserver

import (
	"bytes"
	"encoding/binary"
)

// nullValue stands in place of a length: of NULL in a row, of a request for a file in an answer.
const nullValue = 0xfb

// fields reads a packet's fields one after the other. What is not there is zero,
// and makes the packet bad.
type fields struct {
	rest []byte
	bad  bool
}

// take is the next n bytes, of the packet's memory.
func (f *fields) take(n int) []byte {
	if n < 0 || n > len(f.rest) {
		f.bad, f.rest = true, nil
		return nil
	}
	out := f.rest[:n:n]
	f.rest = f.rest[n:]
	return out
}

// number is the next n bytes as an integer, n up to 8.
func (f *fields) number(n int) uint64 {
	var wide [8]byte
	copy(wide[:], f.take(n))
	return binary.LittleEndian.Uint64(wide[:])
}

func (f *fields) byte() byte     { return byte(f.number(1)) }
func (f *fields) uint16() uint16 { return uint16(f.number(2)) }
func (f *fields) uint32() uint32 { return uint32(f.number(4)) }

// lenenc is an integer that says how long it is.
func (f *fields) lenenc() uint64 {
	switch first := f.byte(); first {
	case 0xfc:
		return f.number(2)
	case 0xfd:
		return f.number(3)
	case 0xfe:
		return f.number(8)
	case nullValue, 0xff:
		f.bad = true
		return 0
	default:
		return uint64(first)
	}
}

// lenencBytes is a string with its length before it.
func (f *fields) lenencBytes() []byte {
	n := f.lenenc()
	if n > uint64(len(f.rest)) {
		f.bad, f.rest = true, nil
		return nil
	}
	return f.take(int(n))
}

// terminated is a string that a zero byte ends.
func (f *fields) terminated() string {
	end := bytes.IndexByte(f.rest, 0)
	if end < 0 {
		f.bad, f.rest = true, nil
		return ""
	}
	s := string(f.take(end))
	f.take(1)
	return s
}

// lastString is a string that a zero byte or the packet ends.
func (f *fields) lastString() string {
	if bytes.IndexByte(f.rest, 0) >= 0 {
		return f.terminated()
	}
	return string(f.take(len(f.rest)))
}

func appendUint16(b []byte, n uint16) []byte { return binary.LittleEndian.AppendUint16(b, n) }
func appendUint32(b []byte, n uint32) []byte { return binary.LittleEndian.AppendUint32(b, n) }
func appendUint64(b []byte, n uint64) []byte { return binary.LittleEndian.AppendUint64(b, n) }

func appendUint24(b []byte, n int) []byte { return append(b, byte(n), byte(n>>8), byte(n>>16)) }

// appendLenenc writes an integer that says how long it is.
func appendLenenc(b []byte, n uint64) []byte {
	switch {
	case n < nullValue:
		return append(b, byte(n))
	case n < 1<<16:
		return appendUint16(append(b, 0xfc), uint16(n))
	case n < 1<<24:
		return appendUint24(append(b, 0xfd), int(n))
	}
	return appendUint64(append(b, 0xfe), n)
}

// appendString writes a string with its length before it.
func appendString[T string | []byte](b []byte, s T) []byte {
	return append(appendLenenc(b, uint64(len(s))), s...)
}

// appendTerminated writes a string with a zero byte behind it.
func appendTerminated(b []byte, s string) []byte { return append(append(b, s...), 0) }
