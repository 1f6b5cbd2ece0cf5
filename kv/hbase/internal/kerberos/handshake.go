package kerberos

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// protection is SASL's quality of protection of the messages of a connection; or a set of them.
type protection byte

// The protections, in order of strength.
const (
	anyProtection protection = 0
	auth          protection = 1 // only the client and the server are authenticated
	integrity     protection = 2 // no message can be changed
	privacy       protection = 4 // no message can be read
)

var protections = []struct {
	protection
	hbase, sasl string // its names
}{{auth, "authentication", "auth"}, {integrity, "integrity", "auth-int"}, {privacy, "privacy", "auth-conf"}}

// parseProtection parses HBase's or SASL's name of a protection; empty means any.
func parseProtection(name string) (protection, error) {
	if name == "" {
		return anyProtection, nil
	}
	for _, p := range protections {
		if name == p.hbase || name == p.sasl {
			return p.protection, nil
		}
	}
	return anyProtection, fmt.Errorf("unknown protection '%s': it must be authentication, integrity or privacy", name)
}

func (p protection) String() string {
	var out []string
	for _, one := range protections {
		if p&one.protection != 0 {
			out = append(out, one.hbase)
		}
	}
	return strings.Join(out, ", ")
}

// preamble begins a connection whose client logs in with Kerberos.
const preamble = "HBas\x00\x51"

// The types of a SASL frame from the server, and the most bytes that are read of one. In place of a length,
// toSimple means that the server wants no login.
const (
	frameToken = 0
	frameError = 1
	toSimple   = -88
	mostToken  = 1 << 20
)

// Handshake begins a connection and logs in, until the context ends. Everything afterwards is sent and
// received through out. On an error the caller must still close conn.
func (l *Login) Handshake(ctx context.Context, conn net.Conn, host string) (out net.Conn, err error) {
	t, err := l.ticket(ctx, l.of, host)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	out, err = l.login(conn, t)
	if !stop() {
		return nil, fmt.Errorf("the server %s did not complete the Kerberos login in time: %w", host, ctx.Err())
	}
	if err != nil {
		return nil, fmt.Errorf("the Kerberos login as %s to %s failed: %w", l.User(), t.service, err)
	}
	return out, nil
}

func (l *Login) login(conn net.Conn, t *ticket) (net.Conn, error) {
	before := []byte(preamble)
	n, err := negotiate(t, l.wanted, func(token []byte) ([]byte, error) {
		first := before
		before = nil
		return exchange(conn, first, token)
	})
	if err != nil {
		return nil, err
	}
	if err := send(conn, nil, n.answer); err != nil {
		return nil, err
	}
	if n.chosen == auth {
		return conn, nil
	}
	return protect(conn, n.context, n.chosen == privacy, n.most)
}

// Prove logs in, until the context ends, to a server whose own messages carry SASL's tokens: exchange sends a
// token in a message, and returns the token of the response. Nothing that is sent afterwards is protected.
// service is the server's principal, in the form of Config.Service.
func (l *Login) Prove(ctx context.Context, service, host string, exchange func(token []byte) ([]byte, error)) error {
	t, err := l.ticket(ctx, parseService(service), host)
	if err != nil {
		return err
	}
	n, err := negotiate(t, auth, exchange)
	if err == nil {
		_, err = exchange(n.answer)
	}
	if err != nil {
		return fmt.Errorf("the Kerberos login as %s to %s failed: %w", l.User(), t.service, err)
	}
	return nil
}

// negotiated is what both sides have agreed on, and the client's last token, which tells the server so.
type negotiated struct {
	context *securityContext
	chosen  protection
	most    int // the most bytes of a token that the server accepts
	answer  []byte
}

// negotiate authenticates both sides and chooses the protection: RFC 4752.
func negotiate(t *ticket, wanted protection, exchange func(token []byte) ([]byte, error)) (*negotiated, error) {
	c, first, err := begin(t)
	if err != nil {
		return nil, err
	}
	token, err := exchange(first)
	if err != nil {
		return nil, err
	}
	if err := c.complete(token); err != nil {
		return nil, err
	}
	if token, err = exchange(nil); err != nil {
		return nil, err
	}
	offer, err := c.unwrap(token, false)
	if err != nil {
		return nil, err
	}
	if len(offer) != 4 {
		return nil, errors.New("invalid list of protections from the server")
	}
	chosen, err := choose(protection(offer[0]), wanted)
	if err != nil {
		return nil, err
	}
	// The server's offer is followed by how much it accepts at once, and the choice by how much this side
	// accepts.
	most := int(binary.BigEndian.Uint32(offer) & 0xffffff)
	answer, err := c.wrap([]byte{byte(chosen), 0xff, 0xff, 0xff}, false)
	if err != nil {
		return nil, err
	}
	return &negotiated{c, chosen, most, answer}, nil
}

// choose returns the protection of a connection: the wanted one, else the weakest that the server offers,
// since the server decides how strong it must be.
func choose(offered, wanted protection) (protection, error) {
	for _, p := range protections {
		if offered&p.protection != 0 && (wanted == anyProtection || wanted == p.protection) {
			return p.protection, nil
		}
	}
	return anyProtection, &Error{Err: fmt.Errorf("the server's protection (hbase.rpc.protection) is %s, but %s is required", offered, wanted)}
}

// send sends a token in a frame.
func send(conn net.Conn, before, token []byte) error {
	_, err := conn.Write(append(binary.BigEndian.AppendUint32(before, uint32(len(token))), token...))
	return err
}

// exchange sends a token and reads the server's next one.
func exchange(conn net.Conn, before, token []byte) ([]byte, error) {
	if err := send(conn, before, token); err != nil {
		return nil, err
	}
	var head [4]byte
	if _, err := io.ReadFull(conn, head[:]); err != nil {
		return nil, ended(err)
	}
	switch status := binary.BigEndian.Uint32(head[:]); status {
	case frameToken:
		return readToken(conn)
	case frameError:
		return nil, refusal(conn)
	default:
		return nil, fmt.Errorf("the server does not support SASL: it responded with %#x", status)
	}
}

// ended returns the error if the server ends the connection.
func ended(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the server has closed the connection; it may not accept Kerberos")
	}
	return err
}

func readToken(conn net.Conn) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(conn, head[:]); err != nil {
		return nil, ended(err)
	}
	size := int32(binary.BigEndian.Uint32(head[:]))
	switch {
	case size == toSimple:
		return nil, &Error{Err: errors.New("the server accepts only simple authentication: use auth=simple")}
	case size < 0 || size > mostToken:
		return nil, fmt.Errorf("invalid token size from the server: %d bytes", size)
	}
	token := make([]byte, size)
	_, err := io.ReadFull(conn, token)
	return token, ended(err)
}

// refusal reads the error that a server sends instead of a token: the name of a Java class, and a message.
func refusal(conn net.Conn) error {
	class, err := readToken(conn)
	if err != nil {
		return err
	}
	words, err := readToken(conn)
	if err != nil {
		return err
	}
	return &Error{Hint: "the server refuses the login: compare its clock and its keytab with the KDC's, and see its log",
		Err: fmt.Errorf("%s: %s", class, words)}
}
