package rpc

import (
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
func readLength(r io.Reader, most int) (int, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, err
	}
	n := int64(int32(binary.BigEndian.Uint32(head[:])))
	if n < 0 || n > int64(most) {
		return 0, errTooLong{n, int64(most)}
	}
	return int(n), nil
}

// call is what a client has sent.
type call struct {
	header *pb.RequestHeader
	param  []byte
	block  []byte
	bytes  int64 // that count among those of all calls under way
}

var errFrame = errors.New("the call's header, message and cell block do not fit into its length")

// readCall takes a call apart.
func readCall(frame []byte) (*call, error) {
	c := &call{header: &pb.RequestHeader{}, bytes: int64(len(frame))}
	header, n := protowire.ConsumeBytes(frame)
	if n < 0 {
		return c, errFrame
	}
	if err := Unmarshal(header, c.header); err != nil {
		return c, err
	}
	frame = frame[n:]
	if c.header.GetRequestParam() {
		if c.param, n = protowire.ConsumeBytes(frame); n < 0 {
			return c, errFrame
		}
		frame = frame[n:]
	}
	if meta := c.header.GetCellBlockMeta(); meta != nil {
		if uint64(meta.GetLength()) > uint64(len(frame)) {
			return c, errFrame
		}
		c.block = frame[:meta.GetLength()]
	}
	return c, nil
}

// appendResponse adds an answer with its length.
func appendResponse(out []byte, header *pb.ResponseHeader, message proto.Message, block []byte) ([]byte, error) {
	at := len(out)
	out = append(out, 0, 0, 0, 0)
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

func appendDelimited(out []byte, m proto.Message) ([]byte, error) {
	options := proto.MarshalOptions{AllowPartial: true}
	return options.MarshalAppend(protowire.AppendVarint(out, uint64(options.Size(m))), m)
}
