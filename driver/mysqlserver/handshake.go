package mysqlserver

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/packet"
	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/wire"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
)

// hello is what a client sends when it logs in or changes its user.
type hello struct {
	caps     capability
	charset  uint16
	user     string
	answer   []byte
	database string
	plugin   string
	zstd     int // the compression level that it asks for
}

// greet sends the server's greeting.
func (c *conn) greet() error {
	caps := uint32(c.offered())
	b := append(c.Begin(), 10)
	b = packet.AppendTerminated(b, sysvar.ServerVersion)
	b = packet.AppendUint32(b, uint32(c.id))
	b = append(append(b, c.nonce[:8]...), 0)
	b = packet.AppendUint16(b, uint16(caps))
	b = append(b, wire.DefaultCollation)
	b = packet.AppendUint16(b, uint16(autocommit))
	b = packet.AppendUint16(b, uint16(caps>>16))
	b = append(b, nonceLength+1)
	b = append(b, make([]byte, 10)...)
	b = append(append(b, c.nonce[8:]...), 0)
	b = packet.AppendTerminated(b, rights.NativePassword)
	if err := c.End(b); err != nil {
		return err
	}
	return c.Flush()
}

func (c *conn) offered() capability {
	if c.server.options.TLS != nil {
		return offered | ssl
	}
	return offered
}

// readHello reads the client's answer to the greeting, in TLS if it asks for that.
func (c *conn) readHello() (*hello, error) {
	payload, err := c.Read()
	if err != nil {
		return nil, err
	}
	f := packet.Fields{Rest: payload}
	flags := capability(f.Uint32())
	if len(payload) == 32 && flags.has(protocol41|ssl) && c.server.options.TLS != nil {
		if err := c.startTLS(); err != nil {
			return nil, err
		}
		if payload, err = c.Read(); err != nil {
			return nil, err
		}
	}
	h, ok := parseHello(payload)
	if !ok {
		return nil, badHandshake()
	}
	h.caps &= c.offered()
	return h, nil
}

func badHandshake() error { return mysqlerr.New(mysqlerr.HandshakeError, "Bad handshake") }

// startTLS puts TLS below the packets. What the client has already sent is the
// beginning of its TLS handshake.
func (c *conn) startTLS() error {
	secured := tls.Server(&buffered{c.Conn, c.In}, c.server.options.TLS)
	if err := secured.HandshakeContext(c.ctx); err != nil {
		return err
	}
	c.Watch(secured)
	c.tls = secured
	return nil
}

// buffered is a connection from which something was read ahead.
type buffered struct {
	net.Conn
	ahead *bufio.Reader
}

func (b *buffered) Read(p []byte) (int, error) { return b.ahead.Read(p) }

// parseHello parses the packet of a client of MySQL 4.1 or later.
func parseHello(payload []byte) (*hello, bool) {
	f := packet.Fields{Rest: payload}
	h := &hello{caps: capability(f.Uint32())}
	if !h.caps.has(protocol41 | secureConnection) {
		return nil, false
	}
	f.Take(4) // its max_allowed_packet, which a server ignores
	h.charset = uint16(f.Byte())
	f.Take(23)
	h.user = f.Terminated()
	if h.caps.has(lenencAuth) {
		h.answer = f.LenencBytes()
	} else {
		h.answer = f.Take(int(f.Byte()))
	}
	if h.caps.has(connectWithDB) {
		h.database = f.LastString()
	}
	h.finish(&f)
	return h, !f.Bad
}

// finish parses the last fields.
func (h *hello) finish(f *packet.Fields) {
	if h.plugin = rights.NativePassword; h.caps.has(pluginAuth) && len(f.Rest) > 0 {
		h.plugin = f.LastString()
	}
	if h.caps.has(connectAttrs) && len(f.Rest) > 0 {
		f.LenencBytes()
	}
	if h.caps.has(zstdCompression) && len(f.Rest) > 0 {
		h.zstd = int(f.Byte())
	}
	h.answer = append([]byte(nil), h.answer...) // the packet's memory is reused
}

