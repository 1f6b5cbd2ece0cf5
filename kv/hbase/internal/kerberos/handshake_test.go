package kerberos

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jcmturner/gokrb5/v8/iana/errorcode"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"
	"github.com/stretchr/testify/require"
)

// connect logs in a client to an acceptor.
func connect(t testing.TB, a *acceptor, wanted protection) (client net.Conn, server net.Conn, err error) {
	t.Helper()
	near, far := net.Pipe()
	t.Cleanup(func() { near.Close(); far.Close() })
	accepted := make(chan error, 1)
	go func() {
		err := a.accept(far)
		if err != nil {
			far.Close()
		}
		accepted <- err
	}()
	client, err = a.login(wanted).login(near, a.ticket)
	if err != nil {
		near.Close()
		<-accepted
		return nil, nil, err
	}
	return client, far, <-accepted
}

// TestProtections logs in with each encryption type and protection, and sends messages of all lengths in both
// directions.
func TestProtections(t *testing.T) {
	for name, kind := range kinds {
		for _, p := range []protection{auth, integrity, privacy} {
			t.Run(name+"/"+p.String(), func(t *testing.T) {
				a := newAcceptor(t, kind)
				a.subkey, a.rotates = p == privacy, int(kind)
				client, server, err := connect(t, a, p)
				require.NoError(t, err)
				require.EqualValues(t, p, a.chosen)
				if p == auth {
					_, wrapped := client.(*protected)
					require.False(t, wrapped)
					return
				}
				for _, n := range []int{1, 15, 16, 17, 1000, 65536, 200_000} {
					text := bytes.Repeat([]byte("abcdefgh"), n/8+1)[:n]
					go client.Write(text)
					var got []byte
					for len(got) < n {
						token, err := readFrame(server)
						require.NoError(t, err)
						require.LessOrEqual(t, len(token), int(a.most))
						part, err := a.unwrap(token)
						require.NoError(t, err)
						got = append(got, part...)
					}
					require.True(t, bytes.Equal(text, got))
					go func() {
						token := a.wrap(text, p == privacy)
						server.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(token))), token...))
					}()
					got = make([]byte, n)
					_, err := io.ReadFull(client, got)
					require.NoError(t, err)
					require.True(t, bytes.Equal(text, got))
				}
			})
		}
	}
}

// TestChoice requires the weakest offered protection, or the wanted one.
func TestChoice(t *testing.T) {
	for _, c := range []struct{ offered, wanted, is protection }{
		{auth | integrity | privacy, anyProtection, auth}, {integrity | privacy, anyProtection, integrity},
		{privacy, anyProtection, privacy}, {auth | privacy, privacy, privacy}, {auth, privacy, anyProtection}, {0, anyProtection, anyProtection},
	} {
		got, err := choose(c.offered, c.wanted)
		require.Equal(t, c.is, got)
		require.Equal(t, c.is == anyProtection, err != nil)
	}
	for _, name := range []string{"auth-conf", "privacy"} {
		p, err := parseProtection(name)
		require.NoError(t, err)
		require.Equal(t, privacy, p)
	}
	_, err := parseProtection("none")
	require.ErrorContains(t, err, "authentication, integrity or privacy")
}

// TestForged makes a server respond like an impostor, or changes a message.
func TestForged(t *testing.T) {
	a := newAcceptor(t, kinds["aes256"])
	a.skews = true
	_, _, err := connect(t, a, auth)
	require.ErrorContains(t, err, "does not match the client's request")

	b := newAcceptor(t, kinds["aes256"])
	own := *b.ticket
	b.ticket.key.KeyValue = bytes.Clone(b.ticket.key.KeyValue)
	b.ticket.key.KeyValue[0] ^= 1
	near, far := net.Pipe()
	defer near.Close()
	go func() { b.accept(far); far.Close() }()
	_, err = b.login(auth).login(near, &own)
	require.Error(t, err)

	for _, forge := range []func(token []byte){
		func(token []byte) { token[len(token)-1] ^= 1 },     // the checksum
		func(token []byte) { token[headerSize] ^= 1 },       // the text
		func(token []byte) { token[2] &^= byAcceptor },      // whose it is
		func(token []byte) { token[2] ^= byAcceptorsK },     // the key
		func(token []byte) { token[15]++ },                  // the number
		func(token []byte) { token[2] &^= isSealed },        // unsealed
		func(token []byte) { copy(token[4:6], "\xff\xff") }, // the filler
	} {
		a := newAcceptor(t, kinds["aes256"])
		client, server, err := connect(t, a, privacy)
		require.NoError(t, err)
		token := a.wrap([]byte("a message"), true)
		forge(token)
		go server.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(token))), token...))
		_, err = client.Read(make([]byte, 100))
		require.Error(t, err)
	}
}

