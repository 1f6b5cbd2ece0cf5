package mysqlserver

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/packet"
	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/wire"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// letsIn reports whether a client may log in with the payloads that are made from its nonce.
func (s *server) letsIn(t testing.TB, private bool, payloads func(nonce []byte) [][]byte) bool {
	t.Helper()
	client := s.from(t, private)
	defer client.conn.close()
	client.payloads = payloads(client.conn.nonce)
	err := client.conn.login()
	if err == nil {
		require.NotNil(t, client.conn.session)
		return true
	}
	require.Nil(t, client.conn.session)
	require.NotContains(t, client.received.String(), "s3cret")
	return false
}

// sayHello is a login whose answer is in the hello.
func sayHello(user, plugin string, answer func(nonce []byte) []byte) func([]byte) [][]byte {
	return func(nonce []byte) [][]byte { return [][]byte{helloOf(wildCaps, user, plugin, answer(nonce), "")} }
}

// TestAnswersThatAreNotRight: a client with a part of the answer, that of another connection,
// or a modified one is not let in.
func TestAnswersThatAreNotRight(t *testing.T) {
	s := patientServer(t, Options{})
	other := randomPrintable(nonceLength)
	for _, each := range []struct {
		user, plugin string
		right        func(password string, nonce []byte) []byte
	}{{"app", rights.NativePassword, nativeAnswer}, {"ann", rights.CachingSHA2, sha2Answer}} {
		// Further requests of the plugin are not answered.
		try := func(answer func(nonce []byte) []byte) bool {
			return s.letsIn(t, true, sayHello(each.user, each.plugin, answer))
		}
		right := func(nonce []byte) []byte { return each.right("s3cret", nonce) }
		if each.plugin == rights.CachingSHA2 {
			require.False(t, try(right), "the server does not know it yet")
			require.True(t, s.letsIn(t, true, func(nonce []byte) [][]byte {
				return append(sayHello(each.user, each.plugin, right)(nonce), []byte("s3cret\x00"))
			}))
		}
		require.True(t, try(right))
		n := len(right(other))
		for i := range n {
			require.False(t, try(func(nonce []byte) []byte { return right(nonce)[:i] }), "%d bytes", i)
			require.False(t, try(func(nonce []byte) []byte {
				b := right(nonce)
				b[i] ^= 1 << (i % 8)
				return b
			}), "byte %d", i)
		}
		require.False(t, try(func(nonce []byte) []byte { return append(right(nonce), 0) }))
		require.False(t, try(func([]byte) []byte { return right(other) }), "of another connection")
		require.False(t, try(func([]byte) []byte { return make([]byte, n) }))
		require.False(t, try(func(nonce []byte) []byte { return each.right("S3cret", nonce) }))
		require.False(t, try(func(nonce []byte) []byte { return each.right("", nonce) }))
		require.False(t, s.letsIn(t, true, sayHello("nobody", each.plugin, right)))
		require.True(t, try(right))
	}
}

