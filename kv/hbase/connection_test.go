package hbase

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// echoServer answers each Get with its row.
type echoServer struct {
	net.Listener
	// answer sends an answer; if it fails, the connection is closed.
	answer   func(conn net.Conn, answer []byte) error
	accepted atomic.Int64
}

func newEchoServer(t *testing.T, answer func(net.Conn, []byte) error) *echoServer {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &echoServer{Listener: l, answer: answer}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			s.accepted.Add(1)
			go s.serve(conn)
		}
	}()
	return s
}

func (s *echoServer) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	if _, err := in.Discard(6); err != nil {
		return
	}
	for first := true; ; first = false {
		var size [4]byte
		if _, err := io.ReadFull(in, size[:]); err != nil {
			return
		}
		b := make([]byte, binary.BigEndian.Uint32(size[:]))
		if _, err := io.ReadFull(in, b); err != nil {
			return
		}
		if first { // the greeting
			continue
		}
		if s.answer(conn, echo(b)) != nil {
			return
		}
	}
}

// echo returns the response to a Get: a cell of its row.
func echo(b []byte) (out []byte) {
	var header pb.RequestHeader
	var get pb.GetRequest
	for _, m := range []proto.Message{&header, &get} {
		part, n := protowire.ConsumeBytes(b)
		if proto.Unmarshal(part, m) != nil {
			panic("not a Get")
		}
		b = b[n:]
	}
	out = make([]byte, 4)
	for _, m := range []proto.Message{&pb.ResponseHeader{CallId: header.CallId},
		&pb.GetResponse{Result: &pb.Result{Cell: []*pb.Cell{{Row: get.GetGet().GetRow()}}}}} {
		part, err := proto.Marshal(m)
		if err != nil {
			panic(err)
		}
		out = protowire.AppendBytes(out, part)
	}
	binary.BigEndian.PutUint32(out, uint32(len(out)-4))
	return out
}

// echoed requests a row.
func echoed(ctx context.Context, w *wire, to string, row []byte) (string, error) {
	response := &pb.GetResponse{}
	_, err := w.call(ctx, server{addr: to}, "Get", &pb.GetRequest{Region: regionSpecifier([]byte("r")), Get: &pb.Get{Row: row}}, response)
	if err != nil {
		return "", err
	}
	return string(response.GetResult().GetCell()[0].GetRow()), nil
}

func newTestWire(t *testing.T) *wire {
	w := newWire(access{user: "somebody", dial: (&net.Dialer{}).DialContext})
	t.Cleanup(w.close)
	return w
}

// Concurrent calls on one connection get their own responses, which come in any order and
// in parts, while other calls give up, even ones that were reading.
func TestConnectionShared(t *testing.T) {
	t.Parallel() // it waits most of the time
	seed := testseed.Of(t)
	var writing sync.Mutex
	s := newEchoServer(t, func(conn net.Conn, answer []byte) error {
		go func() {
			time.Sleep(rand.N(300 * time.Microsecond))
			writing.Lock()
			defer writing.Unlock()
			cut := rand.IntN(len(answer))
			for _, part := range [][]byte{answer[:cut], answer[cut:]} {
				_, _ = conn.Write(part)
				time.Sleep(rand.N(50 * time.Microsecond))
			}
		}()
		return nil
	})
	w := newTestWire(t)
	_, err := w.connection(context.Background(), server{addr: s.Addr().String()})
	require.NoError(t, err)
	var all sync.WaitGroup
	var gone atomic.Int64
	for n := range 8 {
		all.Go(func() {
			mine := rand.New(rand.NewPCG(seed, uint64(n)))
			for i := range 200 {
				ctx, cancel := context.WithCancel(context.Background())
				if i%3 == 0 {
					time.AfterFunc(time.Duration(mine.IntN(1000))*time.Microsecond, cancel)
				}
				row := fmt.Sprintf("%d-%d", n, i)
				switch got, err := echoed(ctx, w, s.Addr().String(), []byte(row)); {
				case err == nil && got == row:
				case err == context.Canceled && i%3 == 0:
					gone.Add(1)
				default:
					t.Errorf("%s: %q, %v", row, got, err)
				}
				cancel()
			}
		})
	}
	all.Wait()
	t.Logf("%d gave up", gone.Load())
	require.EqualValues(t, 1, s.accepted.Load(), "connections")
}