// TestCut ends the connection after each byte of the login. Logins differ in length by some bytes.
func TestCut(t *testing.T) {
	for n := 0; ; n++ {
		a := newAcceptor(t, kinds["aes128"])
		near, far := net.Pipe()
		cut, left := make(chan bool, 1), n
		go func() {
			cut <- a.accept(cutting{far, &left}) != nil
			far.Close()
		}()
		_, err := a.login(auth).login(near, a.ticket)
		near.Close()
		if !<-cut {
			require.NoError(t, err)
			require.Greater(t, n, 100)
			return
		}
		require.Error(t, err, "after %d bytes", n)
	}
}

// cutting is a connection that ends after a number of bytes have been written.
type cutting struct {
	net.Conn
	left *int
}

func (c cutting) Write(b []byte) (int, error) {
	if *c.left < len(b) {
		c.Conn.Write(b[:*c.left])
		c.Conn.Close()
		return 0, io.ErrClosedPipe
	}
	*c.left -= len(b)
	return c.Conn.Write(b)
}

// recorded returns what a server sends in a login.
func recorded(t testing.TB, a *acceptor) []byte {
	near, far := net.Pipe()
	defer near.Close()
	var sent bytes.Buffer
	done := make(chan error, 1)
	go func() { done <- a.accept(recording{far, &sent}) }()
	_, err := a.login(auth).login(near, a.ticket)
	require.NoError(t, err)
	require.NoError(t, <-done)
	return sent.Bytes()
}

type recording struct {
	net.Conn
	sent *bytes.Buffer
}

func (c recording) Write(b []byte) (int, error) {
	c.sent.Write(b)
	return c.Conn.Write(b)
}

// TestDeadline continues reads after a deadline has interrupted them, at each byte.
func TestDeadline(t *testing.T) {
	a := newAcceptor(t, kinds["aes256"])
	client, server, err := connect(t, a, privacy)
	require.NoError(t, err)
	token := a.wrap([]byte("a message"), true)
	frame := append(binary.BigEndian.AppendUint32(nil, uint32(len(token))), token...)
	go func() {
		for i := range frame {
			server.Write(frame[i : i+1])
			time.Sleep(time.Duration(rand.IntN(2)) * time.Millisecond)
		}
	}()
	got := make([]byte, 100)
	for {
		require.NoError(t, client.SetReadDeadline(time.Now().Add(time.Millisecond)))
		n, err := client.Read(got)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			continue
		}
		require.NoError(t, err)
		require.Equal(t, "a message", string(got[:n]))
		return
	}
}

// TestRefused makes a server refuse in each way.
func TestRefused(t *testing.T) {
	word := func(s string) []byte { return append(binary.BigEndian.AppendUint32(nil, uint32(len(s))), s...) }
	for says, sent := range map[string][]byte{
		"refuses the login":         bytes.Join([][]byte{{0, 0, 0, 1}, word("javax.security.sasl.SaslException"), word("GSS initiate failed")}, nil),
		"auth=simple":               {0, 0, 0, 0, 0xff, 0xff, 0xff, 0xa8},
		"does not support SASL":     []byte("HTTP/1.1 400 Bad Request"),
		"has closed":                nil,
		"from the server: -1 bytes": {0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff},
		"not a Kerberos token":      {0, 0, 0, 0, 0, 0, 0, 2, 1, 2},
	} {
		a := newAcceptor(t, kinds["aes256"])
		near, far := net.Pipe()
		go func() {
			io.ReadFull(far, make([]byte, len(preamble)))
			readFrame(far)
			far.Write(sent)
			far.Close()
		}()
		_, err := a.login(auth).login(near, a.ticket)
		require.ErrorContains(t, err, says)
		near.Close()
	}
}

// TestHung uses a KDC and a server that do not respond: the login ends with its context.
func TestHung(t *testing.T) {
	t.Parallel() // it waits most of the time
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer silent.Close()
	go func() {
		for {
			c, err := silent.Accept()
			if err != nil {
				return
			}
			defer c.Close()
		}
	}()
	l, err := New(Config{Principal: "alice", Password: "secret of alice", Krb5Conf: krb5Conf(t, silent.Addr().String())})
	require.NoError(t, err)
	defer l.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	near, far := net.Pipe()
	defer near.Close()
	defer far.Close()
	_, err = l.Handshake(ctx, near, "localhost")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "KDC")
}

// TestKDC makes a KDC respond with each error.
func TestKDC(t *testing.T) {
	for code, says := range map[int32]string{
		errorcode.KRB_AP_ERR_SKEW:             "clock",
		errorcode.KDC_ERR_C_PRINCIPAL_UNKNOWN: "does not know the user alice@EXAMPLE.COM",
		errorcode.KDC_ERR_KEY_EXPIRED:         "has expired",
		errorcode.KDC_ERR_CLIENT_REVOKED:      "locked",
		errorcode.KRB_ERR_GENERIC:             "KRB_ERR_GENERIC",
	} {
		l, err := New(Config{Principal: "alice", Password: "secret of alice", Krb5Conf: krb5Conf(t, kdc(t, code))})
		require.NoError(t, err)
		_, err = l.ticket(context.Background(), l.of, "localhost")
		require.ErrorContains(t, err, says)
		require.NotContains(t, err.Error(), "secret")
		l.Close()
		_, err = l.ticket(context.Background(), l.of, "localhost")
		require.ErrorIs(t, err, errClosed)
	}
}

