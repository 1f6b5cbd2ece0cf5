package rpc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/tsuna/gohbase/pb"
)

const preambleLength = 6

// The authentication methods that a preamble may name.
const (
	authSimple   = 80
	authKerberos = 81
	authDigest   = 82
)

// The answer of a server without security to a client that wants it: to go on without.
const (
	saslSuccess    = 0
	switchToSimple = -88
)

// maxHeader is the maximum length of a connection's header, and of a token.
const maxHeader = 1 << 20

// What clients since 2.6 may send instead of a preamble: a question, which is answered with noCall.
const (
	asksRegistry = "Regist" // for the cluster's ID, and ends
	asksSecurity = "Securi" // for the server's principal, and continues
)

// errAnswered ends a connection that was for one question.
var errAnswered = errors.New("the connection's question is answered")

// greet reads the beginning of a connection.
func (c *Connection) greet() error {
	var b [preambleLength]byte
	if _, err := io.ReadFull(c.reader, b[:]); err != nil {
		return err
	}
	if string(b[:]) == asksSecurity {
		c.answer(noCall, nil, &Exception{Class: Prefix + "ipc.SecurityNotEnabledException", Message: "there is no security"})
		if _, err := io.ReadFull(c.reader, b[:]); err != nil {
			return err
		}
	}
	switch {
	case string(b[:]) == asksRegistry:
		c.answer(noCall, &Response{Message: c.server.Registry}, nil)
		return errAnswered
	case string(b[:4]) != "HBas":
		return c.fatal("ipc.FatalConnectionException", fmt.Sprintf("Expected HEADER=HBas but received HEADER=%q", b[:4]))
	case b[4] != 0:
		return c.fatal("ipc.FatalConnectionException", fmt.Sprintf("Version mismatch: server version 0, client version %d", b[4]))
	case b[5] == authKerberos || b[5] == authDigest:
		if err := c.declineSecurity(); err != nil {
			return err
		}
	case b[5] != authSimple:
		return c.fatal("ipc.BadAuthException", fmt.Sprintf("authentication method %d is unknown", b[5]))
	}
	return c.readHeader()
}

// declineSecurity tells a client to continue without SASL, and skips the token that it has sent.
func (c *Connection) declineSecurity() error {
	plain := int32(switchToSimple)
	answer := binary.BigEndian.AppendUint32(nil, saslSuccess)
	if err := c.write(binary.BigEndian.AppendUint32(answer, uint32(plain))); err != nil {
		return err
	}
	n, err := readLength(c.reader, maxHeader)
	if err == nil {
		_, err = c.reader.Discard(n)
	}
	return err
}

const codecPrefix = Prefix + "codec."

// codecs are the codecs of cell blocks. The one with tags is read like the other, without the tags.
var codecs = map[string]bool{codecPrefix + "KeyValueCodec": true}

// readHeader reads who the client is, and which service it calls in which way.
func (c *Connection) readHeader() error {
	n, err := readLength(c.reader, maxHeader)
	if err != nil {
		return err
	}
	data, err := readN(c.reader, n)
	if err != nil {
		return err
	}
	var h pb.ConnectionHeader
	if err := Unmarshal(data, &h); err != nil {
		return c.fatal("ipc.FatalConnectionException", "the connection header cannot be read")
	}
	c.service, c.user = h.GetServiceName(), h.GetUserInfo().GetEffectiveUser()
	if !c.server.Handler.Knows(c.service) {
		return c.fatal("ipc.UnknownServiceException", c.service)
	}
	if codec := h.GetCellBlockCodecClass(); codec != "" {
		if c.blocks = codecs[codec]; !c.blocks {
			return c.fatal("ipc.UnsupportedCellCodecException", codec+": only KeyValueCodec is here")
		}
	}
	if name := h.GetCellBlockCompressorClass(); name != "" {
		if c.compressor = compressors[name]; c.compressor == nil {
			return c.fatal("ipc.UnsupportedCompressionCodecException", name)
		}
	}
	return nil
}

// fatal tells the client why its connection ends.
func (c *Connection) fatal(class, message string) error {
	e := &Exception{Class: Prefix + class, Message: message, DoNotRetry: true}
	c.answer(noCall, nil, e)
	return e
}

// noCall is the number of a response that answers no call.
const noCall = ^uint32(0)
