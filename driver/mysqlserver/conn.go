package mysqlserver

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/hbasekv/hbasekv/driver/internal/client"
	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/packet"
	"github.com/hbasekv/hbasekv/kv/caught"
	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// conn is one client. Other goroutines use only its atomic fields, its context and
// its socket.
type conn struct {
	*packet.Stream
	server *server
	socket net.Conn  // under TLS
	tls    *tls.Conn // or nil
	id     uint64
	peer   string   // its address
	hosts  []string // what an account's host may match, the name for USER() first
	nonce  []byte
	beyond int // how many are connected beyond MaxConnections, including this one
	caps   capability
	multi  bool // a text may contain several statements
	ctx    context.Context
	cancel context.CancelFunc

	session    *sqlfront.Session
	shared     atomic.Pointer[sqlfront.Session] // session, for others
	running    *sqlfront.Statement              // of the current command, or nil
	statements map[uint32]*statement
	lastNumber uint32 // of a statement
	held       int    // bytes of arguments that were sent in pieces
	tracked    tracked
	texts      texts

	// lost says that what the client sends next may be the rest of a file
	// instead of a command.
	lost bool

	busy     atomic.Bool // a command is running
	sends    atomic.Bool // the client is sending a file
	stopping atomic.Bool
	seen     sight // used by server.watch
}

// sight is the state of a connection at the last check.
type sight struct {
	interrupted time.Time // since when its command is interrupted; zero if it is not
	calls       uint64    // its packets.calls
}

func (s *server) newConn(socket net.Conn, id uint64) *conn {
	c := &conn{Stream: packet.New(socket), server: s, socket: socket, id: id, nonce: randomPrintable(nonceLength)}
	c.Watch(socket)
	c.Wire = s.wire
	c.ctx, c.cancel = context.WithCancel(s.ctx)
	c.peer, c.hosts = client.Whence(socket.RemoteAddr())
	return c
}

// refuse sends an error instead of a greeting.
func (c *conn) refuse(err error) {
	defer c.close()
	c.Unread = time.Second
	c.fail(err)
}

// serve serves the client until it disconnects.
func (c *conn) serve() {
	defer c.close()
	defer c.recover()
	if err := c.login(); err != nil {
		return
	}
	for !c.stopping.Load() {
		if err := c.next(); err != nil {
			return
		}
	}
}

// recover confines a panic to its session: the session ends, and so does the connection,
// without an error packet, because it is unknown what the client has received.
func (c *conn) recover() {
	value := recover()
	if value == nil {
		return
	}
	p := caught.Of(value)
	c.cancel()
	statement := ""
	if c.running != nil {
		statement = sqlfront.Shape(c.running.Text)
	}
	if c.session != nil {
		if again := caught.Do(c.giveUpStatements); again != nil { // of what the first panic has left
			c.server.options.Log.Error("panic", "connection", c.id, "error", again.Error())
		}
		c.shared.Store(nil)
		c.session.Abandon()
		c.session = nil
	} else {
		c.server.wire.Panics.Add(1)
	}
	c.server.options.Log.Error("panic", "connection", c.id, "peer", c.peer, "error", p.Error(),
		"statement", statement, "stack", string(p.Stack))
}

func (c *conn) giveUpStatements() error {
	c.closeStatements()
	return nil
}

func (c *conn) close() {
	c.cancel()
	c.closeStatements()
	c.closeSession()
	c.Conn.Close()
	c.socket.Close()
}

// closeSession ends the session and rolls its transaction back.
func (c *conn) closeSession() {
	if c.session != nil {
		c.shared.Store(nil)
		c.CountIn(nil)
		c.session.Close()
		c.session = nil
	}
}

// next reads a command and answers it. Its errors end the connection.
func (c *conn) next() error {
	payload, err := c.awaitCommand()
	if err != nil {
		return c.cutOff(err)
	}
	if c.session.Killed() { // while it was idle
		return errKilled
	}
	c.busy.Store(true)
	defer c.busy.Store(false)
	if err := c.command(payload[0], payload[1:]); err != nil {
		return err
	}
	c.running = nil
	if err := c.Flush(); err != nil {
		return err
	}
	if c.lost {
		c.drain()
		return packet.ErrOrder
	}
	if c.Squeeze != nil {
		c.Squeeze.Rest()
	}
	if c.session.Killed() {
		return errKilled
	}
	return nil
}

// Why a connection ends.
var (
	errKilled = errors.New("killed")
	errQuit   = errors.New("quit")
)

// awaitCommand waits for a command, at most wait_timeout.
func (c *conn) awaitCommand() ([]byte, error) {
	c.Sequence = 0
	may := c.session.Timeouts()
	c.Unread, c.Between = may.Unread, may.Between
	c.Limit = c.session.MaxAllowedPacket()
	if err := c.Conn.SetReadDeadline(time.Now().Add(may.Silent)); err != nil {
		return nil, err
	}
	if c.stopping.Load() { // the deadline that stop set may have been overwritten
		return nil, errQuit
	}
	payload, err := c.Read()
	if err == nil && len(payload) == 0 {
		err = packet.ErrOrder
	}
	return payload, err
}

// drained is how much of a packet that is too large is read and dropped, so that its
// sender gets to read the error.
const drained = 64 << 20

// cutOff sends the reason for which the connection ends, if the client may still read.
func (c *conn) cutOff(err error) error {
	switch {
	case errors.Is(err, packet.ErrTooLarge), mysqlerr.Is(err, mysqlerr.OutOfResources):
		err = c.fail(err)
		c.drain()
	case errors.Is(err, packet.ErrOrder):
		err = c.fail(err)
	}
	if err == nil {
		err = errQuit
	}
	return err
}

