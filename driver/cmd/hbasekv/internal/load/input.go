package load

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

	"github.com/klauspost/compress/zstd"

	"github.com/hbasekv/hbasekv/driver/cellio"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/fileformat"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/parquetfile"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/seqfile"
)

// input is what to load: a file, the files of a directory, or standard input.
type input struct {
	size  int64        // in bytes as stored, -1 if unknown
	read  atomic.Int64 // bytes as stored, so far
	paths []string     // "-" for standard input
	stdin io.Reader
}

// OpenInput finds the files: in a directory, all except those whose names begin
// with a dot or, like _SUCCESS, with an underscore.
func OpenInput(path string, stdin io.Reader) (*input, error) {
	in := &input{size: -1, paths: []string{path}, stdin: stdin}
	if path == "-" {
		return in, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Mode().IsRegular() {
		in.size = info.Size()
	}
	if !info.IsDir() {
		return in, nil
	}
	in.paths, in.size = nil, 0
	entries, err := os.ReadDir(path)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && !strings.ContainsAny(e.Name()[:1], "._") {
			in.paths = append(in.paths, filepath.Join(path, e.Name()))
			in.size += info.Size()
		}
	}
	if err == nil && len(in.paths) == 0 {
		err = fmt.Errorf("the directory %s has no files", path)
	}
	return in, err
}

// part is an open file of an input, decompressed.
type part struct {
	*bufio.Reader
	path   string
	file   *os.File // if it has random access, as it is not compressed
	read   *atomic.Int64
	closer []func() error
}

// open opens a file. A compressed one is recognized by its first bytes.
func (in *input) open(path string) (*part, error) {
	p := &part{path: path, read: &in.read}
	raw := in.stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		p.file, raw = f, f
		p.closer = append(p.closer, f.Close)
	}
	if err := p.plain(&countingReader{r: raw, n: &in.read}); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), p.Close())
	}
	if bom, _ := p.Peek(3); string(bom) == "\xef\xbb\xbf" {
		_, _ = p.Discard(3)
	}
	return p, nil
}

const inputBuffer = 256 << 10

// plain decompresses the file.
func (p *part) plain(raw io.Reader) error {
	p.Reader = bufio.NewReaderSize(raw, inputBuffer)
	magic, _ := p.Peek(4)
	var plain io.Reader
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		unzip, err := gzip.NewReader(p.Reader)
		if err != nil {
			return err
		}
		plain = unzip
	case string(magic) == "\x28\xb5\x2f\xfd":
		unzip, err := zstd.NewReader(p.Reader, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return err
		}
		p.closer = append(p.closer, func() error { unzip.Close(); return nil })
		plain = unzip
	case len(magic) == 0:
		if _, compression := fileformat.CompressionOf(p.path); compression != "" {
			return fmt.Errorf("the file is empty, which no %s file is: %w", compression, io.ErrUnexpectedEOF)
		}
		return nil
	default:
		return nil
	}
	p.Reader, p.file = bufio.NewReaderSize(plain, inputBuffer), nil
	return nil
}

func (p *part) Close() error {
	var errs []error
	for i := len(p.closer) - 1; i >= 0; i-- {
		errs = append(errs, p.closer[i]())
	}
	p.closer = nil
	return errors.Join(errs...)
}

// format is that of the command line, or of the name, or of the first bytes.
func (p *part) format(said *fileformat.Format) *fileformat.Format {
	if said != nil {
		return said
	}
	if f := fileformat.OfName(p.path); f != nil {
		return f
	}
	return fileformat.OfBytes(p.Reader)
}

// separator is what separates the fields of a line by default: a comma means CSV
// with quotes.
func (p *part) separator() string {
	switch fileformat.OfName(p.path) {
	case fileformat.CsvFile:
		return ","
	case fileformat.TsvFile:
		return "\t"
	}
	if bytes.ContainsRune(fileformat.FirstLine(p.Reader), '\t') {
		return "\t"
	}
	return ","
}

// countingReader counts what is read through it. It keeps an error, because package
// bufio forgets one that it met while peeking.
type countingReader struct {
	r   io.Reader
	n   *atomic.Int64
	err error
}

