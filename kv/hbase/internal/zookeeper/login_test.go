package zookeeper

import (
	"encoding/binary"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

// answered makes a server respond to a request for a session and then to a token, and returns what the client
// reads.
func answered(t *testing.T, answer []byte) (session, token []byte, err error) {
	near, far := net.Pipe()
	t.Cleanup(func() { near.Close() })
	go func() {
		defer far.Close()
		if _, err := far.Write(appendFrame(nil, []byte("session"))); err != nil {
			return
		}
		request, err := readFrame(far)
		if err != nil || binary.BigEndian.Uint32(request[4:]) != saslRequest || string(request[8:]) != "\x00\x00\x00\x05hello" {
			return
		}
		_, _ = far.Write(answer)
	}()
	c := &loggedIn{Conn: near, login: func(exchange func([]byte) ([]byte, error)) error {
		var err error
		token, err = exchange([]byte("hello"))
		return err
	}}
	session = make([]byte, 4+len("session"))
	_, err = io.ReadFull(c, session)
	return session, token, err
}

// reply returns a response with a code and what follows it.
func reply(code uint32, behind string) []byte {
	return appendFrame(nil, append(binary.BigEndian.AppendUint32(make([]byte, replyHeader-4), code), behind...))
}

func TestLogin(t *testing.T) {
	for token, answer := range map[string]string{"ok": "\x00\x00\x00\x02ok", "": "\xff\xff\xff\xff"} {
		session, got, err := answered(t, reply(0, answer))
		require.NoError(t, err)
		require.Equal(t, "session", string(session[4:]))
		require.Equal(t, token, string(got))
	}
	denied := int32(-115)
	for says, answer := range map[string][]byte{
		"refuses the login (error -115)": reply(uint32(denied), "\xff\xff\xff\xff"),
		"invalid response":               appendFrame(nil, []byte("short")),
		"invalid message size":           {0x7f, 0, 0, 0},
		"has closed":                     nil,
	} {
		_, _, err := answered(t, answer)
		require.ErrorContains(t, err, says)
	}
	whole := reply(0, "\x00\x00\x00\x02ok")
	for n := range whole {
		_, _, err := answered(t, whole[:n])
		require.Error(t, err, n)
	}
	for _, behind := range []string{"", "\x00", "\x00\x00\x00\x03ok", "\x7f\xff\xff\xffok"} {
		_, _, err := answered(t, reply(0, behind))
		require.ErrorContains(t, err, "invalid response", behind)
	}
}

// TestHosts requires that each server is tried once before all are reported as tried.
func TestHosts(t *testing.T) {
	h := &hosts{}
	require.NoError(t, h.Init([]string{"a", "b", "c"}))
	for range 2 {
		seen := map[string]bool{}
		for i := range 3 {
			server, again := h.Next()
			require.Equal(t, false, again && i > 0, i)
			seen[server] = true
		}
		require.Len(t, seen, h.Len())
	}
	h.Connected()
	for i := range 3 {
		_, again := h.Next()
		require.Equal(t, i == 2, again)
	}
}