// parseChangeUser parses the packet of COM_CHANGE_USER.
func parseChangeUser(payload []byte, caps capability) (*hello, bool) {
	f := packet.Fields{Rest: payload}
	h := &hello{caps: caps, user: f.Terminated()}
	h.answer = f.Take(int(f.Byte()))
	h.database = f.Terminated()
	if len(f.Rest) >= 2 {
		h.charset = f.Uint16()
	}
	h.finish(&f)
	return h, !f.Bad
}

// login lets the client in, or tells it why not.
func (c *conn) login() error {
	end, err := c.Within(c.server.options.ConnectTimeout)
	if err != nil {
		return err
	}
	defer end()
	if err := c.greet(); err != nil {
		return err
	}
	h, err := c.readHello()
	if err != nil {
		return c.failLogin(err)
	}
	c.caps = h.caps
	c.multi = h.caps.has(multiStatements)
	if err := c.admit(h); err != nil {
		return c.failLogin(err)
	}
	if err := c.ok(result{}); err != nil {
		return err
	}
	if err := c.Flush(); err != nil {
		return err
	}
	switch {
	case h.caps.has(zlibCompression):
		c.Compress(false)
	case h.caps.has(zstdCompression):
		c.Compress(true)
	}
	return nil
}

// failLogin tells the client why it is not let in, unless the connection failed.
func (c *conn) failLogin(err error) error {
	c.server.sessions.CountAborted()
	var gone net.Error
	if errors.As(err, &gone) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if errors.Is(err, packet.ErrOrder) || errors.Is(err, packet.ErrTooLarge) {
		err = badHandshake()
	}
	if sending := c.fail(err); sending != nil {
		return sending
	}
	return err
}

// admit authenticates the client and opens its session.
func (c *conn) admit(h *hello) error {
	account, err := c.authenticate(h)
	if err != nil {
		return err
	}
	if c.beyond > 0 && !account.Global.Has(rights.Super) {
		c.server.wire.Refused.Add(1)
		return errTooManyConnections
	}
	return c.open(h, account)
}

// authenticate returns the account of the client, or 1045.
func (c *conn) authenticate(h *hello) (*rights.Account, error) {
	accounts, err := c.server.accounts.Accounts(c.ctx)
	if err != nil {
		return nil, err
	}
	var account *rights.Account
	if len(h.user) <= 4*maxName { // the session of an anonymous account would keep a longer one
		account = accounts.Find(h.user, c.hosts)
	}
	known := account != nil
	if !known {
		account = accounts.Decoy(h.user)
	}
	a := &authentication{conn: c, account: account, known: known}
	ok, err := a.check(h.plugin, h.answer)
	if err != nil {
		return nil, err
	}
	if ok && c.meets(account) {
		c.server.throttle.Succeeded(c.hosts[0])
		if account.Locked {
			return nil, mysqlerr.New(mysqlerr.AccountLocked, "Access denied for user '%s'@'%s'. Account is locked.", shown(h.user),
				c.hosts[0])
		}
		return account, nil
	}
	using := "NO"
	if a.usedPassword {
		using = "YES"
	}
	c.server.options.Log.Warn("login failed", "user", shown(h.user), "host", c.peer, "password", using)
	sleep(c.ctx, c.server.throttle.Failed(c.hosts[0], time.Now()))
	return nil, mysqlerr.New(mysqlerr.AccessDenied, "Access denied for user '%s'@'%s' (using password: %s)", shown(h.user),
		c.hosts[0], using)
}

// shown is a name from the wire as messages quote it.
func shown(name string) string {
	return strings.ToValidUTF8(name[:min(len(name), 4*maxName)], "?")
}

// maxName is the maximum length of a user name, in characters.
const maxName = 32

// private reports whether nobody else can read what the client sends.
func (c *conn) private() bool {
	if c.tls != nil {
		return true
	}
	_, socket := c.socket.LocalAddr().(*net.UnixAddr)
	return socket
}
