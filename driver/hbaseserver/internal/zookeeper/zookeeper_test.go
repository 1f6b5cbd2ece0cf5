package zookeeper

import (
	"context"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var tree = NewTree(map[string][]byte{"/hbase/master": []byte("m"), "/hbase/hbaseid": []byte("id")})

func dial(t testing.TB) net.Conn {
	t.Helper()
	here, there := net.Pipe()
	ended := make(chan struct{})
	go func() {
		tree.ServeConn(context.Background(), there)
		close(ended)
	}()
	t.Cleanup(func() {
		here.Close()
		<-ended
	})
	require.NoError(t, here.SetDeadline(time.Now().Add(30*time.Second)))
	return here
}

func packet(e encoder) []byte { return append(encoder{}.int32(int32(len(e))), e...) }

func hello(session int64, secret string) encoder {
	return encoder{}.int32(0).int64(0).int32(5000).int64(session).bytes([]byte(secret))
}

func ask(t testing.TB, conn net.Conn, e encoder) *decoder {
	t.Helper()
	go conn.Write(packet(e))
	answer, err := readPacket(conn, time.Minute)
	require.NoError(t, err)
	return &decoder{rest: answer}
}

func request(xid, op int32, path string) encoder {
	return append(encoder{}.int32(xid).int32(op).bytes([]byte(path)), 0)
}

// TestSession requests nodes as clients do; what a client may not do is
// refused.
func TestSession(t *testing.T) {
	conn := dial(t)
	opened := ask(t, conn, append(hello(0, ""), 0))
	require.EqualValues(t, 0, opened.int32())
	require.EqualValues(t, 5000, opened.int32())
	session, secret := opened.int64(), string(opened.bytes())
	require.NotZero(t, session)
	require.Len(t, secret, 16)
	require.Equal(t, []byte{0}, opened.rest)

	for _, c := range []struct {
		op   int32
		path string
		code int32
	}{{opGetData, "/hbase/master", codeOK}, {opGetData, "/hbase/nothing", codeNoNode}, {opExists, "/hbase", codeOK},
		{opGetChildren2, "/", codeOK}, {opPing, "", codeOK}, {1, "/x", codeNoAuth}, {14, "", codeNoAuth}, {77, "", codeUnimplemented}} {
		d := ask(t, conn, request(9, c.op, c.path))
		require.EqualValues(t, 9, d.int32())
		d.int64()
		require.Equal(t, c.code, d.int32(), "%+v", c)
	}
	d := ask(t, conn, request(1, opGetData, "/hbase/master"))
	d.take(16)
	require.Equal(t, "m", string(d.bytes()))
	require.Len(t, d.rest, 68)
	d = ask(t, conn, request(1, opGetChildren, "/hbase"))
	d.take(16)
	require.EqualValues(t, 2, d.int32())
	require.Equal(t, []string{"hbaseid", "master"}, []string{string(d.bytes()), string(d.bytes())})
	ask(t, conn, encoder{}.int32(2).int32(opCloseSession))
	_, err := conn.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)

	again := ask(t, dial(t), hello(session, secret)) // an older client, which does not ask whether the server is read-only
	again.take(8)
	require.Equal(t, session, again.int64())
	require.Equal(t, secret, string(again.bytes()))
	require.Empty(t, again.rest)
}

// TestHostilePackets ends a connection whose packet is too long or too short.
func TestHostilePackets(t *testing.T) {
	for _, sent := range [][]byte{{0x7f, 0xff, 0xff, 0xff}, {0xff, 0xff, 0xff, 0xff}, {0, 0, 0, 1, 0}, packet(hello(0, "")[:12])} {
		conn := dial(t)
		go conn.Write(sent)
		_, err := conn.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF)
	}
	conn := dial(t)
	go conn.Write([]byte("ruok"))
	said, err := io.ReadAll(conn)
	require.NoError(t, err)
	require.Equal(t, "imok", string(said))
}

// FuzzReply answers arbitrary packets.
func FuzzReply(f *testing.F) {
	f.Add([]byte(request(1, opGetData, "/hbase/master")))
	f.Add([]byte(encoder{}.int32(1).int32(opGetData).int32(-1)))
	f.Add([]byte(encoder{}.int32(1).int32(opExists).int32(1 << 30)))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, sent []byte) {
		answer, _, err := tree.reply(sent)
		require.True(t, err != nil || len(answer) >= 16)
	})
}
