package mysqlserver

import (
	"io"
	"slices"

	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/packet"
	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/wire"
	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// statement is a statement that the client has prepared.
type statement struct {
	number   uint32
	prepared *sqlfront.Statement
	types    []wire.ArgumentType // of the last execution, which the next one may reuse
	long     []wire.Pieces       // by parameter; nil if none was sent
	refused  error               // why a piece in long was refused
	cursor   *cursor             // open, or nil
}

// cursor is an open result, whose rows the client fetches in batches.
type cursor struct {
	rows    sqlfront.Rows
	columns []wire.Column
	counted int // bytes in the session's memory
}

// cursorBytes is roughly what an open cursor takes in addition to its arguments and to the
// memory that its statement claims of the session.
const cursorBytes = 128 << 10

const longDataBytes = 40

// unknownStatement is the error for a number that no statement has.
func unknownStatement(number uint32, in string) error {
	return mysqlerr.New(mysqlerr.UnknownStmtHandler, "Unknown prepared statement handler (%d) given to %s", number, in)
}

// preparedCommand answers a command that prepares a statement or uses a prepared one.
func (c *conn) preparedCommand(kind byte, body []byte) error {
	if kind == comStmtPrepare {
		return c.prepare(c.text(body))
	}
	f := packet.Fields{Rest: body}
	number := f.Uint32()
	st := c.statements[number]
	switch kind {
	case comStmtClose: // has no answer
		c.closeStatement(st)
		return nil
	case comStmtLongData: // has no answer either
		if parameter := int(f.Uint16()); st != nil && !f.Bad {
			c.addLong(st, parameter, f.Rest)
		}
		return nil
	case comStmtReset:
		return c.resetStatement(st, number)
	case comStmtFetch:
		return c.fetch(st, number, f.Uint32())
	}
	if st == nil {
		return c.fail(unknownStatement(number, "mysqld_stmt_execute"))
	}
	return c.executePrepared(st, &f)
}

// prepare is COM_STMT_PREPARE.
func (c *conn) prepare(text string) error {
	prepared, err := c.parse(text)
	if err != nil {
		return c.fail(err)
	}
	columns, err := c.session.Describe(c.ctx, prepared)
	if err != nil {
		return c.fail(err)
	}
	c.lastNumber++
	st := &statement{number: c.lastNumber, prepared: prepared}
	if c.statements == nil {
		c.statements = map[uint32]*statement{}
	}
	c.statements[st.number] = st
	return c.describeStatement(st, columns)
}

// describeStatement answers COM_STMT_PREPARE.
func (c *conn) describeStatement(st *statement, columns []sqlfront.Column) error {
	params := make([]sqlfront.Column, st.prepared.Parsed.NumParams)
	for i := range params {
		params[i] = sqlfront.Column{Name: "?", Type: value.Type{Kind: value.Bytes, Nullable: true}}
	}
	b := append(c.Begin(), okHeader)
	b = packet.AppendUint32(b, st.number)
	b = packet.AppendUint16(b, uint16(len(columns)))
	b = packet.AppendUint16(b, uint16(len(params)))
	b = append(b, 0)
	if err := c.End(packet.AppendUint16(b, c.warnings())); err != nil {
		return err
	}
	for _, list := range [][]sqlfront.Column{params, columns} {
		if len(list) == 0 {
			continue
		}
		if _, err := c.describe(list, nil); err != nil {
			return err
		}
		if !c.caps.has(deprecateEOF) {
			if err := c.eof(0); err != nil {
				return err
			}
		}
	}
	return nil
}

// The flags of COM_STMT_EXECUTE.
const cursorReadOnly = 1

// executePrepared is COM_STMT_EXECUTE.
func (c *conn) executePrepared(st *statement, f *packet.Fields) error {
	c.closeCursor(st)
	defer c.forgetLong(st)
	if st.refused != nil {
		return c.fail(st.refused)
	}
	flags := f.Byte()
	f.Take(4) // how often to run it, always once
	args, err := st.arguments(f)
	if err != nil {
		return c.fail(err)
	}
	if flags&cursorReadOnly != 0 {
		return c.openCursor(st, args)
	}
	_, err = c.execute(st.prepared, args, 0, binaryRows)
	return err
}

// openCursor runs a statement whose rows are fetched later. It copies the
// arguments, because the rows may be read when their packet is gone.
func (c *conn) openCursor(st *statement, args []value.Value) error {
	bytes := cursorBytes
	for i := range args {
		args[i] = args[i].Clone()
		bytes += len(args[i].Raw())
	}
	if err := c.session.Take(bytes); err != nil {
		return c.fail(err)
	}
	c.running = st.prepared
	rows, changed, err := c.session.Run(c.ctx, st.prepared, args)
	if err != nil || rows == nil {
		c.session.Give(bytes)
	}
	if err != nil {
		return c.fail(err)
	}
	if rows == nil {
		return c.ok(result{Result: changed, info: c.session.LastInfo()})
	}
	st.cursor = &cursor{rows: rows, counted: bytes}
	if st.cursor.columns, err = c.sendColumns(rows.Columns(), c.source(st.prepared), cursorExists); err != nil {
		c.closeCursor(st)
	}
	return err
}

// fetch is COM_STMT_FETCH: the next n rows of a cursor.
func (c *conn) fetch(st *statement, number, n uint32) error {
	if st == nil {
		return c.fail(unknownStatement(number, "mysqld_stmt_fetch"))
	}
	if st.cursor == nil {
		return c.fail(mysqlerr.New(mysqlerr.StmtHasNoOpenCursor, "The statement (%d) has no open cursor.", number))
	}
	c.running = st.prepared
	for range n {
		row, err := st.cursor.next()
		if err == io.EOF {
			c.closeCursor(st)
			return c.eofOrOK(cursorExists | lastRowSent)
		}
		if err != nil {
			c.closeCursor(st)
			return c.fail(err)
		}
		if err := c.End(wire.AppendBinary(c.Begin(), st.cursor.columns, row)); err != nil {
			return err
		}
	}
	return c.eofOrOK(cursorExists)
}

func (cur *cursor) next() ([]value.Value, error) { return cur.rows.Next() }

func (c *conn) resetStatement(st *statement, number uint32) error {
	if st == nil {
		return c.fail(unknownStatement(number, "mysqld_stmt_reset"))
	}
	c.closeCursor(st)
	c.forgetLong(st)
	return c.ok(result{})
}

func (c *conn) closeCursor(st *statement) {
	if st.cursor != nil {
		st.cursor.rows.Close()
		c.session.Give(st.cursor.counted)
		st.cursor = nil
	}
}

func (c *conn) closeStatement(st *statement) {
	if st != nil {
		c.closeCursor(st)
		c.forgetLong(st)
		delete(c.statements, st.number)
		c.session.Forget(st.prepared)
	}
}

func (c *conn) closeStatements() {
	for _, st := range c.statements {
		c.closeStatement(st)
	}
}

// longPackets limits the arguments that a connection has sent in pieces, over all its
// statements, as a multiple of max_allowed_packet.
const longPackets = 4

// addLong adds a piece of an argument. Errors are reported when the statement
// is executed, because this command has no answer.
func (c *conn) addLong(st *statement, parameter int, piece []byte) {
	if parameter >= st.prepared.Parsed.NumParams || st.refused != nil || st.long == nil && !c.beginLong(st) {
		return
	}
	d, limit := &st.long[parameter], c.session.MaxAllowedPacket()
	d.Sent = true
	d.TooLong = d.TooLong || len(d.Bytes)+len(piece) > limit || c.held+len(piece) > longPackets*limit
	if d.TooLong {
		c.giveLong(d)
		return
	}
	if st.refused = c.session.Take(len(piece)); st.refused != nil {
		return
	}
	c.held += len(piece)
	d.Bytes = append(slices.Grow(d.Bytes, len(piece)), piece...)
}

// beginLong allocates room for arguments that are sent in pieces.
func (c *conn) beginLong(st *statement) bool {
	n := st.prepared.Parsed.NumParams
	if st.refused = c.session.Take(n * longDataBytes); st.refused == nil {
		st.long = make([]wire.Pieces, n)
	}
	return st.refused == nil
}

// giveLong frees the pieces of an argument.
func (c *conn) giveLong(d *wire.Pieces) {
	c.held -= len(d.Bytes)
	c.session.Give(len(d.Bytes))
	d.Bytes = nil
}

func (c *conn) forgetLong(st *statement) {
	for i := range st.long {
		c.giveLong(&st.long[i])
	}
	c.session.Give(len(st.long) * longDataBytes)
	st.long, st.refused = nil, nil
}

// arguments are the values of COM_STMT_EXECUTE. Strings are in the packet's memory.
func (st *statement) arguments(f *packet.Fields) ([]value.Value, error) {
	n := st.prepared.Parsed.NumParams
	if n == 0 {
		return nil, nil
	}
	return wire.ReadArguments(f, n, &st.types, st.long)
}
