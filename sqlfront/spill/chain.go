package spill

import (
	"encoding/binary"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// chain writes rows to pieces of a file that others write to as well. One goroutine writes a
// chain.
type chain struct {
	file   *file
	block  int // what is written at once
	pieces []run
	buf    []byte
	row    []byte
	rows   int64
}

// add appends a row. No row is in two pieces.
func (c *chain) add(row []value.Value) error {
	c.row = c.row[:0]
	for _, v := range row {
		c.row = value.AppendBinary(c.row, v)
	}
	c.rows++
	if len(c.buf)+len(c.row)+binary.MaxVarintLen32 > c.block {
		if err := c.flush(); err != nil {
			return err
		}
	}
	c.buf = append(binary.AppendUvarint(c.buf, uint64(len(c.row))), c.row...)
	return nil
}

func (c *chain) flush() error {
	if len(c.buf) == 0 {
		return nil
	}
	piece, err := c.file.append(c.buf)
	c.pieces = append(c.pieces, piece)
	if c.buf = c.buf[:0]; cap(c.buf) > c.block {
		c.buf = nil // of a large row
	}
	return err
}

// end ends the adding.
func (c *chain) end() error {
	if c.rows == 0 {
		return nil
	}
	err := c.flush()
	c.file.space.count(func(n *Counters) { n.Rows.Add(c.rows) })
	c.buf, c.row, c.rows = nil, nil, 0
	return err
}
