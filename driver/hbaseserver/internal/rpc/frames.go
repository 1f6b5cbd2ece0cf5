package rpc

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// lenient reads messages without checking required fields, because HBase 2 has fewer of them.
var lenient = proto.UnmarshalOptions{AllowPartial: true}

// Unmarshal reads a message. Required fields may be missing.
func Unmarshal(data []byte, m proto.Message) error { return lenient.Unmarshal(data, m) }

// Message is the constraint that a pointer to M is a message.
type Message[M any] interface {
	*M
	proto.Message
}

// firstRead is how much memory is allocated for announced data before any of it has arrived.
const firstRead = 16 << 10

// readN reads n bytes, and allocates their memory as they come.
func readN(r io.Reader, n int) ([]byte, error) {
	out := make([]byte, 0, min(n, firstRead))
	for len(out) < n {
		if len(out) == cap(out) {
			out = slices.Grow(out, min(n-len(out), len(out)))
		}
		m, err := r.Read(out[len(out):min(cap(out), n)])
		out = out[:len(out)+m]
		if err != nil && len(out) < n {
			return nil, err
		}
	}
	return out, nil
}

// errTooLong is the error of a call or a header that exceeds the limit.
type errTooLong struct{ length, most int64 }

func (e errTooLong) Error() string {
	return fmt.Sprintf("RPC data length of %d is greater than max allowed %d", e.length, e.most)
}

// readLength reads the length of what follows.
func readLength(r *bufio.Reader, most int) (int, error) {
	head, err := r.Peek(4)
	if err != nil {
		return 0, err
	}
	n := int64(int32(binary.BigEndian.Uint32(head)))
	if _, err := r.Discard(4); err != nil {
		return 0, err
	}
	if n < 0 || n > int64(most) {
		return 0, errTooLong{n, int64(most)}
	}
	return int(n), nil
}

// call is a call as it was sent.
type call struct {
	header header
	param  []byte
	block  []byte
	bytes  int64 // counted among those of all running calls
}

// header is what is needed of a RequestHeader.
type header struct {
	id         uint32
	method     []byte // part of what was read
	hasParam   bool
	blockBytes uint32
	timeout    uint32 // in ms; 0 is none
}

// The fields of a RequestHeader, and of its CellBlockMeta.
const (
	fieldCallID      = 1
	fieldMethod      = 3
	fieldHasParam    = 4
	fieldBlock       = 5
	fieldTimeout     = 7
	fieldBlockLength = 1
)

// readHeader parses the RequestHeader of a call without the allocations of a message.
func readHeader(data []byte) (h header, err error) {
	err = eachField(data, func(number protowire.Number, n uint64, value []byte) error {
		switch number {
		case fieldCallID:
			h.id = uint32(n)
		case fieldMethod:
			h.method = value
		case fieldHasParam:
			h.hasParam = n != 0
		case fieldTimeout:
			h.timeout = uint32(n)
		case fieldBlock:
			return eachField(value, func(number protowire.Number, n uint64, _ []byte) error {
				if number == fieldBlockLength {
					h.blockBytes = uint32(n)
				}
				return nil
			})
		}
		return nil
	})
	return h, err
}

// eachField calls each for every field of a message: n for a varint, value for bytes.
func eachField(data []byte, each func(number protowire.Number, n uint64, value []byte) error) error {
	for len(data) > 0 {
		number, kind, size := protowire.ConsumeTag(data)
		if size < 0 {
			return protowire.ParseError(size)
		}
		data = data[size:]
		n, value := uint64(0), []byte(nil)
		switch kind {
		case protowire.VarintType:
			n, size = protowire.ConsumeVarint(data)
		case protowire.BytesType:
			value, size = protowire.ConsumeBytes(data)
		default:
			size = protowire.ConsumeFieldValue(number, kind, data)
		}
		if size < 0 {
			return protowire.ParseError(size)
		}
		if err := each(number, n, value); err != nil {
			return err
		}
		data = data[size:]
	}
	return nil
}

var errFrame = errors.New("the call's header, message and cell block do not fit into its length")

// readCall parses a call.
func readCall(frame []byte) (*call, error) {
	c := &call{bytes: int64(len(frame))}
	head, n := protowire.ConsumeBytes(frame)
	if n < 0 {
		return c, errFrame
	}
	var err error
	if c.header, err = readHeader(head); err != nil {
		return c, err
	}
	frame = frame[n:]
	if c.header.hasParam {
		if c.param, n = protowire.ConsumeBytes(frame); n < 0 {
			return c, errFrame
		}
		frame = frame[n:]
	}
	if uint64(c.header.blockBytes) > uint64(len(frame)) {
		return c, errFrame
	}
	c.block = frame[:c.header.blockBytes]
	return c, nil
}

// The fields of a ResponseHeader; its CellBlockMeta has the same field as a call's.
const (
	fieldAnsweredID    = 1
	fieldAnsweredBlock = 3
	// maxBlockHeader is the maximum length of appendBlockHeader.
	maxBlockHeader = 2 * (1 + 5 + 1)
)

// appendBlockHeader appends the ResponseHeader of a successful call, with block bytes of cells after the
// message, without the allocations of a message.
func appendBlockHeader(out []byte, id uint32, block int) []byte {
	out = protowire.AppendVarint(protowire.AppendTag(out, fieldAnsweredID, protowire.VarintType), uint64(id))
	if block == 0 {
		return out
	}
	size := protowire.SizeTag(fieldBlockLength) + protowire.SizeVarint(uint64(block))
	out = protowire.AppendVarint(protowire.AppendTag(out, fieldAnsweredBlock, protowire.BytesType), uint64(size))
	return protowire.AppendVarint(protowire.AppendTag(out, fieldBlockLength, protowire.VarintType), uint64(block))
}

// exceptionHeader is the ResponseHeader of a failed call.
func exceptionHeader(id uint32, e *Exception) []byte {
	out, err := proto.MarshalOptions{AllowPartial: true}.Marshal(&pb.ResponseHeader{CallId: &id, Exception: e.message()})
	if err != nil {
		return appendBlockHeader(nil, id, 0)
	}
	return out
}

// appendResponse appends a response preceded by its length.
func appendResponse(out, header []byte, message proto.Message, block []byte) ([]byte, error) {
	at, sized := len(out), proto.MarshalOptions{AllowPartial: true}
	size := 0
	if message != nil {
		size = sized.Size(message)
	}
	out = slices.Grow(out, 4+protowire.SizeBytes(len(header))+protowire.SizeBytes(size)+len(block))
	out = protowire.AppendBytes(append(out, 0, 0, 0, 0), header)
	if message != nil {
		var err error
		sized.UseCachedSize = true
		if out, err = sized.MarshalAppend(protowire.AppendVarint(out, uint64(size)), message); err != nil {
			return out[:at], err
		}
	}
	out = append(out, block...)
	if int64(len(out)-at-4) > 1<<31-1 {
		return out[:at], errors.New("the answer is longer than 2 GiB")
	}
	binary.BigEndian.PutUint32(out[at:], uint32(len(out)-at-4))
	return out, nil
}
