package mysqlserver

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/packet"
	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/wire"
)

// stepwise is a client that sends one payload after another, each when the server waits for
// it, as a packet with the expected number.
type stepwise struct {
	scripted
	conn     *conn
	payloads [][]byte
	pending  []byte
	received bytes.Buffer
	local    net.Addr
}

func (s *stepwise) Read(p []byte) (int, error) {
	if len(s.pending) == 0 {
		if len(s.payloads) == 0 {
			return 0, io.EOF
		}
		payload := s.payloads[0]
		s.payloads = s.payloads[1:]
		s.pending = s.packet(payload)
	}
	n := copy(p, s.pending)
	s.pending = s.pending[n:]
	return n, nil
}

// packet is the payload with its header, and that of the compressed protocol if it is
// used.
func (s *stepwise) packet(payload []byte) []byte {
	b := append(packet.AppendUint24(nil, len(payload)), s.conn.Stream.Sequence)
	b = append(b, payload...)
	if s.conn.Squeeze != nil {
		b = append(append(packet.AppendUint24(nil, len(b)), 0, 0, 0, 0), b...)
	}
	return b
}

func (s *stepwise) Write(p []byte) (int, error) { return s.received.Write(p) }
func (s *stepwise) LocalAddr() net.Addr         { return s.local }

// patientServer is a server without a listener, which answers failed logins at once: for app
// with mysql_native_password and ann with caching_sha2_password, whose password is s3cret, and
// eve without a password. None of them has any rights.
func patientServer(t testing.TB, o Options) *server {
	t.Helper()
	db, err := sql.Open("hbasekv", ":memory:")
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	for _, statement := range []string{"CREATE DATABASE vault",
		"CREATE TABLE vault.gems (K varbinary(8), Q varbinary(8), T bigint, V varbinary(8), PRIMARY KEY (K, Q, T))",
		"INSERT INTO vault.gems VALUES ('ruby', 'q', 1, 'hidden')"} {
		_, err := db.Exec(statement)
		require.NoError(t, err)
	}
	sessions, err := driver.SessionsOf(context.Background(), db)
	require.NoError(t, err)
	list, err := NewAccounts("CREATE USER eve; CREATE USER app IDENTIFIED WITH mysql_native_password BY 's3cret';" +
		"CREATE USER ann IDENTIFIED WITH caching_sha2_password BY 's3cret'")
	require.NoError(t, err)
	wire, err := sessions.Wire()
	require.NoError(t, err)
	s := &server{options: o.complete(), accounts: list, sessions: sessions, wire: wire, conns: map[*conn]struct{}{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	t.Cleanup(s.cancel)
	return s
}

// from is a client of the server; if not private, over TCP where others can read what it sends.
func (s *server) from(t testing.TB, private bool) *stepwise {
	t.Helper()
	id, err := s.sessions.NextID()
	require.NoError(t, err)
	client := &stepwise{local: &net.TCPAddr{}}
	if private {
		client.local = &net.UnixAddr{}
	}
	client.conn = s.newConn(client, id)
	ctx := client.conn.ctx
	client.conn.ctx, client.conn.cancel = context.WithTimeout(ctx, time.Minute)
	return client
}

// helloOf is a client's hello.
func helloOf(caps capability, user, plugin string, answer []byte, database string) []byte {
	b := packet.AppendUint32(nil, uint32(caps))
	b = append(append(b, make([]byte, 4)...), wire.DefaultCollation)
	b = append(b, make([]byte, 23)...)
	b = packet.AppendTerminated(b, user)
	b = append(append(b, byte(len(answer))), answer...)
	b = packet.AppendTerminated(b, database)
	return packet.AppendTerminated(b, plugin)
}

// nativeAnswer is the answer of mysql_native_password for a password and a nonce.
func nativeAnswer(password string, nonce []byte) []byte {
	one := sha1.Sum([]byte(password))
	two := sha1.Sum(one[:])
	mixed := sha1.Sum(append(bytes.Clone(nonce), two[:]...))
	subtle.XORBytes(mixed[:], mixed[:], one[:])
	return mixed[:]
}

// sha2Answer is the answer of caching_sha2_password.
func sha2Answer(password string, nonce []byte) []byte {
	one := sha256.Sum256([]byte(password))
	two := sha256.Sum256(one[:])
	mixed := sha256.Sum256(append(two[:], nonce...))
	subtle.XORBytes(mixed[:], mixed[:], one[:])
	return mixed[:]
}
