package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/driver/cellio"
)

// input is the file that is loaded, line by line.
type input struct {
	size   int64        // in bytes as stored, -1 where unknown
	read   atomic.Int64 // bytes as stored, so far
	lines  cellio.Lines
	closer []io.Closer
}

// openInput opens a file, or standard input for "-". A gzipped file is known by
// its first bytes; CSV from TSV by the name or, where that says nothing, by
// whether there is a tab in the first line. separator decides where it is
// given: comma means CSV with quotes, anything else plain fields.
func openInput(path, separator string, stdin io.Reader) (*input, error) {
	in := &input{size: -1}
	var raw io.Reader = stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		in.closer = append(in.closer, f)
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			in.size = info.Size()
		}
		raw = f
	}
	text, err := in.plain(&countingReader{raw, &in.read})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), in.Close())
	}
	if bom, _ := text.Peek(3); string(bom) == "\xef\xbb\xbf" {
		_, _ = text.Discard(3)
	}
	if separator == "" {
		separator = guessSeparator(path, text)
	}
	in.lines = cellio.NewLines(text, separator)
	return in, nil
}

// plain takes the compression off.
func (in *input) plain(raw io.Reader) (*bufio.Reader, error) {
	buffered := bufio.NewReaderSize(raw, 256<<10)
	if magic, _ := buffered.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return buffered, nil
	}
	unzip, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, err
	}
	in.closer = append(in.closer, unzip)
	return bufio.NewReaderSize(unzip, 256<<10), nil
}

func (in *input) Close() error {
	var errs []error
	for _, c := range in.closer {
		errs = append(errs, c.Close())
	}
	in.closer = nil
	return errors.Join(errs...)
}

func guessSeparator(path string, text *bufio.Reader) string {
	switch filepath.Ext(strings.TrimSuffix(strings.ToLower(path), ".gz")) {
	case ".csv":
		return ","
	case ".tsv", ".tab":
		return "\t"
	}
	if bytes.ContainsRune(firstLine(text), '\t') {
		return "\t"
	}
	return ","
}

// firstLine looks at the first line without waiting for more than that.
func firstLine(text *bufio.Reader) []byte {
	for n := 1; ; n = text.Buffered() + 1 {
		_, err := text.Peek(n)
		head, _ := text.Peek(text.Buffered())
		line, _, found := bytes.Cut(head, []byte{'\n'})
		if found || err != nil {
			return line
		}
	}
}

// countingReader counts what is read through it.
type countingReader struct {
	r io.Reader
	n *atomic.Int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}
