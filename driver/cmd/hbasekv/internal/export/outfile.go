package export

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/fileformat"
)

// outFile is a file that is being written; it gets its name when it is
// complete.
type outFile struct {
	*bufio.Writer
	path   string
	file   *os.File // the temporary one, nil for standard output
	zipper io.WriteCloser
}

// createOut creates a file, compressed if its name says so, or writes to stdout
// for "-". It fails if the file exists, unless replace is set.
func createOut(path string, replace bool, stdout io.Writer) (*outFile, error) {
	o := &outFile{path: path}
	raw := stdout
	if path != "-" {
		if _, err := os.Lstat(path); err == nil && !replace {
			return nil, fmt.Errorf("%s exists: --force replaces it", path)
		}
		partial := fmt.Sprintf(".%s.%d", filepath.Base(path), os.Getpid())
		f, err := os.OpenFile(filepath.Join(filepath.Dir(path), partial), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, err
		}
		o.file, raw = f, f
	}
	switch _, compression := fileformat.CompressionOf(path); compression {
	case ".gz":
		z := gzip.NewWriter(raw)
		o.zipper, raw = z, z
	case ".zst":
		z, err := zstd.NewWriter(raw, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return nil, errors.Join(err, o.abandon())
		}
		o.zipper, raw = z, z
	}
	o.Writer = bufio.NewWriterSize(raw, 256<<10)
	return o, nil
}

// finish writes what is buffered, and gives the file its name.
func (o *outFile) finish() error {
	err := o.Flush()
	if o.zipper != nil && err == nil {
		err = o.zipper.Close()
	}
	if o.file == nil {
		return err
	}
	if err == nil {
		err = o.file.Sync()
	}
	if err == nil {
		err = os.Rename(o.file.Name(), o.path)
	}
	if err != nil {
		return errors.Join(err, o.abandon())
	}
	f := o.file
	o.file = nil
	return f.Close()
}

// abandon removes what was written. It may be called twice, and after finish.
func (o *outFile) abandon() error {
	if o.file == nil {
		return nil
	}
	_ = o.file.Close() // its content is not needed
	err := os.Remove(o.file.Name())
	o.file = nil
	return err
}
