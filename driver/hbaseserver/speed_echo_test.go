package hbaseserver_test

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// The environment of a process that only runs TestEcho: where it listens, and the server behind it.
const (
	echoListens = "HBASEKV_ECHO"
	echoBefore  = "HBASEKV_ECHO_OF"
)

// echoOf starts a proxy of a server, as a separate process: the server answers the first Gets, until one of
// them finds something, which is then the answer to all others.
func echoOf(t *testing.T, server string) (address string, process int) {
	address = freeAddress(t)
	cmd := exec.Command(os.Args[0], "-test.run=^TestEcho$")
	cmd.Env = append(os.Environ(), echoListens+"="+address, echoBefore+"="+server)
	start(t, cmd, address)
	return address, cmd.Process.Pid
}

// TestEcho is the process of echoOf, which a signal ends.
func TestEcho(t *testing.T) {
	address := os.Getenv(echoListens)
	if address == "" {
		t.Skip("it is a part of TestSpeed")
	}
	l, err := net.Listen("tcp", address)
	require.NoError(t, err)
	for {
		client, err := l.Accept()
		require.NoError(t, err)
		go func() {
			defer client.Close()
			server, err := net.Dial("tcp", os.Getenv(echoBefore))
			if err == nil {
				defer server.Close()
				echo(client, server)
			}
		}()
	}
}

// echo answers a client's Gets with an earlier answer of the server, and lets the server answer the others.
func echo(client, server net.Conn) {
	var writing sync.Mutex // guards the answers and the following variables
	var waiting uint32     // the number of the last Get that the server must answer
	var body []byte        // an answer without its number
	go func() {
		defer client.Close()
		for in := bufio.NewReader(server); ; {
			frame, err := readFrame(in, nil)
			if err != nil {
				return
			}
			writing.Lock()
			if id, rest := answerOf(frame[4:]); id == waiting && binary.BigEndian.Uint32(rest) > 0 {
				body = rest
			}
			_, err = client.Write(frame)
			writing.Unlock()
			if err != nil {
				return
			}
		}
	}()
	in := bufio.NewReader(client)
	hello := make([]byte, 10)
	if _, err := io.ReadFull(in, hello); err != nil {
		return
	}
	if _, err := server.Write(hello); err != nil {
		return
	}
	if _, err := io.CopyN(server, in, int64(binary.BigEndian.Uint32(hello[6:]))); err != nil {
		return
	}
	var frame, out []byte
	for {
		var err error
		if frame, err = readFrame(in, frame); err != nil {
			return
		}
		header, _ := protowire.ConsumeBytes(frame[4:])
		var h pb.RequestHeader
		if err := proto.Unmarshal(header, &h); err != nil {
			return
		}
		writing.Lock()
		get := h.GetMethodName() == "Get"
		if get && body != nil {
			out = appendAnswer(out[:0], h.GetCallId(), body)
			_, err = client.Write(out)
		} else {
			if get {
				waiting = h.GetCallId()
			}
			_, err = server.Write(frame)
		}
		writing.Unlock()
		if err != nil {
			return
		}
	}
}

// readFrame reads a call or an answer with its length.
func readFrame(in *bufio.Reader, into []byte) ([]byte, error) {
	head, err := in.Peek(4)
	if err != nil {
		return nil, err
	}
	size := 4 + int(binary.BigEndian.Uint32(head))
	if cap(into) < size {
		into = make([]byte, size)
	}
	_, err = io.ReadFull(in, into[:size])
	return into[:size], err
}

// answerOf parses an answer: the number of its call, and the length of its cells with what follows the
// header.
func answerOf(frame []byte) (id uint32, rest []byte) {
	header, n := protowire.ConsumeBytes(frame)
	var h pb.ResponseHeader
	if n < 0 || proto.Unmarshal(header, &h) != nil {
		return 0, []byte{0, 0, 0, 0}
	}
	rest = binary.BigEndian.AppendUint32(nil, h.GetCellBlockMeta().GetLength())
	return h.GetCallId(), append(rest, frame[n:]...)
}

// appendAnswer appends the same answer for another call.
func appendAnswer(out []byte, id uint32, rest []byte) []byte {
	h := &pb.ResponseHeader{CallId: &id, CellBlockMeta: &pb.CellBlockMeta{Length: proto.Uint32(binary.BigEndian.Uint32(rest))}}
	header, err := proto.Marshal(h)
	if err != nil {
		return out
	}
	out = append(out, 0, 0, 0, 0)
	out = append(protowire.AppendBytes(out, header), rest[4:]...)
	binary.BigEndian.PutUint32(out, uint32(len(out)-4))
	return out
}
