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

// lenient reads messages without asking for what they must have, which HBase 2 has made less.
var lenient = proto.UnmarshalOptions{AllowPartial: true}

// Unmarshal reads a message. What it must have may be missing.
func Unmarshal(data []byte, m proto.Message) error { return lenient.Unmarshal(data, m) }

// Message is a pointer to M, which is a message.
type Message[M any] interface {
	*M
	proto.Message
}

// firstRead is how much memory is taken for what is announced before anything of it has come.
const firstRead = 16 << 10

// readN reads n bytes, and takes memory as they come.
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

// errTooLong is of a call, or a header, that is longer than may be.
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

// call is what a client has sent.
type call struct {
	header header
	param  []byte
	block  []byte
	bytes  int64 // that count among those of all calls under way
}

// header is what is read of a RequestHeader.
type header struct {
	id         uint32
	method     []byte // a part of what was read
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

// readHeader reads a RequestHeader, which each call has, without the memory that a message takes.
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

// eachField tells of each field of a message: its number where it is a varint, its bytes where it has them.
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

// readCall takes a call apart.
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

// appendResponse adds an answer with its length.
func appendResponse(out []byte, header *pb.ResponseHeader, message proto.Message, block []byte) ([]byte, error) {
	at := len(out)
	size := 4 + delimitedSize(header) + len(block)
	if message != nil {
		size += delimitedSize(message)
	}
	out = append(slices.Grow(out, size), 0, 0, 0, 0)
	out, err := appendDelimited(out, header)
	if err == nil && message != nil {
		out, err = appendDelimited(out, message)
	}
	if err != nil {
		return out[:at], err
	}
	out = append(out, block...)
	if int64(len(out)-at-4) > 1<<31-1 {
		return out[:at], errors.New("the answer is longer than 2 GiB")
	}
	binary.BigEndian.PutUint32(out[at:], uint32(len(out)-at-4))
	return out, nil
}

func delimitedSize(m proto.Message) int {
	return protowire.SizeBytes(proto.MarshalOptions{AllowPartial: true}.Size(m))
}

func appendDelimited(out []byte, m proto.Message) ([]byte, error) {
	options := proto.MarshalOptions{AllowPartial: true}
	return options.MarshalAppend(protowire.AppendVarint(out, uint64(options.Size(m))), m)
}