func (c *countingReader) Read(p []byte) (n int, err error) {
	if c.err != nil {
		return 0, c.err
	}
	n, c.err = c.r.Read(p)
	c.n.Add(int64(n))
	return n, c.err
}

// inputCells reads the cells of all files, one file after another.
type inputCells struct {
	in     *input
	said   *fileformat.Format
	opened int // the number of files opened so far
	part   *part
	format *fileformat.Format // of the part
	reader cellio.Reader
}

// at says where the last cell began.
func (r *inputCells) at() string {
	if r.reader == nil {
		return "the beginning"
	}
	text := fmt.Sprintf("%s %d", r.format.Unit(), r.reader.Line())
	if len(r.in.paths) > 1 {
		text = filepath.Base(r.part.path) + ", " + text
	}
	return text
}

// Read returns the next cell; its errors are those of cellio.Reader.
func (r *inputCells) Read() (cellio.Cell, error) {
	for {
		if r.reader == nil {
			if err := r.open(); err != nil {
				return cellio.Cell{}, err
			}
		}
		c, err := r.reader.Read()
		if err != io.EOF || r.opened == len(r.in.paths) {
			return c, err
		}
		if err := r.Close(); err != nil {
			return c, err
		}
		r.reader = nil
	}
}

// open opens the next file.
func (r *inputCells) open() (err error) {
	if r.part, err = r.in.open(r.in.paths[r.opened]); err != nil {
		return err
	}
	r.opened++
	r.format = r.part.format(r.said)
	r.reader, err = readCells(r.part, r.format)
	if err != nil {
		err = errors.Join(fmt.Errorf("%s: %w", r.part.path, err), r.Close())
	}
	return err
}

func (r *inputCells) Close() error {
	if r.part == nil {
		return nil
	}
	return r.part.Close()
}

// readCells returns a reader of the cells of one file.
func readCells(p *part, f *fileformat.Format) (cellio.Reader, error) {
	switch f {
	case fileformat.SqlFile:
		return nil, errors.New("statements are run, not loaded: hbasekv sql DSN < FILE")
	case fileformat.SequenceFile:
		return seqfile.NewReader(p)
	case fileformat.ParquetFile:
		return p.parquet()
	}
	if f == fileformat.CsvFile || f == fileformat.TsvFile || f == fileformat.TextFile {
		r, err := cellio.NewReader(p.wholeLines(), f.Text)
		if err != nil && f != fileformat.TextFile {
			err = fmt.Errorf("%w; a file whose lines are rows with columns of their own is loaded by --key or --columns", err)
		}
		return r, err
	}
	return cellio.NewReader(p, f.Text) // these formats know their end
}

// wholeLines is the text of a part. On standard input the last line must end with a line end,
// because nothing else shows that the writing program has ended too early. Files need not,
// because many programs write them without.
func (p *part) wholeLines() io.Reader {
	if p.path == "-" {
		return &wholeLines{in: p}
	}
	return p
}

// wholeLines is a text in which each line, including the last, must have a line end.
type wholeLines struct {
	in   io.Reader
	open bool // the last line has no line end yet
}

var errLastLine = errors.New("the last line has no line end and may be incomplete: " +
	"add one if the line is complete")

func (w *wholeLines) Read(p []byte) (int, error) {
	n, err := w.in.Read(p)
	if n > 0 {
		w.open = p[n-1] != '\n'
	}
	if err == io.EOF && w.open {
		err = errLastLine
	}
	return n, err
}

// parquet reads cells from Parquet, which needs random access: an input without
// it is copied to a temporary file.
func (p *part) parquet() (cellio.Reader, error) {
	file := p.file
	if file == nil {
		var err error
		if file, err = os.CreateTemp("", "hbasekv-*.parquet"); err != nil {
			return nil, err
		}
		p.closer = append(p.closer, func() error { return errors.Join(file.Close(), os.Remove(file.Name())) })
		if _, err := io.Copy(file, p); err != nil {
			return nil, err
		}
	}
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return parquetfile.NewReader(&countingReaderAt{file, p.read}, info.Size())
}

// countingReaderAt counts what is read through it.
type countingReaderAt struct {
	r io.ReaderAt
	n *atomic.Int64
}

func (c *countingReaderAt) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.r.ReadAt(p, off)
	c.n.Add(int64(n))
	return n, err
}
