package kerberos

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/jcmturner/gofork/encoding/asn1"
	"github.com/jcmturner/gokrb5/v8/asn1tools"
	"github.com/jcmturner/gokrb5/v8/crypto"
	"github.com/jcmturner/gokrb5/v8/crypto/etype"
	"github.com/jcmturner/gokrb5/v8/iana/chksumtype"
	"github.com/jcmturner/gokrb5/v8/iana/etypeID"
	"github.com/jcmturner/gokrb5/v8/iana/flags"
	"github.com/jcmturner/gokrb5/v8/iana/keyusage"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"
)

// securityContext is the initiator's context of GSS-API: RFC 4121.
type securityContext struct {
	session types.EncryptionKey // the ticket's
	auth    types.Authenticator // what was sent
	etype   etype.EType

	key      []byte // the key that protects messages
	acceptor bool   // the key is the other side's
	sent     uint64 // number of the next message
	received uint64 // number of the next one of the other side
}

// kerberosOID names the mechanism.
var kerberosOID = asn1.ObjectIdentifier{1, 2, 840, 113554, 1, 2, 2}

// The kinds of tokens, and the flags of a context: RFC 4121, sections 4.1 and 4.1.1.1.
const (
	tokenAPReq = 0x0100
	tokenAPRep = 0x0200
	tokenError = 0x0300

	wantsMutual   = 2
	wantsReplay   = 4
	wantsSequence = 8
	wantsConf     = 16
	wantsInteg    = 32
)

// begin returns a context for a service, and the first token.
func begin(t *ticket) (c *securityContext, token []byte, err error) {
	c = &securityContext{session: t.key}
	switch t.key.KeyType {
	case etypeID.AES128_CTS_HMAC_SHA1_96, etypeID.AES256_CTS_HMAC_SHA1_96, etypeID.AES128_CTS_HMAC_SHA256_128, etypeID.AES256_CTS_HMAC_SHA384_192:
	default:
		return nil, nil, fmt.Errorf("the ticket for %s has encryption type %d, but only the AES types are supported", t.service, t.key.KeyType)
	}
	if c.etype, err = crypto.GetEtype(t.key.KeyType); err != nil {
		return nil, nil, err
	}
	if c.auth, err = types.NewAuthenticator(t.credentials.Domain(), t.credentials.CName()); err != nil {
		return nil, nil, err
	}
	if err = c.auth.GenerateSeqNumberAndSubKey(t.key.KeyType, len(t.key.KeyValue)); err != nil {
		return nil, nil, err
	}
	c.key, c.sent = c.auth.SubKey.KeyValue, uint64(c.auth.SeqNumber)
	// The length of the channel bindings, which are empty, and the flags.
	sum := binary.LittleEndian.AppendUint32(nil, 16)
	sum = append(sum, make([]byte, 16)...)
	sum = binary.LittleEndian.AppendUint32(sum, wantsMutual|wantsReplay|wantsSequence|wantsConf|wantsInteg)
	c.auth.Cksum = types.Checksum{CksumType: chksumtype.GSSAPI, Checksum: sum}
	request, err := messages.NewAPReq(t.Ticket, t.key, c.auth)
	if err != nil {
		return nil, nil, err
	}
	types.SetFlag(&request.APOptions, flags.APOptionMutualRequired)
	body, err := request.Marshal()
	if err != nil {
		return nil, nil, err
	}
	oid, err := asn1.Marshal(kerberosOID)
	if err != nil {
		return nil, nil, err
	}
	inner := binary.BigEndian.AppendUint16(oid, tokenAPReq)
	return c, asn1tools.AddASNAppTag(append(inner, body...), 0), nil
}

// complete reads the response to the first token, with which the server authenticates.
func (c *securityContext) complete(token []byte) error {
	var oid asn1.ObjectIdentifier
	rest, err := asn1.UnmarshalWithParams(token, &oid, "application,explicit,tag:0")
	if err != nil || !oid.Equal(kerberosOID) || len(rest) < 2 {
		return errors.New("the server's first response is not a Kerberos token")
	}
	body := rest[2:]
	switch binary.BigEndian.Uint16(rest) {
	case tokenAPRep:
		return c.verify(body)
	case tokenError:
		var e messages.KRBError
		if err := e.Unmarshal(body); err != nil {
			return err
		}
		return e
	}
	return errors.New("the server's first response is a token of an unexpected type")
}

