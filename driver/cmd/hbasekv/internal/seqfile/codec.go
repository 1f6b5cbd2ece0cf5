package seqfile

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// codec decompresses a whole stream.
type codec func(io.Reader) (io.Reader, error)

// codecNamed is the codec for one of Hadoop's classes.
func codecNamed(class string) (codec, error) {
	switch strings.TrimPrefix(class, "org.apache.hadoop.io.compress.") {
	case "DefaultCodec", "DeflateCodec":
		return func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) }, nil
	case "GzipCodec":
		return func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }, nil
	case "BZip2Codec":
		return func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }, nil
	case "SnappyCodec":
		return func(r io.Reader) (io.Reader, error) { return &snappyReader{in: r}, nil }, nil
	case "ZStandardCodec":
		return func(r io.Reader) (io.Reader, error) {
			z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
				zstd.WithDecoderMaxWindow(maxWindow))
			return z, err
		}, nil
	}
	return nil, fmt.Errorf("the codec %s is not known: export without compression, or with the codec Default, "+
		"Gzip, BZip2, Snappy or ZStandard", class)
}

// maxWindow limits the memory of zstd; its highest level without --ultra needs 8 MiB.
const maxWindow = 64 << 20

// snappyReader reads Hadoop's BlockCompressorStream around Snappy: the
// uncompressed length of a piece, followed by chunks with their lengths.
type snappyReader struct {
	in    io.Reader
	left  int // uncompressed bytes of the piece in the chunks to come
	chunk bytes.Reader
	buf   []byte
}

// maxChunk is the maximum length of a chunk; Hadoop's own have 256 KiB.
const maxChunk = 16 << 20

func (s *snappyReader) Read(p []byte) (int, error) {
	for s.chunk.Len() == 0 {
		if err := s.next(); err != nil {
			return 0, err
		}
	}
	return s.chunk.Read(p)
}

// next reads a chunk, and before it the length of a new piece.
func (s *snappyReader) next() error {
	if s.left == 0 {
		n, err := readInt(s.in)
		if err != nil {
			return err
		}
		if n < 0 {
			return damaged("a piece of %d bytes", n)
		}
		s.left = int(n)
		if n == 0 {
			return nil
		}
	}
	n, err := readInt(s.in)
	if err != nil {
		return unexpected(err)
	}
	if n < 0 || n > maxChunk {
		return damaged("a chunk of %d bytes", n)
	}
	compressed, err := readBytes(s.in, int(n))
	if err != nil {
		return unexpected(err)
	}
	plain, err := snappy.DecodedLen(compressed)
	if err != nil || plain > s.left || plain > maxChunk || plain == 0 {
		return damaged("a chunk that is not of Snappy")
	}
	if s.buf, err = snappy.Decode(s.buf[:cap(s.buf)], compressed); err != nil {
		return err
	}
	s.left -= len(s.buf)
	s.chunk.Reset(s.buf)
	return nil
}
