package parquetfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/hbasekv/hbasekv/driver/cellio"
)

// Reader reads the cells of a file; it is a cellio.Reader.
type Reader struct {
	groups []parquet.RowGroup // not read yet
	rows   parquet.Rows       // of the current group, or nil
	at     [5]int             // the columns of cellNames, -1 if missing
	buf    []parquet.Row
	left   []parquet.Row // of buf, not returned yet
	row    int
	total  int64 // rows, according to the footer
}

var cellNames = []string{"row", "family", "qualifier", "timestamp", "value"}

// NewReader reads the footer of a file, which describes its columns.
func NewReader(in io.ReaderAt, size int64) (r *Reader, err error) {
	defer recovered(&err)
	if err := checkFooter(in, size); err != nil {
		return nil, err
	}
	f, err := parquet.OpenFile(in, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	if err := checkCodecs(f.Metadata()); err != nil {
		return nil, err
	}
	r = &Reader{groups: f.RowGroups(), buf: make([]parquet.Row, batchRows/4), total: f.NumRows()}
	return r, r.find(f.Schema())
}

// checkFooter compares the length of the footer, which the library trusts, with that
// of the file.
func checkFooter(in io.ReaderAt, size int64) error {
	var end [8]byte
	if size < int64(len(magic)+len(end)) {
		return errNoParquet
	}
	if _, err := in.ReadAt(end[:], size-int64(len(end))); err != nil {
		return err
	}
	if string(end[4:]) != magic {
		return errNoParquet
	}
	if int64(binary.LittleEndian.Uint32(end[:4])) > size-int64(len(magic)+len(end)) {
		return errors.New("the Parquet file is damaged: its footer is longer than the file")
	}
	return nil
}

const magic = "PAR1"

var errNoParquet = errors.New("this is not a Parquet file, or its end is missing: it does not end with PAR1")

// checkCodecs refuses LZ4, for which the library allocates ever more memory if a
// page is damaged.
func checkCodecs(m *format.FileMetaData) error {
	for _, group := range m.RowGroups {
		for i := range group.Columns {
			switch codec := group.Columns[i].MetaData.Codec; codec {
			case format.Uncompressed, format.Snappy, format.Gzip, format.Brotli, format.Zstd:
			default:
				return fmt.Errorf("the Parquet file is compressed by %s: write it with ZSTD, SNAPPY or GZIP", codec)
			}
		}
	}
	return nil
}

// recovered turns a panic of the library, for a damaged file, into an error.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("the Parquet file is damaged: %v", r)
	}
}

// find finds the columns of cells.
func (r *Reader) find(schema *parquet.Schema) error {
	fields := schema.Fields()
	for i, name := range cellNames {
		at := slices.IndexFunc(fields, func(f parquet.Field) bool {
			return strings.EqualFold(f.Name(), name) || strings.EqualFold(f.Name(), "KFQTV"[i:i+1])
		})
		r.at[i] = -1
		if at < 0 && name != "family" {
			return fmt.Errorf("the Parquet file has no column %s", name)
		}
		if at < 0 {
			continue
		}
		leaf, ok := schema.Lookup(fields[at].Name())
		if !ok || fields[at].Repeated() || !fits(name, fields[at].Type()) {
			return fmt.Errorf("the column %s of the Parquet file has the type %s: "+
				"timestamp is INT64 in milliseconds, and all others are BYTE_ARRAY", fields[at].Name(), fields[at])
		}
		r.at[i] = leaf.ColumnIndex
	}
	return nil
}

func fits(name string, t parquet.Type) bool {
	if name != "timestamp" {
		return t.Kind() == parquet.ByteArray || t.Kind() == parquet.FixedLenByteArray
	}
	if logical := t.LogicalType(); logical != nil {
		if stamp, ok := logical.Value.(*format.TimestampType); ok && stamp.Unit.Value.Duration() != time.Millisecond {
			return false
		}
	}
	return t.Kind() == parquet.Int64
}

// Line implements cellio.Reader: it is the number of the row, from 1.
func (r *Reader) Line() int { return r.row }

// Read implements cellio.Reader.
func (r *Reader) Read() (c cellio.Cell, err error) {
	defer recovered(&err)
	for len(r.left) == 0 {
		if err := r.fill(); err != nil {
			return cellio.Cell{}, err
		}
	}
	row := r.left[0]
	r.left = r.left[1:]
	r.row++
	return r.cell(row)
}

// fill reads rows, from the next group if one has ended.
func (r *Reader) fill() (err error) {
	if r.rows == nil {
		if len(r.groups) == 0 {
			return r.end()
		}
		r.rows, r.groups = r.groups[0].Rows(), r.groups[1:]
	}
	n, err := r.rows.ReadRows(r.buf)
	r.left = r.buf[:n]
	if err == io.EOF {
		rows := r.rows
		r.rows = nil
		// The rows that came with io.EOF are only valid until the next call.
		for i, row := range r.left {
			r.left[i] = row.Clone()
		}
		return rows.Close()
	}
	return err
}

// end is the error after the last row.
func (r *Reader) end() error {
	if int64(r.row) != r.total {
		return fmt.Errorf("the Parquet file is damaged: it has %d rows, of %d", r.row, r.total)
	}
	return io.EOF
}

// cell copies the values of a row.
func (r *Reader) cell(row parquet.Row) (c cellio.Cell, err error) {
	for _, v := range row {
		switch column := v.Column(); {
		case column == r.at[3] && v.IsNull():
			return c, &cellio.BadLine{Reason: "the timestamp is null"}
		case column == r.at[3]:
			c.Timestamp = v.Int64()
		case v.IsNull() && (column == r.at[0] || column == r.at[2]):
			return c, &cellio.BadLine{Reason: "the row or the qualifier is null"}
		case v.IsNull():
		case column == r.at[0]:
			c.Row = copied(v)
		case column == r.at[1]:
			c.Family = string(v.ByteArray())
		case column == r.at[2]:
			c.Qualifier = copied(v)
		case column == r.at[4]:
			c.Value = copied(v)
		}
	}
	return c, nil
}

// copied is never nil.
func copied(v parquet.Value) []byte { return append([]byte{}, v.ByteArray()...) }

// Close ends the reading early.
func (r *Reader) Close() error {
	if r.rows == nil {
		return nil
	}
	return r.rows.Close()
}
