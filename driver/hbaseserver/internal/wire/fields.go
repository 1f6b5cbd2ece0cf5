package wire

import (
	"slices"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
)

// unknown calls fn for each field with that number in a message whose type does not have it.
func unknown(m proto.Message, number protowire.Number, fn func(kind protowire.Type, value []byte)) {
	rest := []byte(m.ProtoReflect().GetUnknown())
	for len(rest) > 0 {
		found, kind, n := protowire.ConsumeTag(rest)
		if n < 0 {
			return
		}
		size := protowire.ConsumeFieldValue(found, kind, rest[n:])
		if size < 0 {
			return
		}
		if found == number {
			fn(kind, rest[n:n+size])
		}
		rest = rest[n+size:]
	}
}

// Uint returns an integer, or a bool, that HBase 2 adds to a message; otherwise is the default.
func Uint(m proto.Message, number protowire.Number, otherwise uint64) uint64 {
	unknown(m, number, func(kind protowire.Type, value []byte) {
		if v, n := protowire.ConsumeVarint(value); kind == protowire.VarintType && n > 0 {
			otherwise = v
		}
	})
	return otherwise
}

// Uints returns the integers of a repeated field that HBase 2 adds to a message.
func Uints(m proto.Message, number protowire.Number) (out []uint64) {
	unknown(m, number, func(kind protowire.Type, value []byte) {
		if v, n := protowire.ConsumeVarint(value); kind == protowire.VarintType && n > 0 {
			out = append(out, v)
		}
	})
	return out
}

// Each returns the bytes, or messages, of a field that HBase 2 adds to a message.
func Each(m proto.Message, number protowire.Number) (out [][]byte) {
	unknown(m, number, func(kind protowire.Type, value []byte) {
		if data, n := protowire.ConsumeBytes(value); kind == protowire.BytesType && n > 0 {
			out = append(out, data)
		}
	})
	return out
}

// Bytes returns the last of Each, or nil.
func Bytes(m proto.Message, number protowire.Number) (out []byte) {
	for _, each := range Each(m, number) {
		out = each
	}
	return out
}

// Part reads a message that HBase 2 adds to another, and reports whether it is there.
func Part(m proto.Message, number protowire.Number, into proto.Message) (found bool, err error) {
	unknown(m, number, func(kind protowire.Type, value []byte) {
		if data, n := protowire.ConsumeBytes(value); kind == protowire.BytesType && n > 0 {
			found, err = true, rpc.Unmarshal(data, into)
		}
	})
	return found, err
}

// Fields are a message that is built field by field.
type Fields []byte

// Bytes appends bytes or a text.
func (f Fields) Bytes(number protowire.Number, value []byte) Fields {
	return protowire.AppendBytes(protowire.AppendTag(f, number, protowire.BytesType), value)
}

// Uint appends an integer or a bool.
func (f Fields) Uint(number protowire.Number, value uint64) Fields {
	return protowire.AppendVarint(protowire.AppendTag(f, number, protowire.VarintType), value)
}

// Part appends a message.
func (f Fields) Part(number protowire.Number, m proto.Message) Fields {
	data, err := proto.MarshalOptions{AllowPartial: true}.Marshal(m)
	if err != nil {
		panic(err) // a text is not UTF-8; no such text is put into messages
	}
	return f.Bytes(number, data)
}

// Message returns the fields as a message.
func (f Fields) Message() proto.Message { return With(&pb.EmptyMsg{}, f) }

// With adds fields to a message whose type does not have them.
func With[M proto.Message](m M, f Fields) M {
	r := m.ProtoReflect()
	r.SetUnknown(append(r.GetUnknown(), f...))
	return m
}

// Without removes fields from a message whose type does not have them.
func Without(m proto.Message, numbers ...protowire.Number) {
	rest, kept := []byte(m.ProtoReflect().GetUnknown()), []byte(nil)
	for len(rest) > 0 {
		number, _, n := protowire.ConsumeField(rest)
		if n < 0 {
			break
		}
		if !slices.Contains(numbers, number) {
			kept = append(kept, rest[:n]...)
		}
		rest = rest[n:]
	}
	m.ProtoReflect().SetUnknown(kept)
}
