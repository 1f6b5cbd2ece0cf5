package crypt

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Compression: the length in four bytes, whose two highest bits do not count, followed by zlib's output
// (https://dev.mysql.com/doc/refman/5.7/en/encryption-functions.html#function_compress).
func init() {
	function.Register(map[string]*function.Function{
		"COMPRESS":            {Min: 1, Max: 1, Type: function.Maybe(value.Bytes), Eval: evalCompress, Bytes: 1},
		"UNCOMPRESS":          {Min: 1, Max: 1, Type: function.Maybe(value.Bytes), Eval: evalUncompress, Bytes: 1},
		"UNCOMPRESSED_LENGTH": {Min: 1, Max: 1, Type: function.MaybeSmall, Eval: evalUncompressedLength, Bytes: 1},
	})
}

const (
	lengthHeader = 4
	lengthMask   = 1<<30 - 1
)

// evalCompress appends a full stop to a result that ends in a space, which CHAR columns would cut off.
func evalCompress(env *function.Env, args []value.Value) (value.Value, error) {
	b := args[0].AsBytes()
	if len(b) == 0 {
		return value.NewBytes(nil), nil
	}
	var out bytes.Buffer
	_ = binary.Write(&out, binary.LittleEndian, uint32(len(b)&lengthMask)) // writing to memory cannot fail
	w := zlib.NewWriter(&out)
	if err := env.Meter().Parts(b, func(part []byte) { _, _ = w.Write(part) }); err != nil {
		return value.Value{}, err
	}
	_ = w.Close()
	if made := out.Bytes(); made[len(made)-1] == ' ' {
		out.WriteByte('.')
	}
	return value.NewBytes(out.Bytes()), env.Step(compressUnits * len(b))
}

// compressUnits is the approximate cost of compressing a byte.
const compressUnits = 8

// evalUncompress is NULL with a warning if the value was not compressed, or is too long.
func evalUncompress(env *function.Env, args []value.Value) (value.Value, error) {
	b := args[0].AsBytes()
	if len(b) == 0 {
		return value.NewBytes(nil), nil
	}
	size, ok := uncompressedLength(b)
	switch {
	case !ok:
		return corrupted(env)
	case size > env.MaxPacket():
		return value.Value{}, env.Warn(mysqlerr.TooBigForUncompress, fmt.Sprintf("Uncompressed data size too large; "+
			"the maximum size is %d (probably, length of uncompressed data was corrupted)", env.MaxPacket()))
	}
	r, err := zlib.NewReader(bytes.NewReader(b[lengthHeader:]))
	if err != nil {
		return corrupted(env)
	}
	return uncompressed(env, r, size)
}

// uncompressed reads at most size bytes; it allocates memory only as they arrive.
func uncompressed(env *function.Env, r io.Reader, size int) (value.Value, error) {
	out := make([]byte, 0, min(size, cancelcheck.Stride))
	for {
		if len(out) == cap(out) {
			grown := make([]byte, len(out), min(max(2*len(out), bytes.MinRead), size+1))
			copy(grown, out)
			out = grown
		}
		n, err := r.Read(out[len(out):cap(out)])
		out = out[:len(out)+n]
		switch {
		case len(out) > size:
			return value.Value{}, env.Warn(mysqlerr.ZlibBuffer,
				"ZLIB: Not enough room in the output buffer (probably, length of uncompressed data was corrupted)")
		case errors.Is(err, io.EOF):
			return value.NewBytes(out), nil
		case err != nil:
			return corrupted(env)
		}
		if err := env.Step(compressUnits * (n + 1)); err != nil {
			return value.Value{}, err
		}
	}
}

func corrupted(env *function.Env) (value.Value, error) {
	return value.Value{}, env.Warn(mysqlerr.ZlibData, "ZLIB: Input data corrupted")
}

// uncompressedLength is the length at the beginning; ok is false if nothing follows it.
func uncompressedLength(b []byte) (n int, ok bool) {
	if len(b) <= lengthHeader {
		return 0, false
	}
	return int(binary.LittleEndian.Uint32(b) & lengthMask), true
}

func evalUncompressedLength(env *function.Env, args []value.Value) (value.Value, error) {
	b := args[0].AsBytes()
	if len(b) == 0 {
		return value.NewInt(0), nil
	}
	n, ok := uncompressedLength(b)
	if !ok {
		return corrupted(env)
	}
	return value.NewInt(int64(n)), nil
}