// drain reads the rest of what the client sends, within bounds: closing a
// socket with unread bytes would discard the answer.
func (c *conn) drain() {
	if half, ok := c.socket.(interface{ CloseWrite() error }); ok {
		half.CloseWrite()
	}
	c.Conn.SetReadDeadline(time.Now().Add(2 * time.Second))
	for n := 0; n < drained; {
		read, err := c.In.Discard(packet.ReadAhead)
		if n += read; err != nil {
			return
		}
	}
}

// stop makes the client's goroutine end after the current command.
func (c *conn) stop() {
	c.stopping.Store(true)
	if !c.busy.Load() {
		c.socket.SetReadDeadline(time.Unix(1, 0))
	}
}

// hurry ends it at once.
func (c *conn) hurry() {
	c.cancel()
	c.socket.Close()
}

// look ends the statement of a client that has disconnected, and the connection of one
// that does not read although its command was interrupted: a result that has begun cannot
// be abandoned, and a file must be read to its end.
func (c *conn) look(now time.Time) {
	last := c.seen
	c.seen = sight{calls: c.Calls.Load()}
	session := c.shared.Load()
	if !c.busy.Load() {
		if session != nil && session.Killed() {
			c.hurry()
		}
		return
	}
	if gone(c.socket) {
		c.cancel()
	}
	if c.ctx.Err() == nil && (session == nil || !session.Interrupted()) {
		return
	}
	if c.seen.interrupted = last.interrupted; last.interrupted.IsZero() {
		c.seen.interrupted = now
	}
	waits := c.seen.calls == last.calls && c.seen.calls&packet.CallsNow > 0
	if now.Sub(c.seen.interrupted) >= lastWords && (waits || c.sends.Load()) {
		c.hurry()
	}
}

// gone reports whether the peer has closed the connection, without reading from
// it; false if that cannot be told.
func gone(c net.Conn) bool {
	s, ok := c.(interface{ Gone() bool })
	return ok && s.Gone()
}

// open opens the session of a client that has authenticated.
func (c *conn) open(h *hello, a *rights.Account) error {
	o := c.server.sessions.Options()
	o.ID, o.Database = c.id, h.database
	o.Accounts = c.server.accounts
	o.Account = sqlfront.Account{Name: a.Name, ID: a.ID, User: h.user, Host: c.hosts[0], Peer: c.peer}
	o.ClientFoundRows = o.ClientFoundRows || c.caps.has(foundRows)
	o.Endpoint = c.server.endpoint
	o.Encryption = c.encryption()
	o.Files = clientFiles{o.Files, c}
	o.SlowLog = c.server.options.Log
	o.Most = c.server.most
	session, err := c.server.sessions.Open(c.ctx, o)
	if err != nil {
		return err
	}
	c.session, c.texts = session, texts{}
	c.CountIn(session)
	if names := setNames(h.charset); names != "" {
		// An unknown collation leaves the default, as in MySQL. A refused one is an
		// error, because the client would escape texts differently from how they are
		// read.
		if err := c.run(names); mysqlerr.Is(err, mysqlerr.NotSupportedYet) {
			return err
		}
	}
	if c.caps.has(interactive) {
		err = c.run("SET wait_timeout = @@interactive_timeout")
	}
	c.shared.Store(session)
	c.tracked = c.track()
	return err
}

// run runs one of the server's own statements.
func (c *conn) run(text string) error {
	prepared, err := c.session.Prepare(c.ctx, text)
	if err != nil {
		return err
	}
	_, err = c.session.Exec(c.ctx, prepared, nil)
	return err
}

// changeUser is COM_CHANGE_USER. If it fails, the client is disconnected.
func (c *conn) changeUser(payload []byte) error {
	h, ok := parseChangeUser(payload, c.caps)
	if !ok {
		return c.fail(mysqlerr.New(mysqlerr.UnknownCom, "Unknown command"))
	}
	end, err := c.Within(c.server.options.ConnectTimeout)
	if err != nil {
		return err
	}
	defer end()
	account, err := c.authenticate(h)
	if err == nil {
		c.closeStatements()
		c.closeSession()
		err = c.open(h, account)
	}
	if err != nil {
		return errors.Join(c.failLogin(err), errQuit)
	}
	return c.ok(result{})
}

// resetConnection is COM_RESET_CONNECTION.
func (c *conn) resetConnection() error {
	c.closeStatements()
	c.session.Reset()
	return c.ok(result{})
}

// statistics is COM_STATISTICS, a line of text.
func (c *conn) statistics() error {
	values := map[string]string{}
	prepared, err := c.session.Prepare(c.ctx, "SHOW GLOBAL STATUS")
	if err != nil {
		return c.fail(err)
	}
	rows, err := c.session.Query(c.ctx, prepared, nil)
	if err != nil {
		return c.fail(err)
	}
	defer rows.Close()
	for row, err := rows.Next(); err == nil; row, err = rows.Next() {
		values[row[0].String()] = row[1].String()
	}
	line := fmt.Sprintf("Uptime: %s  Threads: %s  Questions: %s  Slow queries: 0  Opens: 0  Flush tables: 0  "+
		"Open tables: 0  Queries per second avg: 0.0", values["Uptime"], values["Threads_connected"], values["Questions"])
	return c.End(append(c.Begin(), line...))
}