// A connection that the server has closed while nobody used it is detected before anything
// is sent, so that no response can be lost.
func TestConnectionClosedByServer(t *testing.T) {
	closed := make(chan struct{})
	s := newEchoServer(t, func(conn net.Conn, answer []byte) error {
		_, err := conn.Write(answer)
		conn.Close()
		closed <- struct{}{}
		return err
	})
	w := newTestWire(t)
	ctx := context.Background()
	got, err := echoed(ctx, w, s.Addr().String(), []byte("first"))
	require.NoError(t, err)
	require.Equal(t, "first", got)
	<-closed
	_, err = echoed(ctx, w, s.Addr().String(), []byte("second"))
	require.Equal(t, notSent, outcomeOf(err), "%v", err)
	go func() { <-closed }()
	got, err = echoed(ctx, w, s.Addr().String(), []byte("third"))
	require.NoError(t, err)
	require.Equal(t, "third", got)
	require.EqualValues(t, 2, s.accepted.Load())
}

// Calls that wait on a breaking connection report an unknown outcome.
func TestConnectionBreaks(t *testing.T) {
	var asked atomic.Int64
	s := newEchoServer(t, func(net.Conn, []byte) error {
		if asked.Add(1) < 4 {
			return nil
		}
		return io.EOF
	})
	w := newTestWire(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			_, err := echoed(context.Background(), w, s.Addr().String(), []byte("row"))
			if outcomeOf(err) != lost {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// TestConnectionToWhoReadsNothing requires that a call whose request the server does not
// read ends with its context, and so do those that wait to write. A call that ends in the
// middle of its request closes the connection.
func TestConnectionToWhoReadsNothing(t *testing.T) {
	t.Parallel() // it waits most of the time
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	w := newWire(access{user: "somebody", dial: (&net.Dialer{}).DialContext})
	t.Cleanup(w.close)
	to := server{addr: l.Addr().String()}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	var calls sync.WaitGroup
	for range 4 {
		calls.Go(func() {
			request := &pb.GetRequest{Region: regionSpecifier([]byte("r")), Get: &pb.Get{Row: make([]byte, 32<<20)}}
			_, err := w.call(ctx, to, "Get", request, &pb.GetResponse{})
			require.Error(t, err)
		})
	}
	ended := make(chan struct{})
	go func() {
		calls.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Fatal("calls wait for a server that reads nothing")
	}
	c, err := w.connection(t.Context(), to) // a new one
	require.NoError(t, err)
	require.False(t, c.isBroken())
}

// A server that refuses the login closes the connection, often before it has read the request. The call tells why
// all the same, or that nothing was said.
func TestConnectionOfRefusedLogin(t *testing.T) {
	for says, class := range map[string]string{
		"wants Kerberos":             "",
		"Authentication is required": "org.apache.hadoop.hbase.security.AccessDeniedException",
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer l.Close()
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			conn, err := l.Accept()
			if err != nil {
				return
			}
			defer conn.Close() // with what it has not read, so that the next write fails
			_, _ = io.ReadFull(conn, make([]byte, 7))
			if class != "" {
				_, _ = conn.Write(refusal(t, class, says))
			}
		}()
		w := newTestWire(t)
		to := server{addr: l.Addr().String()}
		_, err = w.connection(t.Context(), to)
		require.NoError(t, err)
		<-closed
		_, err = echoed(t.Context(), w, to.addr, []byte("row"))
		require.ErrorContains(t, err, says)
	}
}

// refusal returns an answer to no call, which ends a connection.
func refusal(t *testing.T, class, says string) []byte {
	b, err := proto.Marshal(&pb.ResponseHeader{CallId: proto.Uint32(noCall),
		Exception: &pb.ExceptionResponse{ExceptionClassName: &class, StackTrace: &says}})
	require.NoError(t, err)
	b = protowire.AppendBytes(nil, b)
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...)
}
