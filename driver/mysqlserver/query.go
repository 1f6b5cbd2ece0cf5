package mysqlserver

import (
	"errors"
	"io"
	"strings"

	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/packet"
	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/wire"
	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/answers"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// query is COM_QUERY: one statement or, if the client may send several, the
// statements of a script up to the first that fails.
func (c *conn) query(text string) error {
	if c.multi && severalIn(text) {
		if n, err := c.piecesIn(text); err == nil && n > 0 {
			return c.script(text, n)
		}
	}
	_, err := c.statement(text, 0)
	return err
}

// piecesIn is the number of a script's statements. It does not keep them, as there may be
// many.
func (c *conn) piecesIn(script string) (n int, err error) {
	err = c.session.EachPiece(script, func(string) error {
		n++
		return nil
	})
	return n, err
}

// script runs the n statements of a script.
func (c *conn) script(text string, n int) error {
	err := c.session.EachPiece(text, func(each string) error {
		var more status
		if n--; n > 0 {
			more = moreResults
		}
		failed, err := c.statement(each, more)
		if failed && err == nil {
			err = errFailed
		}
		return err
	})
	if err == errFailed {
		return nil
	}
	return err
}

// errFailed ends a script after a statement that failed.
var errFailed = errors.New("a statement has failed")

// severalIn is false for most texts of one statement.
func severalIn(text string) bool {
	i := strings.IndexByte(text, ';')
	return i >= 0 && strings.TrimRight(text[i+1:], " \t\r\n;") != ""
}

// statement runs a statement and sends its result in the text protocol.
func (c *conn) statement(text string, more status) (failed bool, err error) {
	prepared, err := c.parse(text)
	if err != nil {
		return true, c.fail(err)
	}
	return c.execute(prepared, nil, more, textRows)
}

// parse prepares a client's text. Strings in it get the bytes that they have in
// character_set_connection, as in MySQL: those are stored and compared. Names are UTF-8.
func (c *conn) parse(text string) (*sqlfront.Statement, error) {
	t := c.spoken()
	if t.client == t.connection && t.client == nil || wire.IsASCII(text) {
		return c.session.Prepare(c.ctx, text)
	}
	client, connection := t.client, t.connection
	return c.session.PrepareRecoded(c.ctx, string(client.Decode([]byte(text))), func(text []byte, introduced bool) []byte {
		if introduced { // it stays as the client has written it
			return client.Encode(text)
		}
		return connection.Encode(text)
	})
}

// rowFormat writes the rows of a result: row any row, cell a row that is a cell.
type rowFormat struct {
	row  func(b []byte, columns []wire.Column, row []value.Value) []byte
	cell func(b []byte, places []answers.Place, cell *answers.Cell) []byte
}

// The protocols.
var (
	textRows   = rowFormat{wire.AppendText, wire.AppendTextCell}
	binaryRows = rowFormat{wire.AppendBinary, wire.AppendBinaryCell}
)

// execute runs a statement and sends its result.
func (c *conn) execute(st *sqlfront.Statement, args []value.Value, more status, format rowFormat) (bool, error) {
	c.running = st
	rows, changed, err := c.session.Run(c.ctx, st, args)
	if err != nil {
		return true, c.fail(err)
	}
	if rows == nil {
		return false, c.ok(result{Result: changed, info: c.session.LastInfo(), status: more})
	}
	return c.send(rows, c.source(st), more, format)
}

// send sends a result set.
func (c *conn) send(rows sqlfront.Rows, source *wire.Encoding, more status, format rowFormat) (failed bool, err error) {
	defer rows.Close()
	columns, err := c.sendColumns(rows.Columns(), source, 0)
	if err != nil {
		return true, err
	}
	err = c.sendRows(rows, columns, format)
	var w *wireError
	switch {
	case errors.As(err, &w):
		return true, w.error
	case err != io.EOF:
		return true, c.fail(err)
	}
	if err := rows.Close(); err != nil {
		return true, c.fail(err)
	}
	return false, c.eofOrOK(more)
}

// wireError is an error of the connection, not of the statement.
type wireError struct{ error }

func onWire(err error) error {
	if err == nil {
		return nil
	}
	return &wireError{err}
}

// sendColumns sends the head of a result set.
func (c *conn) sendColumns(columns []sqlfront.Column, source *wire.Encoding, with status) ([]wire.Column, error) {
	if err := c.End(packet.AppendLenenc(c.Begin(), uint64(len(columns)))); err != nil {
		return nil, err
	}
	described, err := c.describe(columns, source)
	if err != nil || c.caps.has(deprecateEOF) && with == 0 {
		return described, err
	}
	return described, c.eof(with)
}

// describe sends the descriptions of columns.
func (c *conn) describe(columns []sqlfront.Column, source *wire.Encoding) ([]wire.Column, error) {
	described := make([]wire.Column, len(columns))
	for i := range columns {
		described[i] = c.wireColumn(&columns[i], source)
		if err := c.End(c.appendColumn(c.Begin(), &columns[i], &described[i])); err != nil {
			return nil, err
		}
	}
	return described, nil
}

// sendRows sends all rows; its error after the last is io.EOF.
func (c *conn) sendRows(rows sqlfront.Rows, columns []wire.Column, format rowFormat) error {
	blocks, ok := rows.(answers.BlockRows)
	if ok {
		block, err := blocks.Block()
		if err != nil {
			return err
		}
		if block != nil {
			return c.sendBlocks(blocks, block, format)
		}
	}
	for {
		row, err := rows.Next()
		if err != nil {
			return err
		}
		if err := c.End(format.row(c.Begin(), columns, row)); err != nil {
			return onWire(err)
		}
	}
}

// sendBlocks is sendRows for rows that are cells, which go from the block into the packets.
func (c *conn) sendBlocks(rows answers.BlockRows, block *answers.Block, format rowFormat) error {
	for {
		for cell, _ := block.Take(); cell != nil; cell, _ = block.Take() {
			if err := c.End(format.cell(c.Begin(), block.Columns, cell)); err != nil {
				return onWire(err)
			}
		}
		if err := rows.NextBlock(); err != nil {
			return err
		}
	}
}

// columnsOf returns the columns of a table or a view.
func (c *conn) columnsOf(table string) ([]sqlfront.Column, error) {
	prepared, err := c.parse("SELECT * FROM " + quoted(table) + " LIMIT 0")
	if err != nil {
		return nil, err
	}
	rows, err := c.session.Query(c.ctx, prepared, nil)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return rows.Columns(), nil
}
