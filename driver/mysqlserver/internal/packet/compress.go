package packet

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// leastCompressed is the minimum length, in bytes, that is worth compressing.
const leastCompressed = 50

var errSqueezed = errors.New("a compressed packet that cannot be read")

// squeezer is the compressed protocol below the packets: each compressed packet
// holds some bytes of the stream of packets, which may begin and end within packets.
type squeezer struct {
	from     io.Reader // what the client sends
	sequence byte
	zstd     bool
	plain    []byte // not read yet
	packed   []byte
	out      bytes.Buffer
	counts   counts
}

// Compress puts the compressed protocol below the packets.
func (p *Stream) Compress(withZstd bool) {
	p.Squeeze = &squeezer{from: p.In, zstd: withZstd, counts: counts{of: p.counts.of}}
	p.In = bufio.NewReaderSize(p.Squeeze, ReadAhead)
}

// Read reads what the client's compressed packets contain.
func (s *squeezer) Read(into []byte) (int, error) {
	for len(s.plain) == 0 {
		if err := s.next(); err != nil {
			return 0, err
		}
	}
	n := copy(into, s.plain)
	if s.plain = s.plain[n:]; len(s.plain) == 0 {
		s.plain = nil
		s.counts.give()
	}
	return n, nil
}

// next reads a compressed packet.
func (s *squeezer) next() error {
	var header [7]byte
	if _, err := io.ReadFull(s.from, header[:]); err != nil {
		return err
	}
	f := Fields{Rest: header[:]}
	packed := int(f.Number(3))
	s.sequence = f.Byte() + 1
	plain := int(f.Number(3))
	if packed+plain > FirstStep {
		if err := s.counts.take(packed + plain); err != nil {
			return err
		}
	}
	body, err := readStepwise(s.from, packed)
	if err != nil {
		return err
	}
	if plain == 0 {
		s.plain = body
		return nil
	}
	s.plain, err = s.unpack(body, plain)
	return err
}

// readStepwise reads n bytes, and allocates their memory as they come.
func readStepwise(from io.Reader, n int) ([]byte, error) {
	var out []byte
	for step := FirstStep; len(out) < n; step *= 2 {
		start := len(out)
		end := min(start+step, n)
		out = slices.Grow(out, end-start)[:end]
		if _, err := io.ReadFull(from, out[start:]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// unpack returns the n bytes that a compressed packet says it contains.
func (s *squeezer) unpack(body []byte, n int) ([]byte, error) {
	if s.zstd {
		out, err := zstdDecoder().DecodeAll(body, nil)
		if err != nil || len(out) != n {
			return nil, errSqueezed
		}
		return out, nil
	}
	r, err := zlib.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, errSqueezed
	}
	out, err := readStepwise(r, n)
	if err != nil {
		return nil, errSqueezed
	}
	return out, nil
}

// write sends part of the stream of packets.
func (s *squeezer) write(p *Stream, b []byte) error {
	for len(b) > 0 {
		n := min(len(b), oneWrite)
		packet, err := s.pack(b[:n])
		if err != nil {
			return err
		}
		if err := p.writeRaw(packet); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// pack makes a compressed packet, in memory that is valid until the next.
func (s *squeezer) pack(b []byte) ([]byte, error) {
	s.packed = append(s.packed[:0], 0, 0, 0, s.sequence, 0, 0, 0)
	s.sequence++
	plain := len(b)
	switch {
	case plain < leastCompressed:
		s.packed, plain = append(s.packed, b...), 0
	case s.zstd:
		s.packed = ZstdEncoder().EncodeAll(b, s.packed)
	default:
		if err := s.deflate(b); err != nil {
			return nil, err
		}
	}
	AppendUint24(s.packed[:0], len(s.packed)-7)
	AppendUint24(s.packed[:4], plain)
	return s.packed, nil
}

func (s *squeezer) deflate(b []byte) error {
	s.out.Reset()
	w := deflaters.Get().(*zlib.Writer)
	defer deflaters.Put(w)
	w.Reset(&s.out)
	if _, err := w.Write(b); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	s.packed = append(s.packed, s.out.Bytes()...)
	return nil
}

// Rest frees large buffers at the end of an answer.
func (s *squeezer) Rest() {
	if cap(s.packed) > KeptPayload {
		s.packed = nil
	}
	if s.out.Cap() > KeptPayload {
		s.out = bytes.Buffer{}
	}
}

// deflaters are shared, because each takes hundreds of kilobytes.
var deflaters = sync.Pool{New: func() any { return zlib.NewWriter(nil) }}

var (
	zstdDecoder = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(1<<24), zstd.WithDecoderLowmem(true))
		if err != nil {
			panic(err) // the options are constant
		}
		return d
	})
	ZstdEncoder = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithLowerEncoderMem(true))
		if err != nil {
			panic(err) // the options are constant
		}
		return e
	})
)
