package mysqlserver

import (
	"context"
	"errors"

	"github.com/go-sql-driver/mysql"

	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/packet"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

var errTooManyConnections = mysqlerr.New(mysqlerr.TooManyConnections, "Too many connections")

// userError turns err into what a MySQL server sends.
func userError(err error) *mysql.MySQLError {
	var known *mysql.MySQLError
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, packet.ErrTooLarge):
		return mysqlerr.New(mysqlerr.NetPacketTooLarge, "Got a packet bigger than 'max_allowed_packet' bytes")
	case errors.Is(err, packet.ErrOrder):
		return mysqlerr.New(mysqlerr.NetPacketsOutOfOrder, "Got packets out of order")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return mysqlerr.New(mysqlerr.QueryInterrupted, "Query execution was interrupted")
	}
	return mysqlerr.New(mysqlerr.UnknownError, "%s", err)
}

// fail sends an error packet.
func (c *conn) fail(err error) error {
	e := userError(err)
	b := append(c.Begin(), errHeader)
	b = packet.AppendUint16(b, e.Number)
	if c.caps.has(protocol41) {
		state := e.SQLState
		if state == ([5]byte{}) {
			copy(state[:], "HY000")
		}
		b = append(append(b, '#'), state[:]...)
	}
	message := e.Message
	if c.session != nil {
		message = c.spoken().results.EncodeString(message)
	}
	if err := c.End(append(b, message...)); err != nil {
		return err
	}
	return c.Flush()
}