// TestSwitchedPlugins: a client with another plugin is asked again, and let in only with the
// right answer.
func TestSwitchedPlugins(t *testing.T) {
	s := patientServer(t, Options{})
	wrongPlugin := func(user, plugin string, answers ...func(nonce []byte) []byte) bool {
		return s.letsIn(t, true, func(nonce []byte) [][]byte {
			out := [][]byte{helloOf(wildCaps, user, plugin, []byte("an answer of another plugin"), "")}
			for _, answer := range answers {
				out = append(out, answer(nonce))
			}
			return out
		})
	}
	native := func(nonce []byte) []byte { return nativeAnswer("s3cret", nonce) }
	sha2 := func(nonce []byte) []byte { return sha2Answer("s3cret", nonce) }
	clear := func([]byte) []byte { return []byte("s3cret\x00") }
	nothing := func([]byte) []byte { return nil }
	large := func([]byte) []byte { return make([]byte, packet.FirstStep+1) }
	require.True(t, wrongPlugin("app", rights.CachingSHA2, native))
	require.True(t, wrongPlugin("app", "sha256_password", native))
	require.True(t, wrongPlugin("ann", rights.NativePassword, sha2, clear))
	require.True(t, wrongPlugin("ann", rights.NativePassword, sha2))
	for _, answer := range []func([]byte) []byte{sha2, clear, nothing, large,
		func(nonce []byte) []byte { return native(nonce)[:19] }} {
		require.False(t, wrongPlugin("app", rights.CachingSHA2, answer))
		require.False(t, wrongPlugin("app", rights.CachingSHA2, answer, native), "there is one answer")
	}
	require.False(t, wrongPlugin("app", rights.CachingSHA2), "it goes away")
	for _, answer := range []func([]byte) []byte{nothing, native, large,
		func([]byte) []byte { return []byte("S3cret\x00") }, func([]byte) []byte { return make([]byte, packet.FirstStep) }} {
		require.False(t, wrongPlugin("ann", rights.NativePassword, native, answer))
		require.False(t, wrongPlugin("ann", rights.NativePassword, answer))
	}
}

// TestEncryptedPasswords: without TLS the password is encrypted with the server's key, which the
// client has requested; anything else is a wrong password.
func TestEncryptedPasswords(t *testing.T) {
	s := patientServer(t, Options{})
	encrypted := func(password string, nonce []byte) []byte {
		plain := []byte(password + "\x00")
		for i := range plain {
			plain[i] ^= nonce[i%nonceLength]
		}
		out, err := rsa.EncryptOAEP(sha1.New(), rand.Reader, &serverKey().PublicKey, plain, nil)
		require.NoError(t, err)
		return out
	}
	try := func(password string, sent ...func(nonce []byte) []byte) bool {
		return s.letsIn(t, false, func(nonce []byte) [][]byte {
			out := [][]byte{helloOf(wildCaps, "ann", rights.CachingSHA2, sha2Answer(password, nonce), "")}
			for _, each := range sent {
				out = append(out, each(nonce))
			}
			return out
		})
	}
	fixed := func(b []byte) func([]byte) []byte { return func([]byte) []byte { return b } }
	askKey := fixed([]byte{2})
	require.False(t, try("s3cret", askKey, fixed([]byte("s3cret\x00"))), "not as it is")
	require.False(t, try("s3cret", askKey, askKey))
	require.False(t, try("s3cret", askKey))
	for _, n := range []int{0, 1, 2, 19, 255, 256, 257, 512, packet.FirstStep} {
		require.False(t, try("s3cret", askKey, fixed(make([]byte, n))), "%d bytes", n)
		require.False(t, try("s3cret", fixed(bytes.Repeat([]byte{0xff}, n))), "%d bytes", n)
	}
	other := randomPrintable(nonceLength)
	require.False(t, try("s3cret", askKey, fixed(encrypted("s3cret", other))), "of another connection")
	require.False(t, try("wrong", askKey, func(nonce []byte) []byte { return encrypted("wrong", nonce) }))
	require.False(t, try("s3cret", askKey, func(nonce []byte) []byte { return encrypted("s3cret", nonce)[:255] }))
	require.True(t, try("s3cret", askKey, func(nonce []byte) []byte { return encrypted("s3cret", nonce) }))
	require.True(t, try("s3cret"), "the server knows it now")
}

