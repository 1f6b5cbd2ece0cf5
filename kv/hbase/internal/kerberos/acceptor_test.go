package kerberos

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/jcmturner/gofork/encoding/asn1"
	"github.com/jcmturner/gokrb5/v8/asn1tools"
	"github.com/jcmturner/gokrb5/v8/credentials"
	"github.com/jcmturner/gokrb5/v8/crypto"
	"github.com/jcmturner/gokrb5/v8/iana"
	"github.com/jcmturner/gokrb5/v8/iana/asnAppTag"
	"github.com/jcmturner/gokrb5/v8/iana/etypeID"
	"github.com/jcmturner/gokrb5/v8/iana/keyusage"
	"github.com/jcmturner/gokrb5/v8/iana/msgtype"
	"github.com/jcmturner/gokrb5/v8/iana/nametype"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"
	"github.com/stretchr/testify/require"
)

// acceptor is the server's side of the login, as far as tests need it: by RFC 4121 and 4752, with the keys of
// a ticket that no KDC has made.
type acceptor struct {
	ticket  *ticket
	offers  protection
	most    uint32
	subkey  bool // it uses a subkey
	rotates int  // by how many bytes it rotates its messages
	skews   bool // its answer is to another request

	etype  int32
	key    []byte
	seq    uint64 // of the next message
	theirs uint64
	chosen byte
}

// newAcceptor returns a server with a ticket of alice's for it.
func newAcceptor(t testing.TB, kind int32) *acceptor {
	keys := keytab.New()
	now := time.Now().UTC()
	require.NoError(t, keys.AddEntry("hbase/localhost", "EXAMPLE.COM", "secret", now, 1, kind))
	client := types.NewPrincipalName(nametype.KRB_NT_PRINCIPAL, "alice")
	service := types.NewPrincipalName(nametype.KRB_NT_PRINCIPAL, "hbase/localhost")
	tkt, key, err := messages.NewTicket(client, "EXAMPLE.COM", service, "EXAMPLE.COM", types.NewKrbFlags(), keys, kind, 1, now, now,
		now.Add(time.Hour), now.Add(time.Hour))
	require.NoError(t, err)
	if kind == etypeID.AES256_CTS_HMAC_SHA384_192 { // for these the library makes short keys
		key.KeyValue = bytes.Repeat([]byte{7}, 32)
	}
	return &acceptor{ticket: &ticket{Ticket: tkt, key: key, credentials: credentials.New("alice", "EXAMPLE.COM"), service: "hbase/localhost"},
		offers: auth | integrity | privacy, most: 64 << 10, etype: kind}
}

// login returns the client's side.
func (a *acceptor) login(wanted protection) *Login {
	return &Login{wanted: wanted, user: "alice@EXAMPLE.COM", config: Config{Service: "hbase"}}
}

func readFrame(r io.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	b := make([]byte, binary.BigEndian.Uint32(head[:]))
	_, err := io.ReadFull(r, b)
	return b, err
}

func answer(w io.Writer, token []byte) error {
	out := binary.BigEndian.AppendUint32(nil, frameToken)
	_, err := w.Write(append(binary.BigEndian.AppendUint32(out, uint32(len(token))), token...))
	return err
}

// accept performs the login.
func (a *acceptor) accept(conn net.Conn) error {
	hello := make([]byte, len(preamble))
	if _, err := io.ReadFull(conn, hello); err != nil || string(hello) != preamble {
		return errors.Join(err, errors.New("another preamble"))
	}
	first, err := readFrame(conn)
	if err != nil {
		return err
	}
	reply, err := a.reply(first)
	if err != nil {
		return err
	}
	if err := answer(conn, reply); err != nil {
		return err
	}
	if empty, err := readFrame(conn); err != nil || len(empty) > 0 {
		return errors.Join(err, errors.New("no empty token"))
	}
	if err := answer(conn, a.wrap(binary.BigEndian.AppendUint32(nil, uint32(a.offers)<<24|a.most), false)); err != nil {
		return err
	}
	choice, err := readFrame(conn)
	if err != nil {
		return err
	}
	text, err := a.unwrap(choice)
	if err != nil {
		return err
	}
	a.chosen = text[0]
	return nil
}

