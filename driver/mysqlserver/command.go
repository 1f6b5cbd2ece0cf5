package mysqlserver

import (
	"strconv"
	"strings"
	"unsafe"

	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/packet"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// command answers one command, whose packet is valid until the next is read. An error
// ends the connection; a statement's error is sent to the client.
func (c *conn) command(kind byte, body []byte) error {
	switch kind {
	case comQuery:
		return c.query(c.text(body))
	case comStmtPrepare, comStmtExecute, comStmtFetch, comStmtLongData, comStmtReset, comStmtClose:
		return c.preparedCommand(kind, body)
	case comPing:
		return c.ok(result{})
	case comInitDB:
		return c.query("USE " + quoted(string(body)))
	case comQuit:
		return errQuit
	case comResetConnection:
		return c.resetConnection()
	case comChangeUser:
		return c.changeUser(body)
	}
	return c.rareCommand(kind, body)
}

func (c *conn) rareCommand(kind byte, body []byte) error {
	f := packet.Fields{Rest: body}
	switch kind {
	case comFieldList:
		return c.fieldList(f.Terminated(), f.LastString())
	case comSetOption:
		return c.setOption(f.Uint16())
	case comRefresh:
		return c.refresh(f.Byte())
	case comStatistics:
		return c.statistics()
	case comProcessKill:
		return c.query("KILL " + strconv.FormatUint(uint64(f.Uint32()), 10))
	case comProcessInfo:
		return c.query("SHOW FULL PROCESSLIST")
	case comDebug:
		return c.eof(0)
	}
	return c.fail(mysqlerr.New(mysqlerr.UnknownCom, "Unknown command"))
}

// text is a statement's text. For a long text it is the packet's memory, which the
// text then keeps.
func (c *conn) text(body []byte) string {
	if len(body) <= packet.KeptPayload {
		return string(body)
	}
	c.Keep()
	return unsafe.String(&body[0], len(body))
}

// quoted is an identifier as it is written in a statement.
func quoted(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// setOption is COM_SET_OPTION: whether a text may contain several statements.
func (c *conn) setOption(option uint16) error {
	if option > 1 {
		return c.fail(mysqlerr.New(mysqlerr.UnknownCom, "Unknown command"))
	}
	c.multi = option == 0
	return c.eof(0)
}

// fieldList is COM_FIELD_LIST: the columns of a table whose names match a pattern.
func (c *conn) fieldList(table, pattern string) error {
	columns, err := c.columnsOf(table)
	if err != nil {
		return c.fail(err)
	}
	for i := range columns {
		if pattern != "" && !rights.Like(pattern, columns[i].Name, 0) {
			continue
		}
		w := c.wireColumn(&columns[i], nil)
		b := c.appendColumn(c.Begin(), &columns[i], &w)
		if err := c.End(append(b, packet.NullValue)); err != nil { // its default
			return err
		}
	}
	return c.eof(0)
}

// refreshed are the statements for the bits of COM_REFRESH, from the lowest. There is no
// thread cache and no replica.
var refreshed = [8]string{"FLUSH PRIVILEGES", "FLUSH LOGS", "FLUSH TABLES", "FLUSH HOSTS", "FLUSH STATUS"}

// refresh is COM_REFRESH, with which old clients and mysqladmin flush.
func (c *conn) refresh(what byte) error {
	for bit, text := range refreshed {
		if what&(1<<bit) == 0 {
			continue
		}
		if text == "" {
			text = "FLUSH STATUS" // requires the same right
		}
		prepared, err := c.session.Prepare(c.ctx, text)
		if err == nil {
			_, err = c.session.Exec(c.ctx, prepared, nil)
		}
		if err != nil {
			return c.fail(err)
		}
	}
	return c.ok(result{})
}