// TestChangeUserBehindASwitch: the nonces of the greeting and of the switch are both valid
// for COM_CHANGE_USER, because they are the same.
func TestChangeUserBehindASwitch(t *testing.T) {
	s := patientServer(t, Options{})
	client := s.from(t, true)
	defer client.conn.close()
	nonce := client.conn.nonce
	change := []byte{comChangeUser}
	change = append(packet.AppendTerminated(change, "app"), sha1.Size)
	change = append(append(change, nativeAnswer("s3cret", nonce)...), 0, wire.DefaultCollation, 0)
	change = packet.AppendTerminated(change, rights.NativePassword)
	client.payloads = [][]byte{helloOf(wildCaps, "app", rights.CachingSHA2, nil, ""), nativeAnswer("s3cret", nonce), change,
		append([]byte{comQuery}, "SELECT CURRENT_USER()"...)}
	client.conn.serve()
	require.Contains(t, client.received.String(), string(nonce))
	require.Contains(t, client.received.String(), "app@%")
}

// TestTLSThatIsNone: after a request for TLS there is TLS or the connection ends; data that was
// sent in the clear is ignored.
func TestTLSThatIsNone(t *testing.T) {
	certificates, err := SelfSigned()
	require.NoError(t, err)
	with, without := patientServer(t, Options{TLS: certificates.Config()}), patientServer(t, Options{})
	request := helloOf(wildCaps|ssl, "", "", nil, "")[:32]
	in := helloOf(wildCaps, "eve", rights.NativePassword, nil, "")
	for name, rest := range map[string][][]byte{"nothing": nil, "a hello": {in}, "the request again": {request, in}, "zeros": {make([]byte, 100)},
		"half a record": {{22, 3, 1, 2, 0, 1, 0}}, "a record of TLS 1.0": {append([]byte{22, 3, 1, 0, 5}, 1, 0, 0, 1, 3)},
		"a large record": {append([]byte{22, 3, 3, 0xff, 0xff}, make([]byte, 1<<16)...)}} {
		for _, s := range []*server{with, without} {
			require.False(t, s.letsIn(t, true, func([]byte) [][]byte { return append([][]byte{request}, rest...) }), name)
		}
	}
	require.True(t, with.letsIn(t, true, func([]byte) [][]byte { return [][]byte{in} }))
}

// TestSlowClients: clients that send a byte from time to time do not hold a place for long.
func TestSlowClients(t *testing.T) {
	const places = 8 // one of them for root
	certificates, err := SelfSigned()
	require.NoError(t, err)
	list, err := NewAccounts("CREATE USER root; CREATE USER app IDENTIFIED WITH caching_sha2_password BY 's3cret'")
	require.NoError(t, err)
	socket, _ := serveWild(t, Options{MaxConnections: places - 1, ConnectTimeout: 2 * time.Second, TLS: certificates.Config(),
		Accounts: list})
	begin := [][]byte{
		nil, // the header itself is slow
		{0xff, 0xff, 0, 1},
		append([]byte{32, 0, 0, 1}, helloOf(wildCaps|ssl, "", "", nil, "")[:32]...), // TLS is slow
	}
	hello := helloOf(wildCaps, "app", rights.CachingSHA2, make([]byte, 32), "")
	begin = append(begin, append(append(packet.AppendUint24(nil, len(hello)), 1), hello...)) // the password is slow
	ended := make(chan time.Duration, places)
	for i := range places {
		w := dial(t, socket)
		w.greeting()
		w.raw(begin[i%len(begin)]...)
		go func() {
			start := time.Now()
			go io.Copy(io.Discard, w.Conn)
			for {
				if _, err := w.Conn.Write([]byte{1}); err != nil {
					break
				}
				time.Sleep(20 * time.Millisecond)
			}
			ended <- time.Since(start)
		}()
	}
	for range places {
		require.Less(t, <-ended, 30*time.Second)
	}
	require.Eventually(t, func() bool {
		c, err := net.Dial("unix", socket)
		require.NoError(t, err)
		defer c.Close()
		w := &wild{packet.New(c), t}
		if w.get()[0] != 10 { // 1040
			return false
		}
		w.put(append(w.Begin(), helloOf(wildCaps, "root", rights.NativePassword, nil, "")...))
		return w.get()[0] == okHeader
	}, time.Minute, 20*time.Millisecond)
}
