package spill

import (
	"encoding/binary"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// pieceWriter writes rows to pieces of a file. It is for one goroutine.
type pieceWriter struct {
	open   func() (*file, error) // shared with other writers
	block  int                   // bytes written at once
	pieces []run
	buf    []byte
	row    []byte
	rows   int64 // in buf
}

// add appends a row. A row is never split between pieces.
func (c *pieceWriter) add(row []value.Value) error {
	c.row = c.row[:0]
	for _, v := range row {
		c.row = value.AppendBinary(c.row, v)
	}
	if len(c.buf)+len(c.row)+binary.MaxVarintLen32 > c.block {
		if err := c.flush(); err != nil {
			return err
		}
	}
	c.rows++
	c.buf = append(binary.AppendUvarint(c.buf, uint64(len(c.row))), c.row...)
	if len(c.buf) > c.block { // after a large row, whose memory every writer would otherwise keep
		c.row = nil
		return c.flush()
	}
	return nil
}

func (c *pieceWriter) flush() error {
	if len(c.buf) == 0 {
		return nil
	}
	file, err := c.open()
	if err != nil {
		return err
	}
	piece, err := file.append(c.buf)
	file.space.count(func(n *Counters) { n.Rows.Add(c.rows) })
	c.rows = 0
	c.pieces = append(c.pieces, piece)
	if c.buf = c.buf[:0]; cap(c.buf) > c.block {
		c.buf = nil // after a large row
	}
	return err
}

// end ends the adding.
func (c *pieceWriter) end() error {
	err := c.flush()
	c.buf, c.row = nil, nil
	return err
}

// keep ends the adding if no row has been written.
func (c *pieceWriter) keep() {
	if len(c.buf) > 0 {
		c.pieces = []run{{kept: c.buf}}
	}
	c.buf, c.row = nil, nil
}