// reply returns the AP-REP to an AP-REQ.
func (a *acceptor) reply(token []byte) ([]byte, error) {
	var oid asn1.ObjectIdentifier
	rest, err := asn1.UnmarshalWithParams(token, &oid, "application,explicit,tag:0")
	if err != nil {
		return nil, err
	}
	var request messages.APReq
	if err := request.Unmarshal(rest[2:]); err != nil {
		return nil, err
	}
	if err := request.DecryptAuthenticator(a.ticket.key); err != nil {
		return nil, err
	}
	auth := request.Authenticator
	a.key, a.theirs, a.seq = auth.SubKey.KeyValue, uint64(auth.SeqNumber), 4711
	part := messages.EncAPRepPart{CTime: auth.CTime, Cusec: auth.Cusec, SequenceNumber: int64(a.seq)}
	if a.skews {
		part.Cusec = (part.Cusec + 1) % 1e6
	}
	if a.subkey {
		a.key = bytes.Repeat([]byte{8}, len(a.ticket.key.KeyValue))
		part.Subkey = types.EncryptionKey{KeyType: a.etype, KeyValue: a.key}
	}
	plain, err := asn1.Marshal(part)
	if err != nil {
		return nil, err
	}
	sealed, err := crypto.GetEncryptedData(asn1tools.AddASNAppTag(plain, asnAppTag.EncAPRepPart), a.ticket.key, keyusage.AP_REP_ENCPART, 0)
	if err != nil {
		return nil, err
	}
	body, err := asn1.Marshal(messages.APRep{PVNO: iana.PVNO, MsgType: msgtype.KRB_AP_REP, EncPart: sealed})
	if err != nil {
		return nil, err
	}
	name, err := asn1.Marshal(kerberosOID)
	if err != nil {
		return nil, err
	}
	inner := append(binary.BigEndian.AppendUint16(name, tokenAPRep), asn1tools.AddASNAppTag(body, asnAppTag.APREP)...)
	return asn1tools.AddASNAppTag(inner, 0), nil
}

// wrap protects a message of the server.
func (a *acceptor) wrap(message []byte, seal bool) []byte {
	e, _ := crypto.GetEtype(a.etype)
	h := make([]byte, headerSize)
	binary.BigEndian.PutUint16(h, tokenWrap)
	h[2], h[3] = byAcceptor, 0xff
	if seal {
		h[2] |= isSealed
	}
	if a.subkey {
		h[2] |= byAcceptorsK
	}
	binary.BigEndian.PutUint64(h[8:], a.seq)
	a.seq++
	text := append(append([]byte{}, message...), h...)
	var body []byte
	if seal {
		_, body, _ = e.EncryptMessage(a.key, text, keyusage.GSSAPI_ACCEPTOR_SEAL)
	} else {
		sum, _ := e.GetChecksumHash(a.key, text, keyusage.GSSAPI_ACCEPTOR_SEAL)
		binary.BigEndian.PutUint16(h[4:], uint16(len(sum)))
		body = append(append([]byte{}, message...), sum...)
	}
	if a.rotates > 0 {
		n := a.rotates % len(body)
		binary.BigEndian.PutUint16(h[6:], uint16(a.rotates))
		body = append(append([]byte{}, body[len(body)-n:]...), body[:len(body)-n]...)
	}
	return append(h, body...)
}

// unwrap returns the text of a client's message.
func (a *acceptor) unwrap(token []byte) ([]byte, error) {
	e, _ := crypto.GetEtype(a.etype)
	h, body := append([]byte{}, token[:headerSize]...), token[headerSize:]
	if binary.BigEndian.Uint64(h[8:]) != a.theirs {
		return nil, errors.New("another number")
	}
	a.theirs++
	if h[2]&isSealed != 0 {
		plain, err := e.DecryptMessage(a.key, body, keyusage.GSSAPI_INITIATOR_SEAL)
		if err != nil || string(plain[len(plain)-headerSize:]) != string(h) {
			return nil, errors.Join(err, errors.New("another header"))
		}
		return plain[:len(plain)-headerSize], nil
	}
	size := int(binary.BigEndian.Uint16(h[4:]))
	h[4], h[5] = 0, 0
	text, sum := body[:len(body)-size], body[len(body)-size:]
	if !e.VerifyChecksum(a.key, append(append([]byte{}, text...), h...), sum, keyusage.GSSAPI_INITIATOR_SEAL) {
		return nil, errors.New("another checksum")
	}
	return text, nil
}

// kinds are the supported encryption types.
var kinds = map[string]int32{"aes128": etypeID.AES128_CTS_HMAC_SHA1_96, "aes256": etypeID.AES256_CTS_HMAC_SHA1_96,
	"aes128-sha2": etypeID.AES128_CTS_HMAC_SHA256_128, "aes256-sha2": etypeID.AES256_CTS_HMAC_SHA384_192}