// kdc responds to everything with an error.
func kdc(t *testing.T, code int32) (address string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if _, err := readFrame(c); err == nil {
				e := messages.NewKRBError(types.NewPrincipalName(2, "krbtgt/EXAMPLE.COM"), "EXAMPLE.COM", code, "")
				b, _ := e.Marshal()
				c.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...))
			}
			c.Close()
		}
	}()
	return l.Addr().String()
}

func krb5Conf(t *testing.T, kdc string) string {
	path := filepath.Join(t.TempDir(), "krb5.conf")
	text := "[libdefaults]\n default_realm = EXAMPLE.COM\n udp_preference_limit = 1\n[realms]\n EXAMPLE.COM = {\n  kdc = " + kdc + "\n }\n"
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// TestKeys uses keys that are missing, malformed or somebody else's.
func TestKeys(t *testing.T) {
	conf, dir := krb5Conf(t, "127.0.0.1:1"), t.TempDir()
	file := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, content, 0o600))
		return path
	}
	keys := keytab.New()
	require.NoError(t, keys.AddEntry("bob", "EXAMPLE.COM", "secret", time.Now(), 1, kinds["aes256"]))
	ofBob, err := keys.Marshal()
	require.NoError(t, err)
	t.Setenv("KRB5CCNAME", "KEYRING:persistent:0")
	for _, c := range []struct {
		Config
		says string
	}{
		{Config{Principal: "alice", Keytab: filepath.Join(dir, "none")}, "no such file"},
		{Config{Principal: "alice", Keytab: file("bad", []byte{5, 2, 0, 0, 0, 90, 1})}, "cannot be read"},
		{Config{Principal: "alice", Keytab: file("bobs", ofBob)}, "has no key for alice@EXAMPLE.COM"},
		{Config{Principal: "bob@OTHER.COM", Keytab: filepath.Join(dir, "bobs")}, "has no key for bob@OTHER.COM"},
		{Config{Keytab: filepath.Join(dir, "bobs")}, "is incomplete"},
		{Config{}, "KEYRING"},
		{Config{CCache: filepath.Join(dir, "none")}, "kinit"},
		{Config{CCache: file("cache", []byte{5, 4, 0, 12, 0, 1})}, "cannot be read"},
		{Config{Protection: "much"}, "authentication, integrity or privacy"},
	} {
		c.Krb5Conf = conf
		_, err := New(c.Config)
		require.ErrorContains(t, err, c.says)
	}
	_, err = New(Config{Krb5Conf: filepath.Join(dir, "none")})
	require.ErrorContains(t, err, "krb5.conf")
	l, err := New(Config{Principal: "bob", Keytab: filepath.Join(dir, "bobs"), Krb5Conf: conf, Service: "hbase/_HOST@OTHER.COM"})
	require.NoError(t, err)
	require.Equal(t, "bob@EXAMPLE.COM", l.User())
	_, err = l.ticket(context.Background(), l.of, "Localhost")
	require.ErrorContains(t, err, "cannot be reached")
	l.Close()
}

// FuzzLogin makes a server send anything.
func FuzzLogin(f *testing.F) {
	f.Add(recorded(f, newAcceptor(f, kinds["aes256"])))
	f.Add([]byte{0, 0, 0, 1, 0, 0, 0, 1, 'x', 0, 0, 0, 0})
	f.Add(bytes.Repeat([]byte{0}, 64))
	a := newAcceptor(f, kinds["aes256"])
	f.Fuzz(func(t *testing.T, sent []byte) {
		near, far := net.Pipe()
		go io.Copy(io.Discard, far)
		go func() {
			far.Write(sent)
			far.Close()
		}()
		if _, err := a.login(anyProtection).login(near, a.ticket); err == nil {
			t.Error("it has logged in")
		} else if strings.Contains(err.Error(), "panic") {
			t.Error(err)
		}
		near.Close()
	})
}

// FuzzUnwrap makes a server send any message after a login.
func FuzzUnwrap(f *testing.F) {
	a := newAcceptor(f, kinds["aes128"])
	c, first, err := begin(a.ticket)
	require.NoError(f, err)
	reply, err := a.reply(first)
	require.NoError(f, err)
	require.NoError(f, c.complete(reply))
	f.Add(a.wrap([]byte("text"), false), false)
	f.Add(a.wrap([]byte("text"), true), true)
	f.Add([]byte{5, 4, 3, 0xff, 0, 1, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0}, true)
	f.Fuzz(func(t *testing.T, token []byte, seal bool) {
		c.received = 4711
		if len(token) >= headerSize {
			binary.BigEndian.PutUint64(token[8:], 4711)
		}
		_, _ = c.unwrap(token, seal)
	})
}
