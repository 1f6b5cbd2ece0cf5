package rpc

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"io"

	"github.com/klauspost/compress/snappy"
)

// compressor compresses cell blocks, as the Hadoop class of its name does.
type compressor interface {
	compress(block []byte) []byte
	// decompress fails if the result is longer than most bytes.
	decompress(data []byte, most int) ([]byte, error)
}

// compressors are the classes that clients may name.
var compressors = map[string]compressor{
	"org.apache.hadoop.io.compress.GzipCodec":    streamed{newGzip, readGzip},
	"org.apache.hadoop.io.compress.DefaultCodec": streamed{newZlib, readZlib},
	"org.apache.hadoop.io.compress.DeflateCodec": streamed{newZlib, readZlib},
	"org.apache.hadoop.io.compress.SnappyCodec":  snappyBlocks{},
}

var errBlockTooLong = errors.New("the cell block is longer than a call may be, once it is decompressed")

// streamed compresses a block as one stream.
type streamed struct {
	writer func(io.Writer) io.WriteCloser
	reader func(io.Reader) (io.ReadCloser, error)
}

func newGzip(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }

func readGzip(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) }

func newZlib(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }

func readZlib(r io.Reader) (io.ReadCloser, error) { return zlib.NewReader(r) }

func (s streamed) compress(block []byte) []byte {
	var out bytes.Buffer
	w := s.writer(&out)
	w.Write(block) // to memory, which does not fail
	w.Close()
	return out.Bytes()
}

func (s streamed) decompress(data []byte, most int) ([]byte, error) {
	r, err := s.reader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	if len(out) > most {
		return nil, errBlockTooLong
	}
	return out, err
}

// snappyBlocks is Hadoop's framing of Snappy: blocks, each with the length of its content and chunks,
// each preceded by its length.
type snappyBlocks struct{}

// chunkSize is how many bytes are compressed at a time: Hadoop's buffers have room for the result of any of
// them.
const chunkSize = 192 << 10

func (snappyBlocks) compress(block []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(block)))
	for len(block) > 0 {
		n := min(len(block), chunkSize)
		chunk := snappy.Encode(nil, block[:n])
		out = append(binary.BigEndian.AppendUint32(out, uint32(len(chunk))), chunk...)
		block = block[n:]
	}
	return out
}

var errSnappy = errors.New("the cell block is not Snappy in Hadoop's framing")

func (s snappyBlocks) decompress(data []byte, most int) (out []byte, err error) {
	for len(data) > 0 {
		if len(data) < 4 {
			return nil, errSnappy
		}
		size := int(binary.BigEndian.Uint32(data))
		if size > most-len(out) {
			return nil, errBlockTooLong
		}
		if out, data, err = s.chunks(out, data[4:], len(out)+size); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// chunks appends decompressed chunks to out until it has size bytes.
func (snappyBlocks) chunks(out, data []byte, size int) (all, rest []byte, err error) {
	for len(out) < size {
		chunk, behind, ok := cutLong(data)
		if !ok {
			return nil, nil, errSnappy
		}
		n, err := snappy.DecodedLen(chunk)
		if err != nil || n > size-len(out) || n == 0 {
			return nil, nil, errSnappy
		}
		text, err := snappy.Decode(nil, chunk)
		if err != nil {
			return nil, nil, errSnappy
		}
		out, data = append(out, text...), behind
	}
	return out, data, nil
}
