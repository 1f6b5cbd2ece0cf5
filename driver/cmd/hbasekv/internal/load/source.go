package load

import (
	"errors"
	"fmt"
	"math"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/cellio"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/fileformat"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/target"
)

// source is what to load, line by line. A line is what is loaded or refused as
// a whole: the cells of a row, or one cell.
type source interface {
	// next returns a line's cells, valid until the next call, or io.EOF after
	// the last. The error of a line that cannot be read is a *cellio.BadLine.
	next() ([]driver.Cell, error)
	// at says where the last line is, as in "line 4".
	at() string
	// tables are the names to which driver.Cell.Table is an index.
	tables() []string
}

// lineSource is lines with the fields of one row each.
type lineSource struct {
	lines     cellio.Lines
	spec      *cellio.Columns
	timestamp int64
	header    bool // the first line is skipped
	skipEmpty bool

	number int
	buf    lineBytes
	cells  []driver.Cell
}

func (s *lineSource) at() string { return fmt.Sprintf("line %d", s.number) }

func (s *lineSource) tables() (names []string) {
	for _, f := range s.spec.Families {
		names = append(names, f.Table)
	}
	return names
}

func (s *lineSource) next() ([]driver.Cell, error) {
	fields, err := s.fields()
	if err != nil {
		return nil, err
	}
	key, t, err := s.spec.Row(fields, s.timestamp)
	if err != nil {
		return nil, &cellio.BadLine{Reason: err.Error()}
	}
	s.cells = s.cells[:0]
	s.buf = append(s.buf[:0], key...)
	k := s.buf
	for i := range s.spec.Families {
		f := &s.spec.Families[i]
		for j, field := range f.Fields {
			if v := fields[field]; v != "" || !s.skipEmpty {
				q := s.buf.take(f.Qualifiers[j])
				s.cells = append(s.cells, driver.Cell{Table: i, K: k, Q: q, T: t, V: s.buf.take(v)})
			}
		}
	}
	return s.cells, nil
}

// fields are the fields of the next line to load.
func (s *lineSource) fields() ([]string, error) {
	for {
		fields, line, err := s.lines.Next()
		var bad *cellio.BadLine
		if err == nil || errors.As(err, &bad) {
			s.number = line
			if s.header {
				s.header = false
				continue
			}
		}
		return fields, err
	}
}

// lineBytes is the memory of a line's cells.
type lineBytes []byte

// take returns a text's bytes, which are never nil.
func (b *lineBytes) take(text string) []byte {
	n := len(*b)
	*b = append(*b, text...)
	return (*b)[n:len(*b):len(*b)]
}

// cellSource is cells, one per line.
type cellSource struct {
	cells *inputCells
	to    *target.Target
	cell  [1]driver.Cell
}

func (s *cellSource) at() string { return s.cells.at() }

func (s *cellSource) tables() []string { return s.to.Tables }

func (s *cellSource) next() ([]driver.Cell, error) {
	c, err := s.cells.Read()
	if err != nil {
		return nil, err
	}
	table, err := s.to.Index(c.Family)
	if err != nil {
		return nil, &cellio.BadLine{Reason: err.Error()}
	}
	s.cell[0] = driver.Cell{Table: table, K: c.Row, Q: c.Qualifier, T: c.Timestamp, V: c.Value}
	return s.cell[:], nil
}

// negatedSource negates each T, as OceanBase's client for HBase stores them.
type negatedSource struct{ source }

func (s negatedSource) next() ([]driver.Cell, error) {
	cells, err := s.source.next()
	for i := range cells {
		if cells[i].T == math.MinInt64 {
			return nil, &cellio.BadLine{Reason: fileformat.CannotNegate}
		}
		cells[i].T = -cells[i].T
	}
	return cells, err
}