// verify reads an AP-REP.
func (c *securityContext) verify(body []byte) error {
	var reply messages.APRep
	if err := reply.Unmarshal(body); err != nil {
		return err
	}
	if len(reply.EncPart.Cipher) < c.overhead() {
		return errors.New("the server's first response is truncated")
	}
	plain, err := crypto.DecryptEncPart(reply.EncPart, c.session, keyusage.AP_REP_ENCPART)
	if err != nil {
		return fmt.Errorf("the server does not know the key of its ticket: %w", err)
	}
	var part messages.EncAPRepPart
	if err := part.Unmarshal(plain); err != nil {
		return err
	}
	if part.CTime.Unix() != c.auth.CTime.Unix() || part.Cusec != c.auth.Cusec {
		return errors.New("the server's first response does not match the client's request")
	}
	c.received = uint64(part.SequenceNumber)
	if len(part.Subkey.KeyValue) > 0 {
		if part.Subkey.KeyType != c.session.KeyType || len(part.Subkey.KeyValue) != len(c.session.KeyValue) {
			return fmt.Errorf("the server requires unsupported encryption type %d", part.Subkey.KeyType)
		}
		c.key, c.acceptor = part.Subkey.KeyValue, true
	}
	return nil
}

// overhead returns how much longer an encrypted message is than its text.
func (c *securityContext) overhead() int {
	return c.etype.GetConfounderByteSize() + c.etype.GetHMACBitLength()/8
}

// The header of a message, and its flags: RFC 4121, section 4.2.6.2.
const (
	headerSize = 16
	tokenWrap  = 0x0504

	byAcceptor   = 1
	isSealed     = 2
	byAcceptorsK = 4
)

// header returns the header of the next message to be sent.
func (c *securityContext) header(flags byte) []byte {
	h := make([]byte, headerSize)
	binary.BigEndian.PutUint16(h, tokenWrap)
	if h[2], h[3] = flags, 0xff; c.acceptor {
		h[2] |= byAcceptorsK
	}
	binary.BigEndian.PutUint64(h[8:], c.sent)
	c.sent++
	return h
}

// wrap protects a message: it encrypts it if seal is set, and adds a checksum otherwise.
func (c *securityContext) wrap(message []byte, seal bool) ([]byte, error) {
	if seal {
		h := c.header(isSealed)
		_, sealed, err := c.etype.EncryptMessage(c.key, slices.Concat(message, h),
			keyusage.GSSAPI_INITIATOR_SEAL)
		return append(h, sealed...), err
	}
	h := c.header(0)
	sum, err := c.etype.GetChecksumHash(c.key, slices.Concat(message, h),
		keyusage.GSSAPI_INITIATOR_SEAL)
	binary.BigEndian.PutUint16(h[4:], uint16(len(sum)))
	return append(append(h, message...), sum...), err
}

var errMessage = errors.New("a message from the server is not protected as negotiated")

// unwrap returns the text of a message, which must be encrypted if seal is set.
func (c *securityContext) unwrap(token []byte, seal bool) ([]byte, error) {
	if len(token) < headerSize || binary.BigEndian.Uint16(token) != tokenWrap || token[2]&byAcceptor == 0 ||
		(token[2]&byAcceptorsK != 0) != c.acceptor || seal && token[2]&isSealed == 0 {
		return nil, errMessage
	}
	h, body := bytes.Clone(token[:headerSize]), token[headerSize:]
	if binary.BigEndian.Uint64(h[8:]) != c.received {
		return nil, errors.New("a message from the server is missing or duplicated")
	}
	c.received++
	if turned := int(binary.BigEndian.Uint16(h[6:])); turned > 0 && len(body) > 0 {
		turned %= len(body)
		body = slices.Concat(body[turned:], body[:turned])
	}
	h[6], h[7] = 0, 0
	if h[2]&isSealed != 0 {
		return c.open(h, body)
	}
	size := int(binary.BigEndian.Uint16(h[4:]))
	if len(body) < size {
		return nil, errMessage
	}
	text, sum := body[:len(body)-size], body[len(body)-size:]
	h[4], h[5] = 0, 0
	if !c.etype.VerifyChecksum(c.key, slices.Concat(text, h), sum, keyusage.GSSAPI_ACCEPTOR_SEAL) {
		return nil, errMessage
	}
	return text, nil
}

// open decrypts a message, which ends with a copy of its header.
func (c *securityContext) open(h, body []byte) ([]byte, error) {
	if len(body) < c.overhead() {
		return nil, errMessage
	}
	plain, err := c.etype.DecryptMessage(c.key, body, keyusage.GSSAPI_ACCEPTOR_SEAL)
	filler := int(binary.BigEndian.Uint16(h[4:]))
	if err != nil || len(plain) < headerSize+filler || !bytes.Equal(plain[len(plain)-headerSize:], h) {
		return nil, errMessage
	}
	return plain[:len(plain)-headerSize-filler], nil
}
